"""Chat sessions: the pin of spec 4.1, and the related routes around it."""

from __future__ import annotations

import re
from difflib import get_close_matches
from hashlib import sha256
from typing import Any

from tests.model.answers import Refused, expected, in_words, quoted
from tests.model.base import Base, Page, moment, paging
from tests.model.choices import remedies, served_with
from tests.model.records import MANAGE, READ, WRITE, Fields, milliseconds, new_chat

CHAT_CONFIG: Fields = {
    "questionGuide": {"open": False},
    "ttsConfig": {"type": "web"},
    "whisperConfig": {"open": False, "autoSend": False, "autoTTSResponse": False},
    "chatInputGuide": {"open": False, "textList": [], "customUrl": ""},
    "autoExecute": {"open": False, "defaultPrompt": ""},
    "variables": [],
    "welcomeText": "",
}
"""The settings of an application that has none of its own."""


class Chats(Base):
    """What has to do with applications."""

    def pin(self, fields: Fields) -> None:
        """Spec 4.1: pin or unpin, with a message for whatever is refused."""
        app_id, chat_id = fields["appId"], fields["chatId"]
        unknown = self.choices["chat_unknown"]
        app = self.state["apps"].get(app_id)
        if app is None:
            what, got = "the id of an app", in_words(app_id)
            raise Refused(
                "no_app",
                expected(
                    what, got, "$.appId", self.offered(self.state["apps"], app_id)
                ),
            )
        is_there, may_read = chat_id in app["chats"], self.level(app) >= READ
        values = remedies(self.choices, "chat_unknown")
        if chat_id in (".", ".."):
            values = [each for each in values if not each.endswith("=create")]
        if not is_there and unknown == "not_found":
            what, got = f"a chat session of app {quoted(app_id)}", in_words(chat_id)
            hint = served_with(*values) if may_read else ""
            is_id = re.fullmatch("[0-9a-f]{24}", chat_id)
            near = get_close_matches(chat_id, app["chats"], 1, 0.9 if is_id else 0.6)
            homes = [
                each["id"]
                for each in self.state["apps"].values()
                if chat_id in each["chats"] and self.level(each) >= READ
            ]
            if homes and may_read:
                home = f"that is a chat of app {quoted(homes[0])}"
                hint = hint.replace("(", f"({home}; ") or f" ({home})"
            elif near and may_read and len(chat_id) <= 64:
                meant = f"did you mean {quoted(near[0])}?"
                hint = hint.replace("(", f"({meant} It is ") or f" ({meant})"
            raise Refused("no_chat", expected(what, got, "$.chatId", hint))
        if not may_read:
            what = f"a key with read permission on app {quoted(app_id)}"
            raise Refused("shut_app", expected(what, "a key without it", "$.appId"))
        if not is_there and unknown == "ignore":
            return
        if not is_there:
            if chat_id in (".", ".."):
                what, hint = (
                    "an id that the path of a URL can hold",
                    served_with(*values),
                )
                got = in_words(chat_id)
                raise Refused("no_chat", expected(what, got, "$.chatId", hint))
            app["chats"][chat_id] = new_chat({"chatId": chat_id})
        chat = app["chats"][chat_id]
        for name in ("top", "title", "customTitle"):
            chat[name] = fields.get(name, chat[name])
        chat["updateTime"] = self.now

    def get_histories(self, fields: Fields) -> Page:
        start, size = paging(fields, 1000)
        since = moment(fields.get("startUpdateTime"), "number")
        until = moment(fields.get("endUpdateTime"), "number")
        if self.choices["version"] == "4.14":
            app = self.state["apps"].get(fields.get("appId"))
            if app is None or self.level(app) < READ:
                return Page([], start, size, dict)
        elif "appId" not in fields:
            raise Refused("no_chat")
        app = self.app(fields, READ)
        chats = sorted(app["chats"].values(), key=lambda chat: str(chat["chatId"]))
        chats.sort(key=lambda chat: (chat["top"], chat["updateTime"]), reverse=True)
        times = [(chat, milliseconds(chat["updateTime"])) for chat in chats]
        chats = [
            chat
            for chat, time in times
            if (since is None or since <= time) and (until is None or time <= until)
        ]
        more = {"appId": app["id"], "chatGenerateStatus": 1, "hasBeenRead": True}
        return Page(chats, start, size, lambda chat: chat | more)

    def del_history(self, fields: Fields) -> None:
        if "appId" not in fields:
            raise Refused("no_chat")
        app = self.app(fields, READ)
        app["chats"].pop(fields["chatId"], None)
        app["records"].pop(fields["chatId"], None)

    def clear_histories(self, fields: Fields) -> None:
        app = self.app(fields, READ)
        app["chats"], app["records"] = {}, {}

    def batch_delete(self, fields: Fields) -> None:
        app = self.app(fields, MANAGE)
        for chat_id in fields["chatIds"]:
            app["chats"].pop(chat_id, None)
            app["records"].pop(chat_id, None)

    def get_history_status(self, fields: Fields) -> Any:
        chats = self.app(fields, READ)["chats"]
        found = [
            chats[each] for each in dict.fromkeys(fields["chatIds"]) if each in chats
        ]
        return {
            "list": [
                {
                    "chatId": chat["chatId"],
                    "updateTime": chat["updateTime"],
                    "chatGenerateStatus": 1,
                    "hasBeenRead": True,
                }
                for chat in found
            ]
        }

    def mark_read(self, fields: Fields) -> None:
        app = self.app(fields, WRITE)
        if fields["chatId"] in app["chats"]:
            app["chats"][fields["chatId"]]["updateTime"] = self.now

    def init(self, fields: Fields) -> Any:
        app = self.app(fields, READ)
        chat = app["chats"].get(fields["chatId"], {"title": "", "customTitle": ""})
        return {
            "chatId": fields["chatId"],
            "appId": app["id"],
            "title": chat["title"],
            "variables": {},
            "chatGenerateStatus": 1,
            "hasBeenRead": True,
            "app": {
                "name": app["name"],
                "avatar": "",
                "intro": "",
                "type": "simple",
                "chatConfig": CHAT_CONFIG,
                "chatModels": [],
                "pluginInputs": [],
            },
        }

    def update_user_feedback(self, fields: Fields) -> Any:
        """Rate the reply, in 4.14 the first record of the id; `{}` answers there."""
        is_former = self.choices["version"] == "4.14"
        records = self.app(fields, READ)["records"].get(fields["chatId"], [])
        named = [each for each in records if each["id"] == fields["dataId"]]
        rated = named if is_former else [it for it in named if it["obj"] == "AI"]
        if not rated:
            raise Refused("no_record")
        for name in FEEDBACK:
            rated[0].pop(name, None)
        rated[0] |= {name: fields[name] for name in FEEDBACK if name in fields}
        return {} if is_former else None

    def delete_records(self, fields: Fields) -> None:
        several = fields.get("contentIds") or []
        ids = several.split(",") if isinstance(several, str) else [*several]
        ids = [each for each in (*ids, fields.get("contentId")) if each]
        for record in self.app(fields, READ)["records"].get(fields["chatId"], []):
            if record["id"] in ids:
                record.setdefault("deleteTime", self.now)

    def delete_item(self, fields: Fields) -> None:
        self.delete_records(fields)

    def get_res_data(self, fields: Fields) -> list[Any]:
        """No node is named: replies of stories are texts."""
        if all(fields.get(name) for name in ("appId", "chatId", "dataId")):
            self.app(fields, READ)
        return []

    def question_guide(self, fields: Fields) -> list[str]:
        self.app(fields, READ)
        return [*QUESTIONS]

    def get_pagination_records(self, fields: Fields) -> Page:
        start, size = paging(fields, 1000)
        records = shown(self.app(fields, READ)["records"].get(fields.get("chatId"), []))
        return Page(records[::-1], start, size, record_view, _turned_round)

    def get_records_v2(self, fields: Fields) -> Page:
        records = self.app(fields, READ)["records"].get(fields.get("chatId"), [])
        records = records if fields.get("includeDeleted") else shown(records)
        ids, size = [each["id"] for each in records], fields.get("pageSize", 10)
        start, end = max(0, len(ids) - size), len(ids)
        for name in ("initialId", "prevId", "nextId"):
            if fields.get(name):
                if fields[name] not in ids:
                    raise Refused("no_record")
                at = ids.index(fields[name])
                if name == "initialId":
                    start = max(0, at - size // 2)
                    end = min(start + size, end)
                elif name == "prevId":
                    start, end = max(0, at - size), at
                else:
                    at = len(ids) - ids[::-1].index(fields[name])
                    start, end = at, min(at + size, end)
                break
        return Page(records, start, end - start, _record_in_v2, _with_more)

    def completions(self, fields: Fields) -> Any:
        is_old = self.choices["version"] == "4.14"
        if not fields.get("appId"):
            apps = self.state["apps"].values()
            readable = [each["id"] for each in apps if self.level(each) >= READ]
            if not readable:
                raise Refused("no_app")
            fields = fields | {"appId": readable[0]}
        app = self.app(fields, READ)
        if not fields.get("messages"):
            raise Refused("no_messages")
        question = last_question(fields["messages"])
        if fields.get("chatId") in (".", ".."):
            raise Refused("field")
        given = (fields.get("chatId") or "").strip() and fields["chatId"]
        chat_id = given or self.new_id()
        replies, turn = self.document.get("replies"), self.state["turns"]
        reply = replies[turn % len(replies)] if replies else question
        self.state["turns"] += 1
        chat = app["chats"].setdefault(chat_id, new_chat({"chatId": chat_id}))
        title = {}
        if is_old:
            chat["title"] = question[:20] or "新对话"
        elif not chat["customTitle"] and chat["title"] in ("", "新对话", "历史记录"):
            chat["title"] = question[:20].strip()
            title = {"title": chat["title"]} if chat["title"] else {}
        chat["updateTime"] = self.now
        reply_id = self.new_id()
        question_id = self.new_id() if is_old else reply_id
        said = ("Human", question, question_id), ("AI", reply, reply_id)
        for speaker, text, own_id in said:
            record = {"obj": speaker, "text": text, "time": self.now, "id": own_id}
            app["records"].setdefault(chat_id, []).append(record)
        message = {"role": "assistant", "content": reply}
        answer = {
            "id": "" if is_old and not given else chat_id,
            "model": "",
            "usage": dict.fromkeys(
                ("prompt_tokens", "completion_tokens", "total_tokens"), 1
            ),
            "choices": [{"message": message, "finish_reason": "stop", "index": 0}],
            **title,
        }
        if fields.get("detail"):
            answer |= {"responseData": [], "newVariables": {}}
        return answer


FEEDBACK = ("userGoodFeedback", "userBadFeedback")
QUESTIONS = (
    "What else can you do?",
    "Where does that come from?",
    "What does it cost?",
)


def shown(records: list[Fields]) -> list[Fields]:
    """The records that are not deleted."""
    return [each for each in records if "deleteTime" not in each]


def record_view(record: Fields) -> Fields:
    view = {
        "_id": sha256(f"{record['id']} {record['obj']}".encode()).hexdigest()[:24],
        "dataId": record["id"],
        "obj": record["obj"],
        "value": [{"type": "text", "text": {"content": record["text"]}}],
        "time": record["time"],
        "hideInUI": False,
    }
    if record["obj"] == "AI":
        view |= {"totalQuoteList": [], "totalRunningTime": 0, "useAgentSandbox": False}
    return view | {name: record[name] for name in FEEDBACK if name in record}


def _record_in_v2(record: Fields) -> Fields:
    value = [{"text": {"content": record["text"]}}]
    return record_view(record) | {"id": record["id"], "value": value}


def _turned_round(page: Page, items: list[Fields]) -> Fields:
    """The newest page comes first, but in each the oldest record does."""
    return {"list": items[::-1], "total": page.total}


def _with_more(page: Page, items: list[Fields]) -> Fields:
    return {
        "list": items,
        "total": page.total,
        "hasMorePrev": page.offset > 0,
        "hasMoreNext": page.offset + len(items) < page.total,
    }


def last_question(messages: list[Fields]) -> str:
    asked = [each for each in messages if each.get("role") == "user"] or messages
    is_known = asked[-1].get("role") in ("user", "system")
    if not is_known or not isinstance(asked[-1].get("content"), str):
        raise Refused("field")
    question: str = asked[-1]["content"]
    return question
