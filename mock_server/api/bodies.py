"""The request bodies as the spec has them: what a client on contract sends (4).

These types decode and check bodies, find every departure from the spec, and describe
the bodies in the OpenAPI document.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from mock_server.domain.limits import LIMITS
from mock_server.fixture.document import Id


class RequestFields(Struct, rename="camel", forbid_unknown_fields=True):
    """A JSON object with these fields and no others."""


class UpdateHistoryBody(RequestFields):
    """Spec 4.1: which chat session, and whether it is to be pinned."""

    app_id: Annotated[Id, Meta(description="Application identifier")]
    chat_id: Annotated[Id, Meta(description="Chat session identifier")]
    top: Annotated[bool, Meta(description="true pins, false unpins")]


class ListV2Body(RequestFields, kw_only=True):
    """Spec 4.2: which page of which collections."""

    offset: Annotated[
        int,
        Meta(ge=0, le=LIMITS.integer, description="Offset into the result set"),
    ]
    page_size: (
        Annotated[
            int, Meta(ge=1, le=LIMITS.page_size, description="Items per page at most")
        ]
        | UnsetType
    ) = UNSET
    dataset_id: Annotated[Id, Meta(description="Identifier of the dataset")]
    parent_id: (
        Annotated[
            str,
            Meta(
                max_length=LIMITS.id_chars,
                description="Parent folder; null selects top-level collections",
            ),
        ]
        | UnsetType
        | None
    ) = UNSET
    search_text: Annotated[
        str,
        Meta(
            max_length=LIMITS.search_chars,
            description="Matched against names or tags; an empty string is valid",
        ),
    ] = ""
