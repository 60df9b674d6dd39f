"""What a request sees of a sandbox: the account, the choices and the clock, at one moment."""

from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from mock_server.choices import Choices
from mock_server.clock import Clock
from mock_server.store.objects import Store


class Moment(Struct, frozen=True):
    """What a request sees. A change makes a new moment, so to keep an old one costs a reference."""

    store: Store
    choices: Choices = Choices()
    clock: Clock = Clock()
    profile: str = "documented"

    @property
    def now_ms(self) -> int:
        return self.clock.now_ms()

    def settled(self) -> Self:
        """The moment once its datasets are trained as far as the clock says."""
        if not self.store.is_training:
            return self
        return replace(self, store=self.store.at(self.now_ms))
