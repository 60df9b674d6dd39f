"""All related routes, imported together on demand, so that a start can skip them."""

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
    collection_files,
    collection_lists,
    completions,
    data,
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
    datasets,
    collection_creation,
    collection,
    collection_lists,
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
"""The modules with the routes, in the order of documents."""

RELATED = tuple(
    each
    for module in _MODULES
    for each in vars(module).values()
    if isinstance(each, Operation)
)
