"""A dumped state loads as the same state, in JSON and in YAML."""

import string
from typing import Any, get_args

import msgspec
import pytest
from account import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from mock_server.faults.rule_kinds import AnyFault
from mock_server.fixture.dump import dump, yaml_of
from mock_server.fixture.load import SHIPPED, load_fixture, load_sources
from mock_server.fixture.source import Source
from mock_server.rules.response_rules import AnswerRule, HitsRule, ReplyRule
from mock_server.rules.rule_set import DeclaredRules
from mock_server.sandbox import Moment
from mock_server.store import objects
from mock_server.store.account import App, Chat, Key, Store, User
from mock_server.store.objects import Collection, DataRow, Dataset, LevelName
from mock_server.store.replies import Part, Record
from mock_server.timing.clock import Clock, format_ms

ODD = ["65e1", "1", "-0", "null", "true", "", "- x", "a: b", "é\n", "\t#", "'", "\u2028", "\x7f😀"]
MS = 253_402_300_799_999
texts = st.sampled_from(ODD) | st.text(max_size=6)
ids = st.text(string.ascii_letters + "0123456789 :é", min_size=1, max_size=4)
counts = st.integers(0, 2**53)
times = st.integers(0, MS).map(format_ms)
tuples_of = st.lists(texts, max_size=2).map(tuple)
tag_values = texts | counts | st.floats(-1e9, 1e9).filter(lambda it: it % 1) | tuples_of
valued = st.builds(objects.ValuedTag, tag=texts, value=tag_values)
tags = st.lists(texts | valued, max_size=2).map(tuple)
levels = st.dictionaries(st.sampled_from(["k1", "k2"]), st.sampled_from(get_args(LevelName)))
json_values = st.recursive(
    st.none() | st.booleans() | counts | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda it: st.lists(it, max_size=2) | st.dictionaries(texts, it, max_size=2),
    max_leaves=4,
)
dicts = st.dictionaries(texts, json_values, max_size=2)
unset = st.just(UNSET)
FAULTS: list[dict[str, Any]] = [
    {"kind": "error", "status": 500, "message": "1e1"},
    {"kind": "delay", "min": 3, "max": 5, "match": {"body": {"a": 1}}},
    {"kind": "rate_limit", "limit": 2, "window": 3, "ttl": None},
    {"kind": "alter", "set": {"data.x": None}, "phase": "after", "probability": 0.25},
    {"kind": "hits", "rows": [{"row": "1e1"}, {"q": "", "a": "null", "score": 0.5}]},
]


def made(kind: Any, **fields: Any) -> Any:
    """Objects of a kind; these fields have fixed values, or strategies."""
    known = {"tmb_id": texts, "name": texts, "type": texts, "update_time": times}
    every = {name: it for name, it in known.items() if name in kind.__struct_fields__} | fields
    for name, it in every.items():
        every[name] = it if isinstance(it, st.SearchStrategy) else st.just(it)
    return st.builds(kind, **every)


kinds = st.sampled_from(["custom", "summary"])
indexes = st.lists(made(objects.Index, text=texts, type=kinds), max_size=2).map(tuple)
details = st.just(UNSET) | st.dictionaries(texts, json_values, min_size=1, max_size=2)
booleans = st.just(UNSET) | st.booleans()
own = {"metadata": details, "chunk_index": counts, "indexes": indexes}
rows = made(DataRow, id=ids, q=texts, a=texts, **own)
parts = st.sampled_from([Part(text="65e1"), Part(reasoning=""), Part(quotes=({"a": None},))])
own = {"obj": st.sampled_from(["Human", "AI", "System"]), "data_id": texts.filter(bool)}
own |= {"time": times, "deleted": st.booleans(), "user_good_feedback": st.none() | texts}
records = made(Record, parts=st.lists(parts, max_size=2).map(tuple), **own)
own = {"title": texts, "custom_title": texts, "top": st.booleans(), "deleted": st.booleans()}
own |= {"tmb_id": st.none() | texts, "source": texts, "create_time": times, "custom_uid": texts}
own |= {"has_been_read": st.booleans(), "variables": st.dictionaries(texts, json_values)}
chats = made(Chat, chat_id=ids, records=st.lists(records, max_size=2).map(tuple), **own)


def by_id(objects: list[Any], name: str = "id") -> dict[str, Any]:
    return {getattr(it, name): it for it in objects}


@st.composite
def datasets(draw: Any, new_id: str | None) -> Any:
    collections: dict[str, Collection] = {}
    for id in draw(st.lists(ids, max_size=4)) + ([new_id] if new_id else []):
        if id not in collections:
            parent = draw(st.sampled_from([None, *collections]))
            own = {"tags": tags, "data_amount": counts, "training_amount": counts}
            own |= {"forbid": booleans, "has_error": booleans, "create_time": times}
            own |= {
                "details": details,
                "file_id": texts,
                "file_name": texts,
                "file_size": counts,
                "raw_link": texts,
            }
            own |= {"external_file_url": texts, "api_file_id": texts, "external_file_id": texts}
            collections[id] = draw(made(Collection, id=id, parent_id=parent, **own))
    kept = {id: by_id(draw(st.lists(rows, min_size=1, max_size=2))) for id in [*collections][:1]}
    changes = {"training_change": -1, "rows": st.tuples(rows)}
    step = made(objects.Step, due_ms=counts, collection_id=ids, **changes)
    steps = st.lists(step, max_size=2).map(tuple)
    own = {"collections": collections, "rows": kept, "permissions": levels, "intro": texts}
    own |= {"vector_model": unset | dicts}
    return draw(made(Dataset, id=ids, steps=steps, **own))


@st.composite
def moments(draw: Any) -> Moment:
    number = draw(st.integers(0, 200_000))
    new_id = f"68b000000000{number:012x}" if number else None
    own = {"question_guide": tuples_of, "permissions": levels, "variables": st.none() | tuples_of}
    own |= {"chat_config": dicts, "edges": st.tuples(dicts), "chat_models": unset | tuples_of}
    listed = st.lists(chats, max_size=2).map(lambda it: by_id(it, "chat_id"))
    apps = draw(st.lists(made(App, id=ids, chats=listed, **own), max_size=2).map(by_id))
    member = draw(st.none() | texts)
    app = draw(st.sampled_from([None, *apps]))
    keys = [Key(key="k1", member=member, permission="read", app=app)]
    keys += [Key(key="k2", member=member)]
    store = Store(
        apps=apps,
        datasets=by_id([draw(datasets(new_id))]),
        keys=by_id(draw(st.sampled_from([[], keys])), "key"),
        users={"65e1": User(username="65e1", password=draw(texts), logouts=draw(counts))},
        last_number=number,
    )
    faults = draw(st.lists(st.sampled_from(FAULTS), max_size=3))
    rules: list[Any] = [*msgspec.convert(faults, list[AnyFault | HitsRule])]
    answer = made(AnswerRule, operation="GET /api/{id}", json=json_values, delay_ms=5)
    rules += draw(st.lists(answer, max_size=2))
    rules += [ReplyRule(app=id, text=draw(texts)) for id in apps]
    clock = Clock(frozen_ms=draw(st.none() | st.integers(0, MS)))
    return Moment(store, DeclaredRules().with_rules(rules), clock=clock)


def check_round_trip(moment: Moment) -> None:
    document = dump(moment)
    sources = [Source("f.json", msgspec.json.encode(document)), Source("fixture", None, document)]
    for source in (*sources, Source("f.yaml", yaml_of(document).encode())):
        again = load_sources([source])
        assert again.store == moment.store
        assert (again.moment.clock, again.moment.declared) == (moment.clock, moment.declared)
        in_order = replace(moment, store=again.store)
        assert msgspec.json.encode(dump(in_order)) == sources[0].text


@settings(max_examples=examples(30), deadline=None)
@given(moments())
def test_a_dump_loads_as_the_same_account(moment):
    check_round_trip(moment)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_dump_of_a_shipped_fixture_loads_as_the_same(name):
    fixture = load_fixture(name)
    check_round_trip(fixture.moment)
    assert fixture.warnings == ()


def test_a_dump_of_60_faults_and_60_hits_loads_as_the_same():
    faults = {"faults": [{"kind": "error"}] * 60}
    hits = {"faults": [{"kind": "hits", "rows": []}] * 60}
    check_round_trip(load_fixture(faults, hits).moment)


def test_a_dump_has_no_app_of_a_key_that_is_gone():
    document = dump(Moment(Store(keys={"k": Key(key="k", app="gone")})))
    assert load_fixture(document).store.keys["k"].app is None


def test_a_dump_has_permissions_of_declared_keys_only(client):
    """Objects that a person has made belong to no key."""
    own = Dataset(id="own", permissions={"": "owner"})
    store = Store(keys={"k": Key(key="k")}, datasets={"own": own})
    document = dump(Moment(store))
    assert load_fixture(document).store.datasets["own"].permissions == {}
