"""Which values of choices a server shows by its errors, keys, paths and pins."""

from mock_server.conformance.answer import NotObservable
from mock_server.conformance.subject import Subject

_LAST_STATUS = 599


def unknown_key(subject: Subject) -> str:
    """A list with a key that nobody has given."""
    lists = subject.lists
    answer = lists.ask(key=f"verify-{subject.told.unknown}")
    if not answer.is_success:
        raise NotObservable("unknown keys are refused, as wherever keys are declared")
    if lists.ask(key=None).is_success:
        raise NotObservable("no key is asked for")
    return "accept"


def credentials(subject: Subject) -> str:
    """A list with a login instead of a key."""
    token = subject.told.token
    if token is None:
        raise NotObservable("needs --token-env, the token of a login")
    answer = subject.lists.ask(key=None, token=token)
    if subject.lists.ask(key=None).is_success:
        raise NotObservable("no key is asked for")
    if answer.is_success:
        return "login_too"
    if answer.is_refusal:
        return "bearer"
    raise NotObservable(f"got {answer.summary()} - at {answer.request}")


def error_form(subject: Subject) -> str:
    """The code of the refusal of an unknown dataset."""
    subject.lists.check_listening()
    answer = subject.unknown_dataset
    code = answer.fields.get("code")
    if not answer.is_refusal or not isinstance(code, int):
        raise NotObservable(f"got {answer.summary()} - at {answer.request}")
    if code > _LAST_STATUS:
        return "service"
    # Where all errors have one HTTP status, the code is the status that it would be.
    if code == answer.status or error_http_status(subject) != "mapped":
        return "plain"
    raise NotObservable(f"got {answer.summary()} - at {answer.request}")


def error_http_status(subject: Subject) -> str:
    """The HTTP status of refusals of several kinds."""
    found = subject.refusals
    if len({each.sign[1] for each in found}) < 2:
        raise NotObservable("fewer than two kinds of errors are seen")
    statuses = {each.status for each in found}
    for status, value in ((200, "always_200"), (500, "always_500")):
        if statuses == {status}:
            return value
    if len(statuses) > 1:
        return "mapped"
    raise NotObservable(f"all errors have HTTP status {statuses.pop()}")


def legacy_paths(subject: Subject) -> str:
    """The older path of pins, with a body that names no chat."""
    return "on" if subject.has_legacy_path() else "off"


def neighbours(subject: Subject) -> str:
    """The details of the dataset."""
    return "on" if subject.has_neighbours() else "off"


def chat_unknown(subject: Subject) -> str:
    """A pin of a chat that there is not."""
    pins = subject.pins
    pins.pinned(top=pins.last)
    answer = pins.pin_unknown()
    if answer.is_refusal:
        return "not_found"
    pins.check_refusing()
    if not answer.is_success:
        raise NotObservable(f"got {answer.summary()} - at {answer.request}")
    if not pins.is_shown:
        raise NotObservable("created or ignored: getHistories is not served")
    return "ignore" if pins.top_of(pins.unknown) is None else "create"


def top_missing(subject: Subject) -> str:
    """A pin without `top`."""
    pins = subject.pins
    pins.pinned(top=pins.last)
    answer = pins.pin(top=...)
    if answer.is_refusal:
        return "reject"
    pins.check_refusing()
    if not answer.is_success:
        raise NotObservable(f"got {answer.summary()} - at {answer.request}")
    if pins.is_shown and pins.top is not pins.last:
        raise NotObservable("a pin without top changes it")
    return "ignore"


def training(subject: Subject) -> str:
    """Rows that are added to a collection of its own."""
    return subject.temporary.training()


def query_delete(subject: Subject) -> str:
    """The deletion of that collection."""
    return subject.temporary.query_delete()
