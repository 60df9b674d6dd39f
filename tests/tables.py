"""The tables of the docs, made from the code: `python tests/tables.py` writes them again."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from inspect import Parameter, signature
from itertools import chain
from pathlib import Path
from typing import Any, get_type_hints

import click
from msgspec import Struct, json, structs
from replay import PROFILES as COMPARED_PROFILES
from replay import compared, total

from mock_server import MockServer, errors, pytest_plugin
from mock_server.admin.application import ADMIN_ROUTES
from mock_server.choices import choice_table, profile_choices
from mock_server.cli import cli
from mock_server.cli.serving import serve_command
from mock_server.control import AddedRule, Control
from mock_server.control.clock_and_choices import SandboxClock
from mock_server.control.journal import JournalControl
from mock_server.faults.rule_kinds import KINDS, PRESETS
from mock_server.fixture import document
from mock_server.releases.fastgpt import PROFILES, differing_releases
from mock_server.rules.rule import Rule
from mock_server.service.operations import OPERATIONS
from mock_server.store.account import Key, User

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *(ROOT / ".github").glob("*.md"),
]
PLACE = re.compile(r"(?<=<!-- table: )(\w+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)
COMPARED_FILE = ROOT / "mock_server/compared_operations.json"
NAMED = {"date-time": "time", "string": "text"}
# Members of the control object that are there for the plugin, and for other plugins.
OF_PLUGINS = {"leftovers", "has_to_fire", "is_settled"}


def markdown(head: str, rows: Iterable[str]) -> str:
    """A table; in its head and its rows, ` | ` is between two cells."""
    lines = [head, "|".join(["---"] * len(head.split(" | "))), *rows]
    return "".join(line.rstrip(" |") + "\n" for line in lines)


def anchor(heading: str) -> str:
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def first_line(it: object) -> str:
    return (getattr(it, "__doc__", "") or "").partition("\n")[0]


def first_part(sentences: str) -> str:
    """What stands before the first full stop or semicolon in the middle of a text."""
    return re.split(r"[.;] ", sentences)[0].removesuffix(".") + "."


def code(values: Iterable[object]) -> str:
    return ", ".join(f"`{it}`" for it in values)


# Fields


def taken(schema: dict[str, Any]) -> str:
    """The values that a JSON Schema takes, in words."""
    any_of = schema.get("anyOf")
    if any_of:
        return " or ".join(dict.fromkeys(taken(it) for it in any_of)).removesuffix(" or null")
    if "enum" in schema:
        return code(schema["enum"])
    default = "object" if "$ref" in schema else "any value"
    kind = schema.get("format") or schema.get("contentEncoding") or schema.get("type", default)
    if kind == "array":
        return " or ".join(f"{it}s" for it in taken(schema["items"]).split(" or "))
    least = schema.get("minimum", schema.get("minLength", ""))
    most = schema.get("maximum", schema.get("maxLength", ""))
    least = ">0" if "exclusiveMinimum" in schema else least
    bounds = f" {least}..{f'{int(most):,}' if most else ''}" if (least, most) != ("", "") else ""
    return f"{NAMED.get(kind, kind)}{bounds}"


def fields(kind: type[Struct], base: type[Struct] = document.FixtureEntry) -> Iterator[list[str]]:
    """The name, the values and the default of each field that a base does not have."""
    (reference,), parts = json.schema_components([kind])
    schema = parts[reference["$ref"].rpartition("/")[2]]
    inherited = [it.encode_name for it in structs.fields(base)]
    for name, each in schema["properties"].items():
        if name not in inherited and name != kind.__struct_config__.tag_field:
            default = json.encode(each.get("default")).decode().removesuffix(".0")
            shown = "" if default in ("null", "[]", "{}") else f"`{default}`"
            is_required = name in schema.get("required", ())
            yield [f"`{name}`", taken(each), "required" if is_required else shown]


def in_a_cell(rows: Iterable[list[str]]) -> str:
    """Fields in a cell. A text without bounds is what a field takes that says no more."""
    shown = [(name, "" if takes == "text" else f" {takes}", it) for name, takes, it in rows]
    return "; ".join(f"{name}{takes}{it and f' ({it})'}" for name, takes, it in shown)


def fixture_fields() -> str:
    common = document.ResourceEntry
    kinds: list[type[Struct]] = [document.FixtureDocument, Key, User, common]
    kinds += [document.AppEntry, document.ChatEntry, document.RecordEntry, document.DatasetEntry]
    kinds += [document.CollectionEntry, document.RepeatedTime, document.DataRowEntry]
    rows = []
    for kind in kinds:
        name = "App, Dataset" if kind is common else re.sub("^Fixture|Entry$", "", kind.__name__)
        own = fields(kind, common) if kind.__mro__[1] is common else fields(kind)
        rows.append(f"{name} | {in_a_cell(own)}")
    return markdown("object | fields", rows)


def fault_fields() -> str:
    return markdown("field | takes | default", map(" | ".join, fields(Rule)))


def fault_kinds() -> str:
    rows = (f"`{n}` | {first_line(it)} | {in_a_cell(fields(it, Rule))}" for n, it in KINDS.items())
    return markdown("kind | what happens | own fields", rows)


def presets() -> str:
    faults = {name: [json.encode(f).decode() for f in it.faults] for name, it in PRESETS.items()}
    rows = (f"`{name}` | {PRESETS[name].effect} | {code(it)}" for name, it in faults.items())
    return markdown("preset | what happens | faults", rows)


# What the server serves


def choices() -> str:
    headings = re.findall(
        r"^#+ (.*)", (ROOT / "docs/interface.md").read_text("utf-8"), re.MULTILINE
    )
    sections = {it.partition(" ")[0].rstrip("."): anchor(it) for it in headings}
    rows = []
    for name, row in choice_table().items():
        linked = f"[`{name}`](interface.md#{sections[row.section]})"
        shown = row.values_in_words.replace(" or ", ", ")
        for value in row.otherwise:
            shown = re.sub(rf"\b{value}\b", r"\g<0>*", shown)
        values = {it: getattr(profile_choices(it), name) for it in PROFILES}
        usual = [f"{values.pop(it)}" for it in ("documented", "fastgpt-4.16")]
        others = [f"{it}: {value}" for it, value in values.items() if f"{value}" != usual[1]]
        rows.append(f"{linked} | {shown} | {' | '.join(usual)} | {row.sentence}")
        rows[-1] += f" {', '.join(others)}." if others else ""
    return markdown("choice | values | documented | fastgpt-4.16 | meaning", rows)


def operations() -> str:
    rows = []
    for operation in OPERATIONS:
        methods = f"{operation.method.replace('|', ' or ')} {operation.path}"
        paths = code(filter(None, [methods, operation.older_path]))
        for profile, it in PROFILES.items():
            own = [it for it, path in it.release.paths.items() if path == operation.path]
            paths += "".join(f", `{it}` ({profile.removeprefix('fastgpt-')})" for it in own)
        spec = f" (spec {operation.section})" if operation.section else ""
        rows.append(f"`{operation.name}` | {paths} | {first_part(operation.summary)}{spec}")
    return markdown("name | method and path, older path | what it does", rows)


def evidence() -> str:
    rows = []
    for name, counts in compared().items():
        shown = [f"{counts[it]['alike']}/{counts[it]['asked']}" for it in COMPARED_PROFILES]
        if any(it["alike"] < it["asked"] for it in counts.values()):
            rows.append(f"`{name}` | {' | '.join(shown)}")
    rows.append(f"all requests | {' | '.join(map(total, COMPARED_PROFILES))}")
    return markdown(f"operation | {' | '.join(COMPARED_PROFILES)}", rows)


def alike_in_4_14() -> str:
    alike = [it.name for it in OPERATIONS if not differing_releases(it.name, it.path)]
    return f"{code(alike)}\n"


def totals() -> str:
    older, newer = map(total, COMPARED_PROFILES)
    return (
        f"Of requests sent to both, `fastgpt-4.14` answers {older} as FastGPT 4.14.10 did, and\n"
        f"`fastgpt-4.16` {newer} as 4.16.0 did, see the [evidence](docs/evidence.md); of random\n"
        "workflows, to which no profile was fitted, 87.7 % and 92.9 % when last measured.\n"
    )


def without_effect() -> str:
    """A row for the operations that ignore the same fields."""
    names: dict[str, list[str]] = {}
    for operation in OPERATIONS:
        if operation.ignored_fields:
            names.setdefault(code(operation.ignored_fields), []).append(operation.name)
    rows = (f"{code(operations)} | {fields}" for fields, operations in names.items())
    return markdown("name | fields without effect", rows)


def refusals() -> str:
    kinds = errors.Refusal.__subclasses__()
    forms = {(it.plain.status, it.plain.status_text, structs.astuple(it.service)) for it in kinds}
    alike = [it for it in sorted(forms) if it[2] == (it[0], it[0], it[1])]
    same = [f"`{text}` {status}" for status, text, _ in alike]
    other = defaultdict[str, list[str]](list)
    for status, text, (http, code, word) in sorted(forms):
        other[f"`{text}` {status}"].append(f"{http}: {code} `{word}`")
    named = defaultdict[str, list[str]](list)
    for plain, forms_of_service in other.items():
        if plain not in same:
            named[" or ".join(forms_of_service)].append(plain)
    rows = [f"{', '.join(names)} | {service}" for service, names in named.items()]
    head = "`plain`: statusText and code | `service`: HTTP status: code and statusText"
    return markdown(head, [*rows, f"{', '.join(same)} | the same"])


def admin_routes() -> str:
    rows = []
    for route in ADMIN_ROUTES:
        hints = [get_type_hints(route.endpoint).get(name) for name in ("query", "body")]
        own = [row for kind in hints if isinstance(kind, type(Struct)) for row in fields(kind)]
        method = min((route.methods or set()) - {"HEAD"})
        said = str(route.endpoint.__doc__).splitlines()[0]
        rows.append(f"`{method} {route.path_format}` | {said} | {in_a_cell(own)}")
    return markdown("route | what it does | fields", rows)


def stream() -> str:
    """The stream of a completion with `detail`."""
    tool = {"id": "call-1", "name": "Weather", "params": {"city": "Bonn"}, "response": "rain"}
    body = {"appId": "support", "chatId": "new", "stream": True, "detail": True}
    body["messages"] = [{"role": "user", "content": "The weather?"}]
    with MockServer({"apps": [{"id": "support"}]}) as server:
        server.clock.freeze("2026-01-01T00:00:00Z")
        server.reply(parts=[{"node": "AI chat"}, {"tool": tool}, "It rains."])
        headers = {"Authorization": f"Bearer {server.key}"}
        response = server.http.post("/api/v1/chat/completions", json=body, headers=headers)
    return f"```text\n{response.text.strip()}\n```\n"


# Python, pytest, the command


def called(name: str, function: Callable[..., Any]) -> str:
    """A method with its parameters, without `self`, types and what is only there for a message."""
    hidden = ("self", "unnamed")
    parameters = [it for it in signature(function).parameters.values() if it.name not in hidden]
    plain = [it.replace(annotation=Parameter.empty) for it in parameters]
    shown = signature(function).replace(parameters=plain, return_annotation=Parameter.empty)
    # An object that is put has a default only for a message.
    return re.sub("(chat|collection)=UNSET", r"\1", f"`{name}{shown}`").replace("=UNSET", "=...")


def members(prefix: str, *kinds: type) -> Iterator[str]:
    """The public members of classes, with the first lines of their docstrings."""
    for name, member in chain.from_iterable(vars(kind).items() for kind in kinds):
        if name in OF_PLUGINS:
            continue
        # A property without a docstring names the one that has taken its place.
        if isinstance(member, property) and member.__doc__:
            yield f"`{prefix}{name}` | {first_line(member)}"
        elif not name.startswith("_") and callable(member):
            before = prefix
            if isinstance(member, staticmethod):
                before = "Control."
            said = first_line(member) or f"{name.replace('_', ' ').capitalize()}."
            yield f"{called(before + name, member)} | {said}"


def control() -> str:
    rows = [*members(".", Control, JournalControl), *members(".fault(...).", AddedRule)]
    rows += members(".clock.", SandboxClock)
    return markdown("member | meaning", [*rows, *members("MockServer.", MockServer)])


def pytest_fixtures() -> str:
    rows = []
    for name, member in vars(pytest_plugin).items():
        if "Fixture" in repr(type(member)) and not name.startswith("_"):
            rows.append(f"`{name}` | {first_line(member._get_wrapped_function())}")
    return markdown("pytest fixture | meaning", rows)


def commands() -> str:
    return markdown("command | what it does", commands_of(cli, "mock-server"))


def commands_of(group: click.Group, *names: str) -> Iterator[str]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands_of(command, *names, name)
        else:
            usage = command.collect_usage_pieces(click.Context(command))[1:]
            yield f"`{' '.join([*names, name, *usage])}` | {first_line(command.callback)}"


def options() -> str:
    rows = []
    for option in serve_command.params:
        if isinstance(option, click.Option):
            default = (
                code([option.default])
                if isinstance(option.default, str | int) and option.default
                else ""
            )
            meaning = str(option.help).partition(". ")[0].removesuffix(".") + "."
            rows.append(f"`{option.opts[0]}` | {default} | {meaning}")
    return markdown("option | default | meaning", rows)


def written(text: str) -> str:
    """A page with its tables made again, which are those of the functions here."""
    return PLACE.sub(lambda place: f"{place[1]}{place[2]}{globals()[place[1]]()}", text)


def compared_json() -> str:
    """What `mock_server/compared_operations.json` has: a line for each operation."""
    lines = [f'  "{name}": {json.encode(it).decode()}' for name, it in compared().items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    COMPARED_FILE.write_text(compared_json(), "utf-8")
    for page in PAGES:
        page.write_text(written(page.read_text("utf-8")), "utf-8")
