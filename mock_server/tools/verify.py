"""Which choices a server shows, and whether it keeps the spec."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from itertools import pairwise
from secrets import token_hex
from typing import Any, Literal
from xml.etree import ElementTree

import httpx2
import yaml
from msgspec import UNSET, Struct, UnsetType, defstruct, json

from mock_server.choices import PROFILES, profile, table
from mock_server.decoding import converted
from mock_server.errors import Refusal
from mock_server.store.objects import folded
from mock_server.tools.probe import (
    LIST,
    PIN,
    UNKNOWN,
    Item,
    NotObservable,
    Probe,
    first,
    ids,
    need,
    tag_names,
)

Ask = Callable[["Asked"], Any]
CHAT = "/api/core/chat"


def either(accepted: str, refused: str, **fields: Any) -> Ask:
    """A probe of whether a list with these fields is accepted."""
    return lambda it: accepted if it.is_listed(**fields) else refused


def expect(expected: str, got: object, is_right: bool) -> None:
    if not is_right:
        raise AssertionError(f"Expected {expected}, got {json.encode(got).decode():.200}")


FLAGS = [(name, bool) for name in ("isOwner", "hasManagePer", "hasWritePer", "hasReadPer")]
Permission: Any = defstruct("Permission", [("value", int), *FLAGS])
Tag: Any = defstruct("Tag", [("tag", str), ("value", float | str | list[str])])
FIELDS: dict[str, Any] = {
    **dict.fromkeys(("_id", "tmbId", "type", "name", "externalFileId", "trainingType"), str),
    **{"parentId": str | None, "updateTime": datetime, "tags": list[str | Tag]},
    **{"dataAmount": float, "trainingAmount": float, "forbid": bool, "permission": Permission},
}
Collection: Any = defstruct("Collection", [*FIELDS.items()])
OPTIONAL = ("tags", "forbid", "externalFileId", "trainingType")
"""The fields that FastGPT sends only where they are set."""
Rights: Any = defstruct("Rights", [("permission", int), *FLAGS])
ServiceCollection: Any = defstruct(
    "ServiceCollection",
    [(name, kind) for name, kind in FIELDS.items() if name not in (*OPTIONAL, "permission")]
    + [("permission", Rights)]
    + [(name, FIELDS[name] | UnsetType, UNSET) for name in OPTIONAL],
)
Page: Any = defstruct("Page", [("list", list[dict[str, Any]]), ("total", int)])
ENVELOPE = [("code", Literal[200]), ("statusText", str), ("message", str), ("data", Page)]
Envelope = defstruct("Envelope", ENVELOPE, forbid_unknown_fields=True)
PINNED = {"code": 200, "statusText": "", "message": "", "data": None}
RULES = {
    **{"envelope": "2.3", "fields": "2.2", "pages": "4.2"},
    **{"folders": "4.2", "search": "4.2", "pin": "4.1"},
}
"""The section of the spec for each rule."""


def check_fields(item: Item) -> None:
    """Raises Refusal."""
    is_documented = item.keys() <= FIELDS.keys()
    converted({"tags": []} | item, Collection if is_documented else ServiceCollection)


class Asked(Probe):
    """A server, and a method for each choice, which finds its value, and for each rule.

    Where a refusal shows as much as a success, it asks for that, which changes nothing. Rules
    raise AssertionError and Refusal. A text says why there is no method.
    """

    def page_size_default(self) -> int:
        parent, items = self.longest
        shown = len(self.page(parentId=parent, pageSize=UNSET)[0])
        need(shown < len(items), f"the largest folder has {shown} collections, and shows all")
        return shown

    def page_size_max(self) -> int:
        parent, items = self.longest
        if not self.is_listed(pageSize=31):
            return 30
        # A server that refuses 101 lowers nothing, so it allows 31.
        if not self.is_listed(pageSize=101):
            return 100
        need(len(items) > 30, f"the largest folder has {len(items)} collections, too few")
        return 100 if len(self.page(parentId=parent, pageSize=31)[0]) > 30 else 30

    page_size_over_limit = either("clamp", "reject", pageSize=101)
    offset_missing = either("accept", "reject", offset=UNSET)
    numeric_strings = either("accept", "reject", offset="0", pageSize="1")

    def list_order(self) -> str:
        pairs = [pair for level in self.levels.values() for pair in pairwise(level)]
        times = [(a["updateTime"], b["updateTime"]) for a, b in pairs]
        names = [(a["name"], b["name"]) for a, b in pairs]
        is_by_time, is_by_name = all(a >= b for a, b in times), all(a <= b for a, b in names)
        few = min(sum(a != b for a, b in each) for each in (times, names)) < 3
        is_clear = not (few or (is_by_time and is_by_name))
        need(is_clear, "too few collections differ in name and updateTime")
        return "update_time_desc" if is_by_time else "name" if is_by_name else "fixture"

    def folder(self) -> Item:
        """A folder with content."""
        full = (it for it in self.levels[None] if self.levels.get(it["_id"]))
        return first(full, "no folder has collections")

    def parent_omitted(self) -> str:
        self.folder()
        return "root" if self.page(parentId=UNSET)[1] == self.page()[1] else "any"

    def parent_empty_string(self) -> str:
        answer, top = self.listed(parentId=""), self.page()[1]
        need(top > 0, "the top level is empty")
        return "root" if answer.is_accepted and answer.page()[1] == top else "unknown"

    parent_unknown = either("empty", "not_found", parentId=UNKNOWN)

    def search_scope(self) -> str:
        name, id = self.folder()["name"], self.folder()["_id"]
        is_found = id in ids(self.every(searchText=name))
        need(is_found, "a search for the name of a folder does not find it")
        if id in ids(self.every(searchText=name, parentId=id)):
            return "dataset"
        # Who looks below a folder does not look whether it is there.
        if not self.listed(searchText=name, parentId=UNKNOWN).is_accepted:
            return "folder"
        top, deep = self.deep()
        found = ids(self.every(searchText=deep["name"], parentId=top))
        return "subtree" if deep["_id"] in found else "folder"

    def deep(self) -> tuple[str, Item]:
        """A collection in a folder that is in a folder, and the id of that one."""
        parents = {it["_id"]: it["parentId"] for it in self.items}
        inner = [it for it in self.items if parents.get(it["parentId"])]
        found = first(inner, "no folder has a folder with collections")
        return parents[found["parentId"]], found

    def search_fields(self) -> str:
        tagged = ((it, tag) for it in self.items for tag in tag_names(it))
        telling = ((it, tag) for it, tag in tagged if folded(tag) not in folded(it["name"]))
        it, tag = first(telling, "no collection has a tag that is not in its name")
        found = self.every(searchText=tag, parentId=it["parentId"])
        return "name_and_tags" if it["_id"] in ids(found) else "name"

    def list_filters(self) -> str:
        parents = (it["parentId"] for it in self.items if it["type"] != "folder")
        answer = self.listed(parentId=first(parents, "all are folders"), selectFolder=True)
        if not answer.is_accepted:
            return "ignore"  # it does not know the field
        if any(it["type"] != "folder" for it in answer.page()[0]):
            return "ignore"
        by_value = self.listed(tagFilters=[{"tagId": UNKNOWN, "values": ["any"]}])
        is_empty = by_value.is_accepted and not by_value.page()[0]
        return "tag_values" if is_empty else "honour"

    def item_fields(self) -> str:
        more = any(it.keys() - FIELDS.keys() for it in self.items)
        return "service" if more else "documented"

    search_text = either("whole", "service", searchText="x" * 101)

    def request_form(self) -> str:
        moved = self.send("POST", f"{LIST}/", {"datasetId": self.dataset})
        return "service" if moved.status == 308 else "strict"

    def tags_empty(self) -> str:
        shown = (it.get("tags") for it in self.items)
        tags = first((it for it in shown if not it), "every collection has tags")
        return "absent" if tags is None else "list"

    def tag_form(self) -> str:
        tags = [tag for it in self.items for tag in it.get("tags") or ()]
        has_value = any(isinstance(tag, dict) for tag in tags)
        need(has_value, "no tag has a value")
        return "typed"

    def chat_unknown(self) -> str:
        id = f"verify-{token_hex(8)}"
        _ = self.chats  # else nobody sees what happens
        if not self.set_top(id, False).is_accepted:
            return "not_found"
        self.left.append(f"the chat {id}")
        was_created = id in self.chats
        self.send("DELETE", f"{CHAT}/history/delHistory?appId={self.app}&chatId={id}")
        if id not in self.chats:
            self.left.pop()
        return "create" if was_created else "ignore"

    def top_missing(self) -> str:
        """A chat of an unknown app is refused in any case: for that, or for the missing field."""
        chat = {"appId": UNKNOWN, "chatId": UNKNOWN}
        bodies: list[Item] = [chat | {"top": False}, chat, {}]
        right, without_top, empty = (self.send("PUT", PIN, body).code for body in bodies)
        need(right not in (200, empty), "an unknown app is refused like a missing field")
        return "ignore" if without_top == right else "reject"

    def lone_offset(self) -> str:
        path = "/api/core/dataset/data/v2/list"
        full = first((it for it in self.items if it["dataAmount"]), "no collection has rows")
        body = {"collectionId": full["_id"]}
        need(bool(self.send("POST", path, body).page()[0]), "a collection shows no rows")
        past_the_end = self.send("POST", path, body | {"offset": 10**6}).page()[0]
        return "ignore" if past_the_end else "honour"

    credentials = "it needs a login"
    training = "it needs new rows"
    rows_visible = "it needs new rows"
    chat_owner = "it needs the keys of two members"
    app_missing = "it would ask a model"

    def unknown_key(self) -> str:
        is_open = self.is_listed(key=f"fastgpt-{token_hex(16)}")
        need(is_open, "one is refused, as by every server with keys of its own")
        return "accept"

    content_type_missing = either("accept", "reject", is_typed=False)
    method_mismatch = either("accept", "reject", method="PUT")
    unknown_fields = either("ignore", "reject", unknownField=1)

    def error_form(self) -> str:
        code = self.listed(datasetId=UNKNOWN).code
        need(400 <= code < 500 or code >= 1000, f"an unknown dataset has code {code}")
        return "plain" if code < 500 else "service"

    def error_http_status(self) -> str:
        """An unknown dataset is a 500 for some who answer a wrong body with 400."""
        answers = [self.listed(datasetId=id) for id in (UNKNOWN, UNSET)]
        is_told = not any(it.is_accepted or it.code == 500 for it in answers)
        need(is_told, "a list without a dataset is accepted, or fails with code 500")
        least = min(it.status for it in answers)
        return {200: "always_200", 500: "always_500"}.get(least, "mapped")

    def legacy_paths(self) -> str:
        return self.route("PUT", f"{CHAT}/updateHistory", {})

    def related_routes(self) -> str:
        return self.route("POST", "/api/core/dataset/list", {"parentId": None})

    def route(self, method: str, path: str, body: Item) -> str:
        code = self.send(method, path, body).code
        need(code != 500, f"{path} fails with code 500")
        return "off" if code == 404 else "on"

    # Rules

    def envelope(self) -> None:
        """A list comes in an envelope with four fields."""
        answer = self.listed()
        is_success = answer.status == 200 and str(answer.code) == "200"
        need(is_success, f"a list is refused with code {answer.code}")
        converted(answer.body, Envelope)

    def fields(self) -> None:
        """Collections have the fields and types of the spec, or those that FastGPT sends."""
        for item in self.page()[0]:
            check_fields(item)
        for item in self.items:
            check_fields(item)

    def pages(self) -> None:
        """Pages of each size join without gaps and doubles, and have the same total."""
        parent, items = self.longest
        every = ids(items)
        need(len(every) < self.most, "too many collections")
        expect("each collection once", every, len({*every}) == len(every))
        for size in (1, 7, 30):
            for offset in range(0, len(every) + size, size)[-12:]:  # the last is past the end
                shown, total = self.page(parentId=parent, pageSize=size, offset=offset)
                got = [total, ids(shown)]
                is_right = got == [len(every), every[offset : offset + size]]
                expect(f"total {len(every)} and its items from {offset}", got, is_right)

    def folders(self) -> None:
        """A `parentId` lists its folder, null the top level."""
        for parent, level in self.levels.items():
            shown = {it["parentId"] for it in level}
            expect(f"only the parentId {parent or 'null'}", shown, shown <= {parent})

    def search(self) -> None:
        """A search finds texts in any case of letters, and literally: a dot is a dot."""
        it = min(self.levels[None], key=lambda it: not it["name"].isascii())
        text = it["name"][:40].strip().swapcase()
        shown = ids(self.every(searchText=text))
        expect(f"{it['_id']} for {text!r}", shown, it["_id"] in shown)
        for word in (text, f".{text[1:]}", ".*"):
            for found in self.every(searchText=word):
                texts = [found["name"], *tag_names(found)]
                has_word = any(folded(word) in folded(each) for each in texts)
                expect(f"{word!r} in a name or a tag", texts, has_word)

    def pin(self) -> None:
        """`top` pins and unpins, twice as once, with data null. At last it is as it was."""
        id, was = first(self.chats.items(), "the app has no chats")
        self.left += [f"the updateTime of chat {id}", f"the pin of chat {id}"]
        try:
            for top in (not was, not was, was, was):
                answer = self.set_top(id, top)
                is_right = (answer.status, answer.body) == (200, PINNED)
                expect("the envelope of a success, with data null", answer.body, is_right)
                shown = self.chats[id]
                expect(f"the chat {id} as it was set", shown, shown == top)
        finally:
            if self.set_top(id, was).is_accepted and self.chats[id] == was:
                self.left.pop()


# The report


class Finding(Struct):
    """What was seen of a rule, or of a choice."""

    name: str
    section: str
    status: str
    value: Any = None
    reason: str = ""

    def __str__(self) -> str:
        value = "" if self.value is None else f" = {self.value}"
        reason = f": {self.reason}" if self.reason else ""
        return f"{self.status:<15} {self.name}{value} (spec {self.section}){reason}"


def found(server: Asked, name: str, section: str) -> Finding:
    """What the method for a choice or a rule finds."""
    ask = vars(Asked)[name]
    try:
        if isinstance(ask, str):
            raise NotObservable(ask)
        return Finding(name, section, "ok", ask(server))
    except (AssertionError, Refusal) as error:
        return Finding(name, section, "differs", reason=str(error))
    except NotObservable as error:
        return Finding(name, section, "not observable", reason=str(error))
    except (LookupError, TypeError, AttributeError):
        reason = "a field of a response is missing, or of another type"
        return Finding(name, section, "not observable", reason=reason)


def verify(server: Asked) -> list[Finding]:
    """Ask a server all there is to ask.

    Raises ConnectionError, ValueError if it sends no JSON, NotObservable if it refuses the key
    or an id that is given, or shows no rule.
    """
    try:
        server.check()
        sections = RULES | {name: row.section for name, (_, row) in table().items()}
        findings = [found(server, *it) for it in sections.items()]
    except httpx2.RequestError as error:
        raise ConnectionError(str(error)) from None
    seen = {it.name for it in findings if it.status != "not observable"}
    need(bool(seen & RULES.keys()), findings[0].reason)
    # What was not seen is most likely as in the profile that is like the rest.
    name, _ = nearest(findings)
    for finding in findings:
        if finding.name not in seen | RULES.keys():
            finding.reason += f"; {name} has {getattr(profile(name), finding.name)}"
    return findings


def nearest(findings: list[Finding]) -> tuple[str, dict[str, Any]]:
    """The profile from which the fewest of the values seen differ, and those that do."""
    seen = {it.name: it.value for it in findings if it.value is not None}
    others = {}
    for name in PROFILES:
        usual = profile(name)
        others[name] = {key: it for key, it in seen.items() if it != getattr(usual, key)}
    best = min(PROFILES, key=lambda name: len(others[name]))
    return best, others[best]


def as_text(findings: list[Finding]) -> str:
    counts = Counter(it.status for it in findings)
    total = ", ".join(f"{count} {status}" for status, count in counts.items())
    name, others = nearest(findings)
    last = f"nearest profile: {name}; choices that differ: {', '.join(others) or 'none'}"
    return "\n".join([*map(str, findings), total, last])


def as_junit(findings: list[Finding]) -> str:
    suite = ElementTree.Element("testsuite", name="mock-server verify")
    for it in findings:
        case = ElementTree.SubElement(suite, "testcase", classname=it.section, name=it.name)
        if it.status != "ok":
            tag = "failure" if it.status == "differs" else "skipped"
            ElementTree.SubElement(case, tag, message=it.reason)
    return ElementTree.tostring(suite, encoding="unicode")


REPORTS: dict[str, Callable[[list[Finding]], str]] = {
    "text": as_text,
    "json": lambda findings: json.format(json.encode(findings)).decode(),
    "junit": as_junit,
}


def as_profile(findings: list[Finding]) -> str:
    """The nearest profile and the values seen that differ from it, in YAML."""
    name, others = nearest(findings)
    unseen = [it.name for it in findings if it.value is None and it.name not in RULES]
    comment = f"# not observed, so as in {name}: {', '.join(unseen)}\n"
    return comment + yaml.safe_dump({"profile": name, "choices": others}, sort_keys=False)
