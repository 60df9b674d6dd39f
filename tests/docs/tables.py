"""The tables of the documentation, from the code's own.

Whatever the tests of the documentation need of the inside is imported here.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

import click
from msgspec import Struct

import mock_server
from mock_server import MockServer
from mock_server.admin import views
from mock_server.admin.app import table as admin_routes
from mock_server.admin.framework import AdminRoute, Input
from mock_server.api.faults.fault import Fault
from mock_server.api.faults.presets import PRESETS
from mock_server.api.faults.table import KINDS
from mock_server.api.fixture_loading import load_fixture
from mock_server.api.operations.operation import Operation, RelatedRoute
from mock_server.api.operations.table import OPERATIONS
from mock_server.cli.main import cli
from mock_server.control.answers import Answers
from mock_server.control.calls import Calls
from mock_server.control.clock import SandboxClock
from mock_server.control.control_object import MockServerFixture
from mock_server.control.faults import AddedFault, FaultList
from mock_server.control.objects import Records
from mock_server.domain import limits
from mock_server.domain.choices.table import Choice
from mock_server.domain.choices.table import table as choices
from mock_server.domain.errors import Refusal
from mock_server.domain.faults.definition import Definition
from mock_server.domain.versions import table as facts
from mock_server.fixture import document
from mock_server.service.conformance.report import RULES
from mock_server.strategies import (
    ClientMachine,
    fault_lists,
    fixtures,
    list_requests,
    pin_requests,
    requests,
)
from mock_server.wire.server import KEEP_ALIVE_SECONDS
from tests.api.published import published_table
from tests.bench import page
from tests.docs import command_line
from tests.docs.cells import (
    amount,
    attributes,
    code,
    fields_of,
    listed,
    members,
    with_texts,
)
from tests.docs.pages import INTERFACE, Table, anchors
from tests.planted.table import planted_table

__all__ = [
    "COMMANDS",
    "KEEP_ALIVE_SECONDS",
    "KINDS",
    "OPERATIONS",
    "PRESETS",
    "PUBLIC_NAMES",
    "STRATEGIES",
    "TABLES",
    "VERSION",
    "MockServer",
    "MockServerFixture",
    "choices",
    "cli",
    "load_fixture",
    "made",
    "refusals",
    "routes",
]
VERSION, PUBLIC_NAMES = mock_server.__version__, mock_server.__all__
STRATEGIES = [
    each.__name__
    for each in (
        *(fixtures, list_requests, pin_requests, requests, fault_lists),
        ClientMachine,
    )
]
COMMANDS = command_line.all_commands(cli)


def made(name: str) -> Table:
    """The table of that name; what follows its first word are arguments."""
    word, *rest = name.split()
    return TABLES[word](*rest)


def section(number: str) -> str:
    """A section of the interface description as a link."""
    for anchor, heading in anchors(INTERFACE).items():
        if re.match(rf"{re.escape(number)}\.? ", heading):
            return f"[{number}](../about/interface.md#{anchor})"
    raise LookupError(f"the interface description has no section {number}")


# Choices, errors, limits


def choices_table() -> Table:
    """What the interface description leaves open."""
    heads = "choice", "spec", "values", "`documented`", "`deployed`", "what it decides"
    return Table(heads, [_choice(each) for each in choices().values()])


def facts_table() -> Table:
    """What differs between the versions of the service that are served."""
    heads = "fact", "operations", "what changed"
    rows = [
        (code(each.name), listed(each.routes), each.sentence)
        for each in facts().values()
    ]
    return Table(heads, rows)


def _choice(choice: Choice) -> tuple[str, ...]:
    values = listed(choice.values)
    if choice.is_range:
        values = f"{code(choice.values[0])} to {code(choice.values[-1])}"
    profiles = code(choice.documented), code(choice.deployed)
    return (
        code(choice.name),
        section(choice.section),
        values,
        *profiles,
        choice.sentence,
    )


def errors_table() -> Table:
    """Every refusal in both forms."""
    heads = (
        "`plain`",
        "`service`",
        "`plain` code",
        "`service` code/HTTP",
    )
    rows = [
        (
            code(row.plain.status_text),
            code(row.service.status_text),
            row.plain.code,
            f"{row.service.code}/{row.service.http}",
        )
        for row in (each.row for each in refusals())
    ]
    return Table(heads, rows, "when", keys=2)


def refusals() -> list[type[Refusal]]:
    """Every kind of refusal, by HTTP status and name."""
    assert len(OPERATIONS) > 0 < len(admin_routes())  # which imports them all
    found = Refusal.__subclasses__()
    return sorted(found, key=lambda each: (each.row.plain.http, each.__name__))


LIMITS: Mapping[str, object] = {
    "Published": limits.Published,
    "Limits": limits.DEFAULT_LIMITS,
    "ClientLimits": limits.DEFAULT_CLIENT_LIMITS,
}


def limits_of(kind: str) -> list[tuple[str, str]]:
    """The limits of a class, each with its sentence."""
    return [*attributes(inspect.getsource(limits), kind)]


def limits_table(kind: str) -> Table:
    """The limits of a class: name, value, sentence."""
    rows = [
        (code(name), amount(name, getattr(LIMITS[kind], name)), text)
        for name, text in limits_of(kind)
    ]
    return Table(("limit", "value", "what it bounds"), rows)


def fixture_table(name: str) -> Table:
    """The fields of a part of fixture documents."""
    kind: type[Struct] = getattr(document, name)
    return Table(("field", "takes", "default"), fields_of(kind), "meaning")


def entry_table(name: str) -> Table:
    """The fields of a part of a journal entry."""
    rows = [(field,) for field, _, _ in fields_of(getattr(views, name))]
    return Table(("field",), rows, "meaning")


# Faults


def faults_table() -> Table:
    """All kinds: their operations, what happens."""
    rows = [
        (code(name), _operations(kind), kind.sentence()) for name, kind in KINDS.items()
    ]
    return Table(("kind", "operations", "what happens"), rows)


def _operations(definition: type[Fault]) -> str:
    found = definition.operations()
    if set(found) == set(OPERATIONS):
        return "all"
    documented = [name for name in found if OPERATIONS[name].related is None]
    related = f"[related routes](related-routes.md) of `{definition.trait}`"
    return f"{listed(documented)}, {related}"


def fault_fields_table() -> Table:
    """The fields that faults of every kind have."""
    return Table(("field", "takes", "default", "meaning"), with_texts(Definition))


def kind_fields_table() -> Table:
    """The fields that only one kind has, and times where it differs."""
    rows = shared(
        ("", name, cells)
        for name, kind in KINDS.items()
        for cells in with_texts(kind, base=Fault)
    )
    heads = "kinds", "field", "takes", "default", "meaning"
    return Table(heads, rows, keys=2)


def presets_table() -> Table:
    """All presets: their kinds, what they are like."""
    rows = [
        (
            code(name),
            listed(dict.fromkeys(fault["kind"] for fault in preset.faults)),
            preset.sentence,
        )
        for name, preset in PRESETS.items()
    ]
    return Table(("preset", "kinds", "what it is like"), rows)


# Verification


def rules_table() -> Table:
    """The rules that `verify` checks: what has to hold."""
    rows = [
        (
            code(each.name),
            f"{each.sentence} (Not with {code(each.choice)}.)"
            if each.choice
            else each.sentence,
        )
        for each in RULES
    ]
    return Table(("rule", "sentence that must be true"), rows)


# The command line


def commands_table() -> Table:
    """Every command with its arguments, and what it does."""
    rows = [
        (code(command_line.usage(name, command)), command.get_short_help_str(999))
        for name, command in COMMANDS.items()
    ]
    return Table(("command", "what it does"), rows)


def options_table(*words: str) -> Table:
    """The options of a command, or with `remote` those that several share."""
    if words == ("remote",):
        return command_line.options_table(command_line.shared_options(COMMANDS))
    own = command_line.own_options(COMMANDS, " ".join(words))
    return command_line.options_table(own)


# HTTP


def operations_table() -> Table:
    """The documented operations, with their sections of the interface description."""
    rows = [
        (
            code(each.name),
            section(each.contract.section),
            code(f"{each.method} {each.path}"),
        )
        for each in OPERATIONS.values()
        if each.related is None
    ]
    return Table(("operation", "spec", "method and path"), rows, "needs")


TRAITS = {kind.trait for kind in KINDS.values()}
"""The traits that kinds of faults go by."""
_CREDENTIALS = {"caller": "", "login": "login", "visitor": "share link"}
_CREDENTIALS |= {"anyone": "none", "address": "its address", "link": "only share link"}


def related_routes_table() -> Table:
    """Related routes: method and path, credentials, traits."""
    rows = [
        (
            code(each.name),
            code(f"{' or '.join(each.methods)} {each.path}"),
            _CREDENTIALS[each.access],
            listed(sorted(each.traits & TRAITS)),
        )
        for each, _ in _related_routes()
    ]
    heads = "operation", "method and path", "credentials", "traits"
    return Table(heads, rows)


_SAME = ""
"""What is said of a route that does not differ."""


def notes_table() -> Table:
    """Where related routes differ from the service; routes share a sentence."""
    sharing: dict[str, list[str]] = {}
    for each, about in _related_routes():
        for sentence in re.split(r"(?<=\.) (?=[A-Z`])", about.differences or _SAME):
            sharing.setdefault(sentence, []).append(each.name)
    told: dict[str, list[str]] = {}
    for sentence, names in sharing.items():
        told.setdefault(listed(names), []).append(sentence)
    rows = [
        (names, " ".join(them)) for names, them in told.items() if _SAME not in them
    ]
    return Table(("operations", "where they differ"), rows)


def older_paths_table() -> Table:
    """The older paths of operations."""
    rows = [
        (code(each.name), code(each.legacy_path))
        for each in OPERATIONS.values()
        if each.legacy_path is not None
    ]
    return Table(("operation", "older path"), rows)


def _related_routes() -> Iterator[tuple[Operation, RelatedRoute]]:
    for each in OPERATIONS.values():
        if each.related is not None:
            yield each, each.related


def routes() -> list[tuple[str, AdminRoute]]:
    """Every admin route once, with its full path."""
    return [
        (f"{method} /__admin{path}", route)
        for path, by_method in admin_routes().items()
        for method, route in by_method.items()
        if "{sandbox}/" not in path
    ]


def routes_table() -> Table:
    """Every admin route; those that belong to no sandbox come last."""
    rows = [
        (code(name), route.summary)
        for is_global in (False, True)
        for name, route in routes()
        if route.is_global is is_global
    ]
    return Table(("route", "what it does"), rows)


def parameters_table() -> Table:
    """The query parameters of admin routes, and the fields of their bodies."""
    rows = shared(
        (name.split("/")[2], name, cells)
        for name, route in routes()
        for kind in (route.query, route.body)
        if isinstance(kind, type) and issubclass(kind, Input)
        for cells in fields_of(kind)
    )
    heads = "routes", "name", "takes", "default"
    return Table(heads, rows, "meaning", keys=2)


def shared(
    rows: Iterable[tuple[str, str, tuple[str, ...]]],
) -> list[tuple[str, ...]]:
    """Return rows with the names of all that have the same cells in one group."""
    names: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for group, name, cells in rows:
        names.setdefault((group, cells), []).append(name)
    return [(listed(each), *cells) for (_, cells), each in names.items()]


# Python


_HANDLE = {
    "": (MockServerFixture, Answers, Records, Calls),
    ".fault(...)": (AddedFault,),
    ".faults": (FaultList,),
    ".clock": (SandboxClock,),
}


def handle_table() -> Table:
    """The public members of what steers a server, in the words of the code."""
    rows = [
        (code(f"{prefix}{member}"), meaning)
        for prefix, kinds in _HANDLE.items()
        for kind in kinds
        for member, meaning in members(kind)
    ]
    return Table(("member", "meaning"), rows)


TABLES: Mapping[str, Callable[..., Table]] = {
    "choices": choices_table,
    "commands": commands_table,
    "entry": entry_table,
    "facts": facts_table,
    "errors": errors_table,
    "fault-fields": fault_fields_table,
    "faults": faults_table,
    "fixture": fixture_table,
    "handle": handle_table,
    "kind-fields": kind_fields_table,
    "limits": limits_table,
    "related-route-notes": notes_table,
    "related-routes": related_routes_table,
    "older-paths": older_paths_table,
    "operations": operations_table,
    "options": options_table,
    "parameters": parameters_table,
    "planted": planted_table,
    "presets": presets_table,
    "published": published_table,
    "routes": routes_table,
    "rules": rules_table,
    **page.TABLES,
}


def words_left(context: click.Context) -> list[str]:
    """What a group has not read of a command; before 8.2 click names it otherwise."""
    name = (
        "_protected_args" if hasattr(context, "_protected_args") else "protected_args"
    )
    return [*getattr(context, name), *context.args]
