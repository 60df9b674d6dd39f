"""A report as text, JSON and JUnit XML; others' texts in it are made printable."""

from collections.abc import Callable, Iterator, Mapping
from xml.sax.saxutils import escape, quoteattr

import msgspec

from mock_server.conformance.report import Outcome, Report
from mock_server.domain.printable import json_text, one_line

_NAME = "mock-server verify"
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
    counts = _counts(report)
    told = ", ".join(f"{count} {status}" for status, count in counts.items())
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


def _counts(report: Report) -> Mapping[str, int]:
    found = [each.status for each in report.rules]
    return {each: found.count(each) for each in ("pass", "differs", "not observable")}


def json(report: Report) -> str:
    """`{baseUrl, rules: [...], choices: [...]}`, indented."""
    return json_text(msgspec.json.format(msgspec.json.encode(report)).decode())


def junit(report: Report) -> str:
    """A suite of rules and one of choices: failures, and what was skipped."""
    rules = [_case("rules", each.rule, _verdict(each)) for each in report.rules]
    choices = [
        _case("choices", each.choice, _skipped(each.reason))
        if each.value is None
        else _case("choices", f"{each.choice}={each.value}", "")
        for each in report.choices
    ]
    suites = _suite("rules", rules) + _suite("choices", choices)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return f"{head}<testsuites name={_attribute(_NAME)}>\n{suites}</testsuites>"


def _suite(name: str, cases: list[str]) -> str:
    failures = sum("<failure" in each for each in cases)
    skipped = sum("<skipped" in each for each in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" skipped="{skipped}"'
    body = "".join(cases)
    return f'<testsuite name="{name}" {counts} errors="0">\n{body}</testsuite>\n'


def _case(suite: str, name: str, verdict: str) -> str:
    return (
        f'<testcase classname="{suite}" name={_attribute(name)}>{verdict}</testcase>\n'
    )


def _verdict(outcome: Outcome) -> str:
    if outcome.status == "pass":
        return ""
    if outcome.status == "not observable":
        return _skipped(outcome.reason)
    message = f"Expected {outcome.expected}, got {outcome.got}"
    detail = escape(_printable(f"{outcome.sentence} - at {outcome.request}"))
    return f"<failure message={_attribute(message)}>{detail}</failure>"


def _skipped(reason: str) -> str:
    return f"<skipped message={_attribute(reason)}/>"


def _attribute(value: str) -> str:
    return quoteattr(_printable(value))


def _printable(value: str) -> str:
    return one_line(value).translate(_NOT_XML)


FORMATS: Mapping[str, Callable[[Report], str]] = {
    "text": text,
    "json": json,
    "junit": junit,
}
"""The formats by their names."""
