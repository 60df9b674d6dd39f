"""Routes for the source of a collection: its URL, and the file at this URL."""

from typing import Annotated
from urllib.parse import quote

from msgspec import UNSET, Meta, Struct, UnsetType

from mock_server.api.envelope import View
from mock_server.api.operations import body_field
from mock_server.api.operations.operation import DEMO_COLLECTION
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.addresses import address, read_token
from mock_server.api.operations.related.route import Call, RequestFields, route
from mock_server.api.response import Response
from mock_server.domain.access import Level
from mock_server.domain.call import COLLECTION
from mock_server.domain.datasets import addresses
from mock_server.domain.datasets.sources import content_of
from mock_server.domain.datasets.upload_tickets import ticket_of
from mock_server.domain.limits import Published
from mock_server.domain.objects.uploads import (
    FileForbidden,
    FileNotFound,
    media_type_of,
)
from mock_server.domain.sandboxes.state import State
from mock_server.fixture.document import Id

DOWNLOAD = "/api/system/file/download/{token}"
_NAME_CHARS = 255  # maximum of most file systems; the end shows the type
Token = Annotated[
    str,
    Meta(min_length=1, max_length=Published.token_chars),
    body_field.FieldRules(is_secret=True).meta(),
]
"""The token that is the last segment of a URL."""


CitedId = (
    Annotated[str, Meta(min_length=1, max_length=Published.intro_chars), fields.IDLE]
    | UnsetType
)


class ReadBody(fields.CitedFields, kw_only=True):
    """The collection; a chat reply that cites it may be named, and is ignored."""

    collection_id: Id
    chat_id: CitedId = UNSET
    chat_item_data_id: CitedId = UNSET


class SourceView(View, kw_only=True):
    """The URL of a collection's source."""

    type: str = "url"
    value: str


@route(
    "POST /api/core/dataset/collection/read",
    name="collection.read",
    chinese="集合来源的地址",
    since="4.8",
    differences="Any fileId works, not only the key of a file. Records that cite the "
    "collection are ignored. The address leads to `file.download` in all versions, "
    "and cannot be guessed.",
    refusals=COLLECTION,
    example={"collectionId": DEMO_COLLECTION},
    is_scripted=True,
)
def read(call: Call, body: ReadBody) -> SourceView:
    """Get the address of a collection's source.

    For a file, this is a URL for its download, which needs no API key and is valid for
    an hour of the sandbox's clock. For a link or a file of an API server, it is the
    rawLink; for other collections, it is an empty text.
    """
    collection_id = body.collection_id
    _, collection = call.collection(collection_id, Level.READ, "$.collectionId")
    if collection.type == "file" and collection.file_id:
        token = addresses.new_token(call, "collection", collection.id)
        return SourceView(value=address(call, DOWNLOAD, token))
    return SourceView(value=collection.raw_link or "")


class TokenFields(RequestFields):
    """The token at the end of the path."""

    token: Token


class Download(Struct):
    """A file: its name and the stored part of its content."""

    name: str
    content: bytes


def _encode(file: Download, _: State) -> Response:
    """Return the bytes with headers that keep browsers from running scripts in them."""
    name = quote(file.name[-_NAME_CHARS:], errors="replace")
    disposition = f"inline; filename*=UTF-8''{name}"
    headers = (
        (b"content-disposition", disposition.encode()),
        (b"content-security-policy", b"sandbox"),
        (b"x-content-type-options", b"nosniff"),
    )
    content_type = media_type_of(file.name).encode()
    return Response(200, file.content, headers, content_type)


@route(
    f"GET {DOWNLOAD}",
    name="file.download",
    chinese="下载文件",
    since="4.14.11; as `common/file/read` before, as `file/d` too since 4.16.0",
    differences="The file is the first MiB of an uploaded text, the bytes uploaded for "
    "a ticket, or else the texts of the collection's rows. HEAD is refused.",
    refusals=(FileForbidden, FileNotFound),
    data_type=str,
    encode=_encode,
    read_fields=read_token,
    response_types=("application/octet-stream",),
    has_envelope=False,
    access="address",
)
def file_download(call: Call, query: TokenFields) -> Download:
    """Download a file.

    Returns the bytes; the file name decides on the Content-Type. The token leads to its
    sandbox.
    """
    use, object_id = addresses.read_token(call, query.token, "file", "collection")
    if use == "file":
        ticket = ticket_of(call, object_id)
        if ticket is not None and ticket.size is not None:
            return Download(ticket.name, ticket.content)
        file = call.store.files.get(object_id)
        object_id = file.collection_id if file else ""
    match = call.store.find_collection(object_id)
    if match is None:
        raise FileNotFound("the address of a file", "that of one that is gone", "path")
    return Download(match[1].name, content_of(call, *match))
