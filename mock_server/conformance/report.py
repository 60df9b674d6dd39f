"""What came of all checks: rule by rule, and choice by choice."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from mock_server.conformance.answer import Differs, NotObservable
from mock_server.conformance.asker import Asker
from mock_server.conformance.subject import Subject, Told
from mock_server.conformance.table import PROBES, RULES, Probe, Rule
from mock_server.domain.choices import Value, table
from mock_server.domain.limits import Limits
from mock_server.http_call import Unfit, Unreachable

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
        """Whether any rule does."""
        return any(each.status == "differs" for each in self.rules)

    @property
    def values(self) -> Mapping[str, Value]:
        """The values of the choices that were seen."""
        return {e.choice: e.value for e in self.choices if e.value is not None}

    @property
    def unseen(self) -> Mapping[str, str]:
        """Why the other choices were not."""
        return {e.choice: e.reason for e in self.choices if e.value is None}


def verify(url: str, asker: Asker, told: Told, limits: Limits = Limits()) -> Report:
    """Check every rule, and look for the value of every choice.

    What was changed is put back, as far as it could be seen. Raises Unfit for what is
    no such service, Unreachable if there is none, or none any more.
    """
    subject = Subject(asker, told, limits)
    subject.open()
    try:
        rules = tuple(_outcome(each, subject) for each in RULES)
        choices = tuple(_shown(each, subject) for each in PROBES)
    finally:
        _restore(subject)
    return Report(url, rules, choices)


def _outcome(rule: Rule, subject: Subject) -> Outcome:
    about = rule.name, rule.section, rule.sentence
    try:
        rule.check(subject)
    except Differs as found:
        return Outcome(
            *about,
            "differs",
            found.expected,
            found.got,
            found.answer.request,
            rule.choice,
        )
    except NotObservable as error:
        return Outcome(*about, "not observable", reason=str(error))
    except Unreachable as error:
        subject.open()
        return Outcome(*about, "not observable", reason=str(error))
    return Outcome(*about, "pass")


def _shown(probe: Probe, subject: Subject) -> Shown:
    section = table()[probe.choice].section
    try:
        return Shown(probe.choice, section, probe.find(subject))
    except NotObservable as error:
        return Shown(probe.choice, section, reason=str(error))
    except Unreachable as error:
        # One request without an answer tells nothing; a server that is gone does.
        subject.open()
        return Shown(probe.choice, section, reason=str(error))


def _restore(subject: Subject) -> None:
    subject.asker.renew()
    try:
        subject.restore()
    except (NotObservable, Unreachable, Unfit) as error:
        subject.asker.tell(f"not everything could be put back: {error}")
