"""Finds the value of each choice of a server from outside."""

from collections.abc import Callable
from itertools import filterfalse
from operator import itemgetter
from secrets import token_hex
from typing import Any

from msgspec import UNSET

from mock_server.decoding import JsonObject
from mock_server.service.chats import del_history, update_history
from mock_server.service.datasets import dataset_list
from mock_server.tools import probe
from mock_server.tools.object_kinds import is_folder
from mock_server.tools.probe import NotObservable, Probe, ids_of, require, require_first, tag_names
from mock_server.tools.rules import ITEM_FIELDS

ProbeMethod = Callable[["ChoiceProbe"], Any]
UNKNOWN_TAG = {"tagId": probe.UNKNOWN_ID, "values": ["any"]}


def accepted_or_refused(accepted: str, refused: str, **fields: Any) -> ProbeMethod:
    """A probe that returns `accepted` if a list with these fields is accepted, else `refused`."""

    def ask(server: "ChoiceProbe") -> str:
        return accepted if server.is_listed(**fields) else refused

    return ask


def on_or_off(method: str, path: str, body: JsonObject) -> ProbeMethod:
    """A probe that returns `on` if a route is served, else `off`."""

    def ask(server: "ChoiceProbe") -> str:
        code = server.send(method, path, body).code
        require(code != 500, f"{path} fails with code 500")
        return "off" if code == 404 else "on"

    return ask


class ChoiceProbe(Probe):
    """A server, and for each choice a method that finds its value, or a text why none can.

    A method provokes a refusal if that shows as much as a success: a refusal changes nothing.
    """

    # Pages and order

    def page_size_default(self) -> int:
        parent, items = self.longest_folder
        count = len(self.page(parentId=parent, pageSize=UNSET).items)
        require(count < len(items), f"the largest folder has {count} collections, and shows all")
        return count

    def page_size_max(self) -> int:
        parent, items = self.longest_folder
        if not self.is_listed(pageSize=31):
            return 30
        # A server that refuses 101 does not lower 31 either, so it allows 31.
        if not self.is_listed(pageSize=101):
            return 100
        require(len(items) > 30, f"the largest folder has {len(items)} collections, too few")
        count = len(self.page(parentId=parent, pageSize=31).items)
        return 100 if count > 30 else 30

    page_size_over_limit = accepted_or_refused("clamp", "reject", pageSize=101)
    offset_missing = accepted_or_refused("accept", "reject", offset=UNSET)
    numeric_strings = accepted_or_refused("accept", "reject", offset="0", pageSize="1")

    def list_order(self) -> str:
        _, items = self.longest_folder
        times = [it["updateTime"] for it in items]
        names = [it["name"] for it in items]
        is_by_time = times == sorted(times, reverse=True)
        is_by_name = names == sorted(names)
        # Three collections may be in an order by chance.
        is_clear = min(len({*times}), len({*names})) > 3 and not (is_by_time and is_by_name)
        require(is_clear, "too few collections of a folder differ in name and updateTime")
        if is_by_time:
            return "update_time_desc"
        if is_by_name:
            return "name"
        return "fixture"

    # Folders

    def parent_omitted(self) -> str:
        self.require_folder()
        total = self.page(parentId=UNSET).total
        return "root" if total == self.page().total else "any"

    def parent_empty_string(self) -> str:
        response = self.ask_list(parentId="")
        total_at_top = self.page().total
        require(total_at_top > 0, "the top level is empty")
        if response.is_accepted and response.page().total == total_at_top:
            return "root"
        return "unknown"

    parent_unknown = accepted_or_refused("empty", "not_found", parentId=probe.UNKNOWN_ID)

    # Searches and filters

    def search_scope(self) -> str:
        folder = self.require_folder()
        name = folder["name"]
        id = folder["_id"]
        is_found = id in ids_of(self.all_items(searchText=name))
        require(is_found, "a search for the name of a folder does not find it")
        # A folder is not in itself: if a search in the folder finds it, the scope is the dataset.
        if id in ids_of(self.all_items(searchText=name, parentId=id)):
            return "dataset"
        # Only a server that searches in one folder alone refuses a folder that does not exist.
        if not self.ask_list(searchText=name, parentId=probe.UNKNOWN_ID).is_accepted:
            return "folder"
        outer_folder, item = self.require_nested()
        if item["_id"] in ids_of(self.all_items(searchText=item["name"], parentId=outer_folder)):
            return "subtree"
        return "folder"

    def search_fields(self) -> str:
        item, tag = self.require_tagged()
        found_ids = ids_of(self.all_items(searchText=tag, parentId=item["parentId"]))
        return "name_and_tags" if item["_id"] in found_ids else "name"

    def list_filters(self) -> str:
        leaf = require_first(filterfalse(is_folder, self.items), "all are folders")
        response = self.ask_list(parentId=leaf["parentId"], selectFolder=True)
        # A server that does not know the field may refuse it.
        if not response.is_accepted or not all(map(is_folder, response.page().items)):
            return "ignore"
        by_value = self.ask_list(tagFilters=[UNKNOWN_TAG])
        if by_value.is_accepted and not by_value.page().items:
            return "tag_values"
        return "honour"

    search_text = accepted_or_refused("whole", "service", searchText="x" * 101)

    # The fields of collections

    def item_fields(self) -> str:
        has_other_fields = any(it.keys() - ITEM_FIELDS.keys() for it in self.items)
        return "service" if has_other_fields else "documented"

    def tags_empty(self) -> str:
        item = require_first(filterfalse(tag_names, self.items), "every collection has tags")
        return "absent" if item.get("tags") is None else "list"

    def tag_form(self) -> str:
        for item in self.items:
            if any(isinstance(tag, dict) for tag in item.get("tags") or ()):
                return "typed"
        raise NotObservable("no tag has a value")

    # Chats and rows

    def chat_unknown(self) -> str:
        id = f"verify-{token_hex(8)}"
        # This raises if chats cannot be read: then the effect of a pin would not be seen.
        self.read_pins()
        if not self.set_top(id, False).is_accepted:
            return "not_found"
        self.not_restored.append(f"the chat {id}")
        was_created = id in self.read_pins()
        self.send("DELETE", f"{del_history.path}?appId={self.app}&chatId={id}")
        if id not in self.read_pins():
            self.not_restored.pop()
        return "create" if was_created else "ignore"

    def top_missing(self) -> str:
        """The unknown app is always refused: the code shows whether the missing `top` is, too."""
        chat: JsonObject = {"appId": probe.UNKNOWN_ID, "chatId": probe.UNKNOWN_ID}
        code_with_top = self.send("PUT", probe.PIN, chat | {"top": False}).code
        code_without_top = self.send("PUT", probe.PIN, chat).code
        code_of_empty = self.send("PUT", probe.PIN, {}).code
        is_told_apart = code_with_top not in (200, code_of_empty)
        require(is_told_apart, "an unknown app is refused like a missing field")
        return "ignore" if code_without_top == code_with_top else "reject"

    def lone_offset(self) -> str:
        with_rows = filter(itemgetter("dataAmount"), self.items)
        collection = require_first(with_rows, "no collection has rows")
        body = {"collectionId": collection["_id"]}
        first_rows = self.send("POST", probe.ROWS, body).page().items
        require(bool(first_rows), "a collection shows no rows")
        rows_past_the_end = self.send("POST", probe.ROWS, body | {"offset": 10**6}).page().items
        return "ignore" if rows_past_the_end else "honour"

    # Choices that an API key alone cannot show

    credentials = "it needs a login"
    training = "it needs new rows"
    rows_visible = "it needs new rows"
    chat_owner = "it needs the keys of two members"
    app_missing = "it would ask a model"

    # Requests, errors and routes

    def unknown_key(self) -> str:
        key = {"Authorization": f"Bearer fastgpt-{token_hex(16)}"}
        is_open = self.is_listed(headers=probe.OF_JSON | key)
        require(is_open, "an unknown key is refused, as by every server with declared keys")
        return "accept"

    content_type_missing = accepted_or_refused("accept", "reject", headers={})
    method_mismatch = accepted_or_refused("accept", "reject", method="PUT")
    unknown_fields = accepted_or_refused("ignore", "reject", unknownField=1)

    def request_form(self) -> str:
        moved = self.send("POST", f"{probe.LIST}/", {"datasetId": self.dataset})
        return "service" if moved.status == 308 else "strict"

    def error_form(self) -> str:
        code = self.ask_list(datasetId=probe.UNKNOWN_ID).code
        require(400 <= code < 500 or code >= 1000, f"an unknown dataset has code {code}")
        return "plain" if code < 500 else "service"

    def error_http_status(self) -> str:
        """Some servers refuse an unknown dataset with 500, and a wrong body with 400."""
        unknown = self.ask_list(datasetId=probe.UNKNOWN_ID)
        missing = self.ask_list(datasetId=UNSET)
        for response in (unknown, missing):
            has_a_cause = not response.is_accepted and response.code != 500
            require(has_a_cause, "a list without a dataset is accepted, or fails with code 500")
        lowest_status = min(unknown.status, missing.status)
        return {200: "always_200", 500: "always_500"}.get(lowest_status, "mapped")

    legacy_paths = on_or_off("PUT", str(update_history.older_path), {})
    related_routes = on_or_off("POST", dataset_list.path, {"parentId": None})


def probe_of(choice: str) -> ProbeMethod | str:
    """The method that finds the value of a choice, or a text why none can."""
    if choice not in vars(ChoiceProbe):
        path = "tools/choice_probes.py"
        raise NotImplementedError(f"no probe and no reason for choice {choice} in {path}")
    method: ProbeMethod | str = vars(ChoiceProbe)[choice]
    return method
