"""What a request sees of a sandbox: the account, the choices and the clock, at one moment."""

from msgspec import Struct

from mock_server.choices import Choices
from mock_server.clock import Clock
from mock_server.store.account import Store


class Moment(Struct, frozen=True):
    """What a request sees. A change makes a new moment, so to keep an old one costs a reference."""

    store: Store
    choices: Choices = Choices()
    clock: Clock = Clock()
    profile: str = "documented"

    @property
    def now_ms(self) -> int:
        return self.clock.now_ms()
