"""Enters what has passed in the journal, as far as it was kept, without secrets."""

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from mock_server.api.context import RequestContext
from mock_server.api.journaling import Journaling
from mock_server.api.redaction import HIDDEN
from mock_server.api.response import Headers, Response
from mock_server.domain.journal import REFUSED, SERVED, Entry, Violation
from mock_server.recording.redaction import Hiding
from mock_server.recording.target import lowered

_LEAST_ERROR = 400
_PREFLIGHT = b"access-control-request-method"
# Routes of accounts that take a password, of which the neighbours are but one.
_WITH_PASSWORD = re.compile(r"/account/\w*(login|password)", re.IGNORECASE)


class Passed(RequestContext):
    """A request that is passed on; `content` may be only the beginning of its body."""

    is_cut: bool = False


class Answer(Response, frozen=True):
    """What the target answered; `body` may be only its beginning, or nothing of it."""

    is_cut: bool = False


class PassedJournaling(Journaling):
    """Enters requests that a real service answers.

    Departures are those from the spec, as profile documented has them. What the service
    makes of them nobody tells: their effect is whether the request was refused.
    """

    def make_entry(
        self, request: RequestContext, response: Response, headers: Headers
    ) -> Entry:
        """The entry of a request, secrets hidden."""
        entry = super().make_entry(request, response, headers)
        if isinstance(request, Passed) and request.is_cut:
            # They can be found in a whole body only.
            entry.violations = _of_all_but_body(self, entry)
            entry.sent = replace(entry.sent, is_cut=True)
        entry.answer_is_cut = isinstance(response, Answer) and response.is_cut
        hiding = Hiding(request.scope["headers"])
        sent = entry.sent
        entry.sent = replace(
            sent,
            path=hiding.hide_text(sent.path),
            query=hiding.hide(sent.query),
            headers=hiding.hide(sent.headers),
            body=None if sent.body is None else hiding.hide_body(sent.body),
        )
        # What a login gives is a key to all that follows.
        is_login = self.is_login(request)
        entry.answer = HIDDEN if is_login else hiding.hide_body(entry.answer)
        entry.answer_headers = hiding.hide_headers(lowered(entry.answer_headers))
        return entry

    def is_login(self, request: RequestContext) -> bool:
        """Whether a request may hold a password, and its answer a token."""
        path = request.scope["path"]
        return super().is_login(request) or _WITH_PASSWORD.search(path) is not None

    def find_violations(self, entry: Entry) -> Iterator[Violation]:
        """Every departure of a request from the spec, and whether it was refused.

        A preflight is the browser's, which asks before the client does.
        """
        sent = entry.sent
        if sent.method == "OPTIONS" and _PREFLIGHT in sent.headers.lower():
            return
        is_error = entry.was_refused and entry.answer.startswith(b'{"code":')
        is_served = 0 < entry.status < _LEAST_ERROR and not is_error
        effect = SERVED if is_served else REFUSED
        for each in super().find_violations(entry):
            yield replace(each, effect=effect)


def _of_all_but_body(journaling: Journaling, entry: Entry) -> Sequence[Violation]:
    without = replace(entry, sent=replace(entry.sent, body=None))
    return tuple(journaling.find_violations(without))
