"""The console: a page for people, and its sections, which show a sandbox.

The page has no data and needs no token; its script fetches the sections, which need the token. The
query of the page's address says what is shown: language, sandbox, dataset, folder, entry ...
Every action is a form that the script sends to the admin API.
"""

import re
from collections.abc import Iterable, Mapping
from functools import partial
from json import dumps
from pathlib import Path
from typing import Any, TypeVar

from jinja2 import DictLoader, Environment, StrictUndefined
from msgspec import json, to_builtins
from msgspec.structs import asdict, fields, replace
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from mock_server.admin.clock_and_choices import get_clock
from mock_server.admin.route import AdminCall, Input, NotNegative, route
from mock_server.choices import choice_table, profile_choices
from mock_server.decoding.json_values import JsonObject
from mock_server.faults.rule_kinds import PRESETS, decode_rule
from mock_server.journal import Exchange, Violation
from mock_server.releases.fastgpt import PROFILES
from mock_server.rules.match import Match, brief_json
from mock_server.rules.rule import Rule
from mock_server.service.operations import OPERATION_NAMES
from mock_server.store.account import folder_ids
from mock_server.store.replies import as_text
from mock_server.text.redaction import redact
from mock_server.timing.clock import Clock

FILES = Path(__file__).parent
PAGE_SIZE = 100
SUMMARY_CHARS = 70
VALUE_CHARS = 40
ResourceT = TypeVar("ResourceT")
USUAL_OPERATIONS = {
    "listV2": "list collections",
    "updateHistory": "pin a chat",
    "completions": "ask in a chat",
}
OFFERED_OPERATIONS = USUAL_OPERATIONS | dict.fromkeys(
    sorted(OPERATION_NAMES - USUAL_OPERATIONS.keys()), ""
)
"""The operations to choose from: the usual ones first, each with a description."""
FAILURES: dict[str, JsonObject] = {
    "fails with 503": {"kind": "error"},
    "fails with 401": {"kind": "error", "status": 401},
    "fails with 429, retry after 5 s": {"kind": "error", "status": 429, "retryAfter": 5},
    "takes at most 5 requests in 10 s": {"kind": "rate_limit", "limit": 5, "window": 10},
    "is answered after 3 s": {"kind": "delay", "ms": 3000},
    "is not answered": {"kind": "hang"},
    "loses its connection": {"kind": "reset", "times": 2},
    "does its work, then loses its connection": {"kind": "reset", "phase": "after"},
    "finds its connection closed": {"kind": "empty", "times": 2},
    "gets bytes that are not HTTP": {"kind": "garbage"},
    "gets half of the body": {"kind": "truncate"},
    "gets broken JSON": {"kind": "malformed_json"},
    "gets its response in slow pieces": {"kind": "dribble"},
    "succeeds, but saves nothing": {"kind": "lost_write"},
    "gets an item twice": {"kind": "duplicate_item"},
    "finds a new item between two pages": {"kind": "page_drift", "insert": 1},
    "gets a wrong total": {"kind": "wrong_total"},
}
"""The failures to choose from, each with the fault that causes it, as a test adds it.

A browser repeats a call by itself whose connection breaks: it is to break twice.
"""
FAILURE_RULES = {name: decode_rule(it | {"times": 1}) for name, it in FAILURES.items()}
OTHER_EFFECTS = {
    "answer": "returns these data",
    "hits": "finds these rows",
    "hold": "waits for its release",
    "reply": "gets this reply",
}
"""What other kinds of rules do to a call."""
PAGE_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'self'; img-src data:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'self'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}

CHINESE: dict[str, str] = json.decode((FILES / "templates" / "chinese.json").read_bytes())
"""The Chinese texts of the page, by the English texts. A missing text is shown in English."""
_STREAMED = re.compile(
    r'"delta":\{[^{}]*?"content":'
    r'("(?:\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4})|[^"\\\x00-\x1f])*")'
)
"""The text in an event of a streamed reply, as a valid text of JSON."""
ENVIRONMENT = Environment(
    loader=DictLoader(
        {it.name: it.read_text("utf-8") for it in (FILES / "templates").glob("*.html")}
    ),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)


class ConsoleQuery(Input):
    """The query of the page. The script puts the name of the sandbox into the path, too."""

    lang: str = ""
    sandbox: str = ""
    app: str = ""
    chats: NotNegative = 0
    dataset: str = ""
    folder: str = ""
    offset: NotNegative = 0
    find: str = ""
    """What the names of apps, chats, datasets or collections are to have."""
    entry: int = 0
    operation: str = ""
    problems: bool = False
    search: str = ""
    """What a request is to have."""
    before: NotNegative = 0
    """The number of the request before which the list begins; 0 for all."""


def render(request: Request, template: str, language: str, **context: Any) -> Response:
    """A template in English or Chinese, by default as the browser prefers."""
    if language not in ("en", "zh"):
        preferred = request.headers.get("accept-language", "").lower()
        before_english = preferred.partition("en")[0]
        language = "zh" if "zh" in before_english else "en"
    page = ENVIRONMENT.get_template(f"{template}.html")
    text = page.render(context, t=partial(translate, language), lang=language)
    return HTMLResponse(text, headers=PAGE_HEADERS)


def translate(language: str, text: str, **fields: object) -> str:
    """An English text in a language, with its fields filled.

    In `{n} chat|{n} chats` the first form is for 1, the second for other numbers.
    """
    translated, _, plural = text.partition("|")
    if plural and fields.get("n") != 1:
        translated = plural
    if language == "zh":
        translated = CHINESE.get(text, translated)
    # The script fills the {braces} of a text for which no fields are given here.
    if not fields:
        return translated
    return translated.format(**fields)


async def get_console(request: Request) -> Response:
    """The page, without any data."""
    return render(
        request, "page", request.query_params.get("lang", ""), has_demo=request.app.state.demo
    )


@route("GET", "/console")
def get_sections(call: AdminCall, query: ConsoleQuery) -> Response:
    """The sections of the page."""
    sandbox = call.sandbox
    state = call.state
    exchanges = state.journal.exchanges
    choices = asdict(state.moment.choices)
    profile = asdict(profile_choices(state.moment.profile))
    ahead_ms = state.moment.clock.now_ms() - Clock().now_ms()
    apps = resources_with_text(state.moment.store.apps, query.find)
    datasets = resources_with_text(state.moment.store.datasets, query.find)
    return render(
        call.request,
        "sections",
        query.lang,
        view=query,
        sandboxes=call.sandboxes.by_name,
        sandbox=sandbox,
        state=state,
        clock=get_clock(call),
        ahead=round(ahead_ms / 1000),
        added_rules=state.rules.added_in_force(),
        differing=dict(choices.items() - profile.items()),
        is_changed=state.moment.store is not sandbox.baseline.store,
        problems=sum(map(is_problem, exchanges)),
        called=sorted({it.operation_name for it in exchanges if it.operation_name}),
        matching=matching_exchanges(exchanges, query),
        base=str(call.request.base_url).partition("/__admin")[0].rstrip("/"),
        apps=apps,
        datasets=datasets,
        app=resource_or_first(apps, query.app),
        dataset=resource_or_first(datasets, query.dataset),
    )


def matching_exchanges(exchanges: Iterable[Exchange], query: ConsoleQuery) -> list[Exchange]:
    """The exchanges that pass the filters, the latest first."""
    matching = [it for it in exchanges if query.operation in ("", it.operation_name)]
    if query.problems:
        matching = [*filter(is_problem, matching)]
    if query.search:
        matching = [it for it in matching if has_text(it, query.search.lower())]
    return matching[::-1]


def has_text(exchange: Exchange, text: str) -> bool:
    """Whether a request has a text in its operation, its address, its status or its body."""
    request = exchange.request
    sent = (
        f"{exchange.operation_name} {request.method} {request.path} {request.query_text}"
        f" {exchange.status} {request.body.decode(errors='replace')}"
    ).lower()
    # JSON may have the characters of other languages as escapes.
    return text in sent or dumps(text)[1:-1] in sent


def resources_with_text(resources: Mapping[str, ResourceT], text: str) -> dict[str, ResourceT]:
    """The apps or datasets that have a text in a name of theirs, or of what is in them."""
    return {id: it for id, it in resources.items() if has_text_in_names(it, text.lower())}


def has_text_in_names(item: object, text: str) -> bool:
    """Whether an object has a text in its name or its id, or something in it has."""
    names = [getattr(item, name, "") for name in ("id", "name", "chat_id", "title", "custom_title")]
    children = getattr(item, "chats", getattr(item, "collections", {})).values()
    return text in " ".join(map(str, names)).lower() or any(
        has_text_in_names(each, text) for each in children
    )


def resource_or_first(resources: Mapping[str, ResourceT], id: str) -> ResourceT | None:
    """The app or the dataset with this id; the first one if there is none."""
    return resources.get(id) or next(iter(resources.values()), None)


def is_problem(exchange: Exchange) -> bool:
    """Whether a request failed, got a fault or an answer of a test, or broke the spec.

    After a hold, a request gets the right response.
    """
    failed = exchange.status >= 400 or (exchange.has_ended and exchange.status == 0)
    fired = exchange.fired_rule
    is_replaced = fired is not None and fired.kind not in ("reply", "hits", "hold")
    return failed or is_replaced or bool(breaches(exchange.violations))


def breaches(violations: Iterable[Violation]) -> list[Violation]:
    """The violations, without those that are served as they were meant."""
    return [it for it in violations if it.served != "as_meant"]


def summary(value: object, length: int = SUMMARY_CHARS) -> str:
    """A value in a short line; an object by its first fields, each with its value."""
    if not isinstance(value, dict):
        return brief_json(value, length)
    text = ""
    for name, item in value.items():
        field = f"{name}: {brief_json(item, VALUE_CHARS)}"
        if len(text) + len(field) > length:
            return f"{text}…"
        text += f"{field}, "
    return text.removesuffix(", ")


def joined_text(body: object) -> str:
    """The text of a streamed reply; empty for another body."""
    return "".join(map(json.decode, _STREAMED.findall(as_text(body))))


def effect(rule: Rule) -> str:
    """What a rule does to a call, in the words of the page; empty if it has none for that."""
    usual = replace(rule, operation="*", match=Match(), times=1, skip=0, probability=1.0, ttl=None)
    names = [name for name, it in FAILURE_RULES.items() if it == usual]
    return names[0] if names else OTHER_EFFECTS.get(rule.kind, "")


def special_fields(rule: Rule) -> JsonObject:
    """The fields of a rule that are not as usual, nor in the words of the page, without secrets."""
    special = {}
    values = to_builtins(rule)
    in_words = {"operation", "times", "ttl", *FAILURES.get(effect(rule), {})}
    if rule.kind == "error":
        in_words.add("status")
    for field in fields(rule):
        value = getattr(rule, field.name)
        is_empty = not value and not isinstance(value, int | float)
        if field.encode_name not in in_words and not is_empty and value != field.default:
            special[field.encode_name] = values[field.encode_name]
    return {**redact(special)}


def pretty(value: object) -> str:
    """A text as it is; any other value as indented JSON."""
    if isinstance(value, str):
        return value
    return json.format(json.encode(value)).decode()


ENVIRONMENT.filters |= {
    function.__name__: function
    for function in (summary, pretty, effect, special_fields, breaches, joined_text)
}
ENVIRONMENT.tests["has_text_in_names"] = has_text_in_names
ENVIRONMENT.globals |= {
    "operations": OFFERED_OPERATIONS,
    "failures": FAILURES,
    "presets": PRESETS,
    "profiles": PROFILES,
    "choices": choice_table(),
    "page_size": PAGE_SIZE,
    "folder_ids": folder_ids,
}
