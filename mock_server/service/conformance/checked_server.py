"""The server that is checked, and how rules and probes of it are declared."""

from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from mock_server.control.http_call import Unfit
from mock_server.domain.choices.table import Value
from mock_server.service.conformance import exchange, lists
from mock_server.service.conformance.changes import Pins, Temporary
from mock_server.service.conformance.lists import Lists

_DATASETS = "/api/core/dataset/list"


class Server:
    """A server that is asked; what several checks look at is asked once."""

    def __init__(self, client: exchange.Client, options: exchange.Options) -> None:
        self.client, self.options = client, options
        self.lists = Lists(client, options)
        self.pins = Pins(client, options)
        self.temporary = Temporary(client, self.lists, options)

    def open(self) -> None:
        """Find out whether there is such a service. Raises Unfit, Unreachable."""
        body = {"offset": 0, "pageSize": 1, "datasetId": self.options.dataset or "-"}
        answer = self.client.ask("POST", lists.PATH, body)
        wanted = ""
        if not answer.fields.keys() & {"code", "data"}:
            wanted = "an envelope with code and data"
        elif answer.status == 401 or (self.options.dataset and not answer.is_success):
            wanted = "a page, as the key may read the dataset"
        elif not answer.is_success:
            # A path that no service has: who answers it alike does not know this one.
            nowhere = f"{lists.PATH}/{self.options.unknown}"
            if self.client.ask("POST", nowhere, body).sign == answer.sign:
                wanted = "listV2 to be served (is the base URL the service's own?)"
        if wanted:
            got = answer.summary()
            raise Unfit(f"Expected {wanted}, got {got} - at {answer.request}")

    def find_dataset(self) -> exchange.Options:
        """The options; where they name no dataset, with one that the server shows.

        Which one that is, and of how many, is told. Raises Unreachable.
        """
        if self.options.dataset is not None:
            return self.options
        found = self.client.ask("POST", _DATASETS, {"parentId": None}).fields.get(
            "data"
        )
        items = found if isinstance(found, list) else []
        known = [each for each in items if isinstance(each, dict)]
        ids = [exchange.id_of(each) for each in known if each.get("type") != "folder"]
        if not (ids := [each for each in ids if each]):
            return self.options
        which = f"takes {exchange.cut(ids[0])}, the first of {len(ids)}"
        self.client.tell(f"no --dataset is given: {which} that {_DATASETS} shows")
        return replace(self.options, dataset=ids[0])

    @property
    def listening(self) -> Lists:
        """The lists. Raises NotObservable where the requests make no difference."""
        self.lists.check_listening()
        return self.lists

    @cached_property
    def refusals(self) -> list[exchange.Answer]:
        """What the server answers to requests that it may refuse, if it does."""
        asked = [
            self.lists.ask(key=None),
            self.lists.ask(datasetId=...),
            self.lists.ask(datasetId=self.options.unknown),
        ]
        return [each for each in asked if each.is_refusal]

    def restore(self) -> None:
        """Put back what has been changed, as far as that could be seen."""
        self.pins.restore()
        self.temporary.restore()


class Rule(Struct, frozen=True):
    """A rule of the interface description, and its check.

    `check` raises Differs or NotObservable. Where a value of a choice is not as the
    rule says, `choice` names it: `search_fields=name`.
    """

    name: str
    section: str
    sentence: str
    check: Callable[[Server], None]
    choice: str = ""


class Probe(Struct, frozen=True):
    """How the value of a choice is found; `find` raises NotObservable."""

    choice: str
    asked: str
    find: Callable[[Server], Value]


def unasked(_: Server) -> Value:
    """Finds the value of a choice for which no probe is declared."""
    raise exchange.NotObservable("no request has been found that shows it")


Check = Callable[[Server], None]
Find = TypeVar("Find", bound=Callable[[Server], Value])


class Rules(list[Rule]):
    """The rules of a module, in the order in which their checks stand."""

    def add(self, section: str, choice: str = "") -> Callable[[Check], Check]:
        """Declare a check as that of a rule; its docstring is the sentence."""

        def declare(check: Check) -> Check:
            name, sentence = check.__name__, " ".join((check.__doc__ or "").split())
            self.append(Rule(name, section, sentence, check, choice))
            return check

        return declare


class Probes(list[Probe]):
    def add(self, asked: str) -> Callable[[Find], Find]:
        """Declare how the value of the choice is found that a function is named for."""

        def declare(find: Find) -> Find:
            self.append(Probe(find.__name__, asked, find))
            return find

        return declare
