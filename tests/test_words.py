"""What is wrong with a value is said in words, and where, whatever the type of the value."""

import re
from itertools import chain
from typing import Any, Literal, get_args, get_type_hints

import pytest
from account import ACCOUNTS, LIST
from msgspec import Meta, Struct
from msgspec.structs import fields

from mock_server.admin.application import ADMIN_ROUTES
from mock_server.decoding.json_values import convert_or_refuse
from mock_server.decoding.validation import plain_type, type_in_words, union_members
from mock_server.errors import InvalidField
from mock_server.faults.rule_kinds import KINDS
from mock_server.fixture.document import FixtureDocument
from mock_server.fixture.load import ProfileFile, load_fixture
from mock_server.fixture.source import FixtureError
from mock_server.service.operations import OPERATIONS
from mock_server.text.wording import closest_word, did_you_mean

PYTHON = re.compile(r"`|regex|RFC|\b(NoneType|None|str|int|float|bool|dict|Struct|array|Invalid)\b")
CODE = re.compile(r"\\Z|\(\?|\[\^?[A-Za-z0-9]-")
WRONG: list[Any] = [None, True, 5, -1, 2.5, 1e30, "", "x", "x" * 2_000, [], [5], {}, {"zz": 5}]


def below(kind: Any) -> list[Any]:
    """The types that a type has in it."""
    own = plain_type(kind)
    if isinstance(own, type) and issubclass(own, Struct):
        return [each.type for each in fields(own)]
    return [*get_args(own)]


def all_below(kinds: list[Any]) -> list[Any]:
    """Types, and all that are in them."""
    found: list[Any] = []
    while kinds:
        kinds = [it for it in chain.from_iterable(map(union_members, kinds)) if it not in found]
        found += [it for n, it in enumerate(kinds) if it not in kinds[:n]]
        kinds = [*chain.from_iterable(map(below, kinds))]
    return found


def sent_types() -> list[Any]:
    """The types of all that clients send to the admin API and to operations, and of fixtures."""
    hints = [get_type_hints(it.endpoint.__wrapped__) for it in ADMIN_ROUTES]
    admin = [it[name] for it in hints for name in ("body", "query") if name in it]
    of_operations = [it.request_type for it in OPERATIONS]
    return [*admin, *KINDS.values(), FixtureDocument, ProfileFile, *of_operations]


STRUCTS = [it for it in all_below(sent_types()) if isinstance(it, type) and issubclass(it, Struct)]


@pytest.mark.parametrize("kind", STRUCTS, ids=lambda it: it.__name__)
def test_a_wrong_field_is_told_without_python(kind):
    for each in fields(kind):
        for value in WRONG:
            try:
                convert_or_refuse({each.encode_name: value}, kind)
            except InvalidField as error:
                message = error.message.replace(repr(value), "")
                assert not PYTHON.search(message) and not CODE.search(message), message
                assert error.where.startswith("$") and error.where in message


@pytest.mark.parametrize("kind", STRUCTS, ids=lambda it: it.__name__)
def test_a_wrong_object_and_a_wrong_text_of_a_query_are_told_without_python(kind):
    for value in ([], "x", None, 5, {"zz": 1}, {"kind": "zz"}, {"kind": [5]}):
        try:
            convert_or_refuse(value, kind, strict=False)
        except InvalidField as error:
            assert not PYTHON.search(error.message), error.message


def test_each_pattern_has_words():
    metas = chain.from_iterable(getattr(it, "__metadata__", ()) for it in all_below(sent_types()))
    patterns = [it for it in metas if isinstance(it, Meta) and it.pattern]
    assert len(patterns) >= 5 and all(it.description for it in patterns)
    # Before a last line break there is an end, too.
    assert not [it.pattern for it in patterns if it.pattern.endswith("$")]


@pytest.mark.parametrize("name", [it.encode_name for it in fields(FixtureDocument)])
def test_a_wrong_part_of_a_fixture_is_told_without_python(name):
    for value in WRONG:
        for given in (value, [value], [{"zz": value}], [{"kind": value, "name": value}]):
            try:
                load_fixture({name: given})
            except FixtureError as error:
                assert not PYTHON.search(re.sub("'.*?'", "", str(error))), str(error)


@pytest.mark.parametrize("secret", [4711, [4711], {"a": 4711}])
def test_a_secret_of_the_wrong_type_is_not_shown(client, secret):
    login = {"username": "root", "password": secret}
    message = client.fetch(f"{ACCOUNTS}/loginByPassword", login).json()["message"]
    assert message.endswith(" $.password") and "list" not in message and "object" not in message
    assert "4711" not in f"{message} {client.control.journal}"


PATHS = [path for it in OPERATIONS for path, _ in it.routes]
FAR = ("/api/core/app/logs/getTotalData", "/api/support/user/account/register")
NEAR = {"/v1/chat/completions": "/api/v1/chat/completions", f"{LIST[:-1]}3": LIST}


def test_only_a_near_path_is_suggested():
    assert [closest_word(it, PATHS) for it in FAR] == [None, None]
    assert {it: closest_word(it, PATHS) for it in NEAR} == NEAR
    assert closest_word("nwo", ["now"]) == "now"


BASES = {"/v1/chat/completions/chat/completions": "'/api/v1/chat/completions'"}
BASES |= {"/demo/": "mock-server --demo", "/demo": "mock-server --demo"}


@pytest.mark.parametrize("path", BASES)
def test_a_path_of_a_wrong_setup_is_told(local, path):
    assert BASES[path] in local.post(path).json()["message"]


def test_a_refusal_in_words():
    refusal = InvalidField("a text", 5, "$.a", suggestion=did_you_mean("ofset", ["offset"]))
    assert refusal.message == "Expected a text, got 5 - at $.a (did you mean 'offset'?)"


def test_types_in_words():
    words = {type_in_words(kind) for kind in (int | None, list[str], dict[str, int], bool)}
    assert words == {"a whole number or null", "a list", "an object", "true or false"}


def test_a_near_name_is_sought_among_some_thousand():
    ids = (f"68b0{n:020}" for n in range(100_000))
    assert did_you_mean("68b0", ids) == "" and next(ids) == f"68b0{2000:020}"


def test_a_number_that_is_no_listed_one_is_told():
    with pytest.raises(InvalidField, match=r"200.* '200'"):
        convert_or_refuse("200", Literal[200])
