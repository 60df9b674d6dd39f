"""All related routes: one door, so that a start may leave them out."""

from mock_server.api.operations.operation import Operation
from mock_server.api.operations.related import (
    account,
    api_files,
    api_keys,
    apps,
    chat_records,
    chats,
    collection,
    collection_creation,
    collection_export,
    collection_files,
    collection_lists,
    completions,
    data,
    data_lists,
    dataset_creation,
    datasets,
    feedback,
    question_guide,
    quotes,
    record_data,
    record_deletion,
    retraining,
    search_test,
    share_chats,
    speech,
    upload_tickets,
    usage,
)

_MODULES = (
    chats,
    chat_records,
    completions,
    dataset_creation,
    datasets,
    collection_creation,
    collection,
    collection_export,
    collection_lists,
    data_lists,
    data,
    search_test,
    account,
    question_guide,
    quotes,
    retraining,
    api_files,
    collection_files,
    upload_tickets,
    apps,
    usage,
    api_keys,
    feedback,
    record_deletion,
    record_data,
    speech,
    share_chats,
)
"""The modules that have their rows, each in the order in which they stand there."""

RELATED = tuple(
    each
    for module in _MODULES
    for each in vars(module).values()
    if isinstance(each, Operation)
)
