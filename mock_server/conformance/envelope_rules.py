"""Rules about answers as such: their envelope, their type, who gets them."""

from mock_server.conformance.answer import Answer, Differs, NotObservable
from mock_server.conformance.subject import Subject

_FIELDS = {"code", "statusText", "message", "data"}


def envelope(subject: Subject) -> None:
    """A page is in an envelope of exactly the four fields (spec 2.3)."""
    answer = subject.lists.pages[0]
    found = answer.fields
    if found.keys() != _FIELDS:
        names = ", ".join(sorted(found))
        raise Differs("code, statusText, message, data", names, answer)
    _check_texts(answer)
    if found["code"] != 200 or isinstance(found["code"], bool):
        raise Differs("code 200", repr(found["code"]), answer)


def json_content_type(subject: Subject) -> None:
    """A page says that it is JSON (spec 1)."""
    answer = subject.lists.pages[0]
    kind = answer.response.content_type
    if kind.partition(";")[0].strip().lower() != "application/json":
        raise Differs("Content-Type application/json", repr(kind), answer)


def errors_are_envelopes(subject: Subject) -> None:
    """Whatever is refused is told in an envelope too (spec 2.3)."""
    subject.lists.check_refusing()
    for answer in subject.refusals:
        missing = sorted(_FIELDS - answer.fields.keys())
        if missing:
            got = f"{answer.summary()} without {', '.join(missing)}"
            raise Differs("an envelope", got, answer)
        _check_texts(answer)
        code = answer.fields["code"]
        if not isinstance(code, int) or code == 200:
            raise Differs("a code other than 200", repr(code), answer)


def authorization_required(subject: Subject) -> None:
    """Nothing is served without a key (spec 5)."""
    answer = subject.lists.ask(key=None)
    if answer.is_success:
        raise Differs("a refusal", "a page", answer)
    _check_refused(answer)


def post_only(subject: Subject) -> None:
    """No other method than POST lists (spec 4.2)."""
    answer = subject.lists.ask(method="PUT")
    if answer.is_success:
        raise Differs("a refusal", "a page", answer)
    _check_refused(answer)


def permission_of_caller(subject: Subject) -> None:
    """`permission` is that of whoever asks (spec 2.2)."""
    key = subject.told.reader
    if key is None:
        raise NotObservable("needs --reader-key-env")
    answer = subject.lists.ask(key=key)
    if not answer.items:
        raise NotObservable(f"got {answer.summary()} - at {answer.request}")
    expected = {
        "isOwner": False,
        "hasManagePer": False,
        "hasWritePer": False,
        "hasReadPer": True,
    }
    for item in answer.items:
        found = item.get("permission")
        shown = found if isinstance(found, dict) else {}
        if wrong := {name for name in expected if shown.get(name) != expected[name]}:
            names = ", ".join(sorted(wrong))
            raise Differs("that of a reader", f"another in {names}", answer)


def read_permission(subject: Subject) -> None:
    """Nobody lists a dataset without permission to read it (spec 5)."""
    key = subject.told.outsider
    if key is None:
        raise NotObservable("needs --outsider-key-env")
    answer = subject.lists.ask(key=key)
    if answer.is_success:
        raise Differs("a refusal", "a page", answer)
    _check_refused(answer)


def _check_texts(answer: Answer) -> None:
    for name in ("statusText", "message"):
        found = answer.fields[name]
        if not isinstance(found, str):
            raise Differs(f"a text as {name}", repr(found), answer)


def _check_refused(answer: Answer) -> None:
    """Raises NotObservable for an answer that is neither success nor refusal."""
    if not answer.is_refusal:
        raise NotObservable(f"got {answer.summary()} - at {answer.request}")
