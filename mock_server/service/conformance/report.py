"""The outcome of all checks, and its formats: text, JSON and JUnit XML."""

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
"""All rules, in the order in which they are asked."""
_PROBES: dict[str, Probe] = {each.choice: each for each in probes.probes}
PROBES = tuple(_PROBES.get(name, Probe(name, "", unasked)) for name in table())
"""A probe for each choice."""
Status = Literal["pass", "differs", "not observable"]


class Outcome(Struct, frozen=True, rename="camel", omit_defaults=True):
    """What came of a rule.

    One that differs has what was expected, what was got at which request, and the
    value of a choice, `name=value`, with which our server would do so too. `reason`
    says why one is not observable.
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


class Shown(Struct, frozen=True, rename="camel", omit_defaults=True):
    """The value of a choice that a server shows; without one, the reason."""

    choice: str
    section: str
    value: Value | None = None
    reason: str = ""


class Report(Struct, frozen=True, rename="camel"):
    """All of it: of which server, every rule, every choice."""

    base_url: str
    rules: tuple[Outcome, ...]
    choices: tuple[Shown, ...]

    @property
    def differs(self) -> bool:
        return any(each.status == "differs" for each in self.rules)

    @property
    def has_observed(self) -> bool:
        """Whether any rule could be looked at."""
        return any(each.status != "not observable" for each in self.rules)

    @property
    def values(self) -> Mapping[str, Value]:
        return {e.choice: e.value for e in self.choices if e.value is not None}

    @property
    def unseen(self) -> Mapping[str, str]:
        """Why the other choices were not."""
        return {e.choice: e.reason for e in self.choices if e.value is None}


def verify(url: str, client: exchange.Client, options: exchange.Options) -> Report:
    """Check every rule, and look for the value of every choice.

    What was changed is put back, as far as it could be seen. Raises Unfit for what is
    no such service, Unreachable if there is none, or none any more.
    """
    server = Server(client, options)
    server.open()
    server = Server(client, server.find_dataset())
    try:
        rules = tuple(_outcome(each, server) for each in RULES)
        choices = tuple(_shown(each, server) for each in PROBES)
    finally:
        _restore(server)
    return Report(url, rules, choices)


def _outcome(rule: Rule, server: Server) -> Outcome:
    about = rule.name, rule.section, rule.sentence
    try:
        reason = _asked(server, rule.check)[1]
    except exchange.Differs as found:
        got = found.expected, found.got, found.answer.request
        return Outcome(*about, "differs", *got, rule.choice)
    return Outcome(*about, "not observable" if reason else "pass", reason=reason)


def _shown(probe: Probe, server: Server) -> Shown:
    value, reason = _asked(server, probe.find)
    return Shown(probe.choice, table()[probe.choice].section, value, reason)


def _asked(server: Server, ask: Callable[[Server], T]) -> tuple[T | None, str]:
    """What a check gives; None and the reason if that is not observable."""
    try:
        return ask(server), ""
    except exchange.NotObservable as error:
        return None, str(error)
    except Unreachable as error:
        # One request without an answer tells nothing; a server that is gone does.
        server.open()
        return None, str(error)


def _restore(server: Server) -> None:
    server.client.renew()
    try:
        server.restore()
    except (exchange.NotObservable, Unreachable, Unfit) as error:
        server.client.tell(f"not everything could be put back: {error}")


# Characters that XML 1.0 (2.2) has not, some of which count as printable.
_NOT_XML = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535), "?")


def text(report: Report) -> str:
    """A line for each rule and each choice, and below it what is to be said."""
    lines = [line for each in report.rules for line in _lines(each)]
    lines.append("")
    for shown in report.choices:
        value = "not observable" if shown.value is None else shown.value
        reason = f" ({shown.reason})" if shown.reason else ""
        lines.append(f"{shown.choice} = {value}{reason}")
    found = [each.status for each in report.rules]
    told = ", ".join(f"{found.count(each)} {each}" for each in get_args(Status))
    seen = f"{len(report.values)} of {len(report.choices)} choices seen"
    return "\n".join(map(one_line, [*lines, "", f"rules: {told}; {seen}"]))


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
    """`{baseUrl, rules: [...], choices: [...]}`, indented."""
    return json_text(msgspec.json.format(msgspec.json.encode(report)).decode())


def junit(report: Report) -> str:
    """A suite of rules and one of choices: failures, and what was skipped."""
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
"""The formats by their names."""
