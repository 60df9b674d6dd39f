"""Which choices a server shows, and whether it keeps the spec."""

from collections import Counter
from collections.abc import Callable
from typing import Any, Literal
from xml.etree import ElementTree

import httpx2
import yaml
from msgspec import Struct, json

from mock_server.choices import PROFILES, choice_table, profile_choices
from mock_server.errors import Refusal
from mock_server.tools.choice_probes import ChoiceProbe, ProbeMethod, probe_of
from mock_server.tools.probe import NotObservable, require
from mock_server.tools.responses import ServiceError
from mock_server.tools.rules import RULES

NOT_OBSERVABLE: Literal["not observable"] = "not observable"
JUNIT_TAGS = {"differs": "failure", NOT_OBSERVABLE: "skipped"}


class Finding(Struct):
    """The result for a rule or a choice."""

    name: str
    section: str
    status: Literal["ok", "differs", "not observable"]
    value: Any = None
    reason: str = ""

    def __str__(self) -> str:
        value = "" if self.value is None else f" = {self.value}"
        reason = f": {self.reason}" if self.reason else ""
        return f"{self.status:<15} {self.name}{value} (spec {self.section}){reason}"


def verify_server(server: ChoiceProbe) -> list[Finding]:
    """Check every rule, and find the value of every choice.

    Raises ServiceError, and NotObservable if the server refuses the key or an id, or if no rule
    can be checked.
    """
    try:
        server.check()
        rules = [finding_of(server, name, *rule) for name, rule in RULES.items()]
        choices = list[Finding]()
        for name, choice in choice_table().items():
            choices.append(finding_of(server, name, choice.section, probe_of(name)))
    except httpx2.RequestError as error:
        raise ServiceError(f"cannot reach {server.http.base_url}: {error}") from None
    saw_no_rule = all(it.status == NOT_OBSERVABLE for it in rules)
    require(not saw_no_rule, rules[0].reason)
    # A choice that was not observed most likely has the value of the nearest profile.
    nearest, _ = nearest_profile(choices)
    for finding in choices:
        if finding.status == NOT_OBSERVABLE:
            finding.reason += f"; {nearest} has {getattr(profile_choices(nearest), finding.name)}"
    return rules + choices


def finding_of(server: ChoiceProbe, name: str, section: str, probe: ProbeMethod | str) -> Finding:
    """The finding of a probe; a text in its place says why nothing can be observed."""
    if isinstance(probe, str):
        return Finding(name, section, NOT_OBSERVABLE, reason=probe)
    try:
        return Finding(name, section, "ok", probe(server))
    except (AssertionError, Refusal) as error:
        return Finding(name, section, "differs", reason=str(error))
    except NotObservable as error:
        return Finding(name, section, NOT_OBSERVABLE, reason=str(error))
    except (LookupError, TypeError, AttributeError):
        reason = "a field of a response is missing, or of another type"
        return Finding(name, section, NOT_OBSERVABLE, reason=reason)


def nearest_profile(findings: list[Finding]) -> tuple[str, dict[str, Any]]:
    """The profile from which the fewest of the values seen differ, and these values."""
    differing = dict[str, dict[str, Any]]()
    for name in PROFILES:
        choices = profile_choices(name)
        differing[name] = {}
        for finding in findings:
            if finding.value is not None and finding.value != getattr(choices, finding.name):
                differing[name][finding.name] = finding.value
    return min(differing.items(), key=lambda it: len(it[1]))


def text_report(findings: list[Finding]) -> str:
    counts = Counter(it.status for it in findings)
    total = ", ".join(f"{count} {status}" for status, count in counts.items())
    name, differing = nearest_profile(findings)
    nearest = f"nearest profile: {name}; choices that differ: {', '.join(differing) or 'none'}"
    return "\n".join([*map(str, findings), total, nearest])


def json_report(findings: list[Finding]) -> str:
    return json.format(json.encode(findings)).decode()


def junit_report(findings: list[Finding]) -> str:
    suite = ElementTree.Element("testsuite", name="mock-server verify")
    for finding in findings:
        case = ElementTree.SubElement(
            suite, "testcase", classname=finding.section, name=finding.name
        )
        if finding.status in JUNIT_TAGS:
            ElementTree.SubElement(case, JUNIT_TAGS[finding.status], message=finding.reason)
    return ElementTree.tostring(suite, encoding="unicode")


REPORTS: dict[str, Callable[[list[Finding]], str]] = {
    "text": text_report,
    "json": json_report,
    "junit": junit_report,
}


def profile_document(findings: list[Finding]) -> str:
    """The nearest profile and the values seen that differ from it, in YAML."""
    name, differing = nearest_profile(findings)
    unseen = [it.name for it in findings if it.value is None and it.name not in RULES]
    comment = f"# not observed, so as in {name}: {', '.join(unseen)}\n"
    return comment + yaml.safe_dump({"profile": name, "choices": differing}, sort_keys=False)
