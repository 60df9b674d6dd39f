"""All operations of the service."""

from itertools import chain
from types import ModuleType

from mock_server.service import (
    apps,
    chat_records,
    chats,
    collection_lists,
    collections,
    completions,
    data_rows,
    datasets,
    logins,
    new_collections,
    search,
)
from mock_server.service.operation import Operation

SUBJECTS = (
    chats,
    collection_lists,
    collections,
    chat_records,
    completions,
    apps,
    datasets,
    new_collections,
    data_rows,
    search,
    logins,
)


def operations_of(module: ModuleType) -> list[Operation]:
    """The operations that a module declares, without those that it imports."""
    operations = [it for it in vars(module).values() if isinstance(it, Operation)]
    return [it for it in operations if it.function.__module__ == module.__name__]


OPERATIONS = tuple(chain.from_iterable(map(operations_of, SUBJECTS)))
OPERATION_NAMES = frozenset(it.name for it in OPERATIONS)
