"""Reads, puts and deletes apps and datasets with all their content.

A put object is loaded as a part of a fixture, together with the objects that it may
refer to, so that the checks of fixtures apply.
"""

from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import Any, TypeVar

import msgspec

from mock_server.admin.framework import Call, Example, Input, Routes, check_room
from mock_server.admin.loading import SentFixture
from mock_server.admin.resources.apps import AppView, app_of, app_view, id_in_path
from mock_server.admin.resources.datasets import DatasetView, dataset_of, dataset_view
from mock_server.admin.streaming import Download, in_parts
from mock_server.api.errors import BadFixture, ServerBusy
from mock_server.api.request import check_integers, read_json
from mock_server.api.response import Response
from mock_server.api.slices import once_ready
from mock_server.domain import errors, folders
from mock_server.domain.call import AppNotFound, DatasetNotFound
from mock_server.domain.datasets.dataset_folders import descendants, path_of, remove
from mock_server.domain.messages import quoted
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.objects.models import App
from mock_server.domain.storage.store import Store
from mock_server.fixture.document import AppPart, DatasetPart
from mock_server.fixture.dump import CONTENT_FIELD, holder_to_json

app_routes, dataset_routes = Routes(), Routes()
_APP, _DATASET = "/apps/{appId}", "/datasets/{datasetId}"
_BAD = (BadFixture, errors.InvalidField, errors.LimitReached, ServerBusy)
_NO_APP = (AppNotFound, errors.LimitReached)
_NO_DATASET = (DatasetNotFound, errors.LimitReached)

_SALES, _PRICES = {"appId": "sales"}, {"datasetId": "prices"}
_NEW_APP = Example(
    {"name": "Sales", "chats": [{"chatId": "chat-1", "title": "Offer"}]}, path=_SALES
)
_NEW_DATASET = Example(
    {"name": "Prices", "collections": [{"_id": "2024", "name": "2024"}]}, path=_PRICES
)
_OF_APP: Any = {"errors": _NO_APP, "examples": (Example(path=_SALES),)}
_OF_DATASET: Any = {"errors": _NO_DATASET, "examples": (Example(path=_PRICES),)}
# The types of the two forms of response to a change.
_AN_APP, _A_DATASET = (AppPart, AppView), (DatasetPart, DatasetView)

T = TypeVar("T")
Plain = dict[str, Any]
_MAX_ROWS = 20


class ContentQuery(Input):
    """With `content=false`, chats or collections are left out."""

    content: bool = True


class ChangeQuery(Input):
    """With `counts` the response is short: how much there is, or was."""

    counts: bool = False


class PutQuery(ChangeQuery):
    """With `content=false`, chats or collections stay, and are not returned."""

    content: bool = True


@app_routes.add("GET", _APP, response_type=AppPart, **_OF_APP)
def get_app(call: Call, query: ContentQuery) -> Response | Download:
    """Read an application with all its data."""
    return _current_response(call, app_of(call), has_content=query.content)


@app_routes.add(
    "PUT",
    _APP,
    response_type=_AN_APP,
    raw_body=AppPart,
    other_types={201: _AN_APP},
    errors=_BAD,
    examples=(_NEW_APP,),
)
async def put_app(call: Call, query: PutQuery) -> Response | Download:
    """Create or replace an application with its chats, records and permissions."""
    app_id = call.path["appId"]

    def put(part: FixtureData) -> Response | Download:
        store, app = call.sandbox.store, part.apps[app_id]
        fixture_apps, limit = store.fixture.apps, call.limits.created_apps
        is_new = _is_new(app_id, store.apps(), fixture_apps, limit, "apps")
        if query.content:
            store.put_whole_app(app, part)
        else:
            store.put_app_fields(app, part)
        return _changed_response(call, query, part, app, is_new=is_new)

    return await _load_and_put(call, query, "apps", app_id, put)


@app_routes.add("DELETE", _APP, response_type=_AN_APP, **_OF_APP)
def delete_app(call: Call, query: ChangeQuery) -> Response | Download:
    """Remove an application, or a folder of applications, with all that is in it."""
    app, store = app_of(call), call.sandbox.store
    view = app_view(store, app) if query.counts else None
    response = _counts_response(view) if view else _current_response(call, app)
    deleted = app, *folders.descendants(store.apps(), app.id)
    store.remove_apps({each.id for each in deleted})
    return response


@dataset_routes.add("GET", _DATASET, response_type=DatasetPart, **_OF_DATASET)
def get_dataset(call: Call, query: ContentQuery) -> Response | Download:
    """Read a dataset with all its data."""
    return _current_response(call, dataset_of(call), has_content=query.content)


@dataset_routes.add(
    "PUT",
    _DATASET,
    response_type=_A_DATASET,
    raw_body=DatasetPart,
    other_types={201: _A_DATASET},
    errors=_BAD,
    examples=(_NEW_DATASET,),
)
async def put_dataset(call: Call, query: PutQuery) -> Response | Download:
    """Create or replace a dataset with its collections, rows and permissions.

    Rows go on waiting for training where `trainingAmount` counts them.
    """
    dataset_id = call.path["datasetId"]

    def put(part: FixtureData) -> Response | Download:
        store, dataset = call.sandbox.store, part.datasets[dataset_id]
        _check_rows(store, part, dataset_id)
        fixture_datasets, limit = store.fixture.datasets, call.limits.created_datasets
        is_new = _is_new(
            dataset_id, store.datasets(), fixture_datasets, limit, "datasets"
        )
        if query.content:
            store.put_whole_dataset(dataset, part)
        else:
            store.put_dataset(dataset)
        return _changed_response(call, query, part, dataset, is_new=is_new)

    return await _load_and_put(call, query, "datasets", dataset_id, put)


@dataset_routes.add("DELETE", _DATASET, response_type=_A_DATASET, **_OF_DATASET)
def delete_dataset(call: Call, query: ChangeQuery) -> Response | Download:
    """Remove a dataset, or a folder of datasets, with all that is in it."""
    dataset = dataset_of(call)
    view = dataset_view(dataset) if query.counts else None
    response = _counts_response(view) if view else _current_response(call, dataset)
    remove(call.sandbox.store, dataset)
    return response


async def _load_and_put(
    call: Call,
    query: PutQuery,
    list_name: str,
    object_id: str,
    put: Callable[[FixtureData], T],
) -> T:
    """Load the body with the objects that it refers to, then call `put`.

    `list_name` is the list of the object in a fixture, `apps` or `datasets`.

    Raises BadFixture, InvalidField, BadJson, LimitReached, ServerBusy.
    """
    call.services.downloads.check_room()
    fields = read_json(call.content.strip() or b"{}")
    check_integers(call.content, fields)
    id_in_path(fields.get("id"), object_id, "$.id")
    content_field = CONTENT_FIELD[App if list_name == "apps" else Dataset]
    if not query.content and content_field in fields:
        expected, place = "none with content=false", f"$.{content_field}"
        raise errors.InvalidField.of(fields[content_field], expected, place)
    sandbox, noun = call.sandbox, list_name.removesuffix("s")
    store = await once_ready(lambda: sandbox.store, sandbox.name)
    document = _document(store, list_name, fields | {"id": object_id})
    upload = SentFixture(
        msgspec.json.encode(document),
        is_json=True,
        order=sandbox.choices.list_order,
        wait_for_disconnect=call.wait_for_disconnect,
        part_path=(list_name, 0),
        noun=f"{'an' if noun == 'app' else 'a'} {noun} as in a fixture",
    )
    part = await call.services.loader.load(upload)

    def put_now() -> T:
        # The state may have changed during the load.
        call.check_sandbox()
        if _document(sandbox.store, list_name, fields | {"id": object_id}) != document:
            expected, got = (
                "an unchanged state",
                "a change of objects that the body refers to",
            )
            raise ServerBusy(expected, got, "body", "try again")
        return put(part)

    return await once_ready(put_now, sandbox.name)


def _document(store: Store, list_name: str, fields: Plain) -> Plain:
    """Return a fixture with the part and the objects that the part may refer to."""
    others = _related_folders(store, list_name, fields)
    keys = [{"key": key} for key in store.fixture.keys]
    return {"keys": keys, list_name: [fields, *others]}


def _related_folders(store: Store, list_name: str, fields: Plain) -> list[Plain]:
    """Return the folders above an app or a dataset, and all objects below, as parts.

    The loader needs these, without their content, to check the object's parents.
    """
    parent_id, object_id = fields.get("parentId"), fields["id"]
    parent_id = parent_id if isinstance(parent_id, str) else None
    related: list[App | Dataset]
    if list_name == "apps":
        parents = folders.path_of(store.app, parent_id)
        related = [*parents, *folders.descendants(store.apps(), object_id)]
    else:
        related = [*path_of(store, parent_id), *descendants(store, object_id)]
    by_id = {each.id: each for each in related if each.id != object_id}
    return [
        {"id": each.id, "type": each.type, "parentId": each.parent_id}
        for each in by_id.values()
    ]


def _check_rows(store: Store, part: FixtureData, dataset_id: str) -> None:
    """Raise BadFixture if another dataset has data rows of the same ids."""
    problems = [
        f"$.collections: {quoted(place.row.id)} is the _id of a data row of dataset "
        f"{quoted(place.dataset_id)}"
        for place in store.places_elsewhere(part, dataset_id, _MAX_ROWS)
    ]
    if problems:
        expected, text = "a dataset as in a fixture", "; ".join(problems[:_MAX_ROWS])
        raise BadFixture(expected, "one with problems", "body", text)


def _is_new(
    object_id: str,
    existing: Iterable[App | Dataset],
    fixture_ids: Collection[str],
    limit: int,
    noun: str,
) -> bool:
    """Return whether `object_id` is not in `existing`. Raises LimitReached if full."""
    ids = {each.id for each in existing}
    if object_id in ids:
        return False
    check_room(len(ids.difference(fixture_ids)), limit, noun)
    return True


def _current_response(
    call: Call, holder: App | Dataset, *, has_content: bool = True
) -> Response | Download:
    """Return the current app or dataset as a response. Raises LimitReached."""
    call.services.downloads.check_room()
    # A copy, because the original may change while a large response is sent.
    store = call.sandbox.store.copy("streams")
    return _content_response(call, store, holder, has_content=has_content)


def _changed_response(
    call: Call,
    query: PutQuery,
    part: FixtureData,
    holder: App | Dataset,
    *,
    is_new: bool,
) -> Response | Download:
    """Return the app or dataset that was put, or its counts, as a response."""
    status = 201 if is_new else 200
    if query.counts and isinstance(holder, App):
        return _counts_response(app_view(call.sandbox.store, app_of(call)), status)
    if query.counts:
        return _counts_response(dataset_view(dataset_of(call)), status)
    # The loaded part never changes, so it needs no copy.
    store = Store(part)
    return _content_response(call, store, holder, status, has_content=query.content)


def _counts_response(view: AppView | DatasetView, status: int = 200) -> Response:
    return Response(status, msgspec.json.encode(view))


def _content_response(
    call: Call,
    store: Store,
    holder: App | Dataset,
    status: int = 200,
    *,
    has_content: bool = True,
) -> Response | Download:
    if isinstance(holder, Dataset):
        holder = store.dataset(holder.id) or holder
    make_parts = partial(holder_to_json, store, holder, has_content=has_content)
    return in_parts(make_parts, call.services.downloads, status=status)
