"""The names of profiles, in a module that loads faster than the table of choices."""

from typing import Literal, get_args

Profile = Literal["documented", "deployed", "deployed-4.14"]
PROFILES: tuple[Profile, ...] = get_args(Profile)
