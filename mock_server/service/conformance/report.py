"""Run all checks, and report them as text, JSON or JUnit XML."""

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, TypeVar, get_args
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import msgspec
from msgspec import Struct

from mock_server.control.http_call import Unfit, Unreachable
from mock_server.domain.choices.table import Value, table
from mock_server.domain.printable import json_text, one_line
from mock_server.service.conformance import exchange, object_rules, page_rules, probes
from mock_server.service.conformance.checked_server import Probe, Rule, Server, unasked

T = TypeVar("T")

RULES: tuple[Rule, ...] = (*page_rules.rules, *object_rules.rules)
"""All rules, in the order of their checks."""
_PROBES: dict[str, Probe] = {each.choice: each for each in probes.probes}
PROBES = tuple(_PROBES.get(name, Probe(name, "", unasked)) for name in table())
"""A probe for each choice."""
Status = Literal["pass", "differs", "not observable"]


class Outcome(Struct, frozen=True, rename="camel", omit_defaults=True):
    """The result of a rule.

    A rule that differs has `expected`, `got`, its `request`, and in `choice` the value,
    `name=value`, with which our server does the same. `reason` says why the rule is not
    observable.
    """

    rule: str
    section: str
    sentence: str
    status: Status
    expected: str = ""
    got: str = ""
    request: str = ""
    choice: str = ""
    reason: str = ""


class DetectedChoice(Struct, frozen=True, rename="camel", omit_defaults=True):
    """The value of a choice that a server shows; without one, the reason."""

    choice: str
    section: str
    value: Value | None = None
    reason: str = ""


class Report(Struct, frozen=True, rename="camel"):
    """The report on a server: every rule, every choice."""

    base_url: str
    rules: tuple[Outcome, ...]
    choices: tuple[DetectedChoice, ...]

    @property
    def differs(self) -> bool:
        return any(each.status == "differs" for each in self.rules)

    @property
    def has_observed(self) -> bool:
        """Return whether any rule was observable."""
        return any(each.status != "not observable" for each in self.rules)

    @property
    def values(self) -> Mapping[str, Value]:
        return {e.choice: e.value for e in self.choices if e.value is not None}

    @property
    def unseen(self) -> Mapping[str, str]:
        """Return the reason for each choice without a value."""
        return {e.choice: e.reason for e in self.choices if e.value is None}


def verify(url: str, client: exchange.Client, options: exchange.Options) -> Report:
    """Check every rule, and find the value of every choice.

    Changes are undone where the former state was visible. Raises Unfit if this is no
    such service, Unreachable if it does not respond.
    """
    server = Server(client, options)
    server.open()
    server = Server(client, server.find_dataset())
    try:
        rules = tuple(_outcome(each, server) for each in RULES)
        choices = tuple(_detected(each, server) for each in PROBES)
    finally:
        _restore(server)
    return Report(url, rules, choices)


def _outcome(rule: Rule, server: Server) -> Outcome:
    about = rule.name, rule.section, rule.sentence
    try:
        reason = _observed(server, rule.check)[1]
    except exchange.Differs as found:
        got = found.expected, found.got, found.answer.request
        return Outcome(*about, "differs", *got, rule.choice)
    return Outcome(*about, "not observable" if reason else "pass", reason=reason)


def _detected(probe: Probe, server: Server) -> DetectedChoice:
    value, reason = _observed(server, probe.find)
    return DetectedChoice(probe.choice, table()[probe.choice].section, value, reason)


def _observed(server: Server, ask: Callable[[Server], T]) -> tuple[T | None, str]:
    """Return the result of a check; None and the reason if it is not observable."""
    try:
        return ask(server), ""
    except exchange.NotObservable as error:
        return None, str(error)
    except Unreachable as error:
        # One failed request proves nothing; `open` raises if the server is gone.
        server.open()
        return None, str(error)


def _restore(server: Server) -> None:
    server.client.renew()
    try:
        server.restore()
    except (exchange.NotObservable, Unreachable, Unfit) as error:
        server.client.tell(f"could not restore everything: {error}")


# Characters that XML 1.0 (2.2) forbids; some of them count as printable.
_NOT_XML = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535), "?")


def text(report: Report) -> str:
    """Return a line for each rule and each choice, and below a line its details."""
    lines = [line for each in report.rules for line in _lines(each)]
    lines.append("")
    for shown in report.choices:
        value = "not observable" if shown.value is None else shown.value
        reason = f" ({shown.reason})" if shown.reason else ""
        lines.append(f"{shown.choice} = {value}{reason}")
    found = [each.status for each in report.rules]
    counts = ", ".join(f"{found.count(each)} {each}" for each in get_args(Status))
    seen = f"{len(report.values)} of {len(report.choices)} choices seen"
    return "\n".join(map(one_line, [*lines, "", f"rules: {counts}; {seen}"]))


def _lines(outcome: Outcome) -> Iterator[str]:
    reason = f" ({outcome.reason})" if outcome.reason else ""
    yield f"{outcome.status:<15} {outcome.rule} (spec {outcome.section}){reason}"
    if outcome.status == "differs":
        at = f"got {outcome.got} - at {outcome.request}"
        yield f"    {outcome.sentence}"
        yield f"    Expected {outcome.expected}, {at}"
        if outcome.choice:
            yield f"    (as the choice {outcome.choice})"


def json(report: Report) -> str:
    """Return `{baseUrl, rules: [...], choices: [...]}`, indented."""
    return json_text(msgspec.json.format(msgspec.json.encode(report)).decode())


def junit(report: Report) -> str:
    """Return a suite of rules and one of choices, with failures and skipped cases."""
    root = Element("testsuites", name="mock-server verify")
    rules = SubElement(root, "testsuite", name="rules", errors="0")
    for each in report.rules:
        case = _case(rules, each.rule, each.reason)
        if each.status == "differs":
            message = f"Expected {each.expected}, got {each.got}"
            failure = SubElement(case, "failure", message=_printable(message))
            failure.text = _printable(f"{each.sentence} - at {each.request}")
    choices = SubElement(root, "testsuite", name="choices", errors="0")
    for shown in report.choices:
        value = "" if shown.value is None else f"={shown.value}"
        _case(choices, f"{shown.choice}{value}", shown.reason)
    for suite in root:
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(len(suite.findall("*/failure"))))
        suite.set("skipped", str(len(suite.findall("*/skipped"))))
    indent(root)
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    return f"{head}\n{tostring(root, encoding='unicode')}"


def _case(suite: Element, name: str, reason: str) -> Element:
    about = {"classname": suite.attrib["name"], "name": _printable(name)}
    case = SubElement(suite, "testcase", about)
    if reason:
        SubElement(case, "skipped", message=_printable(reason))
    return case


def _printable(value: str) -> str:
    return one_line(value).translate(_NOT_XML)


FORMATS: Mapping[str, Callable[[Report], str]] = {
    "text": text,
    "json": json,
    "junit": junit,
}
"""The formats by name."""
