"""A state machine of Hypothesis that calls a client, and checks its results."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, ClassVar

from hypothesis import HealthCheck, Phase, settings, stateful
from hypothesis import strategies as st

from mock_server.api.fixture_loading import load_fixture
from mock_server.control.control_object import MockServerFixture
from mock_server.control.embedding import MockServer
from mock_server.domain.choices.table import Value
from mock_server.domain.objects.fixture_data import Generation
from mock_server.testing.machine.client import (
    CALLS,
    OF_LISTS,
    OF_PAGES,
    WORDS,
    Client,
    Item,
    fault_plans,
)
from mock_server.testing.machine.expected import Chat, Expected, Folder
from mock_server.testing.machine.server_side import CallOutcome, Fault, ServerSide

STEPS = 20
"""Steps of an example: most mistakes show within a few steps."""
_PINNED = {True: "pinned", False: "unpinned", None: "missing"}


def _drawn(make: Callable[[Any], st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
    """Return a strategy that depends on the machine and its present state."""
    return st.runner().flatmap(make)


def _some_choices(client: Client) -> st.SearchStrategy[Mapping[str, Value]]:
    several = {
        name: st.sampled_from(list(values))
        for name, values in client.choices.items()
        if not isinstance(values, str | int)
    }
    return st.fixed_dictionaries({}, optional=several)


def _some_faults(
    client: Client, never: Collection[str] = ()
) -> st.SearchStrategy[Fault]:
    kinds = [each for each in client.faults if each["kind"] not in never]
    if not kinds:
        return st.none()
    groups = fault_plans(kinds, client.attempts, never == ())
    some = st.sampled_from(groups).flatmap(st.sampled_from)
    return st.one_of(st.none(), some, some, some)


class ClientMachine(Client, stateful.RuleBasedStateMachine):
    """Tests your client against a mock server, with faults and choices.

    Subclass it, make the client in `start`, and override what the client can do of
    `pin`, `list_folder`, `search` and `list_page`. Then `TestMine = MyMachine.TestCase`
    is a test, and so is a function that calls `MyMachine.run(mock_server)`.

    After each call the client's result is compared with the server's data: a reported
    pin is done, a list is complete, a failed call raises. No call may send a request
    against the spec, log the API key, retry for ever, or retry before the time of a
    Retry-After. The attributes say what your client promises beyond that.
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
            # Of the same name, with which the report of a failure begins.
            same = {"__module__": cls.__module__, "__qualname__": cls.__qualname__}
            bound_to = {"_server_side": _server_side_of(cls, stack, server)}
            bound: Any = type(cls)  # a metaclass
            bound = bound(cls.__name__, (cls,), {**same, **bound_to})
            chosen = settings or cls.TestCase.settings
            stateful.run_state_machine_as_test(bound, settings=chosen)

    def sleep(self, seconds: float) -> None:
        """Advance the sandbox's clock by seconds; a client may call this to wait."""
        if seconds > 0:
            self._on.control.clock.advance(seconds)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Drop rules without a method; give each run its own server."""
        super().__init_subclass__(**kwargs)
        for name in CALLS:
            is_there = getattr(cls, name) is not getattr(Client, name)
            check = getattr(ClientMachine, f"check_{name}") if is_there else None
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
        if not any(getattr(self, f"check_{name}") for name in CALLS):
            expected = f"Expected a method of {', '.join(CALLS)}"
            raise TypeError(f"{expected}, got none - at {type(self).__name__}")
        self._stack, self._added = ExitStack(), 0
        self._last: Folder | None = None
        self._key: str | None = None
        # A server of its own, as the class has none if steps are run by hand.
        self._on = self._server_side or _server_side_of(type(self), self._stack, None)

    @stateful.initialize(choices=_drawn(_some_choices))
    def begin(self, choices: Mapping[str, Value]) -> None:
        """Begin with the fixture, under these choices."""
        every = self.choices.items()
        fixed = {name: one for name, one in every if isinstance(one, str | int)}
        chosen = {**fixed, **choices}
        self._on.begin(self.profile, chosen)
        self._expected = Expected(self._on.generation, self.profile, chosen)
        self._next = self._owner = self._expected.caller

    @stateful.precondition(lambda self: self._other_keys())
    @stateful.rule(key=_drawn(lambda self: st.sampled_from(self._other_keys())))
    def switch_key(self, key: str) -> None:
        """Make the next call with another caller's API key."""
        self._next = self._on.generation.keys[key]

    @stateful.rule(
        folder=_drawn(lambda self: self._again(self._expected.known_folders)),
        name=st.sampled_from(["FAQ", "Old", "größe", "%2F", "🙂"]),
    )
    def add(self, folder: Folder, name: str) -> None:
        """Add a collection as another caller."""
        self._added += 1
        added = {"_id": f"added-{self._added}", "parentId": folder[1], "name": name}
        self._on.control.put_collection(folder[0], added)
        self._expected.add(folder, added["_id"] or "", name)

    @stateful.rule(
        chat=_drawn(lambda self: st.sampled_from(self._expected.chats)),
        top=st.booleans(),
        with_fault=_drawn(lambda self: _some_faults(self, OF_PAGES)),
    )
    def check_pin(self, chat: Chat, top: bool, with_fault: Fault) -> None:
        """Check that a reported pin is done, and that no other chat changed."""
        outcome = self._call(with_fault, self.pin, *chat, top)
        is_done = self._expected.pin(chat, top)
        outcome.check_success(is_refused=not is_done)
        now = self._on.tops()
        if is_done and outcome.error is not None:
            # The pin may be done although the client reports an error.
            self._expected.learn(chat, now.get(chat))
        for each, is_top in self._expected.tops.items():
            if now.get(each) != is_top:
                wanted = f"chat {each[1]!r} of {each[0]!r} to be {_PINNED[is_top]}"
                raise outcome.wrong(wanted, _PINNED[now.get(each)])

    @stateful.rule(
        folder=_drawn(lambda self: self._again(self._expected.folders)),
        with_fault=_drawn(_some_faults),
    )
    def check_list_folder(self, folder: Folder, with_fault: Fault) -> None:
        """Check that a list is complete, unique and in order, or an error."""
        self._last = folder
        outcome = self._call(with_fault, self.list_folder, *folder)
        outcome.check_list(self._expected.page(*folder))

    @stateful.rule(
        dataset=_drawn(lambda self: st.sampled_from(self._expected.datasets)),
        text=st.sampled_from(WORDS),
        with_fault=_drawn(_some_faults),
    )
    def check_search(self, dataset: str, text: str, with_fault: Fault) -> None:
        """Check that a search finds all that match, or is an error."""
        outcome = self._call(with_fault, self.search, dataset, text)
        outcome.check_list(self._expected.found(dataset, text))

    @stateful.rule(
        folder=_drawn(lambda self: self._again(self._expected.folders)),
        offset=st.sampled_from([0, 1, 30, 64, 65, 1000]),
        page_size=st.sampled_from([1, 10, 29, 30]),
        with_fault=_drawn(lambda self: _some_faults(self, OF_LISTS)),
    )
    def check_list_page(
        self, folder: Folder, offset: int, page_size: int, with_fault: Fault
    ) -> None:
        """Check that a page has its part of the list, or is an error."""
        outcome = self._call(with_fault, self.list_page, *folder, offset, page_size)
        outcome.check_list(self._expected.page(*folder, offset, page_size))

    def teardown(self) -> None:
        """Called by Hypothesis at the end of each example."""
        with self._stack:
            self._stop()

    def _other_keys(self) -> list[str]:
        return [key for key in self._on.generation.keys if key != self._owner.key]

    def _again(self, folders: Sequence[Folder]) -> st.SearchStrategy[Folder]:
        """Return any folder; the last listed one is as likely as all others."""
        last = [self._last] if self._last in folders else []
        return st.sampled_from([*folders, *last * len(folders)])

    def _call(
        self, fault: Fault, method: Callable[..., Any], *arguments: Any
    ) -> CallOutcome:
        """Return the outcome of a method, under a fault, with the next caller's key."""
        self._expected.caller, self._next = self._next, self._owner
        key = self._on.key(self._expected.caller)
        if self._key != key:
            self._stop()
            self.start(self._on.control.url, key)
            self._key = key
        name = method.__name__
        text = f"{name}({', '.join(map(repr, arguments))})"

        def call() -> Any:
            given = method(*arguments)
            # Read here, for it may be a generator.
            return given if name == "pin" else _ids(given)

        outcome = self._on.watch(self, text, call, fault)
        outcome.check_requests()
        outcome.check_texts(key)
        return outcome

    def _stop(self) -> None:
        if self._key is not None:
            self._key = None
            self.stop()


def _server_side_of(
    machine: type[Client], stack: ExitStack, server: MockServerFixture | None
) -> ServerSide:
    """Return a server with a machine's fixture; `stack` stops one started here."""
    given = machine.fixture
    generation = given if isinstance(given, Generation) else load_fixture(given)
    if server is None:
        server = stack.enter_context(MockServer(generation)).control
    else:
        server.load(generation)
    return ServerSide(server, generation)


def _ids(items: Iterable[Item]) -> list[str]:
    return [each if isinstance(each, str) else _id(each) for each in items]


def _id(item: Mapping[str, Any]) -> str:
    return str(item["_id"] if "_id" in item else item["id"])
