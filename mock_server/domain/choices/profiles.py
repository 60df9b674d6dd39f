"""The names of profiles; apart from the table of choices, which takes 17 ms to load."""

from typing import Literal, get_args

Profile = Literal["documented", "deployed", "deployed-4.14"]
PROFILES: tuple[Profile, ...] = get_args(Profile)
