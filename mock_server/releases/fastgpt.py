"""The releases of FastGPT, a table each, and the profiles that follow them."""

from collections.abc import Mapping
from typing import Any, get_args

from msgspec import Struct

from mock_server import errors
from mock_server.errors import InvalidField
from mock_server.releases.release import Release, UncheckedFields
from mock_server.store.objects import DEFAULT_TEAM, TrainingType

# FastGPT 4.14 (seen in 4.14.10)

ANY_ID = "65422be6aa44b7da77729eca"
NO_ITEMS = {"list": [], "total": 0}
TRAINING_FIELDS = (
    "activeTrainingAmount",
    "finalErrorAmount",
    "slowestTrainingStatus",
    "slowestTrainingMode",
)
SKILL_RIGHTS = (
    "hasSkillCreatePer",
    "hasSkillCreateRole",
    "perList.skillCreate",
    "roleList.skillCreate",
)
FAILED = errors.FailedField
NEW_COLLECTION: UncheckedFields = {
    "datasetId": errors.DatasetNotFound,
    "parentId": FAILED,
}
NAMED_COLLECTION: UncheckedFields = {**NEW_COLLECTION, "name": str}
LINKS = {"shareId": errors.LinkInvalid, "teamId": FAILED}
CONVERSATION: UncheckedFields = {"chatId": str, "stream": bool, "detail": bool}
IDS: UncheckedFields = {"*": errors.MissingParams}
PAGE: UncheckedFields = {"offset": FAILED, "pageSize": FAILED}
FASTGPT_4_14 = Release(
    paths={
        "/api/core/chat/item/delete": "/api/core/chat/record/delete",
        "/api/core/chat/record/delete": "",
        "/api/core/chat/history/markRead": "",
    },
    login_only=("app.create", "dataset.update"),
    in_body=("record.delete",),
    unchecked={
        "listV2": {
            **PAGE,
            "datasetId": FAILED,
            "datasetId?": errors.DatasetNotFound,
            "offset?": 0,
            "pageSize?": errors.MissingParams,
            "parentId": ANY_ID,
            "searchText": FAILED,
            "searchText?": None,
            "selectFolder": bool,
            "simple": bool,
            "filterTags": [""],
            "filterTags?": FAILED,
        },
        "collection.list": {"datasetId": errors.DatasetNotFound},
        "collection.detail": IDS,
        "collection.create": NAMED_COLLECTION,
        "create.text": {**NAMED_COLLECTION, "name?": "undefined", "trainingType": FAILED},
        "create.link": NEW_COLLECTION,
        "apiCollection": NAMED_COLLECTION,
        "collection.update": {"id": errors.MissingParams, "forbid": bool, "*": FAILED},
        "collection.delete": {},
        "dataset.create": {
            "name": str,
            "type": FAILED,
            "type?": "dataset",
            "intro": "",
            "avatar": "",
            "parentId": FAILED,
        },
        "dataset.list": {},
        "dataset.detail": IDS,
        "dataset.update": IDS,
        "dataset.delete": IDS,
        "app.list": {"parentId": FAILED},
        "app.detail": {"*": errors.AppNotFound},
        "pushData": {},
        "insertData": IDS,
        "data.list": {**PAGE, "collectionId": errors.CollectionNotFound},
        "data.detail": {},
        "data.update": {"q": ""},
        "data.delete": {},
        "searchTest": {"datasetId": errors.MissingParams},
        "completions": CONVERSATION,
        "v2.completions": CONVERSATION,
        "v2.createQuestionGuide": {
            "appId": errors.AppOfChatMissing,
            "chatId": "undefined",
        },
        "getPaginationRecords": {
            **PAGE,
            "appId": errors.AppOfChatMissing,
            "type": FAILED,
        },
        "getRecords_v2": {},
        "record.delete": {},
        "getResData": {"appId": errors.AppOfChatMissing, "dataId": ""},
    },
    checked={
        "updateHistory": LINKS,
        "completions": LINKS,
        "v2.completions": LINKS,
        "collection.create": {"trainingType": get_args(TrainingType)},
    },
    refusals={
        "completions": {errors.AppNotFound: FAILED},
        "v2.completions": {errors.AppNotFound: FAILED},
        "getHistories": {
            errors.AppNotFound: NO_ITEMS,
            errors.AppOfChatMissing: NO_ITEMS,
        },
        "getPaginationRecords": {errors.AppOfChatMissing: NO_ITEMS},
        "getResData": {errors.AppOfChatMissing: []},
        "preLogin": {FAILED: InvalidField},
        "searchTest": {InvalidField: errors.MissingParams},
        "delHistory": {errors.AppOfChatMissing: InvalidField},
    },
    absent={
        "app.detail": ("resourceRefs",),
        "getHistories": ("list.hasBeenRead", "list.chatGenerateStatus"),
        "chat.init": ("title?", "hasBeenRead", "chatGenerateStatus"),
        "listV2": [f"list.{it}" for it in ("hasError?", *TRAINING_FIELDS)],
        "collection.detail": ("trainingAmount", "hasError?", *TRAINING_FIELDS),
        "tokenLogin": [f"{of}permission.{it}" for of in ("", "team.") for it in SKILL_RIGHTS],
        "loginByPassword": [
            f"user.{of}permission.{it}" for of in ("", "team.") for it in SKILL_RIGHTS
        ],
    },
    added={
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
    data={"updateUserFeedback": {}, "data.update": None, "data.delete": "success"},
    takes_any_file=("localFile",),
    has_error_types=False,
    keeps_titles=False,
    names_new_chats=False,
    ends_with_done=False,
    is_data_id_shared=False,
    collection_types=("folder", "virtual", "file", "link", "externalFile", "apiFile", "images"),
    counts_history=True,
    limits_search_text=False,
    knows_any_key=False,
    latest_rows_first=False,
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
