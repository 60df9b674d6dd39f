"""The table of rules and the table of probes: what is checked, and how it is asked."""

from collections.abc import Callable

from msgspec import Struct

from mock_server.conformance import (
    envelope_rules,
    item_rules,
    list_probes,
    other_probes,
    page_rules,
    pin_rules,
)
from mock_server.conformance.subject import Subject
from mock_server.domain.choices import Value


class Rule(Struct, frozen=True):
    """What the interface description says, and how it is asked.

    `check` raises Differs or NotObservable. Where a value of a choice is not as the
    rule says, `choice` names it: `search_fields=name`.
    """

    name: str
    section: str
    sentence: str
    asked: str
    check: Callable[[Subject], None]
    choice: str = ""


class Probe(Struct, frozen=True):
    """How the value of a choice is found; `find` raises NotObservable."""

    choice: str
    asked: str
    find: Callable[[Subject], Value]


RULES = (
    Rule(
        "envelope",
        "2.3",
        "A page comes in an envelope of exactly `code` 200, `statusText`, `message` "
        "and `data`.",
        "a page",
        envelope_rules.envelope,
    ),
    Rule(
        "json_content_type",
        "1",
        "Answers say that they are JSON.",
        "a page",
        envelope_rules.json_content_type,
    ),
    Rule(
        "errors_are_envelopes",
        "2.3",
        "Refusals come in the envelope too, with another `code` than 200.",
        "lists without a key, without `datasetId`, of an unknown dataset",
        envelope_rules.errors_are_envelopes,
    ),
    Rule(
        "authorization_required",
        "5",
        "Without `Authorization` nothing is served.",
        "a list without a key",
        envelope_rules.authorization_required,
    ),
    Rule(
        "read_permission",
        "5",
        "A key that may not read the dataset is refused.",
        "a list with the key of --outsider-key-env",
        envelope_rules.read_permission,
    ),
    Rule(
        "post_only",
        "4.2",
        "POST is the only method that lists.",
        "a list by PUT",
        envelope_rules.post_only,
        "method_mismatch=accept",
    ),
    Rule(
        "page_shape",
        "4.2",
        "`data` has a `list` of objects and a `total` that is not less.",
        "a page",
        page_rules.page_shape,
    ),
    Rule(
        "total_before_paging",
        "4.2",
        "`total` counts all that match, on every page.",
        "a page of 2, one of 30, one past the end",
        page_rules.total_before_paging,
    ),
    Rule(
        "page_size",
        "4.2",
        "A page has `pageSize` items while there are as many.",
        "a page of 2",
        page_rules.page_size,
    ),
    Rule(
        "page_maximum",
        "8",
        "No page has more than 30 items.",
        "a page of 31",
        page_rules.page_maximum,
        "page_size_max=100",
    ),
    Rule(
        "pages_disjoint",
        "4.2",
        "No collection is on two pages.",
        "all pages of 30",
        page_rules.pages_disjoint,
    ),
    Rule(
        "pages_complete",
        "4.2",
        "All pages together have `total` collections.",
        "all pages of 30",
        page_rules.pages_complete,
    ),
    Rule(
        "offset_past_end",
        "4.2",
        "Past the end there is an empty page.",
        "a page at offset 1,000,000",
        page_rules.offset_past_end,
    ),
    Rule(
        "order_stable",
        "4.2",
        "Pages of another size have the same order.",
        "the first 30 in pages of 7",
        page_rules.order_stable,
    ),
    Rule(
        "parent_filter",
        "4.2",
        "`parentId` lists the collections of that folder, all and only these.",
        "the folders that are seen",
        page_rules.parent_filter,
    ),
    Rule(
        "top_level",
        "4.2",
        "`parentId` null lists the collections without a parent only.",
        "all pages of `parentId` null",
        page_rules.top_level,
    ),
    Rule(
        "item_fields",
        "2.2",
        "Items have the documented fields, of the documented types.",
        "all pages of 30",
        item_rules.item_fields,
    ),
    Rule(
        "permission_consistent",
        "2.2",
        "`permission` is a number and four flags; who owns manages, who manages "
        "writes, who writes reads, and whoever sees the item may read.",
        "all pages of 30",
        item_rules.permission_consistent,
    ),
    Rule(
        "permission_of_caller",
        "2.2",
        "`permission` is that of the caller.",
        "a list with the key of --reader-key-env",
        envelope_rules.permission_of_caller,
    ),
    Rule(
        "search_in_names",
        "4.2",
        "`searchText` finds a collection by its name.",
        "a search for a name that is seen",
        item_rules.search_in_names,
    ),
    Rule(
        "search_in_tags",
        "4.2",
        "`searchText` finds a collection by a tag.",
        "a search for a tag that is seen, and is not in the name",
        item_rules.search_in_tags,
        "search_fields=name",
    ),
    Rule(
        "search_filters",
        "4.2",
        "What has the text neither in its name nor in a tag is not found.",
        "a search for a text that is made up",
        item_rules.search_filters,
    ),
    Rule(
        "search_literal",
        "4.2",
        "The characters of patterns stand for themselves.",
        "a search for a name with `.` for its last character",
        item_rules.search_literal,
    ),
    Rule(
        "search_empty",
        "4.2",
        "An empty `searchText` keeps nothing out.",
        "a list with and without it",
        item_rules.search_empty,
    ),
    Rule(
        "pin_answer",
        "4.1",
        "A pin is answered with `code` 200, empty texts and `data` null.",
        "a pin (--write)",
        pin_rules.pin_answer,
    ),
    Rule(
        "pin_states",
        "3",
        "`top` true pins the chat, false unpins it.",
        "a pin, an unpin, each followed by `getHistories` (--write)",
        pin_rules.pin_states,
    ),
    Rule(
        "pin_idempotent",
        "3",
        "Pinning twice is pinning once.",
        "each twice, followed by `getHistories` (--write)",
        pin_rules.pin_idempotent,
    ),
)
PROBES = (
    Probe(
        "page_size_default",
        "a list without `pageSize`, of more collections than that",
        list_probes.page_size_default,
    ),
    Probe(
        "page_size_over_limit",
        "pages of 31, or of 101, of more collections than that",
        list_probes.page_size_over_limit,
    ),
    Probe("offset_missing", "a list without `offset`", list_probes.offset_missing),
    Probe(
        "numeric_strings",
        '`offset` `"1"` and `pageSize` `"2"`',
        list_probes.numeric_strings,
    ),
    Probe(
        "list_order",
        "all pages; `fixture` is any order that is neither by time nor by name",
        list_probes.list_order,
    ),
    Probe(
        "parent_omitted",
        "a list without `parentId`, where a folder is not empty",
        list_probes.parent_omitted,
    ),
    Probe(
        "parent_empty_string",
        'a list of `parentId` `""`, and of an unknown one',
        list_probes.parent_empty_string,
    ),
    Probe(
        "parent_unknown", "a list of an unknown `parentId`", list_probes.parent_unknown
    ),
    Probe(
        "search_scope",
        "a search in a folder for the name of what is outside",
        list_probes.search_scope,
    ),
    Probe(
        "search_fields",
        "a search for a tag that is not in the name",
        list_probes.search_fields,
    ),
    Probe(
        "chat_unknown",
        "a pin of an unknown chat, then `getHistories` (--write)",
        other_probes.chat_unknown,
    ),
    Probe("top_missing", "a pin without `top` (--write)", other_probes.top_missing),
    Probe("method_mismatch", "a list by PUT", list_probes.method_mismatch),
    Probe(
        "content_type_missing",
        "a list without `Content-Type`",
        list_probes.content_type_missing,
    ),
    Probe("unknown_fields", "a list with a made-up field", list_probes.unknown_fields),
    Probe("list_filters", "a list with `selectFolder` true", list_probes.list_filters),
    Probe(
        "unknown_key",
        "a list with a made-up key; that it is refused tells nothing",
        other_probes.unknown_key,
    ),
    Probe("error_form", "a list of an unknown dataset", other_probes.error_form),
    Probe(
        "error_http_status",
        "lists without a key, without `datasetId`, of an unknown dataset",
        other_probes.error_http_status,
    ),
    Probe(
        "legacy_paths",
        "`{}` at the older path of pins, at theirs, and at one that there is not",
        other_probes.legacy_paths,
    ),
    Probe("item_fields", "all items that are seen", list_probes.item_fields),
    Probe("tags_empty", "all items that are seen", list_probes.tags_empty),
    Probe(
        "page_size_max",
        "pages of 31, or of 101, of more collections than that",
        list_probes.page_size_max,
    ),
    Probe(
        "neighbours",
        "`dataset.detail`, and a path that there is not",
        other_probes.neighbours,
    ),
    Probe(
        "credentials",
        "a list with the login of --token-env and no key",
        other_probes.credentials,
    ),
    Probe(
        "training",
        "40 rows added to a collection of its own, by neighbours (--write)",
        other_probes.training,
    ),
    Probe(
        "query_delete",
        "that collection deleted by a neighbour (--write)",
        other_probes.query_delete,
    ),
)
