"""Makes a fixture of a HAR recording: of the objects that its responses show.

An object has the fields that `kinds` names, each checked by the type that fixtures have
for it. All else is left out: headers, cookies, queries, other bodies and other fields.
"""

import re
from base64 import b64decode
from codecs import BOM_UTF8
from contextlib import suppress
from datetime import datetime
from typing import Any, BinaryIO

from msgspec import MsgspecError, Raw, Struct, convert, field, json

from mock_server.clock import ms_of
from mock_server.decoding import NOT_JSON
from mock_server.service.app import OPERATIONS
from mock_server.tools import kinds
from mock_server.tools.kinds import Item
from mock_server.tools.recording import Recording

MAX_FILE = 256 * 1024 * 1024
NOT_AS_EXPECTED = (MsgspecError, ValueError, RecursionError)
OPERATION_NAMES = dict[tuple[str, str], str]()
"""The name of the operation for each path and method."""
for _operation in OPERATIONS:
    OPERATION_NAMES |= dict.fromkeys(_operation.routes, _operation.name)

SHOWN_KINDS = {
    "updateHistory": kinds.PINNED,
    "getHistories": kinds.CHAT,
    "getPaginationRecords": kinds.MESSAGE,
    "listV2": kinds.COLLECTION,
    "collection.list": kinds.COLLECTION,
    "v2.list": kinds.DATA,
    "app.list": kinds.APP,
    "app.detail": kinds.APP,
    "dataset.list": kinds.DATASET,
    "dataset.detail": kinds.DATASET,
}
"""What the responses of operations show."""


class NotHar(Exception):
    """A file is no HAR recording, or too large."""


class Body(Struct):
    text: str | None = None
    encoding: str | None = None

    def value(self) -> Any:
        """The JSON in it. Raises NOT_AS_EXPECTED."""
        text = self.text or ""
        if self.encoding == "base64":
            return json.decode(b64decode(text))
        return json.decode(text)


class HarRequest(Struct, rename="camel"):
    method: str
    url: str
    post_data: Body | None = None

    @property
    def operation(self) -> str | None:
        """The name of the operation that answers it, None if there is none."""
        _, api, end = re.split("[?#]", self.url)[0].rpartition("/api/")
        return OPERATION_NAMES.get((api + end, self.method))

    def fields(self) -> Item:
        """What is sent. Raises NOT_AS_EXPECTED."""
        if self.post_data is None or not self.post_data.text:
            return {}
        return convert(self.post_data.value(), Item)


class HarResponse(Struct):
    status: int
    content: Body = field(default_factory=Body)


class RecordedExchange(Struct, rename="camel"):
    """An entry of a recording."""

    request: HarRequest
    response: HarResponse
    started_date_time: str = ""

    @property
    def started_ms(self) -> int:
        """When it began. Raises ValueError."""
        return ms_of(datetime.fromisoformat(self.started_date_time))

    def add_to(self, recording: Recording) -> str:
        """Take over what the response shows. Returns why it is skipped, if it is."""
        name = self.request.operation
        if name is None:
            return "of other addresses"
        if name not in SHOWN_KINDS:
            return "of operations that list nothing"
        if not 200 <= self.response.status < 300:
            return "that failed"
        try:
            envelope = self.response.content.value()
        except NOT_AS_EXPECTED:
            return "without JSON"
        if not isinstance(envelope, dict) or envelope.get("code") != 200:
            return "that failed"
        try:
            recording.use(SHOWN_KINDS[name], self.request.fields(), envelope.get("data"))
        except NOT_AS_EXPECTED:
            return "whose request or data is not as expected"
        return ""


def fixture_of(file: BinaryIO) -> tuple[Item, list[str]]:
    """The fixture of a recording, and what is to be said of it. Raises NotHar, OSError."""
    recording = Recording()
    exchanges = list[RecordedExchange]()
    for entry in entries_of(file):
        try:
            exchanges.append(json.decode(entry, type=RecordedExchange))
        except NOT_JSON:
            recording.skip("exchange", "without a request and a response")
    # Later ones win; where a time is missing, the order of the file tells which is later.
    with suppress(ValueError):
        exchanges.sort(key=lambda exchange: exchange.started_ms)
    for exchange in exchanges:
        reason = exchange.add_to(recording)
        if reason:
            recording.skip("response", reason)
    document = recording.document()
    return document, recording.summary()


def entries_of(file: BinaryIO) -> list[Raw]:
    """The entries of a HAR file, not decoded yet. Raises NotHar, OSError."""
    content = file.read(MAX_FILE + 1)
    if len(content) > MAX_FILE:
        raise NotHar(f"Expected a HAR file of at most {MAX_FILE // 1024**2} MiB")
    try:
        part = Raw(content.removeprefix(BOM_UTF8))
        for name in ("log", "entries"):
            part = json.decode(part, type=dict[str, Raw])[name]
        return json.decode(part, type=list[Raw])
    except (KeyError, *NOT_JSON) as error:
        raise NotHar(f"Expected a HAR file ({error})") from None
