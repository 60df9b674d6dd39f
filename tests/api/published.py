"""The requests that the service's public documentation shows, for what is served here.

They are those of its pages on chats, datasets and applications, with ids of a fixture
of ours, and the names that the documented answers hold. What an answer here lacks of
them is written beside each; the documentation's table is made of that.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from mock_server.domain.versions import VERSIONS
from tests.docs.cells import code, listed
from tests.docs.pages import Table
from tests.support import Api

APP, CHAT, DATASET, COLLECTION = "a" * 24, "my-chat", "d" * 24, "c" * 24
ROW, SPARE, RECORD = "e" * 24, "f" * 24, "reply"
ANSWERED = "{dataId}"
"""Stands for the reply that a first question has had."""
_CITED = {"id": ROW, "q": "Who directed it?", "a": "Nobody.", "datasetId": DATASET}
_SAID = [{"obj": "Human", "text": "Hello"}, {"obj": "AI", "text": "Yes?"}]
WORLD: dict[str, Any] = {
    "apps": [
        {
            "id": APP,
            "replies": [
                {
                    "parts": [
                        {"node": "AI chat"},
                        {"quotes": [_CITED | {"collectionId": COLLECTION}]},
                        "Nobody did.",
                    ]
                }
            ],
            "chats": [
                {"chatId": CHAT, "records": [_SAID[0], _SAID[1] | {"dataId": RECORD}]}
            ],
        },
        {"id": "b" * 24, "type": "plugin"},
    ],
    "datasets": [
        {
            "id": DATASET,
            "collections": [
                {
                    "_id": COLLECTION,
                    "name": "Films",
                    "externalFileId": "1111",
                    "fileId": "file",
                    "tags": ["red"],
                    "data": [
                        {"_id": ROW, "q": "Who directed it?", "a": "Nobody."},
                        {"_id": SPARE, "q": "Who wrote it?", "indexes": ["author"]},
                    ],
                }
            ],
        }
    ],
}


class Example(NamedTuple):
    """A request as it is published, and the names in the answer published for it.

    `shows` are those of the data, with dots between levels; or the events of a stream.
    `lacks` are those that are not there, `former` those in 4.14 only, `why` says so.
    """

    request: str
    body: Any = None
    shows: str = "null"
    lacks: str = ""
    former: str = ""
    why: str = ""
    file: str = ""
    refused: bool = False
    versions: tuple[str, ...] = VERSIONS
    about: str = ""

    @property
    def title(self) -> str:
        """Method and path, and what is special about the request."""
        return f"{code(self.request.partition('?')[0])} {self.about}".rstrip()

    def lacking(self, api: Api) -> str:
        """The names that are published and that the answer here does not hold."""
        found = set(names_in(self.sent(api)))
        return " ".join(name for name in self.shows.split() if name not in found)

    def missing(self, version: str) -> str:
        """The names that are known to be missing in a version."""
        return self.former or self.lacks if version == "4.14" else self.lacks

    def sent(self, api: Api) -> Any:
        """Send the request; gives the response, which is refused if that is told."""
        method, path = self.request.split()
        headers = {"Authorization": "Bearer fastgpt-xxxxxx"}
        options: dict[str, Any] = {}
        if self.file:
            options["files"] = {"file": (self.file, "<p>Films</p>")}
            options["data"] = {"data": json.dumps(self.body)}
        elif self.body is not None:
            options["json"] = self.body
        if ANSWERED in path:
            path = path.replace(ANSWERED, answered(api))
        answer = api.client.request(method, path, headers=headers, **options)
        assert (answer.status_code != 200) is self.refused, (self.request, answer.text)
        return answer


def answered(api: Api) -> str:
    """The dataId of the reply to a question that is asked first."""
    TALK.sent(api)
    body = {"appId": APP, "chatId": TALK.body["chatId"], "offset": 0, "pageSize": 10}
    records = api.send("POST", "/api/core/chat/record/getPaginationRecords", body)
    return str(records.json()["data"]["list"][-1]["dataId"])


def names_in(answer: Any) -> Iterator[str]:
    """The names in the data of a response, or the events of a stream."""
    if "event-stream" in answer.headers.get("content-type", ""):
        for event in filter(None, answer.text.split("\n\n")):
            head, _, data = event.rpartition("data: ")
            yield head.removeprefix("event: ").strip() or "data"
            yield from [data] if data == "[DONE]" else []
        return
    if answer.status_code == 200:
        body = answer.json()
        yield from names_of(body["data"] if "statusText" in body else body)


def names_of(value: Any, at: str = "") -> Iterator[str]:
    """The names in a value, with those around them; of a list those of all items."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield f"{at}{name}"
            yield from names_of(inner, f"{at}{name}.")
    elif isinstance(value, list):
        for each in value:
            yield from names_of(each, at)
    elif not at:
        yield "null" if value is None else "text"


def published_table() -> Table:
    """The published examples that are answered otherwise, and why."""
    alike: dict[tuple[str, str], list[str]] = {}
    for each in EXAMPLES:
        if each.why:
            alike.setdefault((_otherwise(each), each.why), []).append(each.title)
    rows = [
        (", ".join(dict.fromkeys(titles)), told, why)
        for (told, why), titles in alike.items()
    ]
    return Table(("published example", "the answer has no", "why"), rows)


def _otherwise(each: Example) -> str:
    if each.refused:
        return "data: the request is refused"
    names = listed((each.former or each.lacks).split())
    return f"{names} (in 4.14)" if each.former and not each.lacks else names


_COMPLETIONS = "POST /api/v1/chat/completions"
_WHOLE = (
    "id model usage.prompt_tokens usage.completion_tokens usage.total_tokens "
    "choices.message.role choices.message.content choices.finish_reason choices.index"
)
_NODES = (
    "responseData.moduleName responseData.quoteList.id responseData.quoteList.q "
    "responseData.quoteList.a "
)
_OLD_NODES = (
    "responseData.price responseData.model responseData.tokens "
    "responseData.similarity responseData.limit responseData.question "
    "responseData.answer responseData.maxToken responseData.quoteList.source "
    "responseData.quoteList.dataset_id responseData.completeMessages"
)
_NO_MODEL = "no model is asked; a script names the nodes"
_OLDER = "gone in the service, too"
_QUESTION = [{"role": "user", "content": "Who directed it?"}]
TALK = Example(
    _COMPLETIONS,
    {
        "chatId": "my_chatId",
        "stream": False,
        "detail": False,
        "responseChatItemId": "my_responseChatItemId",
        "variables": {"uid": "u-1", "name": "Ada"},
        "messages": _QUESTION,
    },
    _WHOLE,
)
_PARTS = [
    {"type": "text", "text": "Who directed it?"},
    {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
    {"type": "file_url", "name": "a.pdf", "url": "https://example.com/a.pdf"},
]
_STREAMED = "flowNodeStatus answer [DONE] flowResponses"
_TEMPLATE = {
    "trainingType": "chunk",
    "chunkSize": 512,
    "chunkSplitter": "",
    "qaPrompt": "",
}
_MADE = "collectionId results.insertLen"
_RESULTS = "results.overToken results.repeat results.error"
_AT = f"appId={APP}&chatId={CHAT}"
_CHAT = {"appId": APP, "chatId": CHAT}
_HISTORIES = _CHAT | {"offset": 0, "pageSize": 20, "source": "api"}
del _HISTORIES["chatId"]
_HISTORY = (
    "list.chatId list.updateTime list.appId list.customTitle list.title list.top total"
)
_RECORDS = _CHAT | {"offset": 0, "pageSize": 10, "loadCustomFeedbacks": True}
_RECORD = (
    "list._id list.dataId list.obj list.value.text.content list.customFeedbacks "
    "list.totalQuoteList list.totalRunningTime total"
)
_NOT_RUN = (
    "totalPoints model tokens query maxToken historyPreview.obj historyPreview.value "
    "contextTotalLen"
)
_RUN = f"id nodeId moduleName moduleType runningTime {_NOT_RUN}"
_RUN_DETAILS = f"appId={APP}&chatId=my_chatId&dataId={ANSWERED}"
_COUNTED = "list.llmModuleAccount list.historyPreviewLength"
_CONFIG = " ".join(
    f"app.chatConfig.{name}"
    for name in (
        *("questionGuide", "ttsConfig", "whisperConfig", "chatInputGuide"),
        *("instruction", "variables", "fileSelectConfig", "welcomeText"),
    )
)
_INIT = (
    "chatId appId variables app.chatModels app.name app.avatar app.intro app.type "
    "app.pluginInputs"
)
_LISTED = (
    "list._id list.parentId list.tmbId list.type list.name list.updateTime "
    "list.dataAmount list.trainingAmount list.externalFileId list.tags list.forbid "
    "list.trainingType list.permission.value list.permission.isOwner "
    "list.permission.hasManagePer list.permission.hasWritePer "
    "list.permission.hasReadPer total"
)
_MODEL = (
    "vectorModel.model vectorModel.name vectorModel.charsPointsPrice "
    "vectorModel.defaultToken vectorModel.maxToken vectorModel.weight"
)
_AGENT = "agentModel.model agentModel.name agentModel.maxContext agentModel.maxResponse"
_DETAIL = (
    "_id parentId teamId tmbId type status avatar name intro permission updateTime "
)
_CHANGED = {
    "parentId": None,
    "name": "Movies",
    "tags": ["tag1", "tag2"],
    "forbid": False,
    "createTime": "2024-01-01T00:00:00.000Z",
}
_BY_FILE = {"datasetId": DATASET, "externalFileId": "1111"}
_PAGE = {"pageSize": 10, "searchText": ""}
_ROWS = "list._id list.datasetId list.collectionId list.q list.a list.chunkIndex total"
_CHANGED_ROW = {
    "dataId": ROW,
    "q": "Test 111",
    "a": "sss",
    "indexes": [
        {"dataId": "xxxx", "type": "default", "text": "Default index"},
        {"dataId": "xxx", "type": "custom", "text": "Older index"},
        {"type": "custom", "text": "New index"},
    ],
}
_SEARCHED = {
    "datasetId": DATASET,
    "text": "Who directed it?",
    "limit": 5000,
    "similarity": 0,
    "searchMode": "embedding",
    "usingReRank": False,
    "datasetSearchUsingExtensionQuery": True,
    "datasetSearchExtensionModel": "some-model",
    "datasetSearchExtensionBg": "",
}
_GUIDE = {"open": True, "model": "some-model", "customPrompt": "Propose questions."}
_CHATS, _SETS = "/api/core/chat", "/api/core/dataset"
EXAMPLES = [
    TALK,
    Example(
        _COMPLETIONS,
        {
            "chatId": "abcd",
            "stream": False,
            "messages": [{"role": "user", "content": _PARTS}],
        },
        _WHOLE,
    ),
    Example(
        _COMPLETIONS,
        {"chatId": "x", "stream": True, "messages": _QUESTION},
        "data [DONE]",
    ),
    Example(
        _COMPLETIONS,
        TALK.body | {"detail": True},
        f"{_WHOLE} {_NODES} {_OLD_NODES}",
        _OLD_NODES,
        why=_NO_MODEL,
        about="with `detail`",
    ),
    Example(
        _COMPLETIONS,
        {"chatId": "x", "stream": True, "detail": True, "messages": _QUESTION},
        _STREAMED,
    ),
    Example(
        _COMPLETIONS,
        TALK.body | {"chatId": "111", "customUid": "u-1"},
        _WHOLE,
    ),
    *(
        Example(
            _COMPLETIONS,
            {
                "stream": True,
                "detail": True,
                "chatId": "22231",
                "messages": [{"role": "user", "content": chosen}],
            },
            _STREAMED,
        )
        for chosen in ("Confirm", '{"Test 1": "Some text", "Test 2": 666}')
    ),
    Example(
        _COMPLETIONS,
        {"stream": False, "chatId": "test", "variables": {"query": "Hello"}},
        f"{_WHOLE} responseData newVariables",
        f"{_WHOLE} responseData newVariables",
        why="apps of type `plugin` are not run: `messages` is required of all apps",
        about="of a plugin",
        refused=True,
    ),
    *(
        Example(f"POST {_CHATS}/{path}getHistories", _HISTORIES, _HISTORY)
        for path in ("history/", "")
    ),
    *(
        Example(f"{request}updateHistory", _CHAT | change)
        for request in (f"PUT {_CHATS}/history/", f"POST {_CHATS}/")
        for change in ({"customTitle": "A title"}, {"top": True})
    ),
    *(
        Example(f"DELETE {_CHATS}/{path}delHistory?chatId={CHAT}&appId={APP}")
        for path in ("history/", "")
    ),
    *(
        Example(f"DELETE {_CHATS}/{path}clearHistories?appId={APP}")
        for path in ("history/", "")
    ),
    Example(
        f"GET {_CHATS}/init?{_AT}",
        None,
        f"{_INIT} {_CONFIG}",
        "app.chatConfig.instruction app.chatConfig.fileSelectConfig",
        why="an app has no settings of its own here",
    ),
    Example(
        f"POST {_CHATS}/record/getPaginationRecords",
        _RECORDS,
        f"{_RECORD} list.useAgentSandbox",
        "list.customFeedbacks",
        why="records have no custom feedback",
    ),
    Example(
        f"POST {_CHATS}/getPaginationRecords",
        _RECORDS,
        f"{_RECORD} list.value.type {_COUNTED}",
        f"list.customFeedbacks {_COUNTED}",
        why="records have no custom feedback, and nobody counts questions to models",
    ),
    *(
        Example(
            f"GET {_CHATS}/{path}getResData?{_RUN_DETAILS}",
            None,
            _RUN,
            _NOT_RUN,
            why=_NO_MODEL,
        )
        for path in ("record/", "")
    ),
    Example(
        f"DELETE {_CHATS}/record/delete?contentId={RECORD}&chatId={CHAT}&appId={APP}",
        versions=("4.16",),
    ),
    Example(
        f"DELETE {_CHATS}/item/delete?contentId={RECORD}&chatId={CHAT}&appId={APP}",
        lacks="null",
        why="the service of 4.14 does not read the query, either",
        versions=("4.14",),
        refused=True,
    ),
    Example(
        f"DELETE {_CHATS}/item/delete",
        {"contentId": RECORD, "chatId": CHAT, "appId": APP},
        versions=("4.14",),
    ),
    *(
        Example(
            f"POST {_CHATS}/feedback/updateUserFeedback",
            _CHAT | {"dataId": RECORD, name: "yes"},
            former="null",
            why="the service of 4.14 answers `{}`, too",
        )
        for name in ("userGoodFeedback", "userBadFeedback")
    ),
    Example(
        "POST /api/core/ai/agent/v2/createQuestionGuide",
        _CHAT | {"questionGuide": _GUIDE},
        "text",
    ),
    Example(
        "POST /api/core/ai/agent/createQuestionGuide",
        {"messages": [*_QUESTION, {"role": "assistant", "content": "Nobody."}]},
        "text",
    ),
    Example(
        "POST /api/support/wallet/usage/createTrainingUsage",
        {"datasetId": DATASET, "name": "Training of a.docx"},
        "text",
    ),
    Example(
        f"POST {_SETS}/create",
        {
            "parentId": None,
            "type": "dataset",
            "name": "Test",
            "intro": "Introduction",
            "avatar": "",
            "vectorModel": "text-embedding-ada-002",
            "agentModel": "gpt-3.5-turbo-16k",
            "vlmModel": "gpt-4.1",
        },
        "text",
    ),
    Example(
        f"POST {_SETS}/list?parentId=",
        {"parentId": ""},
        f"_id parentId avatar name intro type permission canWrite isOwner {_MODEL}",
        "parentId canWrite isOwner",
        why=_OLDER,
    ),
    Example(
        f"GET {_SETS}/detail?id={DATASET}",
        None,
        f"{_DETAIL} {_MODEL} {_AGENT} canWrite isOwner",
        "canWrite isOwner",
        why=_OLDER,
    ),
    Example(f"DELETE {_SETS}/delete?id={DATASET}"),
    Example(
        f"POST {_SETS}/collection/create",
        {
            "datasetId": DATASET,
            "parentId": None,
            "name": "Test",
            "type": "virtual",
            "metadata": {"test": 111},
        },
        "text",
    ),
    Example(
        f"POST {_SETS}/collection/create/text",
        {
            "text": "Some text",
            "datasetId": DATASET,
            "parentId": None,
            "name": "Test",
            "trainingType": "qa",
            "chunkSettingMode": "auto",
            "qaPrompt": "",
            "metadata": {},
        },
        f"{_MADE} {_RESULTS}",
        _RESULTS,
        why=_OLDER,
    ),
    Example(
        f"POST {_SETS}/collection/create/link",
        {
            "link": "https://example.com/guide",
            "datasetId": DATASET,
            "parentId": None,
            "trainingType": "chunk",
            "chunkSettingMode": "auto",
            "qaPrompt": "",
            "metadata": {"webPageSelector": ".docs-content"},
        },
        f"{_MADE} {_RESULTS}",
        _RESULTS,
        why=_OLDER,
    ),
    Example(
        f"POST {_SETS}/collection/create/localFile",
        {"datasetId": DATASET, "parentId": None, "metadata": {}} | _TEMPLATE,
        f"{_MADE} {_RESULTS}",
        _RESULTS,
        why=_OLDER,
        file="index.html",
    ),
    Example(
        f"POST {_SETS}/collection/create/apiCollection",
        {"name": "a.pdf", "apiFileId": "a.pdf", "datasetId": DATASET, "parentId": None}
        | _TEMPLATE,
        f"{_MADE} {_RESULTS}",
        f"{_MADE} {_RESULTS}",
        why="the service answers null since 4.11, too",
    ),
    Example(
        "POST /api/proApi/core/dataset/collection/create/externalFileUrl",
        {
            "externalFileUrl": "https://example.com/a.pdf",
            "externalFileId": "1111",
            "createTime": "2024-05-01T00:00:00.000Z",
            "filename": "a.pdf",
            "datasetId": DATASET,
            "parentId": None,
            "tags": ["tag1", "tag2"],
        }
        | _TEMPLATE,
        f"{_MADE} {_RESULTS}",
        f"{_MADE} {_RESULTS}",
        why="of the commercial edition; the community edition refuses it so, too",
        refused=True,
    ),
    Example(
        f"POST {_SETS}/collection/listV2",
        {"offset": 0, "datasetId": DATASET, "parentId": None} | _PAGE,
        _LISTED,
    ),
    Example(
        f"POST {_SETS}/collection/list",
        {"pageNum": 1, "datasetId": DATASET, "parentId": None} | _PAGE,
        "pageNum pageSize total data._id data.name data.type",
    ),
    Example(
        f"GET {_SETS}/collection/detail?id={COLLECTION}",
        None,
        "_id parentId teamId tmbId datasetId type name trainingType createTime "
        "updateTime sourceName chunkSize rawTextLength hashRawText canWrite",
        "rawTextLength hashRawText canWrite",
        why="texts are not kept as they came",
    ),
    *(
        Example(f"{method} {_SETS}/collection/update", which | _CHANGED)
        for method in ("POST", "PUT")
        for which in ({"id": COLLECTION}, _BY_FILE)
    ),
    Example(f"DELETE {_SETS}/collection/delete", {"collectionIds": [COLLECTION]}),
    Example(f"DELETE {_SETS}/collection/delete?id={COLLECTION}"),
    Example(
        f"POST {_SETS}/data/pushData",
        {
            "collectionId": COLLECTION,
            "trainingType": "chunk",
            "prompt": "Optional.",
            "billId": "Optional.",
            "data": [
                {"q": "Who are you?", "a": "An assistant."},
                {
                    "q": "What can you do?",
                    "a": "Anything.",
                    "indexes": [{"text": "Index 1"}, {"text": "Index 2"}],
                },
            ],
        },
        "insertLen overToken repeat error",
        "overToken repeat error",
        why=_OLDER,
    ),
    Example(
        f"POST {_SETS}/data/v2/list",
        {"offset": 0, "collectionId": COLLECTION} | _PAGE,
        _ROWS,
    ),
    Example(
        f"POST {_SETS}/data/list",
        {"pageNum": 1, "collectionId": COLLECTION} | _PAGE,
        _ROWS,
    ),
    Example(
        f"GET {_SETS}/data/detail?id={SPARE}",
        None,
        "id q a chunkIndex indexes.type indexes.dataId indexes.text indexes._id "
        "datasetId collectionId sourceName sourceId isOwner canWrite",
        "indexes._id canWrite",
        why=_OLDER,
    ),
    Example(
        f"PUT {_SETS}/data/update",
        _CHANGED_ROW,
        lacks="null",
        why="the service of 4.16 answers the texts of the row, too",
        versions=("4.16",),
    ),
    Example(f"PUT {_SETS}/data/update", _CHANGED_ROW, versions=("4.14",)),
    Example(
        f"DELETE {_SETS}/data/delete?id={ROW}",
        shows="text",
        lacks="text",
        why="the service answers null since 4.15, too",
        versions=("4.16",),
    ),
    Example(f"DELETE {_SETS}/data/delete?id={ROW}", shows="text", versions=("4.14",)),
    Example(
        f"POST {_SETS}/searchTest",
        _SEARCHED,
        "id q a datasetId collectionId sourceName sourceId score",
        "id q a datasetId collectionId sourceName sourceId score",
        why="the service answers an object, too, whose `list` holds them",
    ),
    *(
        Example(
            request,
            body,
            shows,
            shows,
            why="of the commercial edition; the community edition refuses it so, too",
            refused=True,
        )
        for request, body, shows in (
            (
                f"GET /api/proApi/core/app/logs/getTotalData?appId={APP}",
                None,
                "totalUsers totalChats totalPoints",
            ),
            (
                "POST /api/proApi/core/app/logs/getChartData",
                {
                    "appId": APP,
                    "dateStart": "2025-09-19T16:00:00.000Z",
                    "dateEnd": "2025-09-27T15:59:59.999Z",
                    "offset": 1,
                    "source": ["test", "api"],
                    "userTimespan": "day",
                    "chatTimespan": "day",
                    "appTimespan": "day",
                },
                "userData chatData appData",
            ),
        )
    ),
]
