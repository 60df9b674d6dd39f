"""Defines a state machine of Hypothesis that calls a client and checks the results."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, ClassVar

from hypothesis import HealthCheck, Phase, settings, stateful
from hypothesis import strategies as st

from mock_server.api.fixture_loading import load_fixture
from mock_server.control.control_object import MockServerFixture
from mock_server.control.embedding import MockServer
from mock_server.domain.choices.table import Value
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.testing.machine.client import (
    LIST_KINDS,
    METHOD_NAMES,
    PAGE_KINDS,
    SEARCH_TEXTS,
    Client,
    Item,
    fault_plans,
)
from mock_server.testing.machine.expected import Chat, Expected, Folder
from mock_server.testing.machine.server_side import CallOutcome, Fault, ServerSide

STEPS = 20
"""The steps of an example. A few steps find most mistakes."""
_PINNED = {True: "pinned", False: "unpinned", None: "missing"}


def _by_state(
    strategy_for: Callable[[Any], st.SearchStrategy[Any]],
) -> st.SearchStrategy[Any]:
    """Return the strategy that `strategy_for` returns for the current machine."""
    return st.runner().flatmap(strategy_for)


def _some_choices(client: Client) -> st.SearchStrategy[Mapping[str, Value]]:
    strategies = {
        name: st.sampled_from(list(values))
        for name, values in client.choices.items()
        if not isinstance(values, str | int)
    }
    return st.fixed_dictionaries({}, optional=strategies)


def _some_faults(
    client: Client, excluded: Collection[str] = ()
) -> st.SearchStrategy[Fault]:
    kinds = [each for each in client.faults if each["kind"] not in excluded]
    if not kinds:
        return st.none()
    plans = fault_plans(kinds, client.attempts, excluded == ())
    fault = st.sampled_from(plans).flatmap(st.sampled_from)
    return st.one_of(st.none(), fault, fault, fault)


class ClientMachine(Client, stateful.RuleBasedStateMachine):
    """Tests your client against a mock server, with faults and choices.

    Subclass it, create the client in `start`, and override what the client supports:
    `pin`, `list_folder`, `search`, `list_page`. Then `TestMine = MyMachine.TestCase` is
    a test, and so is a function that calls `MyMachine.run(mock_server)`.

    After each call the client's result is compared with the server's data: a reported
    pin is done, a list is complete, a failed call raises. No call may break the spec,
    log the API key, retry for ever, or retry before the time of a Retry-After. The
    attributes are further promises of your client.
    """

    _server_side: ClassVar[ServerSide | None] = None

    @classmethod
    def run(
        cls,
        server: MockServerFixture | None = None,
        *,
        settings: settings | None = None,
    ) -> None:
        """Run as a test, on a server such as `mock_server`, or on a new one.

        Raises AssertionError with the shortest steps that show the mistake.
        """
        with ExitStack() as stack:
            # A subclass with the server, of the same name for the reports of failures.
            names = {"__module__": cls.__module__, "__qualname__": cls.__qualname__}
            server_side = {"_server_side": _load_into(cls, stack, server)}
            metaclass: Any = type(cls)
            machine = metaclass(cls.__name__, (cls,), {**names, **server_side})
            settings = settings or cls.TestCase.settings
            stateful.run_state_machine_as_test(machine, settings=settings)

    def sleep(self, seconds: float) -> None:
        """Advance the sandbox's clock; a client may call this to wait."""
        if seconds > 0:
            self._server.control.clock.advance(seconds)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Remove rules for methods that are not overridden; run with a server."""
        super().__init_subclass__(**kwargs)
        for name in METHOD_NAMES:
            is_overridden = getattr(cls, name) is not getattr(Client, name)
            check = getattr(ClientMachine, f"check_{name}") if is_overridden else None
            setattr(cls, f"check_{name}", check)

        def run(test: Any) -> None:
            cls.run(settings=test.settings)

        run.is_hypothesis_test = True  # type: ignore[attr-defined]
        cls.TestCase.runTest = run  # type: ignore[method-assign, assignment]
        cls.TestCase.settings = settings(
            deadline=None,
            suppress_health_check=list(HealthCheck),
            stateful_step_count=STEPS,
            report_multiple_bugs=False,  # one failure at a time
            phases=[each for each in Phase if each is not Phase.explain],
        )

    def __init__(self) -> None:
        super().__init__()
        if not any(getattr(self, f"check_{name}") for name in METHOD_NAMES):
            expected = f"Expected a method of {', '.join(METHOD_NAMES)}"
            raise TypeError(f"{expected}, got none - at {type(self).__name__}")
        self._stack, self._added_count = ExitStack(), 0
        self._last_folder: Folder | None = None
        self._client_key: str | None = None
        # Only `run` sets a server for the class. Steps run by hand get a new server.
        self._server = self._server_side or _load_into(type(self), self._stack, None)

    @stateful.initialize(choices=_by_state(_some_choices))
    def begin(self, choices: Mapping[str, Value]) -> None:
        """Begin with the fixture and these choices."""
        items = self.choices.items()
        fixed_choices = {
            name: value for name, value in items if isinstance(value, str | int)
        }
        choices = {**fixed_choices, **choices}
        self._server.begin(self.profile, choices)
        self._expected = Expected(self._server.fixture, self.profile, choices)
        self._next_caller = self._default_caller = self._expected.caller

    @stateful.precondition(lambda self: self._other_keys())
    @stateful.rule(key=_by_state(lambda self: st.sampled_from(self._other_keys())))
    def switch_key(self, key: str) -> None:
        """Make the next call with another caller's API key."""
        self._next_caller = self._server.fixture.keys[key]

    @stateful.rule(
        folder=_by_state(lambda self: self._any_folder(self._expected.known_folders)),
        name=st.sampled_from(["FAQ", "Old", "größe", "%2F", "🙂"]),
    )
    def add(self, folder: Folder, name: str) -> None:
        """Add a collection as another caller."""
        self._added_count += 1
        collection_id = f"added-{self._added_count}"
        collection = {"_id": collection_id, "parentId": folder[1], "name": name}
        self._server.control.put_collection(folder[0], collection)
        self._expected.add(folder, collection_id, name)

    @stateful.rule(
        chat=_by_state(lambda self: st.sampled_from(self._expected.chats)),
        top=st.booleans(),
        with_fault=_by_state(lambda self: _some_faults(self, PAGE_KINDS)),
    )
    def check_pin(self, chat: Chat, top: bool, with_fault: Fault) -> None:
        """Check that a reported pin is done, and that no other chat changed."""
        outcome = self._call(with_fault, self.pin, *chat, top)
        is_done = self._expected.pin(chat, top)
        outcome.check_success(is_refused=not is_done)
        pins = self._server.pins()
        if is_done and outcome.error is not None:
            # The pin may have succeeded although the client reports an error.
            self._expected.set_pin(chat, pins.get(chat))
        for each, is_top in self._expected.pins.items():
            if pins.get(each) != is_top:
                expected = f"chat {each[1]!r} of {each[0]!r} to be {_PINNED[is_top]}"
                raise outcome.failure(expected, _PINNED[pins.get(each)])

    @stateful.rule(
        folder=_by_state(lambda self: self._any_folder(self._expected.folders)),
        with_fault=_by_state(_some_faults),
    )
    def check_list_folder(self, folder: Folder, with_fault: Fault) -> None:
        """Check that a list is complete, unique and in order, or an error."""
        self._last_folder = folder
        outcome = self._call(with_fault, self.list_folder, *folder)
        outcome.check_list(self._expected.page(*folder))

    @stateful.rule(
        dataset=_by_state(lambda self: st.sampled_from(self._expected.datasets)),
        text=st.sampled_from(SEARCH_TEXTS),
        with_fault=_by_state(_some_faults),
    )
    def check_search(self, dataset: str, text: str, with_fault: Fault) -> None:
        """Check that a search returns all matches, or is an error."""
        outcome = self._call(with_fault, self.search, dataset, text)
        outcome.check_list(self._expected.search(dataset, text))

    @stateful.rule(
        folder=_by_state(lambda self: self._any_folder(self._expected.folders)),
        offset=st.sampled_from([0, 1, 30, 64, 65, 1000]),
        page_size=st.sampled_from([1, 10, 29, 30]),
        with_fault=_by_state(lambda self: _some_faults(self, LIST_KINDS)),
    )
    def check_list_page(
        self, folder: Folder, offset: int, page_size: int, with_fault: Fault
    ) -> None:
        """Check that a page is the right part of the list, or is an error."""
        outcome = self._call(with_fault, self.list_page, *folder, offset, page_size)
        outcome.check_list(self._expected.page(*folder, offset, page_size))

    def teardown(self) -> None:
        """Called by Hypothesis at the end of each example."""
        with self._stack:
            self._stop()

    def _other_keys(self) -> list[str]:
        own_key = self._default_caller.key
        return [key for key in self._server.fixture.keys if key != own_key]

    def _any_folder(self, folders: Sequence[Folder]) -> st.SearchStrategy[Folder]:
        """Generate a folder; the last listed folder is as likely as all others."""
        last_folder = [self._last_folder] if self._last_folder in folders else []
        return st.sampled_from([*folders, *last_folder * len(folders)])

    def _call(
        self, fault: Fault, method: Callable[..., Any], *arguments: Any
    ) -> CallOutcome:
        """Call a method with a fault and the next caller's key; return the outcome."""
        self._expected.caller = self._next_caller
        self._next_caller = self._default_caller
        key = self._server.key(self._expected.caller)
        if self._client_key != key:
            self._stop()
            self.start(self._server.control.url, key)
            self._client_key = key
        name = method.__name__
        text = f"{name}({', '.join(map(repr, arguments))})"

        def call() -> Any:
            result = method(*arguments)
            # Read here, because the result may be a generator.
            return result if name == "pin" else _ids(result)

        outcome = self._server.run_call(self, text, call, fault)
        outcome.check_requests()
        outcome.check_texts(key)
        return outcome

    def _stop(self) -> None:
        if self._client_key is not None:
            self._client_key = None
            self.stop()


def _load_into(
    machine: type[Client], stack: ExitStack, server: MockServerFixture | None
) -> ServerSide:
    """Load a machine's fixture into a server, or into a new one that `stack` stops."""
    data = machine.fixture
    fixture = data if isinstance(data, FixtureData) else load_fixture(data)
    if server is None:
        server = stack.enter_context(MockServer(fixture)).control
    else:
        server.load(fixture)
    return ServerSide(server, fixture)


def _ids(items: Iterable[Item]) -> list[str]:
    return [each if isinstance(each, str) else _id(each) for each in items]


def _id(item: Mapping[str, Any]) -> str:
    return str(item["_id"] if "_id" in item else item["id"])
