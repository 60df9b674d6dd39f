"""A state machine of Hypothesis that drives a client, and checks what it says."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, ClassVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from mock_server.control.handle import MockServerFixture
from mock_server.domain.choices import Value, choose
from mock_server.domain.generation import Generation
from mock_server.fixture.files import FixtureLike
from mock_server.strategies import shelf
from mock_server.strategies.expected import Chat, Expected, Folder, difference
from mock_server.strategies.running import TestCases, run_machine, stage_of
from mock_server.strategies.stage import Fault, Rules, Said, Stage

Item = str | Mapping[str, Any]
"""A collection: its id, or an object that has it as `_id` or `id`."""


def _drawn(make: Callable[[Any], st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
    """A strategy that depends on the machine, and on how far it has come."""
    return st.runner().flatmap(make)


class ClientMachine(RuleBasedStateMachine):
    """Drives your client against a mock server, amid faults and choices.

    Subclass it, have `start` make the client, and override what the client can do of
    `pin`, `list_folder`, `search` and `list_page`. Then `TestMine = MyMachine.TestCase`
    is a test, and so is a function that calls `MyMachine.run(mock_server)`.

    After each call what the client said is compared with what the server holds: what
    it says is done is done, what it gives is complete, what has failed raises. No call
    may send anything off contract, log the key, try for ever, or come back before the
    time of a Retry-After. The attributes say what your client promises beyond that.
    """

    fixture: ClassVar[FixtureLike | Generation] = shelf.FIXTURE
    """What is served: a document, or the path of one."""
    profile: ClassVar[str] = "documented"
    """The profile that choices begin with."""
    choices: ClassVar[Mapping[str, Value | Sequence[Value]]] = shelf.CHOICES
    """Choices with their value, or the values to choose from."""
    faults: ClassVar[Sequence[Mapping[str, Any]]] = shelf.FAULTS
    """What may befall a call, as `POST faults` takes it."""
    drift: ClassVar[Sequence[Mapping[str, Any]]] = shelf.DRIFT
    """Faults of lists that change between two pages; add them to `faults`."""
    attempts: ClassVar[int | None] = None
    """How often a call is made in all, until it succeeds. None promises nothing."""
    retried: ClassVar[Collection[int | str]] = (429, 503, "reset", "empty")
    """After what it is made again: HTTP statuses, and kinds of faults."""
    waits: ClassVar[bool] = True
    """Whether the client waits as long as a Retry-After says."""
    in_order: ClassVar[bool] = True
    """Whether the client gives lists in the order of the service."""
    errors: ClassVar[tuple[type[BaseException], ...]] = (Exception,)
    """What the client raises when a call has failed, and nothing else."""
    allowed: ClassVar[Collection[str]] = ()
    """Names of violations that the client may commit."""
    most_requests: ClassVar[int] = 200
    """How many requests one call may take; a call that sends more is stopped."""

    TestCase = TestCases()
    _test_case: ClassVar[Any] = None
    _stage: ClassVar[Stage | None] = None

    # What a subclass has

    def start(self, url: str, key: str) -> None:
        """Make the client. Called again when somebody else's key is to be used."""
        raise NotImplementedError(f"{type(self).__name__} has no `start(url, key)`")

    def stop(self) -> None:
        """Close the client, if that is needed."""

    def pin(self, app_id: str, chat_id: str, top: bool) -> object:
        """Pin a chat session, or unpin it; raise if it cannot be known to be done."""
        raise NotImplementedError

    def list_folder(self, dataset_id: str, parent_id: str | None) -> Iterable[Item]:
        """All that is directly in a folder, from all pages; None is the top level."""
        raise NotImplementedError

    def search(self, dataset_id: str, text: str) -> Iterable[Item]:
        """All collections of a dataset, in any folder, that the text finds."""
        raise NotImplementedError

    def list_page(
        self, dataset_id: str, parent_id: str | None, offset: int, page_size: int
    ) -> Iterable[Item]:
        """One page of what is directly in a folder."""
        raise NotImplementedError

    # What a subclass may use

    @classmethod
    def run(
        cls,
        server: MockServerFixture | None = None,
        *,
        settings: settings | None = None,
    ) -> None:
        """Run as a test: on a server, as the pytest fixture gives one, or on its own.

        Raises AssertionError with a short story in which the client is wrong.
        """
        run_machine(cls, server, settings)

    def sleep(self, seconds: float) -> None:
        """Set the sandbox's clock forward: what the client may call to wait."""
        if seconds > 0:
            self._on.control.clock.advance(seconds)

    # What happens

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """What the client cannot do is no rule."""
        super().__init_subclass__(**kwargs)
        for name in _ADAPTERS:
            is_there = getattr(cls, name) is not getattr(ClientMachine, name)
            check = getattr(ClientMachine, f"check_{name}") if is_there else None
            setattr(cls, f"check_{name}", check)

    def __init__(self) -> None:
        super().__init__()
        if not any(getattr(self, f"check_{name}") for name in _ADAPTERS):
            expected = f"Expected a method of {', '.join(_ADAPTERS)}"
            raise TypeError(f"{expected}, got none - at {type(self).__name__}")
        self._stack, self._added = ExitStack(), 0
        self._last: Folder | None = None
        self._key: str | None = None
        # Without one of the class, as when a story is run by hand, one of its own.
        self._on = self._stage or stage_of(type(self), self._stack, None)

    @initialize(choices=_drawn(lambda self: self._some_choices()))
    def begin(self, choices: Mapping[str, Value]) -> None:
        """Begin with the fixture, under these choices."""
        chosen = self._fixed_choices() | dict(choices)
        self._on.begin(self.profile, chosen)
        self._expected = Expected(self._on.generation, choose(self.profile, chosen))
        self._next = self._owner = self._expected.caller

    @precondition(lambda self: self._other_keys())
    @rule(key=_drawn(lambda self: st.sampled_from(self._other_keys())))
    def switch_key(self, key: str) -> None:
        """The next call is somebody else's, with another key."""
        self._next = self._on.generation.keys[key]

    @rule(
        folder=_drawn(lambda self: self._again(self._expected.known_folders)),
        name=st.sampled_from(["FAQ", "Old", "größe", "%2F", "🙂"]),
    )
    def add(self, folder: Folder, name: str) -> None:
        """Somebody else adds a collection."""
        self._added += 1
        added = {"_id": f"added-{self._added}", "parentId": folder[1], "name": name}
        self._on.control.put_collection(folder[0], added)
        self._expected.add(folder, added["_id"] or "", name)

    @rule(
        chat=_drawn(lambda self: st.sampled_from(self._expected.chats)),
        top=st.booleans(),
        with_fault=_drawn(lambda self: self._some_faults(shelf.OF_PAGES)),
    )
    def check_pin(self, chat: Chat, top: bool, with_fault: Fault) -> None:
        """What is said to be pinned is, and nothing else."""
        call = f"pin({chat[0]!r}, {chat[1]!r}, {top})"
        said = self._call(call, lambda: self.pin(*chat, top), with_fault)
        changes = self._expected.pins(chat)
        self._check_success(said, with_fault, is_refused=changes is None)
        now = self._tops()
        if said.error is None and changes:
            self._expected.tops[chat] = top
        elif chat in now and said.failures:
            self._expected.tops[chat] = now[chat]  # it may be done, and was not said
        for each, is_top in self._expected.tops.items():
            if now[each] != is_top:
                wanted = f"chat {each[1]!r} of {each[0]!r} to be {_PINNED[is_top]}"
                raise said.wrong(wanted, _PINNED[now[each]])

    @rule(
        folder=_drawn(lambda self: self._again(self._expected.folders)),
        with_fault=_drawn(lambda self: self._some_faults()),
    )
    def check_list_folder(self, folder: Folder, with_fault: Fault) -> None:
        """A list is complete, without duplicates, and in order; or it is an error."""
        self._last = folder
        call = f"list_folder({folder[0]!r}, {folder[1]!r})"
        said = self._call(call, lambda: _ids(self.list_folder(*folder)), with_fault)
        self._check_list(said, with_fault, self._expected.folder(folder))

    @rule(
        dataset=_drawn(lambda self: st.sampled_from(list(self._expected.items))),
        text=st.sampled_from(shelf.WORDS),
        with_fault=_drawn(lambda self: self._some_faults()),
    )
    def check_search(self, dataset: str, text: str, with_fault: Fault) -> None:
        """A search finds all there is; or it is an error."""
        call = f"search({dataset!r}, {text!r})"
        said = self._call(call, lambda: _ids(self.search(dataset, text)), with_fault)
        self._check_list(said, with_fault, self._expected.found(dataset, text))

    @rule(
        folder=_drawn(lambda self: self._again(self._expected.folders)),
        offset=st.sampled_from([0, 1, 30, 64, 65, 1000]),
        page_size=st.sampled_from([1, 10, 29, 30]),
        with_fault=_drawn(lambda self: self._some_faults(shelf.OF_LISTS)),
    )
    def check_list_page(
        self, folder: Folder, offset: int, page_size: int, with_fault: Fault
    ) -> None:
        """A page is what is there of the list; or it is an error."""
        call = f"list_page({folder[0]!r}, {folder[1]!r}, {offset}, {page_size})"
        paging = offset, page_size
        said = self._call(
            call, lambda: _ids(self.list_page(*folder, *paging)), with_fault
        )
        every = self._expected.folder(folder)
        page = None if every is None else every[offset : offset + page_size]
        self._check_list(said, with_fault, page)

    def teardown(self) -> None:
        """Called by Hypothesis at the end of each example."""
        try:
            self._stop()
        finally:
            self._stack.close()

    # What is drawn

    def _some_choices(self) -> st.SearchStrategy[Mapping[str, Value]]:
        several = {
            name: st.sampled_from(list(values))
            for name, values in self.choices.items()
            if not isinstance(values, str | int)
        }
        return st.fixed_dictionaries({}, optional=several)

    def _fixed_choices(self) -> dict[str, Value]:
        fixed = self.choices.items()
        return {name: one for name, one in fixed if isinstance(one, str | int)}

    def _other_keys(self) -> list[str]:
        return [key for key in self._on.generation.keys if key != self._owner.key]

    def _again(self, folders: Sequence[Folder]) -> st.SearchStrategy[Folder]:
        """Any of the folders, or as likely the one that was listed last."""
        last = [self._last] if self._last in folders else []
        return st.sampled_from([*folders, *last * len(folders)])

    def _some_faults(self, never: Collection[str] = ()) -> st.SearchStrategy[Fault]:
        kinds = [each for each in self.faults if each["kind"] not in never]
        if not kinds:
            return st.none()
        groups = shelf.befall(kinds, self.attempts, never == ())
        some = st.sampled_from(groups).flatmap(st.sampled_from)
        return st.one_of(st.none(), some, some, some)

    # What is checked

    def _call(self, text: str, call: Callable[[], Any], fault: Fault) -> Said:
        self._expected.caller, self._next = self._next, self._owner
        key = self._on.key(self._expected.caller)
        self._start(key)
        said = self._on.watch(text, call, fault, self.most_requests)
        allowed = (*self.allowed, *shelf.MADE_BY_MACHINE)
        promised = self.attempts, self.waits, self.most_requests
        rules = Rules(self.errors, allowed, *promised)
        rules.check(said, key)
        return said

    def _check_success(self, said: Said, fault: Fault, *, is_refused: bool) -> None:
        """Raises AssertionError for an error that is none, or one that is not told."""
        if said.error is None:
            if is_refused:
                raise said.wrong(
                    "an error, for this is to be refused", repr(said.value)
                )
            return
        tries = self.attempts or 0
        is_passing = bool(self._is_retried(fault) and said.failures < tries)
        if not is_refused and (said.failures == 0 or is_passing):
            why = f", with {tries} attempts" if said.failures else ""
            raise said.wrong(f"success{why}", repr(said.error)) from said.error

    def _check_list(
        self, said: Said, fault: Fault, expected: Sequence[str] | None
    ) -> None:
        self._check_success(said, fault, is_refused=expected is None)
        if said.error is not None or expected is None:
            return
        wrong = difference(said.value, expected, self.in_order)
        if wrong is not None:
            raise said.wrong(f"the {len(expected)} that are there", wrong)

    def _is_retried(self, fault: Fault) -> bool:
        if fault is None:
            return False
        what = fault["status"] if fault["kind"] == "error" else fault["kind"]
        return what in self.retried and what != 200

    def _tops(self) -> dict[Chat, bool]:
        """The pin states on the server."""
        return {
            (app, chat.chat_id or ""): chat.top
            for app in self._on.generation.apps
            for chat in self._on.control.chats(app)
        }

    def _start(self, key: str) -> None:
        if self._key != key:
            self._stop()
            self.start(self._on.control.url, key)
            self._key = key

    def _stop(self) -> None:
        if self._key is not None:
            self._key = None
            self.stop()


_ADAPTERS = "pin", "list_folder", "search", "list_page"
_PINNED = {True: "pinned", False: "unpinned"}


def _ids(items: Iterable[Item]) -> list[str]:
    """The ids of what a client gave; read here, for it may be a generator."""
    return [each if isinstance(each, str) else _id(each) for each in items]


def _id(item: Mapping[str, Any]) -> str:
    return str(item["_id"] if "_id" in item else item["id"])
