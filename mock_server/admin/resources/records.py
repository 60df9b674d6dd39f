"""What the routes of single records share: finding holders, paging, refusing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, NoReturn, TypeVar

from msgspec import Meta

from mock_server.admin.framework import Call, Input
from mock_server.domain.access import NAME_PATTERN
from mock_server.domain.errors import (
    AppNotFound,
    DatasetNotFound,
    InvalidField,
    describe_value,
    quoted,
)
from mock_server.domain.limits import LIMITS
from mock_server.domain.records import App, Dataset
from mock_server.fixture.parts import DOTS
from mock_server.validation.walk import Path, dotted

T = TypeVar("T")


class PageQuery(Input):
    """A part of a long list."""

    offset: Annotated[int, Meta(ge=0, le=LIMITS.integer)] = 0
    limit: Annotated[int, Meta(ge=1, le=LIMITS.journal_page)] = LIMITS.journal_page


def page(items: Sequence[T], query: PageQuery) -> Sequence[T]:
    """The part that a query asks for."""
    return items[query.offset : query.offset + query.limit]


def app_of(call: Call) -> App:
    """The application that the path names. Raises AppNotFound."""
    app = call.sandbox.store.app(call.path["appId"])
    if app is None:
        raise AppNotFound(
            "the id of an app", describe_value(call.path["appId"]), "path"
        )
    return app


def dataset_of(call: Call) -> Dataset:
    """The dataset that the path names. Raises DatasetNotFound."""
    dataset = call.sandbox.store.dataset(call.path["datasetId"])
    if dataset is None:
        got = describe_value(call.path["datasetId"])
        raise DatasetNotFound("the id of a dataset", got, "path")
    return dataset


def own_id(given: str | None, in_path: str, at: str) -> str:
    """The id of a record that is put: the path's, which the body may repeat."""
    if not 1 <= len(in_path) <= LIMITS.id_chars:
        expected = f"an id of 1 to {LIMITS.id_chars} characters"
        raise InvalidField(
            f"Expected {expected}, got {describe_value(in_path)} - at path"
        )
    if in_path in DOTS:
        expected = "an id that a URL path can hold"
        raise InvalidField(
            f"Expected {expected}, got {describe_value(in_path)} - at path"
        )
    if given not in (None, in_path):
        expected = f"{quoted(in_path)}, as in the path"
        raise InvalidField(
            f"Expected {expected}, got {describe_value(given)} - at {at}"
        )
    return in_path


def check_name(name: str, at: str) -> None:
    """Raises InvalidField for what no sandbox or snapshot can be called."""
    if not re.fullmatch(NAME_PATTERN, name) or name in (".", ".."):
        expected = f"a name like {NAME_PATTERN}"
        raise InvalidField(f"Expected {expected}, got {describe_value(name)} - at {at}")


def refuse(path: Path, message: str) -> NoReturn:
    """Refuse a body at the first problem of a record in it."""
    raise InvalidField(f"{message} - at {dotted(path)}")
