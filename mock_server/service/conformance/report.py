"""Runs all rules and probes, and reports the results as text, JSON or JUnit XML."""

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, TypeVar, get_args
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import msgspec
from msgspec import Struct

from mock_server.control.http_call import Unreachable, UnusableResponse
from mock_server.domain.choices.table import Value, table
from mock_server.domain.printable import json_text, one_line
from mock_server.service.conformance import exchange, object_rules, page_rules, probes
from mock_server.service.conformance.checked_server import (
    Probe,
    Rule,
    Server,
    find_nothing,
)

T = TypeVar("T")

RULES: tuple[Rule, ...] = (*page_rules.rules, *object_rules.rules)
"""All rules, in the order of their checks."""
_PROBES: dict[str, Probe] = {each.choice: each for each in probes.probes}
PROBES = tuple(_PROBES.get(name, Probe(name, "", find_nothing)) for name in table())
"""A probe for each choice."""
Status = Literal["pass", "differs", "not observable"]


class Outcome(Struct, frozen=True, rename="camel", omit_defaults=True):
    """The result of a rule.

    If the server breaks the rule, `expected`, `got` and `request` describe how.
    `choice` is then the `name=value` with which the mock server does the same, if any.
    `reason` says why a rule is not observable.
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
    """The detected value of a choice, or the reason why none was detected."""

    choice: str
    section: str
    value: Value | None = None
    reason: str = ""


class Report(Struct, frozen=True, rename="camel"):
    """The report on a server: the results of all rules and choices."""

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
        return {
            each.choice: each.value for each in self.choices if each.value is not None
        }

    @property
    def undetected(self) -> Mapping[str, str]:
        """Return the reason for each choice without a value."""
        return {each.choice: each.reason for each in self.choices if each.value is None}


def verify(
    url: str, client: exchange.Client, options: exchange.VerifyOptions
) -> Report:
    """Check every rule, and find the value of every choice.

    Changes are undone if the former state was visible. Raises UnusableResponse if the
    server does not serve listV2, Unreachable if it does not respond.
    """
    server = Server(client, options)
    server.check_reachable()
    server = Server(client, server.find_dataset())
    try:
        rules = tuple(_outcome_of(each, server) for each in RULES)
        choices = tuple(_detect(each, server) for each in PROBES)
    finally:
        _restore(server)
    return Report(url, rules, choices)


def _outcome_of(rule: Rule, server: Server) -> Outcome:
    description = rule.name, rule.section, rule.sentence
    try:
        reason = _observe(server, rule.check)[1]
    except exchange.Breach as breach:
        got = breach.expected, breach.got, breach.response.request
        return Outcome(*description, "differs", *got, rule.choice)
    return Outcome(*description, "not observable" if reason else "pass", reason=reason)


def _detect(probe: Probe, server: Server) -> DetectedChoice:
    value, reason = _observe(server, probe.find)
    return DetectedChoice(probe.choice, table()[probe.choice].section, value, reason)


def _observe(server: Server, check: Callable[[Server], T]) -> tuple[T | None, str]:
    """Return the result of a check and ""; None and a reason if not observable."""
    try:
        return check(server), ""
    except exchange.NotObservable as error:
        return None, str(error)
    except Unreachable as error:
        # One failed request proves nothing; the next line raises if the server is down.
        server.check_reachable()
        return None, str(error)


def _restore(server: Server) -> None:
    """Undo all changes whose former state was visible; report what cannot be undone."""
    pins, temporary = server.pins, server.temporary
    for what, undo in (
        (f"the pin of chat '{pins.chat}'", pins.restore),
        (f"chat '{pins.unknown}'", pins.delete_created_chat),
        (f"collection '{temporary.name}'", temporary.delete),
    ):
        server.client.extend_deadline()
        try:
            undo()
        except (exchange.NotObservable, Unreachable, UnusableResponse) as error:
            server.client.report(f"could not restore everything: {what}: {error}")


# Characters that XML 1.0 (2.2) forbids; some of them count as printable.
_NOT_XML = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535), "?")


def text(report: Report) -> str:
    """Return a line for each rule, with details below it, and for each choice."""
    lines = [line for each in report.rules for line in _lines(each)]
    lines.append("")
    for choice in report.choices:
        value = "not observable" if choice.value is None else choice.value
        reason = f" ({choice.reason})" if choice.reason else ""
        lines.append(f"{choice.choice} = {value}{reason}")
    statuses = [each.status for each in report.rules]
    counts = ", ".join(f"{statuses.count(each)} {each}" for each in get_args(Status))
    detected = f"{len(report.values)} of {len(report.choices)} choices seen"
    return "\n".join(map(one_line, [*lines, "", f"rules: {counts}; {detected}"]))


def _lines(outcome: Outcome) -> Iterator[str]:
    reason = f" ({outcome.reason})" if outcome.reason else ""
    yield f"{outcome.status:<15} {outcome.rule} (spec {outcome.section}){reason}"
    if outcome.status == "differs":
        details = f"got {outcome.got} - at {outcome.request}"
        yield f"    {outcome.sentence}"
        yield f"    Expected {outcome.expected}, {details}"
        if outcome.choice:
            yield f"    (as the choice {outcome.choice})"


def json(report: Report) -> str:
    """Return `{baseUrl, rules: [...], choices: [...]}`, indented."""
    return json_text(msgspec.json.format(msgspec.json.encode(report)).decode())


def junit(report: Report) -> str:
    """Return JUnit XML: a suite of rules and a suite of choices.

    A broken rule is a failure; a rule or choice that is not observable is skipped.
    """
    root = Element("testsuites", name="mock-server verify")
    rules = SubElement(root, "testsuite", name="rules", errors="0")
    for each in report.rules:
        case = _case(rules, each.rule, each.reason)
        if each.status == "differs":
            message = f"Expected {each.expected}, got {each.got}"
            failure = SubElement(case, "failure", message=_xml_text(message))
            failure.text = _xml_text(f"{each.sentence} - at {each.request}")
    choices = SubElement(root, "testsuite", name="choices", errors="0")
    for choice in report.choices:
        value = "" if choice.value is None else f"={choice.value}"
        _case(choices, f"{choice.choice}{value}", choice.reason)
    for suite in root:
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(len(suite.findall("*/failure"))))
        suite.set("skipped", str(len(suite.findall("*/skipped"))))
    indent(root)
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    return f"{head}\n{tostring(root, encoding='unicode')}"


def _case(suite: Element, name: str, reason: str) -> Element:
    description = {"classname": suite.attrib["name"], "name": _xml_text(name)}
    case = SubElement(suite, "testcase", description)
    if reason:
        SubElement(case, "skipped", message=_xml_text(reason))
    return case


def _xml_text(value: str) -> str:
    return one_line(value).translate(_NOT_XML)


FORMATS: Mapping[str, Callable[[Report], str]] = {
    "text": text,
    "json": json,
    "junit": junit,
}
"""The functions that format a report, by the name of the format."""
