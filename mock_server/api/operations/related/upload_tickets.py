"""Routes for uploads by ticket: get a ticket, then send the bytes to its URL."""

from asyncio import sleep
from base64 import b64decode, b64encode
from codecs import getincrementaldecoder
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from mock_server.api.envelope import View
from mock_server.api.errors import BodyTooLarge
from mock_server.api.operations.operation import ANY_TYPE, DEMO_DATASET
from mock_server.api.operations.related.addresses import address, token_of
from mock_server.api.operations.related.collection_files import DOWNLOAD, TokenFields
from mock_server.api.operations.related.route import (
    Call,
    RequestFields,
    encode_data,
    route,
)
from mock_server.api.request import RequestBody
from mock_server.api.response import Response
from mock_server.domain import errors
from mock_server.domain.access import Level
from mock_server.domain.call import DATASET
from mock_server.domain.datasets import addresses, upload_tickets
from mock_server.domain.limits import Published
from mock_server.domain.memory import Memory
from mock_server.domain.objects.uploads import (
    FileForbidden,
    WrongFileType,
    media_type_of,
)
from mock_server.domain.sandboxes.state import State
from mock_server.fixture.document import Id

UPLOAD = "/api/system/file/u/{token}"
_COPIES = 5
"""Number of copies of the stored bytes that are in memory until the response."""


class TicketBody(RequestFields, kw_only=True):
    """The name of the file, its dataset, and optionally its size in bytes."""

    filename: Annotated[str, Meta(min_length=1, max_length=Published.name_chars)]
    dataset_id: Id
    size: (
        Annotated[int, Meta(ge=1, le=Published.integer)]
        | Annotated[
            str, Meta(pattern="^[1-9][0-9]{0,14}$", extra={"expected": "digits"})
        ]
        | UnsetType
    ) = UNSET


class TicketView(View, kw_only=True):
    """The URL for the upload, and the `key`: the fileId of the uploaded file."""

    url: str
    key: str
    headers: dict[str, str]
    max_size: int
    preview_url: str | UnsetType = UNSET
    upload_mode: str | UnsetType = UNSET


@route(
    "POST /api/core/dataset/file/presignDatasetFilePostUrl",
    chinese="获取上传文件的地址",
    since="4.14.11; at the older path 4.14.3",
    differences="Both paths exist in all versions. `uploadMode` is never `multipart`. "
    "Files have at most 16 MiB. The number of tickets a minute is not limited.",
    refusals=(*DATASET, BodyTooLarge, errors.LimitReached),
    example={"datasetId": DEMO_DATASET, "filename": "hours.txt"},
    is_write=True,
    legacy_path="/api/core/dataset/presignDatasetFilePostUrl",
    is_scripted=True,
)
def presign_dataset_file_post_url(call: Call, body: TicketBody) -> TicketView:
    """Get an address for the upload of a file.

    Clients send the bytes to `url` by PUT, without an API key, within ten minutes of
    the sandbox's clock. Then `create/fileId` accepts the returned `key` as a fileId for
    three hours.
    """
    dataset = call.dataset(body.dataset_id, Level.WRITE, "$.datasetId")
    limit = call.state.limits.upload_bytes
    if body.size is not UNSET and int(body.size) > limit:
        raise BodyTooLarge.of(body.size, f"at most {limit} bytes", "$.size")
    ticket = upload_tickets.give_ticket(call, dataset, body.filename)
    key, ms = ticket.key, upload_tickets.TICKET_MS
    view = TicketView(
        url=address(call, UPLOAD, addresses.new_token(call, "upload", key, ms)),
        key=key,
        headers={"content-type": media_type_of(ticket.name)},
        max_size=limit,
    )
    if call.facts.tickets_have_upload_mode:
        token = addresses.new_token(call, "file", key, upload_tickets.UNUSED_FILE_MS)
        view.preview_url = address(call, DOWNLOAD, token)
        view.upload_mode = "single"
    return view


class UploadFields(TokenFields, kw_only=True):
    """The token in the path, the size in bytes, and the first MiB as text or base64."""

    size: Annotated[int, Meta(ge=0)]
    text: str | UnsetType = UNSET
    base64: str | UnsetType = UNSET


async def receive_file(body: RequestBody, max_bytes: int, memory: Memory) -> bytes:
    """Return token and file as JSON. Raises BodyTooLarge, LimitReached, ClientGone."""
    size, head, limit = 0, bytearray(), memory.limits.upload_text_bytes
    async for piece in body.pieces(max_bytes):
        size += len(piece)
        head += piece[: max(0, limit - len(head))]
        body.charge_bytes(_COPIES * len(head), memory)
    fields: dict[str, Any] = {"token": token_of(body), "size": size}
    try:
        decoder = getincrementaldecoder("utf-8")()
        # Drop a character of which the end is cut off.
        fields["text"] = decoder.decode(bytes(head), len(head) == size)
    except UnicodeDecodeError:
        fields["base64"] = b64encode(head).decode()
    await sleep(0)  # let other requests be served first
    return msgspec.json.encode(fields)


class UploadedView(View):
    """Confirms an upload."""

    success: bool = True


def _encode(view: UploadedView, state: State) -> bytes | Response:
    if state.facts.uploads_have_an_envelope:
        return encode_data(view, state)
    return Response(200, b"", ((b"content-length", b"0"),), b"")


@route(
    f"PUT {UPLOAD}",
    name="file.u",
    chinese="上传文件到凭票地址",
    since="4.16.0; up to 4.14.10 at an address of the object store",
    differences="The first MiB of a file is stored. Parts of a multipart upload are "
    "refused. The journal and faults see the file as JSON.",
    refusals=(FileForbidden, WrongFileType, errors.LimitReached),
    is_write=True,
    encode=_encode,
    read_fields=receive_file,
    max_body_bytes=lambda limits: limits.upload_bytes,
    media_type=ANY_TYPE,
    access="address",
)
def file_u(call: Call, file: UploadFields) -> UploadedView:
    """Upload a file to the address of a ticket.

    The bytes may have any Content-Type. A second upload replaces the first. The token
    leads to its sandbox.
    """
    _, key = addresses.read_token(call, file.token, "upload")
    content = b64decode(file.base64) if file.base64 else (file.text or "").encode()
    upload_tickets.upload(call, key, file.size, content)
    return UploadedView()
