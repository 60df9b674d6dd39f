"""The table of all related routes. The server imports it only when it needs them."""

from mock_server.api.operations.operation import Operation
from mock_server.api.operations.related import (
    account,
    api_keys,
    apps,
    chat_records,
    chats,
    collection,
    collection_creation,
    collection_files,
    collection_lists,
    completions,
    data,
    data_lists,
    dataset_creation,
    datasets,
    question_guide,
    record_changes,
    search_test,
    share_chats,
    speech,
    training,
    upload_tickets,
)

_MODULES = (
    chats,
    chat_records,
    record_changes,
    completions,
    dataset_creation,
    datasets,
    collection_creation,
    collection,
    training,
    collection_lists,
    data_lists,
    data,
    search_test,
    account,
    question_guide,
    collection_files,
    upload_tickets,
    apps,
    api_keys,
    speech,
    share_chats,
)
"""The modules with the routes, in the order of the documentation."""

RELATED = tuple(
    each
    for module in _MODULES
    for each in vars(module).values()
    if isinstance(each, Operation)
)
