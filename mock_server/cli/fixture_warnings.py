"""Finds probable mistakes in a valid fixture, for `check` and for a start."""

from collections.abc import Iterator
from itertools import chain, islice
from typing import get_args

from msgspec.structs import asdict

from mock_server.api.faults.fault import warnings_of
from mock_server.domain.messages import did_you_mean
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.objects.models import Collection, CollectionType
from mock_server.domain.versions import Version
from mock_server.fixture.builders.parts import fill_number

_MAX_WARNINGS = 10
_MAX_ALIKE = 2
"""A dataset with as many collections like the one before gets a warning."""
_TYPES = get_args(CollectionType)


def fixture_warnings(
    fixture: FixtureData, version: Version, max_collections: int | None = None
) -> Iterator[str]:
    """Yield the first warnings of a fixture that is served as `version`.

    Collections are left out if there are more than `max_collections`.
    """
    warnings = chain(fixture.warnings_under(version), warnings_of(fixture))
    count = sum(len(each.tree) for each in fixture.datasets.values())
    if max_collections is None or count <= max_collections:
        datasets = map(_collection_warnings, fixture.datasets.values())
        warnings = chain(warnings, chain.from_iterable(datasets))
    return islice(warnings, _MAX_WARNINGS)


def _collection_warnings(dataset: Dataset) -> Iterator[str]:
    parents = {each.parent_id for each in dataset.tree}
    previous, equal_count = None, 0
    for item in dataset.tree:
        rows = dataset.rows.get(item.id, ())
        noun = f"collection {item.name!r} of dataset {dataset.id!r}"
        if item.type not in _TYPES:
            known = f" (FastGPT has {', '.join(_TYPES)}; it is served as written)"
            hint = did_you_mean(item.type, _TYPES) or known
            yield f"{noun} has the unknown type {item.type!r}{hint}"
        elif item.id in parents and item.type != "folder":
            fix = "leave out type, or write type: folder"
            yield f"{noun} has children but the type {item.type!r}: {fix}"
        if rows and len(rows) != item.data_amount:
            has = f"has dataAmount {item.data_amount} beside data of length"
            yield f"{noun} {has} {len(rows)}: leave dataAmount out"
        if item.name != fill_number(item.name, 1):
            yield f"{noun} keeps {{n}} in its name: write repeat beside it"
        is_alike = previous is not None and _is_alike(item, previous)
        equal_count, previous = equal_count + 1 if is_alike else 0, item
        if equal_count == _MAX_ALIKE:  # two equal collections may be intended
            yield f"{noun} is like the ones before: with repeat, write {{n}} in it"


def _is_alike(first: Collection, second: Collection) -> bool:
    """Return whether two collections differ at most in their ids."""
    no_id = {"id": None}
    return first.name == second.name and asdict(first) | no_id == asdict(second) | no_id
