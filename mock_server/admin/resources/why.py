"""Explains why a list request returns or lacks a collection."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlencode

from msgspec import UNSET, UnsetType

from mock_server.admin.framework import Call, Example, Input, Routes
from mock_server.admin.resources.journal import JsonText, json_object
from mock_server.api.admission import authorize
from mock_server.api.operations import list_v2
from mock_server.domain.call import DatasetNotFound
from mock_server.domain.choices.table import Choices
from mock_server.domain.errors import InvalidField
from mock_server.domain.limits import Published
from mock_server.domain.listing.request import ListV2
from mock_server.domain.messages import describe_value, did_you_mean, quoted
from mock_server.domain.objects.haystack import fold
from mock_server.domain.sandboxes.registry import DEFAULT
from mock_server.domain.validation.json_match import deeper_than
from mock_server.domain.why.explain import Why, explain
from mock_server.domain.why.stages import RequestReader, TriedRequest

routes = Routes()
_CHECKED_NAMES = 100
"""Maximum number of unknown fields that are compared with the known ones."""


class WhyQuery(Input):
    """A dataset, and a collection of it or a page; `request` is a body of listV2.

    The required fields of the body may be left out. Without a key, an owner asks.
    """

    dataset: str
    item: str | UnsetType = UNSET
    key: str | UnsetType = UNSET
    request: JsonText | UnsetType = UNSET


_SEARCH = {
    "dataset": "6593e137231a2be9c5603ba7",
    "request": '{"parentId":null,"searchText":"install"}',
}
_EXAMPLE = Example(query=urlencode(_SEARCH))


@routes.add("GET", "/why", errors=(DatasetNotFound,), examples=(_EXAMPLE,))
def get_why(call: Call, query: WhyQuery) -> Why:
    """Explain why a collection is not listed, or a page is empty."""
    sandbox = call.sandbox
    key = None if query.key is UNSET else query.key
    item = None if query.item is UNSET else query.item
    state = sandbox.state
    state.train_due_rows()
    request = TriedRequest(_fields(query), state.choices, key)
    # API keys are checked as at the address of the sandbox.
    bound_to = None if sandbox.name == DEFAULT else sandbox.name
    reader = RequestReader(
        _read, lambda key, state: authorize(key, state, bound_to), cache(fold)
    )
    return explain(state, reader, request, item)


def _read(fields: Mapping[str, object], choices: Choices) -> ListV2:
    """Return the listV2 request of these fields, as if a client had sent it.

    Raises BadJson and InvalidField.
    """
    return list_v2.read(json.dumps(fields).encode(), choices)


def _fields(query: WhyQuery) -> dict[str, Any]:
    """Return the body to explain, with its required fields added.

    It has only the first field that listV2 does not know, without its value: that
    suffices for a refusal, and many requests with these fields will be tried.
    """
    fields: dict[str, Any] = {}
    if query.request is not UNSET:
        fields = json_object(query.request, "query.request")
        if deeper_than(fields, Published.json_depth):
            raise InvalidField.of(query.request, "a JSON object", "query.request")
    dataset_id = fields.setdefault("datasetId", query.dataset)
    if dataset_id != query.dataset:
        expected = f"no other dataset than {describe_value(query.dataset)}"
        raise InvalidField.of(dataset_id, expected, "query.request.datasetId")
    if "pageNum" not in fields:
        fields.setdefault("offset", 0)
    known = list_v2.CONTRACT.names
    unknown = [name for name in fields if name not in known]
    _check_names(unknown[:_CHECKED_NAMES])
    kept = {name: value for name, value in fields.items() if name in known}
    return kept | dict.fromkeys(unknown[:1])


def _check_names(unknown: list[str]) -> None:
    """Raise InvalidField for a misspelt field of listV2.

    Such a field, which listV2 ignores, may be the reason for the question. A field like
    no other is accepted, as in a copied body.
    """
    for name in unknown:
        if hint := did_you_mean(name, list_v2.CONTRACT.names):
            got = f"the field {quoted(name)}{hint}"
            raise InvalidField("a field of listV2", got, "query.request")
