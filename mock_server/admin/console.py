"""The console: a page for people, and its parts, which show a sandbox.

The page has no data and needs no token; its script fetches the parts, which need it. What a
person looks at stands in the query of the page's address: language, sandbox, dataset, folder,
entry ... Every action is a form that the script sends to the admin API.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from msgspec import Meta, json, to_builtins
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.templating import Jinja2Templates

from mock_server.admin.clock_choices import clock_view
from mock_server.admin.route import AdminCall, Input, route
from mock_server.choices import PROFILES, profile, table
from mock_server.clock import Clock
from mock_server.errors import RouteNotFound
from mock_server.forms import MULTIPART, URL_ENCODED, form_kind
from mock_server.journal import Exchange, ShownMessage, Violation
from mock_server.redaction import is_secret, redacted
from mock_server.scripting.row import Row
from mock_server.service.app import NAMES
from mock_server.store.objects import ROOT, Collection
from mock_server.store.replies import as_text

FILES = Path(__file__).parent
PAGE_SIZE, SUMMARY_CHARS = 100, 70
FIRST = {
    "listV2": "list collections",
    "updateHistory": "pin a chat",
    "completions": "ask in a chat",
}
OPERATIONS = FIRST | dict.fromkeys(sorted(NAMES - FIRST.keys()), "")
"""The operations that can be chosen, the usual ones first and with words of their own."""
FAILURES: dict[str, dict[str, Any]] = {
    "fails with 503": {"kind": "error"},
    "fails with 500": {"kind": "error", "status": 500},
    "fails with 401": {"kind": "error", "status": 401},
    "fails with 429, retry after 5 s": {"kind": "error", "status": 429, "retryAfter": 5},
    "takes at most 5 requests in 10 s": {"kind": "rate_limit", "limit": 5, "window": 10},
    "is answered after 3 s": {"kind": "delay", "ms": 3000},
    "is not answered": {"kind": "hang"},
    "loses its connection": {"kind": "reset"},
    "does its work, then loses its connection": {"kind": "reset", "phase": "after"},
    "finds its connection closed": {"kind": "empty"},
    "gets bytes that are not HTTP": {"kind": "garbage"},
    "gets half of the body": {"kind": "truncate"},
    "gets broken JSON": {"kind": "malformed_json"},
    "gets its response in slow pieces": {"kind": "dribble"},
    "succeeds, but saves nothing": {"kind": "lost_write"},
    "gets an item twice": {"kind": "duplicate_item"},
    "finds a new item between two pages": {"kind": "page_drift", "insert": 1},
    "gets a wrong total": {"kind": "wrong_total", "by": 1},
}
"""What can be made to happen to a call by a click, and the fault that does it."""
EFFECTS = {
    "flaky": "About one call in five fails.",
    "slow": "Each call takes about 0.3 s longer.",
    "rate-limited": "More than 10 calls in 10 s are refused with 429.",
    "offline": "Each call loses its connection.",
    "eventually-consistent": "Some lists are out of date, and some changes are lost.",
}
"""What each preset does."""
FORM_OPTIONS = {MULTIPART: "--form", URL_ENCODED: "--data-urlencode"}
UNSENT = re.compile(
    "host|connection|content-length|transfer-encoding|accept|accept-encoding|user-agent"
    "|origin|referer|sec-.*"
)
"""The headers that curl sets itself, and those that only a page in a browser sends."""
HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'self'; img-src data:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'self'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}

CHINESE: dict[str, str] = json.decode((FILES / "templates" / "chinese.json").read_bytes())
"""The texts of the templates, by the English ones."""
Language = Literal["en", "zh"]
Number = Annotated[int, Meta(ge=0)]
TEMPLATES = Environment(
    loader=FileSystemLoader(FILES / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)
templates = Jinja2Templates(env=TEMPLATES)


class View(Input):
    """What a person looks at. `sandbox` is for the script, which puts it into the path."""

    lang: Language | None = None
    sandbox: str = ""
    app: str = ""
    chats: Number = 0
    dataset: str = ""
    folder: str = ""
    offset: Number = 0
    entry: int = 0
    operation: str = ""
    problems: bool = False


def show(request: Request, name: str, language: Language | None, **context: Any) -> Response:
    """A template in a language, by default the browser's."""
    language = language or preferred(request.headers)
    context |= {"t": translator(language), "lang": language}
    return templates.TemplateResponse(request, f"{name}.html", context, headers=HEADERS)


def translator(language: Language) -> Callable[..., str]:
    """The function that gives an English text in a language, with its fields filled.

    Of a text in two forms, `{n} chat|{n} chats`, the first is for one.
    """

    def translate(text: str, **fields: object) -> str:
        one, _, several = text.partition("|")
        chosen = one if fields.get("n") == 1 else several or one
        if language == "zh":
            chosen = CHINESE[text]
        # Without fields, those in the text are filled by the script.
        return chosen.format(**fields) if fields else chosen

    return translate


def preferred(headers: Headers) -> Language:
    """The language of a browser that prefers Chinese to English, or not."""
    accepted = headers.get("accept-language", "").lower()
    chinese, english = (accepted.find(it) for it in ("zh", "en"))
    return "zh" if chinese >= 0 and not 0 <= english < chinese else "en"


async def page(request: Request) -> Response:
    """The page, without any data."""
    language: Language = "zh" if request.query_params.get("lang") == "zh" else "en"
    wanted = language if "lang" in request.query_params else None
    return show(request, "page", wanted, has_demo=request.app.state.demo)


@route("GET", "/console/{part}")
def get_part(call: AdminCall, query: View) -> Response:
    """A part of the page, or all. Raises RouteNotFound."""
    part, state = call.path["part"], call.state
    found = PARTS.keys() if part == "all" else PARTS.keys() & {part}
    if not found:
        raise RouteNotFound(f"all, {', '.join(PARTS)}", part)
    call.sandboxes.remove_idle()
    choices = state.moment.choices
    usual = profile(state.moment.profile)
    ahead_ms = state.moment.clock.now_ms() - Clock().now_ms()
    context = {
        "view": query,
        "sandboxes": call.sandboxes.by_name,
        "sandbox": call.sandbox,
        "state": state,
        "clock": clock_view(state.moment.clock),
        "ahead": round(ahead_ms / 1000),
        "faults": [it for it in state.script.all() if not it.is_over],
        "differing": [it for it in table() if getattr(usual, it) != getattr(choices, it)],
        "operations": OPERATIONS,
        "page_size": PAGE_SIZE,
    }
    for name in found:
        context[name] = PARTS[name](call, query)
    return show(call.request, "parts", query.lang, **context)


def status_of(call: AdminCall, view: View) -> dict[str, Any]:
    """How the sandbox differs from its baseline."""
    state = call.state
    return {
        "is_changed": state.moment.store is not call.sandbox.baseline.moment.store,
        "problems": sum(map(is_problem, state.journal.exchanges)),
    }


def data_of(call: AdminCall, view: View) -> dict[str, Any]:
    """The chats of one app, and what is in one folder of a dataset."""
    store = call.state.moment.store
    app = store.apps.get(view.app) or next(iter(store.apps.values()), None)
    first = next(iter(store.datasets.values()), None)
    dataset = store.datasets.get(view.dataset) or first
    path: list[Collection] = []
    items: list[Collection] = []
    if dataset:
        folder = dataset.collections.get(view.folder)
        while folder and folder not in path:
            path.insert(0, folder)
            folder = dataset.collections.get(folder.parent_id or "")
        items = dataset.fixture_order.children.get(path[-1].id if path else ROOT, [])
    return {
        "app": app,
        "chats": app.listed_chats if app else [],
        "dataset": dataset,
        "path": path,
        "items": items,
    }


def requests_of(call: AdminCall, view: View) -> dict[str, Any]:
    """The latest entries that the filters let through, and the one that is open."""
    exchanges = call.state.journal.exchanges
    wanted = (
        it
        for it in reversed(exchanges)
        if view.operation in ("", it.operation) and (is_problem(it) or not view.problems)
    )
    base = str(call.request.base_url).partition("/__admin")[0].rstrip("/")
    opened = next((it.entry() for it in exchanges if it.seq == view.entry), None)
    return {
        "entries": [it.entry() for it in islice(wanted, PAGE_SIZE)],
        "operations": sorted({it.operation for it in exchanges if it.operation}),
        "opened": opened,
        "curl": curl_of(opened.request, base) if opened else "",
        "base": base,
        "key": "$API_KEY" if call.state.moment.store.keys else "any-key",
    }


def control_of(call: AdminCall, view: View) -> dict[str, Any]:
    """What is in force, and what can be chosen."""
    return {
        "failures": FAILURES,
        "effects": EFFECTS,
        "snapshots": call.sandbox.snapshots,
        "profiles": PROFILES,
        "choices": table(),
    }


PARTS = {"status": status_of, "data": data_of, "requests": requests_of, "control": control_of}


def is_problem(exchange: Exchange) -> bool:
    """Whether a request failed, met a fault, or violated the spec."""
    failed = exchange.status >= 400 or (exchange.has_ended and exchange.status == 0)
    return failed or exchange.fault is not None or bool(breaches(exchange.violations))


def breaches(violations: Iterable[Violation]) -> list[Violation]:
    """The violations of the spec; to call what it does not show is none."""
    return [it for it in violations if it.name not in ("related_route", "legacy_path")]


def summary(value: object) -> str:
    """Fields and their values in a line."""
    if isinstance(value, dict):
        value = ", ".join(
            f"{name}: {as_text(it) or json.encode(it).decode()}" for name, it in value.items()
        )
    text = as_text(value)
    return text if len(text) <= SUMMARY_CHARS else f"{text[:SUMMARY_CHARS]}…"


def own_fields(row: Row) -> dict[str, Any]:
    """What a row has beside its kind and common defaults, without secrets."""
    usual = to_builtins(Row())
    said = ("kind", "operation", "times", "ttl")
    fields = {name: it for name, it in to_builtins(row).items() if name not in said}
    shown = {name: it for name, it in fields.items() if it and usual.get(name) != it}
    return {**redacted(shown)}


def pretty(value: object) -> str:
    """A body as people read it."""
    return value if isinstance(value, str) else json.format(json.encode(value)).decode()


def curl_of(request: ShownMessage, base: str) -> str:
    """The command that sends a request again. Secrets are not kept: it has $API_KEY for them."""
    target = f"{base}{request.path}" + (f"?{request.query}" if request.query else "")
    words = [f"curl -X {request.method} {quote(target)}"]
    # The media type of a form, with its boundary, is made by curl.
    form = form_kind(request.headers) if isinstance(request.body, dict) else None
    for name, value in request.headers.items():
        if name == "authorization":
            words.append('-H "Authorization: Bearer $API_KEY"')
        elif is_secret(name):
            words.append(f'-H "{name}: $API_KEY"')
        elif not UNSENT.fullmatch(name) and not (form and name == "content-type"):
            words.append(f"-H {quote(f'{name}: {value}')}")
    if form:
        words += form_words(request.body, FORM_OPTIONS[form])
    elif request.body is not None:
        words.append(f"--data-raw {quote(as_text(request.body))}")
    return " \\\n  ".join(words)


def form_words(fields: Mapping[str, Any], option: str) -> Iterator[str]:
    """The fields of a form as options of curl; a file is one of the same name."""
    for name, value in fields.items():
        for each in value if isinstance(value, list) else [value]:
            is_file = isinstance(each, dict) and "filename" in each
            text = f"@{each['filename']}" if is_file else as_text(each)
            yield f"{option} {quote(f'{name}={text}')}"


TEMPLATES.filters |= {
    "summary": summary,
    "pretty": pretty,
    "own_fields": own_fields,
    "breaches": breaches,
}
