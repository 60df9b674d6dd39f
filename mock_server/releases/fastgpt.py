"""The releases of FastGPT, a table each, and the profiles that follow them."""

from collections.abc import Mapping
from typing import Any, get_args

from msgspec import Struct

from mock_server import errors
from mock_server.errors import InvalidField
from mock_server.releases import casts
from mock_server.releases.release import Release
from mock_server.store.objects import DEFAULT_TEAM, TrainingType

# FastGPT 4.14 (seen in 4.14.10)

ANY_ID = "65422be6aa44b7da77729eca"
APP_AVATAR = "/icon/logo.svg"
NO_ITEMS = {"list": [], "total": 0}
TRAINING_FIELDS = (
    "activeTrainingAmount",
    "finalErrorAmount",
    "slowestTrainingStatus",
    "slowestTrainingMode",
)
SEARCH_SETTINGS = (
    "datasetDeepSearch",
    "datasetDeepSearchBg",
    "datasetDeepSearchMaxTimes",
    "datasetDeepSearchModel",
    "datasetSearchExtensionBg",
    "datasetSearchExtensionModel",
    "datasetSearchUsingExtensionQuery",
    "embeddingWeight",
    "rerankModel",
    "rerankWeight",
)
SKILL_RIGHTS = (
    "hasSkillCreatePer",
    "hasSkillCreateRole",
    "perList.skillCreate",
    "roleList.skillCreate",
)
FAILED = errors.FailedField
APP_TYPES = {
    *("folder", "toolFolder", "simple", "chatAgent", "advanced", "plugin"),
    *("toolSet", "httpToolSet", "hidden", "tool", "httpPlugin"),
}
DATASET_TYPES = {
    *("folder", "dataset", "websiteDataset", "externalFile", "apiDataset", "feishu", "yuque"),
    "dingtalk",
}
CHAT_TYPES = casts.fail_unless(casts.null_as_missing, str, ("normal", "outLink", "home", "team"))
LINKS = {
    "shareId": casts.refused(errors.LinkInvalid),
    "teamId": casts.refused(FAILED),
    "outLinkAuthData": casts.dropped,
    "skillId": casts.dropped,
    "sourceType": casts.dropped,
}
"""Up to 4.14 a request names a share link in its own fields, and no skill."""
CONVERSATION = {
    **{name: LINKS[name] for name in ("shareId", "teamId", "outLinkAuthData")},
    "appId": casts.identifier,
    "chatId": casts.text,
    "customUid": casts.text,
    "detail": casts.truthiness,
    "metadata": casts.drop_unless(dict),
    "responseChatItemId": casts.text,
    "retainDatasetCite": casts.truthiness,
    "showSkillReferences": casts.dropped,
    "stream": casts.truthiness,
    "variables": casts.drop_unless(dict),
}
RECORDS = {
    "appId": casts.falsy_as_missing(casts.identifier),
    "chatId": casts.falsy_as_missing(casts.text),
    "includeDeleted": casts.truthiness,
    "loadCustomFeedbacks": casts.truthiness,
    "outLinkAuthData": casts.dropped,
    "type": CHAT_TYPES,
}
# These are read as they were sent (`requested_page`).
PAGE = dict.fromkeys(("offset", "pageNum", "pageSize"), casts.dropped)
LIST = {
    "datasetId": casts.required_id(errors.DatasetNotFound),
    "filterTags": casts.tag_ids,
    "parentId": casts.object_id,
    "searchText": casts.null_as_missing,
    "selectFolder": casts.truthiness,
    "simple": casts.truthiness,
}
RESOURCE = {
    "avatar": casts.text,
    "intro": casts.text,
    "name": casts.text,
    "parentId": casts.identifier,
}
FILTER = {
    "parentId": casts.identifier,
    "searchKey": casts.falsy_as_missing(casts.fail_unless(casts.null_as_missing, str)),
}
NEW_COLLECTION = {
    "datasetId": casts.required_id(errors.DatasetNotFound),
    "parentId": casts.identifier,
    "tags": casts.texts,
}
NUMBER = (int | float, casts.number)
SWITCHES = (
    "autoIndexes",
    "customPdfParse",
    "dataEnhanceCollectionName",
    "imageIndex",
    "indexPrefixTitle",
)
SET_BY_MODE: dict[str, tuple[Any, ...]] = {
    "chunkSize": NUMBER,
    "chunkSplitMode": (str, casts.text, ("paragraph", "size", "char")),
    "chunkSplitter": (str, casts.text),
    "indexSize": NUMBER,
    "paragraphChunkAIMode": (str, casts.text, ("auto", "force", "forbid")),
    "paragraphChunkDeep": NUMBER,
    "paragraphChunkMinSize": NUMBER,
    "qaPrompt": (str, casts.text),
}
"""Settings that the usual mode and type of training replace: types, cast and values."""
STORED: dict[str, tuple[Any, ...]] = {
    **SET_BY_MODE,
    **dict.fromkeys((*SWITCHES, "forbid"), (bool, casts.boolean)),
    "chunkSettingMode": (str, casts.text, ("auto", "custom")),
    "chunkTriggerMinSize": NUMBER,
    "chunkTriggerType": (str, casts.text, ("minSize", "forceChunk", "maxSize")),
    "trainingType": (str, casts.text, get_args(TrainingType)),
}
EMPTY_COLLECTION = {
    **NEW_COLLECTION,
    **{
        name: casts.fail_unless(cast, types, *more) for name, (types, cast, *more) in STORED.items()
    },
    "name": casts.text,
}
FROM_SOURCE = {
    **NEW_COLLECTION,
    **{name: casts.drop_unless(*row) for name, row in SET_BY_MODE.items()},
    **dict.fromkeys(SWITCHES, casts.boolean),
    **dict.fromkeys(("chunkSettingMode", "chunkTriggerType"), casts.text),
    "chunkTriggerMinSize": casts.number,
    "metadata": casts.drop_unless(dict),
    "trainingType": casts.falsy_as_missing(casts.text),
}
NEW_INDEX = {"text": casts.interpolated, "type": casts.text}
NEW_ROW = {
    "a": casts.falsy_as_missing(casts.text),
    "chunkIndex": casts.number,
    "indexes": casts.falsy_as_missing(casts.items_of(NEW_INDEX)),
    "metadata": casts.drop_unless(dict),
    "q": casts.falsy_as_missing(casts.text),
}
ID = {"id": casts.required_id(errors.MissingParams)}
NO_LINKED_ITEMS = NO_ITEMS | {"hasMorePrev": False, "hasMoreNext": False}
CASTS_4_14: dict[str, dict[str, casts.Cast]] = {
    "listV2": {**LIST, **PAGE},
    "collection.list": LIST
    | dict.fromkeys(("pageNum", "pageSize"), casts.drop_unless(int | float, casts.number)),
    "collection.detail": ID,
    "collection.create": EMPTY_COLLECTION,
    "create.text": {**FROM_SOURCE, "name": casts.interpolated, "text": casts.list_as_empty_text},
    "create.link": {**FROM_SOURCE, "link": casts.text},
    "localFile": FROM_SOURCE | {"datasetId": casts.identifier},
    "apiCollection": {**FROM_SOURCE, "name": casts.text},
    "collection.update": {
        "datasetId": casts.falsy_as_missing(casts.identifier),
        "externalFileId": casts.falsy_as_missing(casts.text),
        "forbid": casts.boolean,
        "id": casts.falsy_as_missing(casts.identifier),
        "name": casts.falsy_as_missing(casts.null_as_missing),
        "parentId": casts.identifier,
        "tags": casts.texts,
    },
    "collection.delete": {"collectionIds": casts.drop_unless(list)},
    "dataset.create": {
        **RESOURCE,
        "apiDatasetServer": casts.drop_unless(dict),
        "avatar": casts.with_default(APP_AVATAR, casts.null_as_missing),
        "intro": casts.with_default("", casts.null_as("")),
        "type": casts.with_default("dataset"),
        "vlmModel": casts.text,
    },
    "dataset.list": FILTER | {"type": casts.known_types(DATASET_TYPES)},
    "dataset.detail": ID,
    "dataset.update": {
        **ID,
        **dict.fromkeys(
            ("agentModel", "avatar", "name", "vlmModel"), casts.falsy_as_missing(casts.text)
        ),
        "intro": casts.text,
        "parentId": casts.identifier,
    },
    "dataset.delete": ID,
    "app.list": FILTER | {"type": casts.known_types(APP_TYPES)},
    "app.detail": {},
    "app.create": RESOURCE
    | {
        "chatConfig": casts.drop_unless(dict),
        "edges": casts.drop_unless(list),
        "modules": casts.drop_unless(list),
        "type": casts.with_default("advanced"),
    },
    "pushData": {
        "collectionId": casts.identifier,
        "data": casts.items_of(NEW_ROW),
        **dict.fromkeys(
            ("autoIndexes", "billId", "imageIndex", "indexSize", "prompt"), casts.dropped
        ),
        **dict.fromkeys(("trainingMode", "trainingType"), casts.dropped),
    },
    "insertData": {
        "q": casts.required(errors.MissingParams),
        "collectionId": casts.required_id(errors.MissingParams),
        "chunkIndex": casts.dropped,
        "indexes": casts.null_as_missing,
        "metadata": casts.drop_unless(dict),
    },
    "data.list": {**PAGE, "collectionId": casts.non_null_id(errors.CollectionNotFound)},
    "data.detail": {},
    "data.update": {
        "q": casts.with_default("", casts.null_as("", casts.null_as_missing)),
        "a": casts.falsy_as_missing(casts.null_as_missing),
        "indexes": casts.with_default([], casts.items_of(NEW_INDEX)),
    },
    "data.delete": {},
    "searchTest": {
        "datasetId": casts.required_id(errors.MissingParams),
        "text": casts.required(errors.MissingParams),
        "limit": casts.drop_unless(int | float, casts.number),
        "queryImageUrls": casts.dropped,
        "searchMode": casts.drop_unless(str, values=("embedding", "fullTextRecall", "mixedRecall")),
        "similarity": casts.drop_unless(int | float, casts.number),
        "usingReRank": casts.truthiness,
    }
    | dict.fromkeys(SEARCH_SETTINGS, casts.dropped),
    "updateHistory": LINKS,
    "completions": CONVERSATION,
    "v2.completions": CONVERSATION,
    "v2.createQuestionGuide": {
        "appId": casts.falsy_as_missing(casts.identifier),
        "chatId": casts.unless(casts.is_missing_or_falsy, "undefined", casts.interpolated),
        "outLinkAuthData": casts.dropped,
        "skillId": casts.dropped,
        "sourceType": casts.dropped,
    },
    "getPaginationRecords": RECORDS | PAGE,
    "getRecords_v2": RECORDS | {"pageSize": casts.drop_unless(int | float, casts.number)},
    "record.delete": {
        "chatId": casts.required(FAILED, casts.text),
        "contentId": casts.required(FAILED, casts.text),
        "contentIds": casts.dropped,
    },
    "getResData": {},
}
FASTGPT_4_14 = Release(
    paths={
        "/api/core/chat/item/delete": "/api/core/chat/record/delete",
        "/api/core/chat/record/delete": "",
        "/api/core/chat/history/markRead": "",
    },
    login_only=("app.create", "dataset.update"),
    reads_body_alone=("record.delete",),
    # These two check the other fields, too.
    unchecked=CASTS_4_14.keys() - {"updateHistory", "getHistories"},
    casts=CASTS_4_14,
    ids_fail=("updateUserFeedback",),
    refusals={
        "app.detail": {InvalidField: errors.AppNotFound},
        "app.list": {InvalidField: []},
        "completions": {errors.AppNotFound: FAILED},
        "dataset.list": {InvalidField: []},
        "v2.completions": {errors.AppNotFound: FAILED},
        "getHistories": {
            errors.AppNotFound: NO_ITEMS,
            errors.AppOfChatMissing: NO_ITEMS,
        },
        "getPaginationRecords": {InvalidField: NO_ITEMS},
        "getRecords_v2": {InvalidField: NO_LINKED_ITEMS},
        "getResData": {InvalidField: []},
        "preLogin": {FAILED: InvalidField},
        "searchTest": {InvalidField: errors.MissingParams},
        "delHistory": {errors.AppOfChatMissing: InvalidField},
        "record.delete": {InvalidField: errors.AppOfChatMissing},
        "v2.createQuestionGuide": {InvalidField: errors.AppOfChatMissing},
    },
    omitted_fields={
        "app.detail": ("resourceRefs",),
        "getHistories": ("list.hasBeenRead", "list.chatGenerateStatus"),
        "chat.stop": ("completed", "chatGenerateStatus"),
        "getPaginationRecords": ("list.value.file.key?key",),
        "getRecords_v2": ("list.value.file.key?key",),
        "chat.init": ("title?title", "hasBeenRead", "chatGenerateStatus"),
        "listV2": [f"list.{it}" for it in ("hasError?trainingAmount", *TRAINING_FIELDS)],
        "collection.detail": ("hasError?trainingAmount", "trainingAmount", *TRAINING_FIELDS),
        "tokenLogin": [f"{of}permission.{it}" for of in ("", "team.") for it in SKILL_RIGHTS],
        "loginByPassword": [
            f"user.{of}permission.{right}" for of in ("", "team.") for right in SKILL_RIGHTS
        ],
    },
    added_fields={
        "app.detail": {
            "teamTags": [],
            "__v": 0,
            "scheduledTriggerConfig": {},
            "chatConfig.variables": [],
            "chatConfig._id": ANY_ID,
        },
        "data.list": {"list.teamId": DEFAULT_TEAM},
        "chat.init": {
            "app.chatConfig.chatInputGuide.textList": [],
            "app.chatConfig._id": ANY_ID,
        },
        "collection.detail": {"__v": 0, "dataset.__v": 0},
        "data.detail": {"indexes._id": ANY_ID},
    },
    fixed_data={"updateUserFeedback": {}, "data.update": None, "data.delete": "success"},
    takes_any_source=("localFile", "create.link"),
    has_error_types=False,
    keeps_titles=False,
    names_new_chats=False,
    ends_with_done=False,
    joins_reasoning=False,
    is_data_id_shared=False,
    collection_types=("folder", "virtual", "file", "link", "externalFile", "apiFile", "images"),
    keeps_all_settings=True,
    counts_history=True,
    cleans_texts=False,
    describes_files=True,
    limits_search_text=False,
    knows_any_key=False,
    latest_rows_first=False,
    pages_by_size=True,
    rewrites_rows=True,
)
FASTGPT_4_16 = Release()


class Profile(Struct, frozen=True):
    """A value for every choice, and a release of FastGPT."""

    sentence: str
    """What it is, in the words of the console."""
    release: Release = FASTGPT_4_16
    choices: Mapping[str, Any] = {}
    """The choices in which it differs from profile `fastgpt-4.16`."""


PROFILES = {
    "documented": Profile("the spec read strictly"),
    "fastgpt-4.14": Profile(
        "as FastGPT 4.14.10 was seen to answer", FASTGPT_4_14, {"error_http_status": "always_500"}
    ),
    "fastgpt-4.16": Profile("as FastGPT 4.16.0 was seen to answer"),
    "fastgpt-4.17": Profile(
        "as the source of FastGPT 4.17 says",
        choices={
            "parent_unknown": "not_found",
            "search_scope": "subtree",
            "list_filters": "tag_values",
            "tag_form": "typed",
            "rows_visible": "at_once",
            "lone_offset": "honour",
        },
    ),
}
"""The profiles by name; the choices of `documented` are the defaults."""


def differing_releases(operation_name: str, path: str) -> list[str]:
    """The releases, such as 4.14, whose tables change an operation."""
    profiles = [it for it in PROFILES if PROFILES[it].release.changes(operation_name, path)]
    return [it.removeprefix("fastgpt-") for it in profiles]
