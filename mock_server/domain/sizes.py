"""About how many bytes the records of a store take."""

from collections.abc import Sequence
from sys import getsizeof

from mock_server.domain.changed_tree import ChangedTree
from mock_server.domain.dataset import Dataset
from mock_server.domain.records import Chat, ChatRecord, LoginCode
from mock_server.domain.uploads import File

# Without their texts: a dataset, and its tree once that has been changed; a chat; a
# record of one; a login code; a file.
_DATASET_BYTES, _TREE_BYTES = 500, 1_500
_CHAT_BYTES, _RECORD_BYTES, _CODE_BYTES, _FILE_BYTES = 400, 250, 500, 400


def of_chat(chat: Chat) -> int:
    """Bytes that a chat takes without its records."""
    return _CHAT_BYTES + getsizeof(chat.title) + getsizeof(chat.custom_title)


def of_records(records: Sequence[ChatRecord]) -> int:
    """Bytes that the records of a chat take."""
    return sum(_RECORD_BYTES + getsizeof(record.text) for record in records)


def of_dataset(dataset: Dataset) -> int:
    """Bytes that a dataset takes without what is in it."""
    more = _TREE_BYTES if isinstance(dataset.tree, ChangedTree) else 0
    texts = getsizeof(dataset.name) + getsizeof(dataset.intro)
    return _DATASET_BYTES + more + texts


def of_code(_: LoginCode) -> int:
    """Bytes that a login code takes."""
    return _CODE_BYTES


def of_file(_: File) -> int:
    """Bytes that a file takes."""
    return _FILE_BYTES
