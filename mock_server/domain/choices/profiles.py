"""Names of profiles, kept apart because the table of choices takes 17 ms to load."""

from typing import Literal, get_args

Profile = Literal["documented", "deployed", "deployed-4.14"]
PROFILES: tuple[Profile, ...] = get_args(Profile)
