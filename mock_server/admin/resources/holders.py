"""Applications and datasets as wholes: read, put and removed with all that is in them.

What is put is checked as a part of a fixture is, by the same code: in a document with
what it may refer to, which is loaded as any other.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any

import msgspec

from mock_server.admin.framework import AdminRoute, Call
from mock_server.admin.loading import Upload
from mock_server.admin.resources.apps import app_of, id_in_path
from mock_server.admin.resources.datasets import dataset_of
from mock_server.admin.streaming import Download
from mock_server.api.errors import BadFixture, ServerBusy
from mock_server.api.request import check_integers, read_json
from mock_server.api.response import Response
from mock_server.domain import errors
from mock_server.domain.dataset import Dataset
from mock_server.domain.dataset_folders import below, path_of, remove
from mock_server.domain.generation import Generation
from mock_server.domain.records import App
from mock_server.domain.store import Store
from mock_server.fixture.document import AppPart, DatasetPart
from mock_server.fixture.dump import app_to_json, dataset_to_json

Plain = dict[str, Any]
Pieces = Callable[[], Iterator[bytes]]
_SHOWN_ROWS = 20
_TOLD_KEYS = 50
"""Declared keys up to which all are told to those who misspell one."""


def get_app(call: Call) -> Response | Download:
    """`GET apps/{appId}`: as the state shows it."""
    return _shown(call, app_of(call))


async def put_app(call: Call) -> Response | Download:
    """`PUT apps/{appId}`: replaces chats, records and permissions."""
    app_id = call.path["appId"]
    part = await _loaded(call, "apps", app_id)
    store, app = call.sandbox.store, part.apps[app_id]
    is_new = store.app(app_id) is None
    loaded = store.generation.apps
    made = sum(each.id not in loaded for each in store.apps())
    _check_number(made if is_new else 0, call.limits.created_apps, "apps")
    store.put_app(app, part)
    # What has just been loaded changes no more: it needs no copy.
    make = partial(app_to_json, Store(part), app)
    return _sent(call, make, 201 if is_new else 200)


def delete_app(call: Call) -> Response | Download:
    """`DELETE apps/{appId}`: the application as it was, with all that is in it."""
    app = app_of(call)
    shown = _shown(call, app)
    call.sandbox.store.remove_app(app.id)
    return shown


def get_dataset(call: Call) -> Response | Download:
    """`GET datasets/{datasetId}`: as the state shows it."""
    return _shown(call, dataset_of(call))


async def put_dataset(call: Call) -> Response | Download:
    """`PUT datasets/{datasetId}`: replaces collections, rows and permissions."""
    dataset_id = call.path["datasetId"]
    part = await _loaded(call, "datasets", dataset_id)
    store, dataset = call.sandbox.store, part.datasets[dataset_id]
    _check_rows(store, dataset)
    is_new = store.dataset(dataset_id) is None
    loaded = store.generation.datasets
    made = sum(each.id not in loaded for each in store.datasets())
    _check_number(made if is_new else 0, call.limits.created_datasets, "datasets")
    store.put_whole_dataset(dataset, part)
    make = partial(dataset_to_json, Store(part), dataset)
    return _sent(call, make, 201 if is_new else 200)


def delete_dataset(call: Call) -> Response | Download:
    """`DELETE datasets/{datasetId}`: the dataset as it was; a folder with its own."""
    dataset = dataset_of(call)
    shown = _shown(call, dataset)
    remove(call.sandbox.store, dataset)
    return shown


async def _loaded(call: Call, name: str, own_id: str) -> Generation:
    """What the body holds, loaded beside what it refers to; `name` is of its list.

    Raises BadFixture, InvalidField, BadJson, LimitReached, ServerBusy.
    """
    call.services.downloads.check_room()
    fields = read_json(call.content.strip() or b"{}")
    check_integers(call.content, fields)
    id_in_path(fields.get("id"), own_id, "$.id")
    sandbox, kind = call.sandbox, name.removesuffix("s")
    document = _document(sandbox.store, name, fields | {"id": own_id})
    upload = Upload(
        msgspec.json.encode(document),
        is_json=True,
        order=sandbox.choices.list_order,
        disconnected=call.disconnected,
        part=(name, 0),
        what=f"{'an' if kind == 'app' else 'a'} {kind} as in a fixture",
    )
    part = await call.services.loader.load(upload)
    # A large one takes a while, in which others are served.
    if call.sandboxes.find(sandbox.name) is not sandbox:
        expected = "the sandbox that there was"
        raise errors.SandboxNotFound(expected, "another one of its name", "path")
    if _document(sandbox.store, name, fields | {"id": own_id}) != document:
        expected, got = "a state that stays", "a change of what the body refers to"
        raise ServerBusy(expected, got, "body", "try again")
    return part


def _document(store: Store, name: str, fields: Plain) -> Plain:
    """A document with the part, and with those of the store that it may refer to."""
    others = _around(store, fields) if name == "datasets" else []
    return {"keys": _keys(store, fields), name: [fields, *others]}


def _keys(store: Store, fields: Plain) -> list[Plain]:
    """The declared keys; of many only those that the part names."""
    declared = store.generation.keys
    named = fields.get("permissions")
    if len(declared) > _TOLD_KEYS:
        names = named if isinstance(named, Mapping) else ()
        return [{"key": key} for key in names if key in declared]
    return [{"key": key} for key in declared]


def _around(store: Store, fields: Plain) -> list[Plain]:
    """The datasets that a dataset lies in, and those that lie in it, without content.

    With these, its place among folders is checked as in a fixture.
    """
    parent_id = fields.get("parentId")
    found = path_of(store, parent_id) if isinstance(parent_id, str) else []
    found += below(store, fields["id"])
    by_id = {each.id: each for each in found if each.id != fields["id"]}
    return [
        {"id": each.id, "type": each.type, "parentId": each.parent_id}
        for each in by_id.values()
    ]


def _check_rows(store: Store, dataset: Dataset) -> None:
    """Raises BadFixture if another dataset has data rows of the same ids."""
    ids = [row.id for rows in dataset.rows.values() for row in rows]
    found = ((each, store.find_row(each)) for each in ids)
    taken = [
        f"$.collections: {errors.quoted(each)} is the _id of a data row of dataset "
        f"{errors.quoted(at[0].id)}"
        for each, at in found
        if at is not None and at[0].id != dataset.id
    ]
    if taken:
        expected, text = "a dataset as in a fixture", "; ".join(taken[:_SHOWN_ROWS])
        raise BadFixture(expected, "one with problems", "body", text)


def _check_number(count: int, most: int, what: str) -> None:
    """Raises LimitReached if there are as many created ones as there may be."""
    if count >= most:
        raise errors.LimitReached(f"at most {most} created {what}", "one more", "path")


def _shown(call: Call, holder: App | Dataset) -> Response | Download:
    """An application or a dataset as it is now. Raises LimitReached."""
    call.services.downloads.check_room()
    # A copy: the original changes while a large one is on its way.
    store = call.sandbox.store.copy("streams")
    if isinstance(holder, App):
        return _sent(call, partial(app_to_json, store, holder))
    own = store.dataset(holder.id) or holder
    return _sent(call, partial(dataset_to_json, store, own))


def _sent(call: Call, make: Pieces, status: int = 200) -> Response | Download:
    """The pieces of JSON as an answer: at once if they are but one."""
    first, *others = islice(make(), 2)
    if not others:
        return Response(status, first)
    return Download(make, b"application/json", call.services.downloads, status)


_APP, _DATASET = "/apps/{appId}", "/datasets/{datasetId}"
_BAD = (BadFixture, errors.InvalidField, errors.LimitReached, ServerBusy)
_NO_APP = (errors.AppNotFound, errors.LimitReached)
_NO_DATASET = (errors.DatasetNotFound, errors.LimitReached)
APPS = (
    AdminRoute(
        "GET", _APP, get_app, AppPart, "Read an application whole", errors=_NO_APP
    ),
    AdminRoute(
        "PUT",
        _APP,
        put_app,
        AppPart,
        "Create or replace an application with its chats, records and permissions",
        raw_body=AppPart,
        further={201: AppPart},
        errors=_BAD,
    ),
    AdminRoute(
        "DELETE",
        _APP,
        delete_app,
        AppPart,
        "Remove an application with all that is in it",
        errors=_NO_APP,
    ),
)
DATASETS = (
    AdminRoute(
        "GET",
        _DATASET,
        get_dataset,
        DatasetPart,
        "Read a dataset whole",
        errors=_NO_DATASET,
    ),
    AdminRoute(
        "PUT",
        _DATASET,
        put_dataset,
        DatasetPart,
        "Create or replace a dataset with its collections, rows and permissions",
        raw_body=DatasetPart,
        further={201: DatasetPart},
        errors=_BAD,
    ),
    AdminRoute(
        "DELETE",
        _DATASET,
        delete_dataset,
        DatasetPart,
        "Remove a dataset, or a folder of datasets, with all that is in it",
        errors=_NO_DATASET,
    ),
)
