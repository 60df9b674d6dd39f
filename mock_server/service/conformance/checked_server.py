"""The checked server, and the types of rules and probes."""

from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from mock_server.control.http_call import UnusableResponse
from mock_server.domain.choices.table import Value
from mock_server.service.conformance import exchange, lists
from mock_server.service.conformance.changes import Pins, TemporaryCollection
from mock_server.service.conformance.lists import Lists

_DATASETS = "/api/core/dataset/list"


class Server:
    """The checked server; it requests data once if several checks need them."""

    def __init__(
        self, client: exchange.Client, options: exchange.VerifyOptions
    ) -> None:
        self.client, self.options = client, options
        self.lists = Lists(client, options)
        self.pins = Pins(client, options)
        self.temporary = TemporaryCollection(client, self.lists, options)

    def check_reachable(self) -> None:
        """Check that the server serves listV2. Raises UnusableResponse, Unreachable."""
        body = {"offset": 0, "pageSize": 1, "datasetId": self.options.dataset or "-"}
        response = self.client.ask("POST", lists.PATH, body)
        expected = ""
        if not response.fields.keys() & {"code", "data"}:
            expected = "an envelope with code and data"
        elif response.status != 401 and not response.is_success:
            # No service has the `path`. If both responses are the same, listV2
            # is unknown, too.
            path = f"{lists.PATH}/{self.options.unknown}"
            if self.client.ask("POST", path, body).error_kind == response.error_kind:
                expected = "listV2 to be served (the base URL is the part before /api)"
        if not expected and (
            response.status == 401 or (self.options.dataset and not response.is_success)
        ):
            expected = "a page, as the key may read the dataset"
        if expected:
            got = response.summary()
            raise UnusableResponse(
                f"Expected {expected}, got {got} - at {response.request}"
            )

    def find_dataset(self) -> exchange.VerifyOptions:
        """Return the options; if they name no dataset, with the first of the server.

        Report the chosen dataset. Raises Unreachable.
        """
        if self.options.dataset is not None:
            return self.options
        datasets = self.client.ask("POST", _DATASETS, {"parentId": None}).fields.get(
            "data"
        )
        items = datasets if isinstance(datasets, list) else []
        objects = [each for each in items if isinstance(each, dict)]
        ids = [exchange.id_of(each) for each in objects if each.get("type") != "folder"]
        if not (ids := [each for each in ids if each]):
            return self.options
        choice = f"takes {exchange.cut(ids[0])}, the first of {len(ids)}"
        self.client.report(f"no --dataset is given: {choice} that {_DATASETS} shows")
        return replace(self.options, dataset=ids[0])

    @property
    def varying_lists(self) -> Lists:
        """Return the lists. Raises NotObservable if all responses are the same."""
        self.lists.require_varying_responses()
        return self.lists

    @cached_property
    def refusals(self) -> list[exchange.Response]:
        """Return the refusals of three wrong lists; the server may accept some."""
        responses = [
            self.lists.ask(key=None),
            self.lists.ask(datasetId=...),
            self.lists.ask(datasetId=self.options.unknown),
        ]
        return [each for each in responses if each.is_refusal]


class Rule(Struct, frozen=True):
    """A rule of the spec, and its check.

    `check` raises Breach or NotObservable. `choice` is the value of a choice with
    which the mock server breaks the rule too, such as `search_fields=name`.
    """

    name: str
    section: str
    sentence: str
    check: Callable[[Server], None]
    choice: str = ""


class Probe(Struct, frozen=True):
    """A way to find the value of a choice; `description` names its requests.

    `find` raises NotObservable.
    """

    choice: str
    description: str
    find: Callable[[Server], Value]


def find_nothing(_: Server) -> Value:
    """Raise NotObservable, as the probe of a choice that has none."""
    raise exchange.NotObservable("no request has been found that shows it")


Check = Callable[[Server], None]
Find = TypeVar("Find", bound=Callable[[Server], Value])


class Rules(list[Rule]):
    """The rules of a module, in the order of their checks."""

    def add(self, section: str, choice: str = "") -> Callable[[Check], Check]:
        """Return a decorator for the check of a rule; its docstring is the sentence."""

        def declare(check: Check) -> Check:
            name, sentence = check.__name__, " ".join((check.__doc__ or "").split())
            self.append(Rule(name, section, sentence, check, choice))
            return check

        return declare


class Probes(list[Probe]):
    """The probes of a module."""

    def add(self, description: str) -> Callable[[Find], Find]:
        """Return a decorator for the probe of the choice that the function names."""

        def declare(find: Find) -> Find:
            self.append(Probe(find.__name__, description, find))
            return find

        return declare
