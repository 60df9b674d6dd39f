"""Which choices a server shows, and whether it keeps the spec."""

from typing import Any, Literal

import httpx2
from msgspec import Struct

from mock_server.choices import PROFILES, profile, table
from mock_server.errors import Refusal
from mock_server.tools.choice_probes import Ask, ChoiceProbe, probe_of
from mock_server.tools.probe import NotObservable, need
from mock_server.tools.rules import RULES

NOT_OBSERVABLE: Literal["not observable"] = "not observable"


class Finding(Struct):
    """What was seen of a rule, or of a choice."""

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
    """Ask a server all there is to ask.

    Raises ConnectionError, ValueError if it sends no JSON, NotObservable if it refuses the key
    or an id that is given, or shows no rule.
    """
    try:
        server.check()
        rules = [finding_of(server, name, *rule) for name, rule in RULES.items()]
        choices = list[Finding]()
        for name, (_, choice) in table().items():
            choices.append(finding_of(server, name, choice.section, probe_of(name)))
    except httpx2.RequestError as error:
        raise ConnectionError(str(error)) from None
    is_blind = all(it.status == NOT_OBSERVABLE for it in rules)
    need(not is_blind, rules[0].reason)
    # What was not seen is most likely as in the profile that is like the rest.
    nearest, _ = nearest_profile(choices)
    for finding in choices:
        if finding.status == NOT_OBSERVABLE:
            finding.reason += f"; {nearest} has {getattr(profile(nearest), finding.name)}"
    return rules + choices


def finding_of(server: ChoiceProbe, name: str, section: str, ask: Ask | str) -> Finding:
    """What is found of a choice or a rule; a text says why nothing can be."""
    finding = Finding(name, section, NOT_OBSERVABLE)
    if isinstance(ask, str):
        finding.reason = ask
        return finding
    try:
        finding.value = ask(server)
        finding.status = "ok"
    except (AssertionError, Refusal) as error:
        finding.status = "differs"
        finding.reason = str(error)
    except NotObservable as error:
        finding.reason = str(error)
    except (LookupError, TypeError, AttributeError):
        finding.reason = "a field of a response is missing, or of another type"
    return finding


def nearest_profile(findings: list[Finding]) -> tuple[str, dict[str, Any]]:
    """The profile from which the fewest of the values seen differ, and those that do."""
    best = min(PROFILES, key=lambda name: len(values_beside(name, findings)))
    return best, values_beside(best, findings)


def values_beside(name: str, findings: list[Finding]) -> dict[str, Any]:
    """The values seen that differ from a profile."""
    usual = profile(name)
    others = {}
    for finding in findings:
        if finding.value is not None and finding.value != getattr(usual, finding.name):
            others[finding.name] = finding.value
    return others
