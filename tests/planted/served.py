"""Bugs in responses: pages, searches, permissions, choices, related routes."""

from __future__ import annotations

from tests.planted.bug import Bug

PAGING = (
    Bug(
        "a page begins an item late",
        "domain/listing/list_v2.py",
        "page = matching[offset : offset + size]",
        "page = matching[offset + 1 : offset + 1 + size]",
        ("tests/api/test_list_v2.py::test_an_item_has_the_13_documented_fields[asgi]"),
    ),
    Bug(
        "a page has an item too many",
        "domain/listing/list_v2.py",
        "page = matching[offset : offset + size]",
        "page = matching[offset : offset + size + 1]",
        ("tests/api/test_list_v2.py::test_an_item_has_the_13_documented_fields[asgi]"),
    ),
    Bug(
        "the total is that of the page",
        "domain/listing/list_v2.py",
        "return Page(page, len(matching), level",
        "return Page(page, len(page), level",
        ("tests/api/test_list_v2.py::test_an_item_has_the_13_documented_fields[asgi]"),
    ),
    Bug(
        "the oldest come first",
        "domain/objects/index.py",
        'ordered.sort(key=attrgetter("update_time"), reverse=True)',
        'ordered.sort(key=attrgetter("update_time"))',
        ("tests/api/test_list_v2.py::test_an_item_has_the_13_documented_fields[asgi]"),
    ),
    Bug(
        "ties stand as in the fixture",
        "domain/objects/index.py",
        'ordered = sorted(collections, key=attrgetter("id"))',
        "ordered = list(collections)",
        ("tests/api/test_list_v2.py::test_newest_come_first_and_ties_go_by_id[asgi]"),
    ),
    Bug(
        "page numbers count from 0",
        "api/operations/list_v2.py",
        '(values.get("pageNum", 1) - 1) * size',
        'values.get("pageNum", 1) * size',
        "tests/api/test_choices.py::test_offset_missing_accept[asgi]",
    ),
    Bug(
        "a page that is too large is not clamped",
        "api/operations/list_v2.py",
        "size = min(asked, choices.page_size_max)",
        "size = asked",
        "tests/api/test_choices.py::test_page_size_over_limit_clamp[asgi]",
    ),
    Bug(
        "a change leaves the item in its old place",
        "domain/storage/changed_tree.py",
        "number = self._base.number(self._base.by_id[item.id])",
        "number = self._base.number(item)",
        (
            "tests/domain/test_changed_tree.py::test_what_is_replaced_"
            "stays_in_its_place_and_is_sorted_anew"
        ),
    ),
)
SEARCH = (
    Bug(
        "a search minds upper and lower case",
        "domain/objects/haystack.py",
        "return data.lower()",
        "return data",
        (
            "tests/api/test_list_v2.py::test_search_is_a_literal_part_of_a_na"
            "me_or_tag[asgi-alpha-ids1]"
        ),
    ),
    Bug(
        "a search for a name looks into tags",
        "domain/objects/haystack.py",
        "names = (item.partition(_TEXT_END_BYTE)[0] for item in items)",
        "names = iter(items)",
        ("tests/domain/test_index.py::test_a_search_finds_what_it_asks_for_in_order"),
    ),
    Bug(
        "accents are compared as they were typed",
        "domain/objects/haystack.py",
        'if not is_normalized("NFC", text):\n'
        '        text = normalize("NFC", _with_ordered_marks(text))\n'
        '    return normalize("NFC", text.casefold())',
        "return text.casefold()",
        "tests/domain/test_index.py::test_case_and_composition_do_not_matter",
    ),
    Bug(
        "a search leaves the folder that was asked for",
        "domain/listing/request.py",
        'if request.search_text and choices.search_scope == "dataset":',
        "if request.search_text:",
        "tests/api/test_choices.py::test_search_scope_folder[asgi]",
    ),
    Bug(
        "of several tags only the first counts",
        "domain/objects/index.py",
        "for each in search.tags]",
        "for each in search.tags[:1]]",
        ("tests/domain/test_index.py::test_a_search_finds_what_it_asks_for_in_order"),
    ),
    Bug(
        "of two conditions one is enough",
        "domain/objects/index.py",
        "found.extend(sorted(set.intersection(*near)))",
        "found.extend(sorted(set.union(*near)))",
        ("tests/domain/test_index.py::test_a_search_finds_what_it_asks_for_in_order"),
    ),
)
PERMISSIONS = (
    Bug(
        "a key without permission may pin",
        "domain/chats.py",
        "may_read = app.level_of(call.caller) >= Level.READ",
        "may_read = app.level_of(call.caller) >= Level.NONE",
        (
            "tests/api/test_authorization.py::test_pinning_needs_read_on_the_"
            "app[asgi-fastgpt-outsider-65e000000000000000000001-403]"
        ),
    ),
    Bug(
        "a key without permission may list",
        "domain/listing/list_v2.py",
        "if level < Level.READ:",
        "if level < Level.NONE:",
        (
            "tests/api/test_authorization.py::test_listing_needs_read_on_the_"
            "dataset[asgi-fastgpt-outsider-65e0000000000000000000d1-403]"
        ),
    ),
    Bug(
        "a dataset's own permission counts for nothing",
        "domain/objects/dataset.py",
        "return self.permissions.get(caller.key, caller.level)",
        "return caller.level",
        (
            "tests/api/test_authorization.py::test_listing_needs_read_on_the_"
            "dataset[asgi-fastgpt-outsider-65e0000000000000000000d2-200]"
        ),
    ),
    Bug(
        "writers are shown as managers",
        "api/operations/list_v2.py",
        "has_manage_per=level >= Level.MANAGE",
        "has_manage_per=level >= Level.WRITE",
        (
            "tests/api/test_authorization.py::test_permission_is_the_calling_"
            "keys[asgi-fastgpt-writer-6]"
        ),
    ),
    Bug(
        "a key that is not declared counts",
        "api/application.py",
        'if declared or state.choices.unknown_key == "reject":',
        'if state.choices.unknown_key == "reject":',
        (
            "tests/api/test_authorization.py::test_an_unknown_key_is_401_wher"
            "e_keys_are_declared[asgi]"
        ),
    ),
)
CHOICES = (
    Bug(
        "without parentId only the top level is listed",
        "domain/listing/request.py",
        'return index.ANYWHERE if choices.parent_omitted == "any" else None',
        "return None",
        ("tests/api/test_list_v2.py::test_newest_come_first_and_ties_go_by_id[asgi]"),
    ),
    Bug(
        "an unknown parent is an error under every choice",
        "domain/listing/list_v2.py",
        'if choices.parent_unknown == "empty":',
        'if choices.parent_unknown == "":',
        "tests/api/test_choices.py::test_parent_empty_string_unknown[asgi]",
    ),
    Bug(
        "a pin that creates a chat forgets it",
        "domain/chats.py",
        "chat = _created(state, app, request)",
        "_created(state, app, request)",
        ("tests/domain/test_pinning.py::test_created_chats_are_bounded_and_come_last"),
    ),
    Bug(
        "errors have their own status under every choice",
        "api/response.py",
        "choices.error_http_status, form.http",
        "form.http, form.http",
        "tests/api/test_choices.py::test_error_http_status_always_500[asgi]",
    ),
    Bug(
        "of a new title the old one is kept",
        "domain/chats.py",
        "chat.title if title is None else title,",
        "chat.title,",
        "tests/api/test_choices.py::test_top_missing_ignore[asgi]",
    ),
)
RELATED_ROUTES = (
    Bug(
        "a deleted folder leaves what was in it",
        "domain/storage/changed_tree.py",
        "items.update((each.id, each) for each in self.below(root))",
        "items.update((each.id, each) for each in self.below(root)[:0])",
        (
            "tests/api/related/test_collections.py::test_a_folder_is_delet"
            "ed_with_all_that_is_in_it[asgi-True-POST]"
        ),
    ),
    Bug(
        "readers may delete",
        "api/operations/related/collection.py",
        "call.may(dataset, Level.WRITE, at)\n        gone.",
        "call.may(dataset, Level.READ, at)\n        gone.",
        (
            "tests/api/related/test_rows.py::test_each_request_is_told_"
            "what_a_person_has_read[asgi-collection.delete]"
        ),
    ),
    Bug(
        "disabled collections are searched",
        "api/operations/related/search_test.py",
        "if collection is None or collection.forbid:",
        "if collection is None:",
        (
            "tests/api/related/test_search.py::test_forbidden_collections_"
            "are_left_out[asgi]"
        ),
    ),
    Bug(
        "pinned chats do not come first",
        "domain/storage/chat_store.py",
        "return not chat.top, -chat.update_time, chat.chat_id",
        "return False, -chat.update_time, chat.chat_id",
        ("tests/domain/test_chat_order.py::test_the_order_is_that_of_sorting_all"),
    ),
    Bug(
        "they are served where they are off",
        "api/operations/routing.py",
        'if operation.related is not None and choices.related_routes != "on":',
        'if operation.related is not None and choices.related_routes == "":',
        (
            "tests/api/related/test_rows.py::test_it_is_served_by_choice_"
            "only[asgi-getHistories]"
        ),
    ),
    Bug(
        "rows are trained before their time",
        "domain/objects/rows.py",
        "return self.since + 2 * _SECOND",
        "return self.since + _SECOND",
        (
            "tests/domain/test_training.py::test_rows_are_trained_by_the_seco"
            "nd[False-steps0]"
        ),
    ),
    Bug(
        "after a restore new ids begin anew",
        "domain/storage/store.py",
        "copy.turns, copy._last_id = self.turns, self._last_id",
        "copy.turns, copy._last_id = self.turns, 0",
        (
            "tests/domain/test_store.py::test_new_ids_are_the_same_after_a_re"
            "set_and_never_taken"
        ),
    ),
)
