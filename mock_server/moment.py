"""The part of a sandbox that requests see: values, which tests and operations replace."""

from msgspec import Struct

from mock_server.choices import Choices
from mock_server.clock import Clock
from mock_server.scripting.script import Declared
from mock_server.store.account import Store


class Moment(Struct, frozen=True):
    """What a request sees. A moment is immutable, so keeping an old one costs a reference."""

    store: Store
    declared: Declared = Declared()
    """The faults, answers, replies and hits that the fixture, or an app that was put, declares."""
    choices: Choices = Choices()
    clock: Clock = Clock()
    profile: str = "documented"
