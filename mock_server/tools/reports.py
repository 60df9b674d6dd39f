"""What was found of a server, in the formats of `verify`."""

from collections import Counter
from collections.abc import Callable
from xml.etree import ElementTree

import yaml
from msgspec import json

from mock_server.tools.rules import RULES
from mock_server.tools.verify import Finding, nearest_profile


def text_report(findings: list[Finding]) -> str:
    counts = Counter(it.status for it in findings)
    total = ", ".join(f"{count} {status}" for status, count in counts.items())
    name, others = nearest_profile(findings)
    last = f"nearest profile: {name}; choices that differ: {', '.join(others) or 'none'}"
    return "\n".join([*map(str, findings), total, last])


def json_report(findings: list[Finding]) -> str:
    return json.format(json.encode(findings)).decode()


def junit_report(findings: list[Finding]) -> str:
    suite = ElementTree.Element("testsuite", name="mock-server verify")
    for finding in findings:
        case = ElementTree.SubElement(
            suite, "testcase", classname=finding.section, name=finding.name
        )
        if finding.status != "ok":
            tag = "failure" if finding.status == "differs" else "skipped"
            ElementTree.SubElement(case, tag, message=finding.reason)
    return ElementTree.tostring(suite, encoding="unicode")


REPORTS: dict[str, Callable[[list[Finding]], str]] = {
    "text": text_report,
    "json": json_report,
    "junit": junit_report,
}


def profile_document(findings: list[Finding]) -> str:
    """The nearest profile and the values seen that differ from it, in YAML."""
    name, others = nearest_profile(findings)
    unseen = [it.name for it in findings if it.value is None and it.name not in RULES]
    comment = f"# not observed, so as in {name}: {', '.join(unseen)}\n"
    return comment + yaml.safe_dump({"profile": name, "choices": others}, sort_keys=False)
