"""Reads what `verify` compares of a server: a dataset, an app, and the responses to requests."""

from collections.abc import Iterable
from itertools import filterfalse, islice
from secrets import token_hex
from typing import ClassVar

from mock_server.decoding.json_values import JsonObject
from mock_server.service.chats import get_histories
from mock_server.text.wording import count_in_words
from mock_server.tools import object_kinds
from mock_server.tools.account_reader import (
    ITEMS_A_PAGE,
    AccountReader,
    NotReadable,
)
from mock_server.tools.comparison import ComparedResponse, RequestGroup
from mock_server.tools.object_kinds import ObjectKind
from mock_server.tools.real_responses import ListPage
from mock_server.tools.verify_requests import (
    LIST,
    Request,
    pinning_requests,
    restoring_requests,
)

MAX_RESOURCES = 10
"""The most datasets of which the one that shows most is chosen."""


class VerifyReader(AccountReader):
    """Reads a server, also if its totals are wrong, or its items come twice."""

    is_strict: ClassVar = False

    def first_ids(self, kind: ObjectKind) -> list[str]:
        """The ids of the first apps or datasets. Raises NotReadable if there are none."""
        resources = filterfalse(object_kinds.is_folder, self.list_resources(kind, parentId=None))
        ids = [it["id"] for it in islice(resources, MAX_RESOURCES)]
        if not ids:
            raise NotReadable(f"no {kind.noun} is listed")
        return ids

    def read_apps(self, id: str | None) -> list[JsonObject]:
        """The app with this id, else the first that shows most of its chats, if there is any.

        Raises NotReadable for this id, ServiceError.
        """
        try:
            app_id = id or max(self.first_ids(object_kinds.APP), key=self.chats_shown)
            chats = self.read_chats(app_id)
            self.log(f"looking at app {app_id}, with {count_in_words(len(chats), 'chat')}")
            return [{"id": app_id, "chats": chats}]
        except NotReadable as refusal:
            if id:
                raise NotReadable(f"cannot read app {id}: {refusal}") from None
            self.log(f"no chats are looked at: {refusal}")
            return []

    def chats_shown(self, app_id: str) -> int:
        """How many chats of an app can be read; two show all that more show."""
        body = {"appId": app_id, "offset": 0, "pageSize": ITEMS_A_PAGE}
        try:
            return min(self.read(get_histories.path, body, ListPage).total, 2)
        except NotReadable:
            return -1

    def read_dataset(self, id: str | None) -> JsonObject:
        """The dataset with this id, else the one that shows most, with its collections.

        Raises NotReadable, ServiceError.
        """
        if id is None:
            ids = self.first_ids(object_kinds.DATASET)
            id = max(ids, key=self.feature_rank)
            self.log(f"looking at dataset {id}, the one of {len(ids)} that shows most")
        try:
            collections = self.read_collections(id)
        except NotReadable as refusal:
            raise NotReadable(f"cannot read dataset {id}: {refusal}") from None
        if not collections:
            raise NotReadable(f"dataset {id} has no collections")
        return {"id": id, "collections": collections}

    def feature_rank(self, dataset_id: str) -> tuple[int, int]:
        """How much a dataset shows at its top level; of two that show as much, less is better."""
        body = {"datasetId": dataset_id, "offset": 0, "pageSize": ITEMS_A_PAGE, "parentId": None}
        page = self.read(LIST, body, ListPage)
        has_folders = any(map(object_kinds.is_folder, page.items))
        has_tags = any(it.get("tags") for it in page.items)
        return sum([has_folders, has_tags, page.total > 10, page.total > 30]), -page.total

    def send_all(self, requests: Iterable[Request]) -> RequestGroup:
        """Send requests one after the other. Raises ServiceError."""
        requests = [*requests]
        responses = [ComparedResponse.of(self.send(it.to(self.client))) for it in requests]
        return RequestGroup(requests, responses)

    def pin_and_restore(self, app: JsonObject) -> RequestGroup:
        """Pin chats, and undo that, also after a failure. Raises ServiceError."""
        unknown_chat = f"verify-{token_hex(8)}"
        try:
            pinned = self.send_all(pinning_requests(app, unknown_chat))
        finally:
            restored = self.restore(app, unknown_chat)
        return RequestGroup(
            pinned.requests + restored.requests, pinned.responses + restored.responses
        )

    def restore(self, app: JsonObject, unknown_chat: str) -> RequestGroup:
        """Undo pins, and log what is not put back. Raises ServiceError."""
        # Without a response, nothing counts as put back.
        chats: dict[str, JsonObject] = {unknown_chat: {}}
        try:
            group = self.send_all(restoring_requests(app, unknown_chat))
            chats = group.responses[-1].items
        finally:
            for chat in app["chats"][:1]:
                id = chat["chatId"]
                self.log(f"not put back: the updateTime of chat {id}")
                if id not in chats or bool(chats[id].get("top")) != bool(chat.get("top")):
                    self.log(f"not put back: the pin of chat {id}")
            if unknown_chat in chats:
                self.log(f"not put back: the chat {unknown_chat}")
        return group
