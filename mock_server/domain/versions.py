"""The versions of the service that the server can imitate, and their differences.

The differences are one table: each field of `Facts` is a fact, with its value in each
version. Code reads a fact by its name (`call.facts.NAME`) and never compares versions.
To add a version, add its number to `Version`, and a value to each `fact`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, Literal, TypeVar, get_args

from msgspec import Struct

Version = Literal["4.14", "4.16"]
"""A version: the first two parts of its number, oldest first."""
VERSIONS: tuple[Version, ...] = get_args(Version)
RELEASES: Mapping[Version, str] = {"4.14": "4.14.10", "4.16": "4.16.0"}
"""The release of the service that each version imitates."""

T = TypeVar("T")


def fact(
    values: tuple[T, ...],
    *,
    routes: tuple[str, ...],
    sentence: str,
    chinese: str = "",
) -> T:
    """Return a field of `Facts`: a value for each version, in the order of `VERSIONS`.

    `routes` are the names of the operations that the fact concerns (`*` for all);
    `sentence` says how the newer version differs.
    """
    by_version = dict(zip(VERSIONS, values, strict=True))
    texts = {"routes": routes, "sentence": sentence, "chinese": chinese}
    value: T = field(metadata={"values": by_version, **texts})
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The facts of one version."""

    bad_fields_are_http_400: bool = fact(
        (False, True),
        routes=("*",),
        sentence="Wrong fields get HTTP 400; before, 500. `code` is "
        "400 in both (choice `error_form=service`).",
        chinese="字段错误以 HTTP 400 应答；之前为 500。两者的 `code` 都是 400"
        "（选项 `error_form=service`）。",
    )
    fields_are_checked: bool = fact(
        (False, True),
        routes=("*",),
        sentence="All fields of related routes are checked. Before, only chat "
        "histories, feedback, logins, exports and the health of API keys were.",
        chinese="相关路由的所有字段都会校验；之前只校验会话历史、反馈、登录、"
        "导出和 API 密钥状态。",
    )
    dataset_create_needs_all: bool = fact(
        (False, True),
        routes=("dataset.create",),
        sentence="`type`, `intro` and `avatar` of a new dataset are required; before, "
        "they had defaults.",
        chinese="新建知识库必须提供 `type`、`intro` 和 `avatar`；之前有默认值。",
    )
    collection_create_is_empty: bool = fact(
        (False, True),
        routes=("collection.create",),
        sentence="A new collection without content is a folder or virtual; before, it "
        "could be of any type.",
        chinese="直接创建的集合只能是文件夹或手动集合；之前可为任意类型。",
    )
    rows_newest_first: bool = fact(
        (False, True),
        routes=("data.v2.list", "data.list"),
        sentence="Rows with the same `chunkIndex` are listed newest first; in 4.14.4 "
        "to 4.14.10, newest last.",
        chinese="`chunkIndex` 相同的数据行，新的在前；4.14.4 至 4.14.10 中新的在后。",
    )
    rows_show_team: bool = fact(
        (True, False),
        routes=("data.v2.list", "data.list"),
        sentence="Listed rows no longer have `teamId`.",
        chinese="列表中的数据行不再带有 `teamId`。",
    )
    collection_paths_by_source_id: bool = fact(
        (False, True),
        routes=("collection.paths",),
        sentence="`sourceId` names the collection; before, `parentId` named it.",
        chinese="以 `sourceId` 指定集合；之前为 `parentId`。",
    )
    collection_pages_are_bounded: bool = fact(
        (False, True),
        routes=("collection.list",),
        sentence="A `pageSize` over 100 is refused; before, it counted as 100.",
        chinese="`pageSize` 超过 100 会被拒绝；之前按 100 计算。",
    )
    exports_require_all_reply_fields: bool = fact(
        (False, True),
        routes=("export",),
        sentence="Incomplete fields of a reply are refused; before, they were ignored.",
        chinese="只给出回复的一部分信息会被拒绝；之前会被忽略。",
    )
    found_rows_have_tokens: bool = fact(
        (True, False),
        routes=("searchTest",),
        sentence="Found rows no longer have `tokens`, and the response no longer has "
        "`usingSimilarityFilter`.",
        chinese="搜索到的数据行不再带有 `tokens`，"
        "应答不再带有 `usingSimilarityFilter`。",
    )
    tickets_have_upload_mode: bool = fact(
        (False, True),
        routes=("presignDatasetFilePostUrl",),
        sentence="Upload tickets also have `previewUrl` and `uploadMode`.",
        chinese="上传凭票还带有 `previewUrl` 和 `uploadMode`。",
    )
    uploads_have_an_envelope: bool = fact(
        (False, True),
        routes=("file.u",),
        sentence="The response to an upload by a ticket has the envelope; before, the "
        "object store sent an empty body.",
        chinese="按凭票上传以信封应答；之前由对象存储应答，响应体为空。",
    )
    retraining_checks_fields_first: bool = fact(
        (False, True),
        routes=("reTrainingCollection",),
        sentence="A missing `collectionId` is refused as a missing field; before, as a "
        "missing parameter (507004).",
        chinese="缺少 `collectionId` 属于字段错误；之前为缺少参数（507004）。",
    )
    app_create_takes_keys: bool = fact(
        (False, True),
        routes=("app.create",),
        sentence="An API key can create apps too; before, this needed a login.",
        chinese="API 密钥也可创建应用；之前须登录。",
    )
    api_keys_of_apps: bool = fact(
        (True, False),
        routes=("openapi.create", "openapi.list"),
        sentence="API keys belong to a member, who has at most 100: creation ignores "
        "`appId`, and a list shows all of them. Before, an app had at most 10, and a "
        "list showed the keys of one app, or the keys without an app.",
        chinese="API 密钥不再属于应用：创建时忽略 `appId`，每个成员最多 100 个，"
        "列表包含该成员的全部密钥；"
        "之前每个应用最多 10 个，列表只含某一应用的或不属于应用的密钥。",
    )
    app_of_key_is_first: bool = fact(
        (True, False),
        routes=("completions", "v2.completions"),
        sentence="A completion uses the app that `appId` names; before, it preferred "
        "the app of the API key. Without `appId`, both use the app of the API key.",
        chinese="对话使用 `appId` 指定的应用；之前优先使用 API 密钥所属的应用。"
        "未提供 `appId` 时，两者都使用密钥所属的应用。",
    )
    app_detail_has_team_tags: bool = fact(
        (True, False),
        routes=("app.detail",),
        sentence="A single app no longer has `teamTags`.",
        chinese="单个应用不再带有 `teamTags`。",
    )
    shares_are_nested: bool = fact(
        (False, True),
        routes=("*",),
        sentence="`outLinkAuthData`, an object of `shareId` and `outLinkUid`, names a "
        "share link, without `appId`; before, requests had these fields and `appId`.",
        chinese="以 `outLinkAuthData`（含 `shareId` 和 `outLinkUid` 的对象）"
        "指定免登录链接，且不带 `appId`；之前为这两个字段，并须带链接的 `appId`。",
    )
    shares_see_tools: bool = fact(
        (False, True),
        routes=("completions", "getResData"),
        sentence="Visitors of a share link see the tools that were called.",
        chinese="免登录链接的访客可见所调用的工具。",
    )
    out_link_init_has_status: bool = fact(
        (False, True),
        routes=("outLink.init",),
        sentence="An unknown chat has an empty title; before, it had none. An existing "
        "chat also shows `chatGenerateStatus` and `hasBeenRead`.",
        chinese="未知会话的标题为空；之前没有该字段。已有的会话还带有 "
        "`chatGenerateStatus` 和 `hasBeenRead`。",
    )
    v2_parts_are_typed: bool = fact(
        (True, False),
        routes=("v2.completions",),
        sentence="The parts of a whole reply with `detail` no longer have `type`.",
        chinese="带 `detail` 的完整回复，其各部分不再带有 `type`。",
    )
    api_key_health_has_points: bool = fact(
        (False, True),
        routes=("openapi.health",),
        sentence="The health response of an API key has `valid`, the points and the "
        "app; before, it had only the app.",
        chinese="API 密钥的状态还包含 `valid` 和积分；之前只有应用。",
    )
    api_key_delete_is_null: bool = fact(
        (False, True),
        routes=("openapi.delete",),
        sentence="Deleting an API key returns null; before, it returned an empty "
        "object.",
        chinese="删除 API 密钥后返回 null；之前返回空对象。",
    )
    feedback_needs_a_reply: bool = fact(
        (False, True),
        routes=("updateUserFeedback",),
        sentence="Only a reply takes feedback; before, the first record with the "
        "`dataId` did.",
        chinese="只有回复可以点赞或点踩；之前为该 `dataId` 的第一条消息。",
    )
    feedback_returns_null: bool = fact(
        (False, True),
        routes=("updateUserFeedback",),
        sentence="The response to feedback has null as `data`; before, it had an "
        "empty object.",
        chinese="返回的 data 为 null；之前为空对象。",
    )
    datasets_of_dingtalk: bool = fact(
        (False, True),
        routes=("dataset.create", "dataset.list"),
        sentence="A dataset may be of type `dingtalk`.",
        chinese="知识库可为 `dingtalk` 类型。",
    )
    ip_limits_are_http_429: bool = fact(
        (False, True),
        routes=("export",),
        sentence="A second export within a minute is HTTP 429; before, HTTP 500. "
        "`code` is 429 in both (choice `error_form=service`).",
        chinese="一分钟内再次导出为 HTTP 429；之前为 HTTP 500。两者的 `code` 都是 429"
        "（选项 `error_form=service`）。",
    )
    histories_check_the_app: bool = fact(
        (False, True),
        routes=("getHistories",),
        sentence="A list of chats without the `appId` of a readable app is refused; "
        "before, it was empty.",
        chinese="未提供 `appId`，或没有可读的对应应用时，会话列表会被拒绝；"
        "之前为空列表。",
    )
    delete_without_app_is_unknown_chat: bool = fact(
        (False, True),
        routes=("delHistory",),
        sentence="Deleting a chat without `appId` is refused as an unknown chat; "
        "before, as a missing field.",
        chinese="删除会话时未提供 `appId`，按未知会话拒绝；之前为缺少字段。",
    )
    data_update_needs_q: bool = fact(
        (False, True),
        routes=("data.update",),
        sentence="`q` is required, and the response has the texts of the row; before, "
        "`q` was optional, and the response was null.",
        chinese="修改数据行必须提供 `q`，并返回其文本；之前可省略 `q`，返回 null。",
    )
    data_delete_gives_null: bool = fact(
        (False, True),
        routes=("data.delete",),
        sentence='Deleting a row returns null; before, `"success"`.',
        chinese='删除数据行后返回 null；之前返回 `"success"`。',
    )
    items_have_training_fields: bool = fact(
        (False, True),
        routes=("listV2",),
        sentence="Items show `activeTrainingAmount`, `finalErrorAmount`, "
        "`slowestTrainingStatus` and always `hasError`; before, only `hasError`, and "
        "only while training or after a failure (choice `item_fields=extended`).",
        chinese="条目带有 `activeTrainingAmount`、`finalErrorAmount`、"
        "`slowestTrainingStatus`，且总有 `hasError`；"
        "之前仅在训练中或出错时带有 `hasError`（选项 `item_fields=extended`）。",
    )
    turns_share_an_id: bool = fact(
        (False, True),
        routes=("completions",),
        sentence="A question and its reply share a `dataId`, and a repeated "
        "`responseChatItemId` is refused; before, only the reply had that `dataId`, "
        "and it could be repeated.",
        chinese="提问与回复使用同一个 `dataId`，会话中已有的 `responseChatItemId` "
        "会被拒绝；之前仅用于回复，且可重复。",
    )
    first_turn_titles_a_chat: bool = fact(
        (False, True),
        routes=("completions",),
        sentence="The first turn sets the title of a chat, and the response shows it; "
        "before, each turn set it, and no response showed it.",
        chinese="首轮对话决定会话标题，并在应答中给出；之前每轮都会改写标题，"
        "应答中不给出。",
    )
    new_chats_are_named: bool = fact(
        (False, True),
        routes=("completions",),
        sentence="Without `chatId` the `id` of the response is that of the new chat; "
        "in 4.14.4 to 4.14.10 it is empty.",
        chinese="未提供 `chatId` 时，应答的 `id` 是新会话的 id；"
        "4.14.4 至 4.14.10 中为空。",
    )
    streams_end_with_done: bool = fact(
        (False, True),
        routes=("completions",),
        sentence="With `detail` the event `flowResponses` comes before `[DONE]`; "
        "before, it was the last.",
        chinese="`detail` 为 true 时，事件 `flowResponses` 在 `[DONE]` 之前；"
        "之前是最后一个事件。",
    )
    failed_turns_are_recorded: bool = fact(
        (False, True),
        routes=("completions",),
        sentence="A turn that ends with an error is stored with its `errorMsg`; "
        "before, it was not stored.",
        chinese="以错误结束的一轮会被记录，并带有 `errorMsg`；之前不记录。",
    )
    completion_field_errors_are_json: bool = fact(
        (False, True),
        routes=("completions",),
        sentence="Wrong fields of a completion are refused in JSON, even for a stream; "
        "before, a stream had an event `error`.",
        chinese="对话的字段错误以 JSON 拒绝，流式请求也是如此；"
        "之前流式请求以事件 `error` 拒绝。",
    )
    logins_are_bounded: bool = fact(
        (False, True),
        routes=("preLogin", "loginByPassword"),
        sentence="The texts of a login are not empty; passwords and codes have at most "
        "100 characters. Before, any text was accepted, and other fields were ignored.",
        chinese="登录的各文本不能为空，密码和代码最多 100 个字符；"
        "之前可为任意文本，并忽略其他字段。",
    )
    res_data_needs_data_id: bool = fact(
        (False, True),
        routes=("getResData",),
        sentence="`dataId` is required; before, a list without it was empty.",
        chinese="必须提供 `dataId`；之前缺少时返回空列表。",
    )


class Fact(Struct, frozen=True):
    """A row of the table of facts, for the documentation."""

    name: str
    values: Mapping[Version, Any]
    routes: tuple[str, ...]
    sentence: str
    chinese: str


@cache
def table() -> Mapping[str, Fact]:
    """Return all facts by name, in the order of `Facts`."""
    return {each.name: Fact(each.name, **each.metadata) for each in fields(Facts)}


@cache
def facts_of(version: Version) -> Facts:
    """Return the facts of a version."""
    return Facts(**{name: row.values[version] for name, row in table().items()})


def version_hint(version: Version, serving: Version) -> str:
    """Return a hint that version `serving` serves what `version` refuses."""
    is_older = VERSIONS.index(serving) < VERSIONS.index(version)
    return f"served {'by versions up to' if is_older else 'since version'} {serving}"
