"""The part of a sandbox that requests see; faults, answers and the journal are not in it."""

from msgspec import Struct

from mock_server.choices import Choices
from mock_server.clock import Clock
from mock_server.store.account import Store


class Moment(Struct, frozen=True):
    """What a request sees. A moment is immutable, so keeping an old one costs a reference."""

    store: Store
    choices: Choices = Choices()
    clock: Clock = Clock()
    profile: str = "documented"
