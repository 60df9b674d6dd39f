"""The server that is looked at, what may be looked at there, and with which keys."""

from functools import cached_property
from urllib.parse import urlencode

from msgspec import Struct

from mock_server.conformance import lists, pins
from mock_server.conformance.answer import Answer, NotObservable
from mock_server.conformance.asker import Asker
from mock_server.conformance.lists import Lists
from mock_server.conformance.pins import Pins
from mock_server.conformance.temporary import Temporary
from mock_server.domain.limits import Limits
from mock_server.http_call import Unfit

_NOWHERE = "/api/core/chat/history/verifyNothing"
_DETAIL = "/api/core/dataset/detail"


class Told(Struct, frozen=True):
    """What a caller says of a server: ids, keys of others, and what is allowed.

    `reader` is a key that may only read the dataset, `outsider` one that may not,
    `token` that of a login. `unknown` is a text that the server has never seen.
    """

    unknown: str
    dataset: str | None = None
    app: str | None = None
    chat: str | None = None
    reader: str | None = None
    outsider: str | None = None
    token: str | None = None
    may_write: bool = False


class Subject:
    """A server that is asked; what several checks look at is asked once."""

    def __init__(self, asker: Asker, told: Told, limits: Limits = Limits()) -> None:
        self.asker, self.told = asker, told
        self.lists = Lists(asker, told.dataset, told.unknown, limits)
        self.pins = Pins(
            asker,
            told.app,
            told.chat,
            told.unknown,
            limits,
            may_write=told.may_write,
        )
        self.temporary = Temporary(
            asker, self.lists, told.dataset, may_write=told.may_write
        )

    def open(self) -> None:
        """Find out whether there is such a service. Raises Unfit, Unreachable."""
        body = {"offset": 0, "pageSize": 1, "datasetId": self.told.dataset or "-"}
        answer = self.asker.ask("POST", lists.PATH, body)
        wanted = "an envelope with code and data"
        if not answer.fields.keys() & {"code", "data"}:
            got = answer.summary()
            raise Unfit(f"Expected {wanted}, got {got} - at {answer.request}")
        if answer.status == 401 or (self.told.dataset and not answer.is_success):
            wanted = "a page, as the key may read the dataset"
            got = answer.summary()
            raise Unfit(f"Expected {wanted}, got {got} - at {answer.request}")

    @cached_property
    def refusals(self) -> list[Answer]:
        """What the server answers to requests that it may refuse, if it does."""
        asked = [
            self.lists.ask(key=None),
            self.lists.ask(datasetId=...),
            self.lists.ask(datasetId=self.told.unknown),
        ]
        return [each for each in asked if each.is_refusal]

    @cached_property
    def unknown_dataset(self) -> Answer:
        """What a list of an unknown dataset is answered."""
        return self.lists.ask(datasetId=self.told.unknown)

    def is_served(self, method: str, path: str, like: str, body: object) -> bool:
        """Whether a path is answered as `like` is, and not as one that there is not.

        Raises NotObservable where neither is so.
        """
        answer = self.asker.ask(method, path, body)
        known = self.asker.ask(method, like, body)
        nothing = self.asker.ask(method, _NOWHERE, body)
        if answer.sign == nothing.sign != known.sign:
            return False
        if answer.sign == known.sign != nothing.sign:
            return True
        raise NotObservable(f"got {answer.summary()} - at {answer.request}")

    def has_legacy_path(self) -> bool:
        """Whether pins have their older path too; nothing is pinned."""
        # Without fields: a request that names nothing changes nothing.
        return self.is_served("PUT", pins.LEGACY_PATH, pins.PATH, {})

    def has_neighbours(self) -> bool:
        """Whether the details of the dataset are served. Raises NotObservable."""
        if self.told.dataset is None:
            raise NotObservable("needs --dataset")
        path = f"{_DETAIL}?{urlencode({'id': self.told.dataset})}"
        answer = self.asker.ask("GET", path)
        if answer.is_success and answer.data.get("_id") == self.told.dataset:
            return True
        nothing = self.asker.ask("GET", _NOWHERE)
        if answer.is_refusal and answer.sign == nothing.sign:
            return False
        raise NotObservable(f"got {answer.summary()} - at {answer.request}")

    def restore(self) -> None:
        """Put back what has been changed, as far as that could be seen."""
        self.pins.restore()
        self.temporary.restore()
