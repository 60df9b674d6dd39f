"""A server with one mistake is told exactly that; a stub, what does not show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree

import pytest

from mock_server import MockServer, create_app
from mock_server.control.http_call import Unreachable, UnusableResponse
from mock_server.service.conformance.report import FORMATS, Report
from mock_server.wire.server import running
from tests.conformance import wrong
from tests.conformance.world import DOCUMENT, report_of, ruled
from tests.support import Switch

KEYS = [
    {"key": "owner"},
    {"key": "reader", "permission": "read"},
    {"key": "outsider", "permission": "none"},
]


@pytest.fixture(scope="module")
def switch() -> Iterator[tuple[Switch, str]]:
    app = Switch()
    with running(app) as url:
        yield app, url


Ask = Callable[..., Report]


@pytest.fixture
def ask(switch: tuple[Switch, str]) -> Ask:
    """Verifies our server with a mistake in it."""

    def asked(
        before: wrong.Change = wrong.nothing,
        after: wrong.Change = wrong.nothing,
        **more: Any,
    ) -> Report:
        app = create_app({**DOCUMENT, "keys": KEYS}, choices=more)
        switch[0].app = wrong.Wrong(app, before, after)
        return report_of(switch[1], "owner", reader="reader", outsider="outsider")

    return asked


BEFORE, AFTER = "before", "after"
MISTAKES: dict[str, tuple[dict[str, wrong.Change], str]] = {
    "off by one": ({BEFORE: wrong.off_by_one}, "pages_complete"),
    "overlapping": ({BEFORE: wrong.overlapping}, "pages_disjoint"),
    "total": ({AFTER: wrong.total_after_paging}, "total_before_paging"),
    "names only": ({AFTER: wrong.names_only}, "search_in_tags"),
    "tags only": ({AFTER: wrong.tags_only}, "search_in_names"),
    "owners": ({AFTER: wrong.everybody_owns}, "permission_of_caller"),
    "readers": ({BEFORE: wrong.everybody_reads}, "read_permission"),
    "extra field": ({AFTER: wrong.extra_field}, "envelope"),
    "code as text": ({AFTER: wrong.code_as_text}, "envelope"),
    "no status text": ({AFTER: wrong.no_status_text}, "envelope"),
}


@pytest.mark.ci
@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named(ask: Ask, name: str) -> None:
    changes, rule = MISTAKES[name]
    report = ask(**changes)
    # The documented answer to a pin is no other either.
    also = {"pin_answer"} if name in ("extra field", "code as text") else set()
    assert ruled(report, "differs") == {rule} | also
    (told,) = (each for each in report.rules if each.rule == rule)
    assert told.expected
    assert told.got
    assert told.request.startswith("POST /api/core/dataset/collection/listV2 {")


@pytest.mark.ci
@pytest.mark.parametrize(
    ("changes", "choices"),
    [
        ({BEFORE: wrong.toggling}, {"related_routes": "on"}),
        ({AFTER: wrong.refusing_again}, {}),
        ({AFTER: wrong.refusing_again}, {"related_routes": "on"}),
    ],
    ids=["toggled", "refused", "refused-and-shown"],
)
def test_a_pin_that_is_not_idempotent_is_named(
    ask: Ask, changes: dict[str, Callable[[], wrong.Change]], choices: dict[str, Any]
) -> None:
    report = ask(**{name: make() for name, make in changes.items()}, **choices)
    assert ruled(report, "differs") == {"pin_idempotent"}


def test_our_own_server_keeps_to_every_rule(ask: Ask) -> None:
    report = ask(related_routes="on")
    assert ruled(report, "differs") == set()
    assert ruled(report, "not observable") == set()


ODD: list[object] = [{}, None, [[]], -1, True, "x" * 9000, 1e300, "\ufffe\u202e"]
FIELDS = [("item", each) for each in ("_id", "parentId", "permission", "*")]
FIELDS += [("data", "list"), ("data", "total")]
FIELDS += [("envelope", each) for each in ("code", "statusText", "data")]


@pytest.mark.ci
@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize(("place", "name"), FIELDS)
def test_odd_values_are_told_and_end_nothing(
    ask: Ask, place: str, name: str, odd: object
) -> None:
    def after(call: wrong.Call) -> None:
        if call.page is not None:
            items = call.page["list"]
            parts = {"item": items, "data": [call.page], "envelope": [call.document]}
            for part in parts[place]:
                names = part if name == "*" else [name]
                part.update(dict.fromkeys(names, odd))

    try:
        report = ask(after=after)
    except UnusableResponse as error:
        texts = [str(error)]
    else:
        texts = [make(report) for make in FORMATS.values()]
        ElementTree.fromstring(texts[-1])
    assert all(len(text) < 40_000 for text in texts)


@pytest.mark.ci
def test_of_an_empty_dataset_nothing_is_concluded(ask: Ask) -> None:
    report = ask(after=wrong.empty)
    assert ruled(report, "differs") == set()
    assert {"list_order", "page_size_default", "parent_omitted"} <= set(
        report.undetected
    )


SHOWN = {
    "envelope",
    "json_content_type",
    "page_shape",
    "item_fields",
    "permission_consistent",
}
"""The rules that one page shows."""


@pytest.mark.parametrize("total", [2, 12])
def test_of_a_stub_nothing_is_concluded_that_is_not_seen(
    switch: tuple[Switch, str], total: int
) -> None:
    switch[0].app = wrong.canned(total)
    report = report_of(switch[1], token="login")
    assert ruled(report, "pass") == {*SHOWN, "post_only", "pin_answer"}
    differs = {"authorization_required", "offset_past_end", "search_filters"}
    assert ruled(report, "differs") == differs | ({"page_size"} if total > 4 else set())
    seen = {"item_fields": "documented", "legacy_paths": "off", "related_routes": "off"}
    assert report.values == seen


def test_of_one_answer_to_everything_too(switch: tuple[Switch, str]) -> None:
    switch[0].app = wrong.always(12)
    report = report_of(switch[1], token="login")
    assert ruled(report, "pass") == SHOWN
    assert {"pin_answer", "post_only", "page_size"} < ruled(report, "differs")
    assert report.values == {"item_fields": "documented"}


@pytest.mark.ci
def test_what_has_no_answer_is_not_observable() -> None:
    with MockServer(DOCUMENT) as server:
        match = {"body": {"xVerify": True}}
        server.control.fault("empty", match=match, times=9, connections="all")
        report = report_of(server.url)
    assert "closed without a response" in report.undetected["unknown_fields"]
    assert ruled(report, "differs") == set()


def test_a_server_that_goes_is_not_reported_on() -> None:
    with MockServer(DOCUMENT) as server:
        server.control.fault("empty", skip=9, times=999, connections="all")
        with pytest.raises(Unreachable, match="closed without a response - at POST /"):
            report_of(server.url)


def test_no_report_shows_a_key_that_a_server_repeats() -> None:
    secrets = {"reader": "reader-secret", "outsider": "other-secret", "token": "s" * 9}
    sent = set[bytes]()

    def repeats(call: wrong.Call) -> None:
        names = b"authorization", b"token"
        sent.update(call.headers[each] for each in names if each in call.headers)
        if sent - {b"Bearer any-key"}:
            call.document = str(sent)  # also those of earlier requests

    app = wrong.Wrong(create_app(DOCUMENT), wrong.nothing, repeats)
    with running(app) as url:
        told = FORMATS["json"](report_of(url, **secrets))
    assert "[redacted]" in told
    assert not [each for each in secrets.values() if each in told]
