"""Declare rules and probes, and the server that they check."""

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
    """The checked server; data that several checks use are requested once."""

    def __init__(self, client: exchange.Client, options: exchange.Options) -> None:
        self.client, self.options = client, options
        self.lists = Lists(client, options)
        self.pins = Pins(client, options)
        self.temporary = Temporary(client, self.lists, options)

    def open(self) -> None:
        """Check that the server is such a service. Raises Unfit, Unreachable."""
        body = {"offset": 0, "pageSize": 1, "datasetId": self.options.dataset or "-"}
        answer = self.client.ask("POST", lists.PATH, body)
        wanted = ""
        if not answer.fields.keys() & {"code", "data"}:
            wanted = "an envelope with code and data"
        elif answer.status != 401 and not answer.is_success:
            # No service has this path: with the same response, listV2 is unknown too.
            nowhere = f"{lists.PATH}/{self.options.unknown}"
            if self.client.ask("POST", nowhere, body).sign == answer.sign:
                wanted = "listV2 to be served (the base URL is the part before /api)"
        if not wanted and (
            answer.status == 401 or (self.options.dataset and not answer.is_success)
        ):
            wanted = "a page, as the key may read the dataset"
        if wanted:
            got = answer.summary()
            raise Unfit(f"Expected {wanted}, got {got} - at {answer.request}")

    def find_dataset(self) -> exchange.Options:
        """Return the options, with a dataset of the server if they name none.

        Prints which dataset that is. Raises Unreachable.
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
    def reacting_lists(self) -> Lists:
        """Return the lists. Raises NotObservable if all responses are the same."""
        self.lists.check_reacting()
        return self.lists

    @cached_property
    def refusals(self) -> list[exchange.Answer]:
        """Return the refusals of three requests that a server may refuse."""
        asked = [
            self.lists.ask(key=None),
            self.lists.ask(datasetId=...),
            self.lists.ask(datasetId=self.options.unknown),
        ]
        return [each for each in asked if each.is_refusal]

    def restore(self) -> None:
        """Undo all changes, as far as the former state was visible."""
        self.pins.restore()
        self.temporary.restore()


class Rule(Struct, frozen=True):
    """A rule of the spec, and its check.

    `check` raises Differs or NotObservable. `choice` is the value of a choice with
    which our server breaks the rule too: `search_fields=name`.
    """

    name: str
    section: str
    sentence: str
    check: Callable[[Server], None]
    choice: str = ""


class Probe(Struct, frozen=True):
    """A way to find the value of a choice; `find` raises NotObservable."""

    choice: str
    asked: str
    find: Callable[[Server], Value]


def unasked(_: Server) -> Value:
    """Raise NotObservable for a choice without a probe."""
    raise exchange.NotObservable("no request has been found that shows it")


Check = Callable[[Server], None]
Find = TypeVar("Find", bound=Callable[[Server], Value])


class Rules(list[Rule]):
    """The rules of a module, in the order of their checks."""

    def add(self, section: str, choice: str = "") -> Callable[[Check], Check]:
        """Declare the check of a rule; the check's docstring is the sentence."""

        def declare(check: Check) -> Check:
            name, sentence = check.__name__, " ".join((check.__doc__ or "").split())
            self.append(Rule(name, section, sentence, check, choice))
            return check

        return declare


class Probes(list[Probe]):
    def add(self, asked: str) -> Callable[[Find], Find]:
        """Declare the probe of the choice that a function is named for."""

        def declare(find: Find) -> Find:
            self.append(Probe(find.__name__, asked, find))
            return find

        return declare
