"""An independent model of the two operations, written from the spec and the choices.

It knows nothing of the server: an account is a fixture document, a request is bytes. Folders
have their `children` in them, every collection has an `_id`, times are complete.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from unicodedata import normalize

Json = dict[str, Any]
PIN = "/api/core/chat/history/updateHistory"
LEGACY_PIN = "/api/core/chat/updateHistory"
LIST = "/api/core/dataset/collection/listV2"
MAX_BODY = 1024 * 1024
MAX_DEPTH = 64
MAX_ID = 256
MAX_SEARCH = 1024
MAX_SERVICE_SEARCH = 100
LEVELS = {"none": 0, "read": 4, "write": 6, "manage": 7, "owner": 4294967295}
MEMBER = "65422be6aa44b7da77729ec9"
DEFAULTS = {"tmbId": MEMBER, "updateTime": "2024-01-01T00:00:00.000Z", "forbid": None, "tags": []}
DEFAULTS |= {"dataAmount": 0, "trainingAmount": 0, "externalFileId": "", "trainingType": "chunk"}

# What a refusal is: plain (HTTP status, statusText), service (HTTP status, code, statusText),
# or a text and the HTTP status.
NO_KEY = (401, "unauthorized"), (403, 403, "unAuthorization")
WRONG_KEY = (401, "unauthorized"), (500, 514, "unAuthApiKey")
NO_ROUTE = (404, "routeNotFound"), (404, 404, "routeNotFound")
NO_METHOD = (405, "methodNotAllowed"), (405, 405, "methodNotAllowed")
NO_MEDIA = (415, "unsupportedMediaType"), (400, 400, "error")
MOVED = (308, "moved"), (308, LIST)
TOO_LARGE = (413, "bodyTooLarge"), (413, "Body exceeded 1mb limit")
BAD_JSON = (400, "badJson"), (400, "Invalid JSON")
NO_OBJECT = (400, "badJson"), (400, 400, "error")
BAD_FIELD = (400, "invalidField"), (400, 400, "error")
FAILED_FIELD = (400, "invalidField"), (500, 500, "error")
NO_APP = (404, "appNotFound"), (500, 502000, "appUnExist")
NO_CHAT = (404, "chatNotFound"), (500, 504000, "unAuthChat")
NO_CHAT_OF_MEMBER = (403, "forbidden"), (500, 504000, "unAuthChat")
NO_DATASET = (404, "datasetNotFound"), (500, 501002, "unExistDataset")
NO_PARENT = (404, "parentNotFound"), (500, 501003, "unExistCollection")
FOREIGN_PARENT = (404, "parentNotFound"), (500, 501005, "unAuthDatasetCollection")
APP_FORBIDDEN = (403, "forbidden"), (500, 502001, "unAuthApp")
DATASET_FORBIDDEN = (403, "forbidden"), (500, 501004, "unAuthDataset")


CHECKED = (400, 400, "error")
CAST = (500, 500, "error")
"""What the service says of a text that can be no id."""


class Refused(Exception):
    """A request that is refused."""


@dataclass(frozen=True)
class Request:
    """A request; the names of its headers are in lower case."""

    method: str
    path: str
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Model:
    """An account and the choices in force. `tokens` are the members of login tokens."""

    account: Json
    choices: Json
    tokens: dict[str, str] = field(default_factory=dict)

    def respond(self, request: Request) -> tuple[int, Any]:
        """The HTTP status and the envelope, without its message, or a text; the account changes."""
        try:
            data = self._perform(request)
        except Refused as refused:
            return self._failure(*refused.args)
        return 200, {"code": 200, "statusText": "", "data": data}

    def _failure(self, plain: tuple[int, str], service: tuple[Any, ...]) -> tuple[int, Any]:
        is_plain = self.choices["error_form"] == "plain"
        status, *rest = (plain[0], *plain) if is_plain else service
        shown = {"mapped": status, "always_500": 500, "always_200": 200}
        # Only an error in an envelope has the status of the choice.
        if status == 308 or len(rest) == 1 or rest[-1] == "routeNotFound":
            shown = dict.fromkeys(shown, status)
        envelope = {"code": rest[0], "statusText": rest[-1], "data": None}
        body = envelope if len(rest) == 2 else rest[0]
        return shown[self.choices["error_http_status"]], body

    @property
    def _takes_any_form(self) -> bool:
        return bool(self.choices["request_form"] == "service")

    def _perform(self, request: Request) -> Any:
        refuse(self._takes_any_form and request.path == f"{LIST}/", MOVED)
        is_pin = request.path in (PIN, LEGACY_PIN)
        is_off = request.path == LEGACY_PIN and self.choices["legacy_paths"] == "off"
        refuse(is_off or request.path not in (PIN, LEGACY_PIN, LIST), NO_ROUTE)
        is_other = request.method != ("PUT" if is_pin else "POST")
        refuse(is_other and self.choices["method_mismatch"] == "reject", NO_METHOD)
        caller = self._caller(request.headers)
        refuse("boundTo" in caller and not is_pin, NO_KEY)
        media = request.headers.get("content-type")
        is_json = media is not None and media.split(";")[0].strip().lower() == "application/json"
        is_accepted = media is None and self.choices["content_type_missing"] == "accept"
        is_read = is_json or is_accepted
        refuse(not is_read and not self._takes_any_form, NO_MEDIA)
        refuse(len(request.body) > MAX_BODY, TOO_LARGE)
        refuse(not is_read, NO_OBJECT)
        body = request.body
        if self._takes_any_form and is_json:
            body = body.decode("utf-8", "replace").removeprefix("\ufeff").encode() or b"{}"
        fields = parsed(body, takes_infinite=self._takes_any_form and is_json)
        return self._pin(caller, fields) if is_pin else self._list(caller, fields)

    # Authorization (spec 5)

    def _caller(self, headers: dict[str, str]) -> Json:
        """The declared key of the caller, or an owner's where none is declared."""
        keys = self.account.get("keys", [])
        scheme = r"\S+" if self._takes_any_form else "Bearer"
        bearer = re.fullmatch(rf"{scheme} (\S+)", headers.get("authorization", ""))
        if bearer is None:
            member = self.tokens.get(headers.get("token", ""))
            refuse(member is None or self.choices["credentials"] == "bearer", NO_KEY)
            return next((key for key in keys if key["member"] == member), {"member": member})
        found = [key for key in keys if key["key"] == bearer[1]]
        is_closed = bool(keys) or self.choices["unknown_key"] == "reject"
        refuse(not found and is_closed, WRONG_KEY)
        caller = found[0] if found else {}
        is_bound = "app" in caller and self.choices["key_app"] == "bound"
        return caller | {"boundTo": caller["app"]} if is_bound else caller

    @staticmethod
    def _level(caller: Json, holder: Json) -> int:
        if "boundTo" in caller:
            return LEVELS["manage"]
        own = caller.get("permission", "owner")
        return LEVELS[holder.get("permissions", {}).get(caller.get("key"), own)]

    # updateHistory (spec 4.1)

    def _pin(self, caller: Json, fields: Json) -> None:
        if "boundTo" in caller:
            refuse(not is_id(fields.get("appId", "any")), BAD_FIELD)
            fields = fields | {"appId": caller["boundTo"]}
        is_lenient = self.choices["top_missing"] == "ignore"
        self._check_names(
            fields, ["appId", "chatId", "top", *["title", "customTitle"] * is_lenient]
        )
        for name in ("appId", "chatId"):
            refuse(not is_id(fields.get(name)), BAD_FIELD)
        refuse("top" not in fields and not is_lenient, BAD_FIELD)
        refuse(type(fields.get("top", True)) is not bool, BAD_FIELD)
        titles = {it: fields[it] for it in ("title", "customTitle") if is_lenient and it in fields}
        refuse(not all(isinstance(it, str) for it in titles.values()), BAD_FIELD)

        app = find(
            self.account["apps"], "id", fields["appId"], of_id(NO_APP, CHECKED, fields["appId"])
        )
        known = [it for it in app["chats"] if it["chatId"] == fields["chatId"]]
        unknown = self.choices["chat_unknown"]
        refuse(not known and unknown == "not_found", NO_CHAT)
        level = self._level(caller, app)
        refuse(level < LEVELS["read"], APP_FORBIDDEN)
        member = caller.get("member", MEMBER)
        chat = known[0] if known else {"chatId": fields["chatId"], "tmbId": member}
        is_own = self.choices["chat_owner"] == "any" or chat.get("tmbId", member) == member
        # All chats here were begun by API keys, and these a bound key owns.
        is_own = is_own or "boundTo" in caller
        refuse(not is_own and level < LEVELS["manage"], NO_CHAT_OF_MEMBER)
        if not is_own or (not known and unknown == "ignore"):
            return
        if not known:
            app["chats"].append(chat)
        chat.update(titles)
        chat["top"] = fields.get("top", chat.get("top", False))

    # listV2 (spec 4.2)

    def _list(self, caller: Json, fields: Json) -> Json:
        choices = self.choices
        numbers = ["offset", "pageSize"] + ["pageNum"] * (choices["offset_missing"] == "accept")
        no_numbers = [isinstance(it, str) and not it.isdecimal() for it in map(fields.get, numbers)]
        refuse(choices["numeric_strings"] == "accept" and any(no_numbers), FAILED_FIELD)
        self._check_names(fields, self._names_of_list())
        offset, size = self._page(fields)
        search = fields.get("searchText", "")
        parent = fields.get("parentId")
        refuse(not is_id(fields.get("datasetId")), BAD_FIELD)
        refuse(not isinstance(search, str) or len(search) > MAX_SEARCH, BAD_FIELD)
        refuse(parent not in (None, "") and not is_id(parent), BAD_FIELD)
        if choices["search_text"] == "service":
            refuse(len(search) > MAX_SERVICE_SEARCH, BAD_FIELD)
            search = search.replace("'", "")
        mode = choices["list_filters"]
        only_folders = fields.get("selectFolder", False) if mode != "ignore" else False
        is_simple = fields.get("simple", False) if mode != "ignore" else False
        tags = fields.get("filterTags", []) if mode == "honour" else []
        filters = fields.get("tagFilters", []) if mode == "tag_values" else []
        refuse(type(only_folders) is not bool or not isinstance(tags, list), BAD_FIELD)
        refuse(not all(isinstance(tag, str) for tag in tags), BAD_FIELD)
        refuse(type(is_simple) is not bool, BAD_FIELD)
        refuse(not isinstance(filters, list) or not all(map(is_tag_filter, filters)), BAD_FIELD)

        id = fields["datasetId"]
        dataset = find(self.account["datasets"], "id", id, of_id(NO_DATASET, CAST, id))
        items = [*whole_items(dataset["collections"], None)]
        items = self._in_scope(items, fields, bool(search))
        level = self._level(caller, dataset)
        refuse(level < LEVELS["read"], DATASET_FORBIDDEN)
        items = [it for it in items if self._has_text(it, search)]
        items = [it for it in items if it["type"] == "folder" or not only_folders]
        items = [it for it in items if not tags or set(tags) & tag_ids(id, names(it["tags"]))]
        items = [it for it in items if has_values(id, it["tags"], filters)]
        items = self._sorted(items)
        uncounted = {"dataAmount": 0, "trainingAmount": 0, "hasError": False} if is_simple else {}
        page = [self._shown(it | uncounted, level) for it in items[offset : offset + size]]
        return {"list": page, "total": len(items)}

    def _names_of_list(self) -> list[str]:
        known = ["offset", "pageSize", "datasetId", "parentId", "searchText"]
        known += ["pageNum"] * (self.choices["offset_missing"] == "accept")
        of_tags = {"ignore": [], "honour": ["filterTags"], "tag_values": ["tagFilters"]}
        more = of_tags[self.choices["list_filters"]]
        return known + more + ["selectFolder", "simple"] * bool(more)

    def _page(self, fields: Json) -> tuple[int, int]:
        """Offset and size."""
        most = self.choices["page_size_max"]
        size = self.choices["page_size_default"]
        if "pageSize" in fields:
            size = self._number(fields["pageSize"], 1)
        refuse(size > most and self.choices["page_size_over_limit"] == "reject", BAD_FIELD)
        size = min(size, most)
        number = fields.get("pageNum", 1)
        is_number = isinstance(number, int | float | str) and not isinstance(number, bool)
        refuse(self.choices["offset_missing"] == "accept" and not is_number, BAD_FIELD)
        if "offset" in fields:
            return self._number(fields["offset"], 0), size
        refuse(self.choices["offset_missing"] == "reject", BAD_FIELD)
        return (self._number(fields.get("pageNum", 1), 1) - 1) * size, size

    def _number(self, value: Any, least: int) -> int:
        """A whole number: 1 and 1.0, "1" where that is accepted, never true."""
        is_text = isinstance(value, str) and re.fullmatch("[0-9]+", value)
        is_accepting = self.choices["numeric_strings"] == "accept"
        if is_text and is_accepting:
            value = int(str(value))
        refuse(isinstance(value, bool) or not isinstance(value, int | float), BAD_FIELD)
        refuse(math.isinf(value) or value < least, BAD_FIELD)
        # FastGPT cuts a fraction.
        refuse(value != int(value) and not is_accepting, BAD_FIELD)
        return int(value)

    def _in_scope(self, items: list[Json], fields: Json, is_search: bool) -> list[Json]:
        if is_search and self.choices["search_scope"] == "dataset":
            return items
        parent = fields.get("parentId")
        if is_search and self.choices["search_scope"] == "subtree":
            return [it for it in items if parent in {None, "", *above(it, items)}]
        if "parentId" not in fields and self.choices["parent_omitted"] == "any":
            return items
        if parent == "" and self.choices["parent_empty_string"] == "root":
            parent = None
        is_known = parent is None or any(it["_id"] == parent for it in items)
        casts = self.choices["error_form"] == "service" and not can_be_id(str(parent))
        is_refused = casts or self.choices["parent_unknown"] == "not_found"
        others = [whole_items(it["collections"], None) for it in self.account["datasets"]]
        is_foreign = parent in [it["_id"] for items in others for it in items]
        is_told = is_foreign and self.choices["parent_unknown"] == "not_found"
        refuse(not is_known and is_told, FOREIGN_PARENT)
        refuse(not is_known and is_refused, of_id(NO_PARENT, CAST, str(parent)))
        return [it for it in items if it["parentId"] == parent]

    def _has_text(self, item: Json, search: str) -> bool:
        tags = names(item["tags"]) if self.choices["search_fields"] == "name_and_tags" else []
        return any(folded(search) in folded(text) for text in (item["name"], *tags))

    def _sorted(self, items: list[Json]) -> list[Json]:
        order = self.choices["list_order"]
        if order == "fixture":
            return items
        items = sorted(items, key=lambda it: str(it["_id"]))
        if order == "name":
            return sorted(items, key=lambda it: str(it["name"]))
        return sorted(items, key=lambda it: str(it["updateTime"]), reverse=True)

    def _shown(self, item: Json, level: int) -> Json:
        rights = zip(("Manage", "Write", "Read"), (7, 6, 4), strict=True)
        rights = {name: level >= least for name, least in rights}
        permission = {f"has{name}Per": it for name, it in rights.items()}
        permission["isOwner"] = level == LEVELS["owner"]
        shown = {it: item[it] for it in ("_id", "parentId", "type", "name", *DEFAULTS)}
        if self.choices["tag_form"] == "names":
            shown["tags"] = names(item["tags"])
        if not item["tags"] and self.choices["tags_empty"] == "absent":
            del shown["tags"]
        if self.choices["item_fields"] == "documented":
            shown["forbid"] = bool(item["forbid"])
            return shown | {"permission": permission | {"value": level}}
        permission |= {f"has{name}Role": it for name, it in rights.items()}
        permission |= {"role": level, "permission": level}
        return as_service(item, shown) | {"permission": permission}

    def _check_names(self, fields: Json, known: list[str]) -> None:
        is_strict = self.choices["unknown_fields"] == "reject"
        refuse(is_strict and not set(fields) <= set(known), BAD_FIELD)


def refuse(is_wrong: bool, refusal: Any) -> None:
    if is_wrong:
        raise Refused(*refusal)


def as_service(item: Json, shown: Json) -> Json:
    """An item with the fields that the service sends, some of them only where they are set."""
    has_error = item.get("hasError", False)
    left = item["trainingAmount"]
    optional = ("externalFileId", "forbid")
    shown = {name: it for name, it in shown.items() if it not in ("", None) or name not in optional}
    if item["type"] in ("folder", "virtual"):
        del shown["trainingType"]
    shown |= {it: item[it] for it in ("fileId", "rawLink") if it in item}
    state = "running" if left else "error" if has_error else "ready"
    mode = {} if state == "ready" else {"slowestTrainingMode": item["trainingType"]}
    counts = {"activeTrainingAmount": left, "finalErrorAmount": int(has_error)}
    times = {"createTime": item.get("createTime", item["updateTime"]), "hasError": has_error}
    return shown | times | counts | {"slowestTrainingStatus": state} | mode


def can_be_id(value: str) -> bool:
    return re.fullmatch("[0-9a-fA-F]{24}", value) is not None


def of_id(refusal: Any, form: tuple[int, int, str], id: str) -> Any:
    """The refusal of an unknown id, in another form if it can be none of the service's."""
    return refusal if can_be_id(id) or not id else (refusal[0], form)


def tag_ids(dataset: str, tags: list[str]) -> set[str]:
    texts = [json.dumps([dataset, it], ensure_ascii=False, separators=(",", ":")) for it in tags]
    return {sha256(text.encode()).hexdigest()[:24] for text in texts}


def names(tags: list[Any]) -> list[str]:
    """The names of tags, some of which have values."""
    return [it["tag"] if isinstance(it, dict) else it for it in tags]


def is_tag_filter(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("tagId"), str):
        return False
    values = value.get("values")
    is_full = isinstance(values, list) and len(values) > 0
    kinds = (str, int, float)
    return (
        can_be_id(value["tagId"])
        and is_full
        and all(type(it) in kinds and it != "" for it in values)
    )


def has_values(dataset: str, tags: list[Any], filters: list[Json]) -> bool:
    """Whether the tags have, of each tag that is wanted, one of the wanted values."""
    wanted: dict[str, list[Any]] = {}
    for each in filters:
        wanted.setdefault(each["tagId"], []).extend(each["values"])
    typed = [it for it in tags if isinstance(it, dict)]
    for id, values in wanted.items():
        own = [it["value"] for it in typed if id in tag_ids(dataset, [it["tag"]])]
        flat = [each for it in own for each in (it if isinstance(it, list) else [it])]
        if not any(it in values for it in flat):
            return False
    return True


def above(item: Json, items: list[Json]) -> Iterator[str]:
    """The ids of the folders in which an item is."""
    by_id = {it["_id"]: it for it in items}
    while item["parentId"] is not None:
        yield item["parentId"]
        item = by_id[item["parentId"]]


def is_id(value: object) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= MAX_ID


def find(items: list[Json], name: str, value: str, refusal: Any) -> Json:
    found = [it for it in items if it[name] == value]
    refuse(not found, refusal)
    return found[0]


def whole_items(items: list[Json], parent: str | None) -> Iterator[Json]:
    """Collections with all their fields, depth first."""
    for item in items:
        kind = "folder" if "children" in item else "virtual"
        yield DEFAULTS | {"type": kind} | item | {"parentId": parent}
        yield from whole_items(item.get("children", []), item["_id"])


def folded(text: str) -> str:
    return normalize("NFC", normalize("NFC", text).casefold())


def parsed(content: bytes, *, takes_infinite: bool) -> Json:
    """The object of a body: strict JSON, the last of duplicate keys; 1e400 where it is taken."""

    def number(text: str) -> float:
        value = float(text)
        if takes_infinite or math.isfinite(value):
            return value
        raise ValueError(text)

    try:
        value = json.loads(content.decode(), parse_constant=int, parse_float=number)
    except (ValueError, RecursionError):
        raise Refused(*BAD_JSON) from None
    refuse(depth(value) > MAX_DEPTH, BAD_JSON)
    refuse(not isinstance(value, dict), NO_OBJECT)
    return dict(value)


def depth(value: object) -> int:
    if isinstance(value, dict):
        value = [*value.values()]
    if not isinstance(value, list):
        return 0
    return 1 + max(map(depth, value), default=0)
