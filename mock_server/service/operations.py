"""All operations of the service."""

from itertools import chain
from types import ModuleType

from mock_server.service import (
    account,
    apps,
    chats,
    collection_lists,
    collections,
    completions,
    data_rows,
    datasets,
    new_collections,
    records,
    search,
)
from mock_server.service.operation import Operation

SUBJECTS = (
    chats,
    collection_lists,
    collections,
    records,
    completions,
    apps,
    datasets,
    new_collections,
    data_rows,
    search,
    account,
)


def operations_of(module: ModuleType) -> list[Operation]:
    """The operations that a module declares, without those that it imports."""
    operations = [it for it in vars(module).values() if isinstance(it, Operation)]
    return [it for it in operations if it.function.__module__ == module.__name__]


OPERATIONS = tuple(chain.from_iterable(map(operations_of, SUBJECTS)))
OPERATION_NAMES = frozenset(it.name for it in OPERATIONS)
