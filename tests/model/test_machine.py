"""Random stories over all routes: the server answers as the plain model does.

Every step goes to both. Of what the server answers, everything is compared but the
texts of messages, scores, and how long a search took.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)

from mock_server.api.operations.table import OPERATIONS
from tests.model.fields import ROUTES
from tests.model.plain import LOGIN, Answer, Fields, Plain
from tests.model.world import DOCUMENT, KEYS, OWNER, Server

UNKNOWN = "0" * 24
QUICK, FULL = (40, 50), (900, 50)
"""Stories, and steps of each."""


class Ref(NamedTuple):
    """One of the ids that there are by then: the latest is number 0."""

    kind: str
    number: int


def ref(kind: str) -> st.SearchStrategy[Any]:
    """An id that there is, now and then one that there is not."""
    return st.integers(0, 15).map(lambda at: UNKNOWN if at == 15 else Ref(kind, at))


def fields(
    needed: dict[str, st.SearchStrategy[Any]] | None = None,
    **optional: st.SearchStrategy[Any],
) -> st.SearchStrategy[Fields]:
    """An object with these fields, some of them optional."""
    return st.fixed_dictionaries(needed or {}, optional=optional)


flags = st.booleans()
texts = st.sampled_from(["", "Apple", "pear", "manual", "a\n\nb", "äPFEL", "1"])
some_texts = st.sampled_from(["Apple", "Pears grow", "re", "Nuts and pears", '"x",'])
terms = st.sampled_from(["", "a", "PEAR", "äpf", "none"])
tags = st.lists(st.sampled_from(["red", "green", "blue"]), max_size=2)
times = st.sampled_from(["2025-06-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z"])
apps, datasets, collections = ref("app"), ref("dataset"), ref("collection")
rows, records = ref("row"), ref("record")
chats = st.one_of(ref("chat"), st.sampled_from(["one", "new"]))
parents = st.one_of(st.sampled_from([None, ""]), collections)
folders = st.one_of(st.sampled_from([None, ""]), datasets)
numbers, counts = st.sampled_from([0, 1, 2, 40, "1"]), st.sampled_from([1, 2, 3, 40])
paging = {"pageSize": counts, "offset": numbers, "pageNum": numbers}
indexes = st.lists(
    fields({"text": some_texts}, type=st.sampled_from(["default", "custom", None])),
    max_size=2,
)
pushed = st.lists(
    fields(q=texts, a=texts, chunkIndex=st.integers(0, 2), indexes=indexes),
    min_size=1,
    max_size=3,
)
questions = st.sampled_from(["Hi", "A question of more than twenty characters"])
messages = st.builds(
    lambda role, text: [{"role": role, "content": text}],
    st.sampled_from(["user", "user", "system"]),
    questions,
)
listed = {
    "parentId": parents,
    "searchText": terms,
    "selectFolder": flags,
    "filterTags": tags,
}
chat = {"appId": apps, "chatId": chats}

CHATS = {
    "updateHistory": fields(chat, top=flags, title=texts, customTitle=texts),
    "getHistories": fields(
        {"appId": apps}, startUpdateTime=times, endUpdateTime=times, **paging
    ),
    "delHistory": fields(chat),
    "clearHistories": fields({"appId": apps}),
    "batchDelete": fields(
        {"appId": apps, "chatIds": st.lists(chats, min_size=1, max_size=2)}
    ),
    "getHistoryStatus": fields({"appId": apps, "chatIds": st.lists(chats, max_size=3)}),
    "markRead": fields(chat),
    "init": fields(chat),
    "getPaginationRecords": fields({"appId": apps}, chatId=chats, **paging),
    "getRecords_v2": fields(
        chat, pageSize=counts, initialId=records, prevId=records, nextId=records
    ),
    "completions": fields(
        {"messages": messages}, appId=apps, chatId=chats, detail=flags
    ),
}
DATASETS = {
    "dataset.create": fields(
        {
            "type": st.sampled_from(["dataset", "folder"]),
            "name": texts,
            "intro": texts,
            "avatar": texts,
        },
        parentId=folders,
    ),
    "folder.create": fields({"name": texts, "intro": texts}, parentId=folders),
    "dataset.list": fields(
        parentId=folders, type=st.sampled_from(["dataset", "folder"]), searchKey=terms
    ),
    "dataset.detail": fields({"id": datasets}),
    "dataset.update": fields(
        {"id": datasets}, name=texts, intro=texts, avatar=texts, parentId=folders
    ),
    "dataset.delete": fields({"id": datasets}),
    "dataset.paths": fields(
        {"sourceId": datasets, "type": st.sampled_from(["current", "parent"])}
    ),
}
source = {"parentId": parents, "tags": tags, "trainingType": st.just("qa")}
COLLECTIONS = {
    "collection.create": fields(
        {
            "datasetId": datasets,
            "name": texts,
            "type": st.sampled_from(["folder", "virtual"]),
        },
        parentId=parents,
        tags=tags,
    ),
    "text": fields({"datasetId": datasets, "name": texts, "text": texts}, **source),
    "link": fields(
        {"datasetId": datasets, "link": st.sampled_from(["https://a.bc/d", "a b"])},
        **source,
    ),
    "collection.update": st.one_of(
        fields(
            {"id": collections},
            name=texts,
            parentId=parents,
            tags=tags,
            forbid=flags,
            createTime=times,
        ),
        fields(
            {"datasetId": datasets, "externalFileId": st.just("file-1")}, name=texts
        ),
    ),
    "collection.delete": st.one_of(
        fields({"id": collections}),
        fields({"collectionIds": st.lists(collections, max_size=2)}),
        fields(id=collections, collectionIds=st.lists(collections, max_size=2)),
    ),
}
LOOKS = {
    "collection.detail": fields({"id": collections}),
    "collection.paths": fields({"sourceId": collections}),
    "trainingDetail": fields({"collectionId": collections}),
    "export": fields({"collectionId": collections}),
    "listV2": fields(
        {"datasetId": datasets},
        offset=numbers,
        pageSize=counts,
        pageNum=counts,
        **listed,
    ),
    "collection.list": fields(
        {"datasetId": datasets}, pageNum=counts, pageSize=counts, simple=flags, **listed
    ),
    "scrollList": fields({"datasetId": datasets}, **paging, **listed),
}
DATA = {
    "data.v2.list": fields({"collectionId": collections}, searchText=terms, **paging),
    "data.list": fields({"collectionId": collections}, searchText=terms, **paging),
    "pushData": fields({"collectionId": collections, "data": pushed}),
    "insertData": fields(
        {"collectionId": collections, "q": some_texts}, a=texts, indexes=indexes
    ),
    "data.detail": fields({"id": rows}),
    "data.update": fields({"dataId": rows, "q": some_texts}, a=texts, indexes=indexes),
    "data.delete": fields({"id": rows}),
    "searchTest": fields(
        {"datasetId": datasets, "text": some_texts},
        searchMode=st.sampled_from(["embedding", "fullTextRecall", "mixedRecall"]),
        usingReRank=flags,
    ),
}
PATHS: dict[str, list[str]] = {}
for path, route in ROUTES.items():
    PATHS.setdefault(route.operation, []).append(path)
FURTHER = {"collection.update": ["PUT"], "collection.delete": ["POST"]}
MISSING = "missing"
WRONG = [MISSING, None, True, 0, 5, -1, 1.5, "", "x", [], ["x"], {}, {"q": 1}]
SENDERS = [*[OWNER] * 6, *[LOGIN] * 3, *KEYS, "unknown", None]


class How(NamedTuple):
    """How a request is made: by whom, where, and what is wrong with it.

    Of a number below 32, one bit each says which sandbox, path and method it is for,
    and whether fields are in the query, and others than known ones there.
    """

    number: int = 0
    key: str | None = OWNER
    spoilt: tuple[int, Any] | None = None

    def bit(self, at: int) -> bool:
        """Whether a bit of the number is set."""
        return bool(self.number >> at & 1)


mistakes = st.tuples(st.integers(0, 9), st.sampled_from(WRONG))
senders = st.builds(
    How,
    number=st.integers(0, 31),
    key=st.sampled_from(SENDERS),
    spoilt=st.integers(0, 4).flatmap(lambda at: mistakes if at == 4 else st.none()),
)


def calls(table: dict[str, st.SearchStrategy[Fields]]) -> st.SearchStrategy[Any]:
    """A route of these that is served, and its fields."""
    served = [name for name in table if name in OPERATIONS]
    return st.one_of([st.tuples(st.just(name), table[name]) for name in served])


class Machine(RuleBasedStateMachine):
    """Two sandboxes of one server, and a model of each."""

    @initialize()
    def begin(self) -> None:
        self.server = Server()
        made = self.server.admin("POST", "/sandboxes", {"name": "other"})
        own = {each: each for each in KEYS}
        issued: dict[str, str] = made["keys"]
        self.keys = [own, issued]
        self.admin_paths = ["", "/sandboxes/other"]
        self.tokens = [self.server.log_in(keys[OWNER]) for keys in self.keys]
        self.models = [Plain(DOCUMENT), Plain(DOCUMENT)]
        self.seen = [ids_of(model.state) for model in self.models]

    @rule(call=calls(CHATS), how=senders)
    def chats(self, call: tuple[str, Fields], how: How) -> None:
        self.step(call, how)

    @rule(call=calls(DATASETS), how=senders)
    def datasets(self, call: tuple[str, Fields], how: How) -> None:
        self.step(call, how)

    @rule(call=calls(COLLECTIONS), how=senders)
    def collections(self, call: tuple[str, Fields], how: How) -> None:
        self.step(call, how)

    @rule(call=calls(LOOKS), how=senders)
    def looks(self, call: tuple[str, Fields], how: How) -> None:
        self.step(call, how)

    @rule(call=calls(DATA), how=senders)
    def data(self, call: tuple[str, Fields], how: How) -> None:
        self.step(call, how)

    @rule(sandbox=st.integers(0, 1), seconds=st.sampled_from([1, 60]))
    def time_passes(self, sandbox: int, seconds: int) -> None:
        self.administer(sandbox, "POST", "/clock/advance", {"seconds": seconds})
        self.models[sandbox].advance(seconds)

    @rule(sandbox=st.integers(0, 1))
    def reset(self, sandbox: int) -> None:
        self.administer(sandbox, "POST", "/reset")
        self.models[sandbox].reset()

    @rule(sandbox=st.integers(0, 1), is_restore=flags)
    def snapshot(self, sandbox: int, is_restore: bool) -> None:
        """Take one, or come back to it."""
        model = self.models[sandbox]
        if is_restore and "kept" in model.snapshots:
            self.administer(sandbox, "POST", "/snapshots/kept/restore")
            model.restore("kept")
        else:
            self.administer(sandbox, "PUT", "/snapshots/kept")
            model.take("kept")

    def administer(
        self, sandbox: int, method: str, path: str, body: Any = None
    ) -> None:
        self.server.admin(method, self.admin_paths[sandbox] + path, body)

    def step(self, call: tuple[str, Fields], how: How) -> None:
        """Send a request to both, and compare the answers."""
        operation, template = call
        sandbox = int(how.bit(0))
        model, paths = self.models[sandbox], PATHS[operation]
        path = paths[how.bit(1) % len(paths)]
        route = ROUTES[path]
        methods = [route.method, *FURTHER.get(operation, [])]
        method = methods[how.bit(2) % len(methods)]
        before = ids_of(model.state)
        given = resolved(template, before)
        if how.spoilt is not None:
            spoil(given, *how.spoilt, names=list(route.fields))
        if how.bit(4):
            given["someUnknownField"] = "x"
        query, body = placed(given, method, in_query=how.bit(3))
        sender = self.sender(sandbox, how.key)
        answer = self.server.send(method, path, query=query, body=body, **sender)
        expected = model.call(path, query | (body or {}), how.key)
        check_answer(operation, answer, expected)
        after = ids_of(model.state)
        for kind, ids in after.items():
            new = [each for each in ids if each not in before[kind]]
            assert all(kind == "chat" or is_id(each) for each in new)
            self.seen[sandbox][kind] = [*dict.fromkeys(self.seen[sandbox][kind] + new)]

    def sender(self, sandbox: int, key: str | None) -> dict[str, Any]:
        """What says to the server who sends a request."""
        if key == LOGIN:
            return {"token": self.tokens[sandbox]}
        return {"key": None if key is None else self.keys[sandbox].get(key, key)}

    def teardown(self) -> None:
        """All that there is can be read in the end, and nothing else."""
        if not hasattr(self, "server"):
            return
        try:
            for sandbox in (0, 1):
                self.survey(sandbox)
        finally:
            self.server.close()

    def survey(self, sandbox: int) -> None:
        """Look at all that there is, and for all that there is no longer."""
        ids, how = self.seen[sandbox], How(sandbox)
        for app in ids["app"]:
            self.step(("getHistories", {"appId": app, "pageSize": 100}), how)
            for chat_id in ids["chat"]:
                asked = {"appId": app, "chatId": chat_id, "pageSize": 100}
                self.step(("getPaginationRecords", asked), how)
        self.step(("dataset.list", {}), how)
        for dataset in ids["dataset"]:
            self.step(("dataset.detail", {"id": dataset}), how)
            self.step(("listV2", {"datasetId": dataset, "pageSize": 100}), how)
        for collection in ids["collection"]:
            self.step(("collection.detail", {"id": collection}), how)
            asked = {"collectionId": collection, "pageSize": 30}
            self.step(("data.v2.list", asked), how)
        for row in ids["row"]:
            self.step(("data.detail", {"id": row}), how)


def ids_of(state: Fields) -> dict[str, list[str]]:
    """The ids that there are, the latest first."""
    apps, datasets = state["apps"].values(), state["datasets"].values()
    chats = [chat for app in apps for chat in app["chats"]]
    of_apps = [each for app in apps for each in app["records"].values()]
    of_sets = [each for dataset in datasets for each in dataset["rows"].values()]
    found = {
        "app": list(state["apps"]),
        "chat": list(dict.fromkeys(chats)),
        "record": [record["id"] for records in of_apps for record in records],
        "dataset": list(state["datasets"]),
        "collection": [each for dataset in datasets for each in dataset["collections"]],
        "row": [row["id"] for rows in of_sets for row in rows],
    }
    return {kind: ids[::-1] for kind, ids in found.items()}


def resolved(value: Any, ids: dict[str, list[str]]) -> Any:
    """Fields with ids in place of references."""
    if isinstance(value, Ref):
        known = ids[value.kind]
        return known[value.number % len(known)] if known else UNKNOWN
    if isinstance(value, dict):
        return {name: resolved(each, ids) for name, each in value.items()}
    if isinstance(value, list):
        return [resolved(each, ids) for each in value]
    return value


def spoil(given: Fields, number: int, wrong: Any, *, names: list[str]) -> None:
    """Take one of the fields out, or have something else there."""
    name = names[number % len(names)]
    given.pop(name, None)
    if wrong != MISSING:
        given[name] = wrong


def placed(
    given: Fields, method: str, *, in_query: bool
) -> tuple[Fields, Fields | None]:
    """The fields in the query and in the body; a query holds texts only."""
    if method != "GET" and not (method == "DELETE" and in_query):
        return {}, given
    query = {name: each for name, each in given.items() if isinstance(each, str)}
    others = {name: each for name, each in given.items() if name not in query}
    return query, others if others and method == "DELETE" else None


def check_answer(operation: str, answer: tuple[int, bytes], expected: Answer) -> None:
    """Compare all but messages, and what of a search is not modelled."""
    status, content = answer
    if operation == "export" and status == 200:
        assert (status, content.decode()) == expected
        return
    got = json.loads(content)
    message = got.pop("message", "")
    assert isinstance(message, str)
    assert (message == "") == (status == 200), got
    if operation == "searchTest" and status == 200:
        check_found(got["data"], expected[1]["data"])
    assert (status, got) == expected, f"{operation}: {status} {got} {message}"


def check_found(got: Fields, expected: Fields) -> None:
    """Take off what is not modelled of a search, in the order of the model."""
    assert got.pop("duration").endswith("s")
    scores = []
    for place, row in enumerate(got["list"]):
        for score in row.pop("score"):
            assert 0 <= score["value"] <= 1
            assert score["index"] == place
        scores.append(score["value"])
    assert scores == sorted(scores, reverse=True)
    for found in (got, expected):
        found["list"].sort(key=lambda row: str(row["id"]))


def is_id(text: str) -> bool:
    """Whether a text looks like an id that the service has made."""
    return re.fullmatch("[0-9a-f]{24}", text) is not None


def run(number: int, stories: int, steps: int) -> None:
    """So many stories from a seed."""
    machine = seed(number)(type("Machine", (Machine,), {}))
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=stories,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_the_server_answers_as_the_plain_model_does() -> None:
    run(1, *QUICK)


@pytest.mark.ci
@pytest.mark.parametrize("number", range(2, 8))
def test_it_does_so_in_long_stories(number: int) -> None:
    run(number, *FULL)
