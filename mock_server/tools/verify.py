"""Which choices a server shows, and whether it keeps the spec.

A probe returns the value of a choice; a rule returns None, or raises AssertionError or
ValidationError. Where a refusal shows as much as a success, a probe asks for it, as that
changes nothing.
"""

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from itertools import pairwise
from secrets import token_hex
from typing import Any
from xml.etree import ElementTree

import httpx2
import yaml
from msgspec import UNSET, Struct, ValidationError, convert, defstruct, json

from mock_server.choices import Choices, table
from mock_server.store.objects import Permission, folded
from mock_server.tools.probe import (
    DATASETS,
    LIST,
    OLD_PIN,
    PIN,
    UNKNOWN,
    Item,
    NotObservable,
    Probe,
    first,
)

Ask = Callable[[Probe], Any]

# The choices


def either(accepted: str, refused: str, **fields: Any) -> Ask:
    """A probe of whether a list with these fields is accepted."""
    return lambda server: accepted if server.is_listed(**fields) else refused


def served(method: str, path: str, body: Item) -> Ask:
    """A probe of whether there is a route."""
    return lambda server: "off" if server.send(method, path, body).code == 404 else "on"


def ids(items: list[Item]) -> list[str]:
    return [it["_id"] for it in items]


def page_size_default(server: Probe) -> int:
    parent, items = server.longest
    shown = len(server.page(parentId=parent, pageSize=UNSET)[0])
    if shown == len(items):
        raise NotObservable(f"no folder has more than the {shown} collections that it shows")
    return shown


def page_size_max(server: Probe) -> int:
    parent, items = server.longest
    if not server.is_listed(pageSize=31):
        return 30
    if len(items) > 30:
        return 100 if len(server.page(parentId=parent, pageSize=31)[0]) > 30 else 30
    if server.is_listed(pageSize=100) and not server.is_listed(pageSize=101):
        return 100
    raise NotObservable(f"no folder has more than 30 collections, but {len(items)}")


def list_order(server: Probe) -> str:
    pairs = [pair for level in server.levels.values() for pair in pairwise(level)]
    times = [(a["updateTime"], b["updateTime"]) for a, b in pairs]
    names = [(a["name"], b["name"]) for a, b in pairs]
    is_by_time, is_by_name = all(a >= b for a, b in times), all(a <= b for a, b in names)
    few = min(sum(a != b for a, b in each) for each in (times, names)) < 3
    if few or (is_by_time and is_by_name):
        raise NotObservable("too few collections differ in name and updateTime")
    return "update_time_desc" if is_by_time else "name" if is_by_name else "fixture"


def folder(server: Probe) -> Item:
    """A folder with content."""
    full = (it for it in server.levels[None] if server.levels.get(it["_id"]))
    return first(full, "no folder has collections")


def parent_omitted(server: Probe) -> str:
    folder(server)
    return "root" if server.page(parentId=UNSET)[1] == server.page()[1] else "any"


def parent_empty_string(server: Probe) -> str:
    answer, top = server.listed(parentId=""), len(server.levels[None])
    return "root" if answer.is_accepted and answer.page()[1] == top else "unknown"


def search_scope(server: Probe) -> str:
    name, id = folder(server)["name"], folder(server)["_id"]
    if id not in ids(server.every(searchText=name)):
        raise NotObservable("a search for the name of a folder does not find it")
    return "dataset" if id in ids(server.every(searchText=name, parentId=id)) else "folder"


def search_fields(server: Probe) -> str:
    tagged = ((it, str(tag)) for it in server.items for tag in it.get("tags") or ())
    telling = ((it, tag) for it, tag in tagged if folded(tag) not in folded(it["name"]))
    it, tag = first(telling, "no collection has a tag that is not in its name")
    found = server.every(searchText=tag, parentId=it["parentId"])
    return "name_and_tags" if it["_id"] in ids(found) else "name"


def list_filters(server: Probe) -> str:
    plain = (it for it in server.items if it["type"] != "folder")
    answer = server.listed(parentId=first(plain, "all are folders")["parentId"], selectFolder=True)
    if not answer.is_accepted:
        return "ignore"  # it does not know the field
    return "honour" if all(it["type"] == "folder" for it in answer.page()[0]) else "ignore"


def item_fields(server: Probe) -> str:
    more = any(it.keys() - FIELDS.keys() for it in server.items)
    return "extended" if more else "documented"


def tags_empty(server: Probe) -> str:
    shown = [it.get("tags") for it in server.items]
    tags = first((it for it in shown if not it), "every collection has tags")
    return "absent" if tags is None else "list"


def chat_unknown(server: Probe) -> str:
    id = f"verify-{token_hex(8)}"
    _ = server.chats  # else nobody sees what happens
    if not server.pin(id, False).is_accepted:
        return "not_found"
    server.left.append(f"the chat {id}")
    was_created = id in server.chats
    if was_created:
        path = "/api/core/chat/history/delHistory"
        server.send("DELETE", f"{path}?appId={server.app}&chatId={id}")
    if id not in server.chats:
        server.left.pop()
    return "create" if was_created else "ignore"


def top_missing(server: Probe) -> str:
    """A chat of an unknown app is refused in any case: for that, or for the missing field."""
    chat = {"appId": UNKNOWN, "chatId": UNKNOWN}
    bodies: list[Item] = [chat | {"top": False}, chat, {}]
    right, without_top, empty = (server.send("PUT", PIN, body).code for body in bodies)
    if right in (200, empty):
        raise NotObservable("an unknown app is not refused in another way than a missing field")
    return "ignore" if without_top == right else "reject"


def unknown_key(server: Probe) -> str:
    if not server.is_listed(how={"key": f"fastgpt-{token_hex(16)}"}):
        raise NotObservable("one is refused, as by every server with keys of its own")
    return "accept"


def error_form(server: Probe) -> str:
    code = server.listed(datasetId=UNKNOWN).code
    if code in (200, 500):
        raise NotObservable("an unknown dataset has no code that tells")
    return "plain" if code < 500 else "service"


def error_http_status(server: Probe) -> str:
    """An unknown dataset is a 500 for some who answer a wrong body with 400."""
    answers = [server.listed(datasetId=id) for id in (UNKNOWN, UNSET)]
    if any(it.is_accepted for it in answers):
        raise NotObservable("a list without a dataset is accepted")
    return {200: "always_200", 500: "always_500"}.get(min(it.status for it in answers), "mapped")


PROBES: dict[str, Ask | str] = {
    "page_size_default": page_size_default,
    "page_size_max": page_size_max,
    "page_size_over_limit": either("clamp", "reject", pageSize=101),
    "offset_missing": either("accept", "reject", offset=UNSET),
    "numeric_strings": either("accept", "reject", offset="0", pageSize="1"),
    "list_order": list_order,
    "parent_omitted": parent_omitted,
    "parent_empty_string": parent_empty_string,
    "parent_unknown": either("empty", "not_found", parentId=UNKNOWN),
    "search_scope": search_scope,
    "search_fields": search_fields,
    "list_filters": list_filters,
    "item_fields": item_fields,
    "tags_empty": tags_empty,
    "chat_unknown": chat_unknown,
    "top_missing": top_missing,
    "credentials": "it needs a login",
    "training": "it needs new rows",
    "unknown_key": unknown_key,
    "content_type_missing": either("accept", "reject", how={"is_typed": False}),
    "method_mismatch": either("accept", "reject", method="PUT"),
    "unknown_fields": either("ignore", "reject", unknownField=1),
    "error_form": error_form,
    "error_http_status": error_http_status,
    "legacy_paths": served("PUT", OLD_PIN, {}),
    "related_routes": served("POST", DATASETS, {"parentId": None}),
}
"""A probe of each choice, or why there is none."""

# The spec

FIELDS: dict[str, Any] = {
    **dict.fromkeys(("_id", "tmbId", "type", "name", "externalFileId", "trainingType"), str),
    **{"parentId": str | None, "updateTime": datetime, "tags": list[str]},
    **{"dataAmount": float, "trainingAmount": float, "forbid": bool, "permission": Permission},
}
Collection: Any = defstruct("Collection", [*FIELDS.items()])
ENVELOPE = [("code", int), ("statusText", str), ("message", str), ("data", dict[str, Any])]
Envelope = defstruct("Envelope", ENVELOPE, forbid_unknown_fields=True)
PINNED = {"code": 200, "statusText": "", "message": "", "data": None}


def expect(expected: object, got: object, is_right: bool) -> None:
    if not is_right:
        raise AssertionError(f"Expected {expected}, got {got!r:.200}")


def envelope(server: Probe) -> None:
    """A list comes in an envelope with four fields."""
    answer = server.listed()
    answer.page()
    convert(answer.body, Envelope)


def fields(server: Probe) -> None:
    """Collections have the documented fields and types; choice tags_empty leaves out `tags`."""
    convert([{"tags": []} | it for it in server.items], list[Collection])


def total(server: Probe) -> None:
    """`total` counts all that match, on each page; one past the end is empty."""
    parent, items = server.longest
    most = len(items)
    for offset, size in ((0, 1), (0, 30), (most - 1, 1), (most + 1, 30)):
        shown, total = server.page(parentId=parent, pageSize=size, offset=offset)
        expect(f"total {most} at offset {offset}", total, total == most)
    expect("an empty page", shown, shown == [])


def pages(server: Probe) -> None:
    """Pages of each size join without gaps and doubles."""
    parent, items = server.longest
    every = ids(items)
    expect("each collection once", every, len({*every}) == len(every))
    for size in (1, 7):
        for offset in range(0, min(len(every), 10 * size), size):
            shown = ids(server.page(parentId=parent, pageSize=size, offset=offset)[0])
            wanted = every[offset : offset + size]
            expect(f"{wanted} at offset {offset}", shown, shown == wanted)


def folders(server: Probe) -> None:
    """A `parentId` lists its folder, null the top level."""
    for parent, level in server.levels.items():
        shown = {it["parentId"] for it in level}
        expect(f"only the parentId {parent!r}", shown, shown <= {parent})


def search(server: Probe) -> None:
    """A search finds texts in any case of letters, and literally: a dot is a dot."""
    it = min(server.levels[None], key=lambda it: not it["name"].isascii())
    text = it["name"][:40].strip().swapcase()
    shown = ids(server.every(searchText=text))
    expect(f"{it['_id']} for {text!r}", shown, it["_id"] in shown)
    for word in (text, f".{text[1:]}", ".*"):
        for found in server.every(searchText=word):
            texts = [found["name"], *map(str, found.get("tags") or ())]
            has_word = any(folded(word) in folded(each) for each in texts)
            expect(f"{word!r} in a name or a tag", texts, has_word)


def pin(server: Probe) -> None:
    """`top` pins and unpins, twice as once, with data null. At last it is as it was."""
    id, was = first(server.chats.items(), "the app has no chats")
    server.left += [f"the updateTime of chat {id}", f"the pin of chat {id}"]
    try:
        for top in (not was, not was, was, was):
            answer = server.pin(id, top)
            expect(PINNED, answer.body, (answer.status, answer.body) == (200, PINNED))
            shown = server.chats[id]
            expect(f"the chat {id} with top {top}", shown, shown == top)
    finally:
        if server.pin(id, was).is_accepted and server.chats[id] == was:
            server.left.pop()


RULES = {
    **{envelope: "2.3", fields: "2.2", total: "4.2", pages: "4.2"},
    **{folders: "4.2", search: "4.2", pin: "4.1"},
}
"""The section of the spec for each rule."""

# The report


class Finding(Struct, omit_defaults=True):
    """What was seen of a rule, or of a choice."""

    kind: str
    name: str
    section: str
    status: str = "ok"
    value: Any = None
    reason: str = ""

    def __str__(self) -> str:
        value = "" if self.value is None else f" = {self.value}"
        reason = f": {self.reason}" if self.reason else ""
        return f"{self.status:<15} {self.name}{value} (spec {self.section}){reason}"

    def ask(self, server: Probe, ask: Ask | str) -> None:
        """Find it out."""
        try:
            if isinstance(ask, str):
                raise NotObservable(ask)
            self.value = ask(server)
        except (AssertionError, ValidationError) as error:
            self.status, self.reason = "differs", str(error)
        except NotObservable as error:
            self.status, self.reason = "not observable", str(error)
        except (LookupError, TypeError, AttributeError) as error:
            self.status, self.reason = "not observable", f"a field is missing or wrong: {error!r}"


def verify(server: Probe) -> list[Finding]:
    """Ask a server all there is to ask.

    Raises ConnectionError, ValueError if it sends no JSON, NotObservable if it refuses the key.
    """
    asked: list[tuple[Ask | str, Finding]] = [
        *((it, Finding("rule", it.__name__, section)) for it, section in RULES.items()),
        *((PROBES[it], Finding("choice", it, row.section)) for it, (_, row) in table().items()),
    ]
    try:
        check(server)
        for ask, finding in asked:
            finding.ask(server, ask)
    except httpx2.TransportError as error:
        raise ConnectionError(str(error)) from None
    return [finding for _, finding in asked]


def check(server: Probe) -> None:
    """Raises ValueError, NotObservable."""
    answer = server.listed(datasetId=UNKNOWN)
    if answer.body is None and server.send("PUT", PIN, {}).body is None:
        raise ValueError(f"Expected JSON, got none with status {answer.status} - at {LIST}")
    if answer.code in (401, 514) or "unAuthorization" in str(answer.body):
        raise NotObservable(f"the key is refused with code {answer.code}")


def is_good(findings: list[Finding]) -> bool:
    return {"ok"} <= {it.status for it in findings} <= {"ok", "not observable"}


def as_text(findings: list[Finding]) -> str:
    counts = Counter(it.status for it in findings)
    total = ", ".join(f"{count} {status}" for status, count in counts.items())
    return "\n".join([*map(str, findings), total])


def as_json(findings: list[Finding]) -> str:
    return json.format(json.encode(findings)).decode()


def as_junit(findings: list[Finding]) -> str:
    suite = ElementTree.Element("testsuite", name="mock-server verify")
    for it in findings:
        case = ElementTree.SubElement(suite, "testcase", classname=it.kind, name=it.name)
        if it.status != "ok":
            tag = "failure" if it.status == "differs" else "skipped"
            ElementTree.SubElement(case, tag, message=it.reason)
    return ElementTree.tostring(suite, encoding="unicode")


REPORTS = {"text": as_text, "json": as_json, "junit": as_junit}


def profile(findings: list[Finding]) -> str:
    """The values that were found, as a profile in YAML."""
    seen = {it.name: it.value for it in findings if it.value is not None}
    own = {name: it for name, it in seen.items() if it != getattr(Choices(), name)}
    unseen = f"# not observed: {', '.join(it for it in PROBES if it not in seen)}\n"
    return unseen + yaml.safe_dump({"profile": "documented", "choices": own}, sort_keys=False)
