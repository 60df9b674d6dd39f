"""Servers that are our own but for one mistake, and servers of canned answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tests.support import LIST, PIN


@dataclass
class Call:
    """A request with a JSON object, then what our server answers."""

    path: str
    body: dict[str, Any]
    headers: dict[bytes, bytes]
    status: int = 0
    document: Any = None

    @property
    def page(self) -> dict[str, Any] | None:
        """The data of a page."""
        is_page = self.path == LIST and self.status == 200
        data = self.document["data"] if is_page else None
        return data if isinstance(data, dict) else None


Change = Callable[[Call], None]


def nothing(call: Call) -> None:
    """No change."""


class Wrong:
    """Our application behind a change of requests, and one of answers."""

    def __init__(self, app: ASGIApp, before: Change, after: Change) -> None:
        self.app, self.before, self.after = app, before, after

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        content = await Request(scope, receive).body()
        body = json.loads(content or b"{}")
        call = Call(scope["path"], body, dict(scope["headers"]))
        self.before(call)
        answer = bytearray()

        async def given() -> Message:
            sent = json.dumps(call.body).encode() if content else b""
            return {"type": "http.request", "body": sent, "more_body": False}

        async def taken(message: Message) -> None:
            call.status = message.get("status", call.status)
            answer.extend(message.get("body", b""))

        # The length may be another one now.
        headers = {
            **call.headers,
            b"content-length": b"%d" % len((await given())["body"]),
        }
        await self.app({**scope, "headers": [*headers.items()]}, given, taken)
        call.document = json.loads(bytes(answer))
        self.after(call)
        await JSONResponse(call.document, call.status)(scope, receive, send)


def off_by_one(call: Call) -> None:
    if call.path == LIST and isinstance(call.body.get("offset"), int):
        call.body["offset"] += 1


def overlapping(call: Call) -> None:
    offset = call.body.get("offset")
    if call.path == LIST and isinstance(offset, int) and 0 < offset < 1000:
        call.body["offset"] = offset - 1


def total_after_paging(call: Call) -> None:
    if call.page is not None:
        call.page["total"] = len(call.page["list"])


def empty(call: Call) -> None:
    if call.page is not None:
        call.page.update(list=[], total=0)


def _keep(call: Call, is_found: Callable[[Mapping[str, Any], str], bool]) -> None:
    term = str(call.body.get("searchText", "")).casefold()
    if call.page is not None and term:
        found = [item for item in call.page["list"] if is_found(item, term)]
        call.page.update(list=found, total=len(found))


def names_only(call: Call) -> None:
    _keep(call, lambda item, term: term in item["name"].casefold())


def tags_only(call: Call) -> None:
    _keep(call, lambda item, term: any(term in tag.casefold() for tag in item["tags"]))


def everybody_owns(call: Call) -> None:
    for item in call.page["list"] if call.page is not None else ():
        flags = dict.fromkeys(("isOwner", "hasManagePer", "hasWritePer"), True)
        item["permission"].update(flags)


def everybody_reads(call: Call) -> None:
    if call.headers.get(b"authorization") == b"Bearer outsider":
        call.headers[b"authorization"] = b"Bearer owner"


def extra_field(call: Call) -> None:
    if call.status == 200:
        call.document["success"] = True


def no_status_text(call: Call) -> None:
    if call.page is not None:
        del call.document["statusText"]


def code_as_text(call: Call) -> None:
    if call.status == 200:
        call.document["code"] = "200"


def toggling() -> Change:
    """Whoever pins what is pinned unpins it."""
    tops = {"chat-1": False}

    def before(call: Call) -> None:
        chat = call.body.get("chatId")
        if call.path == PIN and chat in tops and "top" in call.body:
            if call.body["top"] == tops[chat]:
                call.body["top"] = not tops[chat]
            tops[chat] = call.body["top"]

    return before


def refusing_again() -> Change:
    """Whoever pins what is pinned is refused."""
    last: dict[str, object] = {}

    def after(call: Call) -> None:
        if call.path == PIN and call.status == 200:
            chat, top = call.body["chatId"], call.body.get("top")
            if last.get(chat) == top:
                call.status = 409
                call.document = {**call.document, "code": 409, "statusText": "again"}
            last[chat] = top

    return after


ITEM = {
    "_id": "65abd0ad9d1448617cba6031",
    "parentId": None,
    "tmbId": "65422be6aa44b7da77729ec9",
    "type": "link",
    "name": "Quick start",
    "updateTime": "2024-01-20T13:54:53.031Z",
    "dataAmount": 3,
    "trainingAmount": 0,
    "externalFileId": "222",
    "tags": ["guide"],
    "forbid": False,
    "trainingType": "chunk",
    "permission": {
        "value": 4294967295,
        "isOwner": True,
        "hasManagePer": True,
        "hasWritePer": True,
        "hasReadPer": True,
    },
}


def canned(total: int) -> ASGIApp:
    """A stub: one answer for each path and method, whatever the body, else 404."""
    return _stub({("POST", LIST): _page(total), ("PUT", PIN): None})


def always(total: int) -> ASGIApp:
    """A stub with one answer to everything."""
    return _stub({}, _page(total))


def _page(total: int) -> dict[str, Any]:
    items = [{**ITEM, "_id": f"item-{n}", "name": f"Item {n}"} for n in range(total)]
    return {"list": items, "total": total}


def _stub(answers: Mapping[tuple[str, str], Any], other: Any = ...) -> ASGIApp:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        data = answers.get((scope["method"], scope["path"]), other)
        head = {"code": 200, "statusText": "", "message": ""}
        answer: Response = PlainTextResponse("No response could be served", 404)
        if data is not ...:
            answer = JSONResponse({**head, "data": data})
        await answer(scope, receive, send)

    return app
