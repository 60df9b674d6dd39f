"""The table of choices: every behaviour that the spec leaves open has a row here.

Each row is a field of `Choices`. Its type lists the values; its default is the value of
profile `documented` (the spec read strictly). `row` adds the section of the spec, a
sentence in English and in Chinese, the values in other profiles, such as `deployed`
(like the service), and the values that tolerate a violation. Documentation, command
line, admin API, console and tests are made from this table.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, Literal, TypeVar, get_args, get_type_hints

from msgspec import Struct

from mock_server.domain.choices.profiles import PROFILES, Profile
from mock_server.domain.limits import Published
from mock_server.domain.messages import did_you_mean
from mock_server.domain.versions import Version

Value = str | int
T = TypeVar("T")


def row(
    documented: T,
    section: str,
    sentence: str,
    chinese: str = "",
    *,
    deployed: T | None = None,
    deployed_4_14: T | None = None,
    tolerates: tuple[T, ...] = (),
) -> T:
    """Return a field of `Choices`: its value in each profile, and its description.

    Give `deployed` if it differs from `documented`, and `deployed_4_14` if it differs
    from `deployed`. `tolerates` are the values that serve requests which other values
    refuse; such a request is a violation with the name of the choice. A choice without
    these values never decides whether a request is refused.
    """
    deployed = documented if deployed is None else deployed
    older = deployed if deployed_4_14 is None else deployed_4_14
    about: dict[str, Any] = {
        "section": section,
        "sentence": sentence,
        "chinese": chinese,
        "documented": documented,
        "deployed": deployed,
        "profiles": dict(zip(PROFILES, (documented, deployed, older), strict=True)),
    }
    default: T = field(
        default=documented, metadata={"about": about, "tolerates": tolerates}
    )
    return default


class UnknownChoice(ValueError):
    """An unknown profile, an unknown choice, or an unknown value of a choice."""


@dataclass(frozen=True, slots=True)
class Choices:
    """A value for each choice; the defaults are the values of profile `documented`."""

    def __hash__(self) -> int:
        # Two fields suffice, because few Choices exist at a time, and are faster.
        return hash((self.list_order, self.page_size_default))

    page_size_default: int = row(
        10,
        "4.2",
        "Items per page when `pageSize` is omitted.",
        "省略 `pageSize` 时每页的条数。",
    )
    page_size_over_limit: Literal["reject", "clamp"] = row(
        "reject",
        "8",
        "A `pageSize` over `page_size_max`: refuse it, or lower it to that.",
        "超过上限的 `pageSize` 是错误，或按上限计算。",
        deployed="clamp",
        tolerates=("clamp",),
    )
    offset_missing: Literal["reject", "accept"] = row(
        "reject",
        "4.2",
        "A list without `offset`: refuse it, or start at `pageNum` (else at 0).",
        "没有 `offset` 的请求是错误，或从 `pageNum`（否则 0）开始。",
        deployed="accept",
        tolerates=("accept",),
    )
    numeric_strings: Literal["reject", "accept"] = row(
        "reject",
        "4.2",
        '`offset` or `pageSize` as a string (`"10"`): refuse it, or read the number.',
        '以字符串形式的数字（`"10"`）作为 `offset` 或 `pageSize`。',
        deployed="accept",
        tolerates=("accept",),
    )
    list_order: Literal["update_time_desc", "name", "fixture"] = row(
        "update_time_desc",
        "4.2",
        "The order of lists. Items that are equal in it are sorted by `_id`.",
        "`list` 的顺序；相同时始终按 `_id` 排序。",
    )
    parent_omitted: Literal["any", "root"] = row(
        "any",
        "4.2",
        "A list without `parentId`: show all levels, or the top level.",
        "没有 `parentId`：不筛选，或只取顶层。",
        deployed="root",
    )
    parent_empty_string: Literal["unknown", "root"] = row(
        "unknown",
        "4.2",
        'A `parentId` of `""`: treat it as an unknown id, or as the top level.',
        '`parentId` 为 `""`：视为不存在的 id，或顶层。',
        deployed="root",
        tolerates=("unknown", "root"),
    )
    parent_unknown: Literal["not_found", "empty"] = row(
        "not_found",
        "4.2",
        "An unknown `parentId`: refuse it, or return an empty list.",
        "没有集合使用的 `parentId` 是错误，或得到空列表。",
        deployed="empty",
        tolerates=("empty",),
    )
    search_scope: Literal["folder", "dataset"] = row(
        "folder",
        "4.2",
        "A search with `parentId`: look in that folder, or in the whole dataset.",
        "`searchText` 与 `parentId` 同时出现："
        "两者都生效，或忽略 `parentId` 搜索整个知识库。",
        deployed="dataset",
        tolerates=("dataset",),
    )
    search_fields: Literal["name_and_tags", "name"] = row(
        "name_and_tags",
        "4.2",
        "The fields that `searchText` matches.",
        "`searchText` 与哪些内容匹配。",
        deployed="name",
    )
    chat_unknown: Literal["not_found", "create", "ignore"] = row(
        "not_found",
        "4.1",
        "A pin of an unknown chat: refuse it, create the chat, or change nothing.",
        "置顶未知会话：报错、创建该会话，或什么都不改变。",
        deployed="ignore",
        tolerates=("create", "ignore"),
    )
    top_missing: Literal["reject", "ignore"] = row(
        "reject",
        "4.1",
        "A pin without `top`: refuse it, or apply `title` and `customTitle`.",
        "没有 `top`：报错，或接受（此时 `title`、`customTitle` 也生效）。",
        deployed="ignore",
        tolerates=("ignore",),
    )
    method_mismatch: Literal["reject", "accept"] = row(
        "reject",
        "4",
        "A method that the spec does not name: refuse it with 405, or serve it.",
        "使用文档以外的方法：405，或照常处理。",
        deployed="accept",
        tolerates=("accept",),
    )
    content_type_missing: Literal["reject", "accept"] = row(
        "reject",
        "5",
        "A body without `Content-Type`: refuse it with 415, or read it as JSON.",
        "没有 `Content-Type`：415，或视为 JSON。",
        deployed="accept",
        tolerates=("accept",),
    )
    unknown_fields: Literal["ignore", "reject"] = row(
        "ignore",
        "7",
        "Unknown fields of a body: ignore them, or refuse the request.",
        "正文中文档没有的字段。",
        tolerates=("ignore",),
    )
    list_filters: Literal["ignore", "honour"] = row(
        "ignore",
        "4.2",
        "The fields `selectFolder` and `filterTags`: ignore them, or filter by them.",
        "字段 `selectFolder`（仅文件夹）与 `filterTags`（任一标签）。",
        deployed="honour",
        tolerates=("honour",),
    )
    unknown_key: Literal["accept", "reject"] = row(
        "accept",
        "5",
        "API keys, if the fixture declares none: accept all, or refuse all.",
        "测试数据文件未声明密钥时，接受任意密钥。",
        tolerates=("accept",),
    )
    error_form: Literal["plain", "service"] = row(
        "plain",
        "7",
        "The `code` of an error: the HTTP status, or the code that FastGPT uses.",
        "`code` 是 HTTP 状态码，或服务自己的代码。",
        deployed="service",
    )
    error_http_status: Literal["mapped", "always_500", "always_200"] = row(
        "mapped",
        "7",
        "The HTTP status of an error: its own, always 500, or always 200.",
        "错误的 HTTP 状态码。",
    )
    legacy_paths: Literal["off", "on"] = row(
        "on",
        "4.1",
        "Older paths, such as `/api/core/chat/updateHistory`: refuse, or serve them.",
        "旧路径，例如 `/api/core/chat/updateHistory`；也接受 POST。",
        tolerates=("on",),
    )
    item_fields: Literal["documented", "extended"] = row(
        "documented",
        "2.2",
        "The fields of an item: 13 documented ones, or `createTime` and others too.",
        "条目带有文档中的 13 个字段，或还带有 `createTime` 等字段。",
        deployed="extended",
    )
    tags_empty: Literal["list", "absent"] = row(
        "list",
        "2.2",
        "An item without tags: give it an empty list, or no field `tags`.",
        "没有标签的条目带 `[]`，或没有 `tags`。",
    )
    page_size_max: Literal[30, 100] = row(
        30,
        "8",
        "The maximum of `pageSize`. FastGPT has 100 since 4.12.1.",
        "允许的最大 `pageSize`；服务自 4.12.1 起为 100。",
        deployed=100,
        tolerates=(100,),
    )
    related_routes: Literal["off", "on"] = row(
        "on",
        "1",
        "Routes that the spec does not show: refuse them, or serve them.",
        "接口说明中没有的服务路由。",
        tolerates=("on",),
    )
    credentials: Literal["bearer", "login_too"] = row(
        "bearer",
        "5",
        "The two operations of the spec: accept API keys only, or login tokens too "
        "(header `token`, cookie `fastgpt_token`). Most related routes accept both.",
        "文档中的操作是否接受登录代替密钥（请求头 `token`、"
        "Cookie `fastgpt_token`）；多数相关接口两者都接受。",
        deployed="login_too",
        tolerates=("login_too",),
    )
    training: Literal["instant", "stepped"] = row(
        "instant",
        "1",
        "New data rows: train them at once, or step by step on the sandbox's clock.",
        "相关接口新增的内容立即训练完成，或随时钟逐步训练。",
        deployed="stepped",
    )
    query_delete: Literal["accept", "needs_json_type"] = row(
        "accept",
        "1",
        "A `DELETE` with `?id=` and no JSON content type: serve it, or refuse it.",
        "带 `?id=` 且没有 JSON 内容类型的 `DELETE`。",
        tolerates=("accept",),
    )

    version: Version = row(  # noqa: RUF009 - a field, as those above
        "4.16",
        "9",
        "The version of FastGPT that the server behaves like.",
        "各版本行为不同之处，按哪个版本的服务应答。",
        deployed_4_14="4.14",
    )

    def replaced(self, **values: Any) -> "Choices":
        """Return these choices with some (valid) values replaced."""
        return replace(self, **values)


_LISTED_NUMBERS = 3
"""Maximum number of numeric values in a list; more values are shown as a range."""


class Choice(Struct, frozen=True):
    """One row of the table of choices."""

    name: str
    section: str
    values: tuple[Value, ...]
    documented: Value
    deployed: Value
    sentence: str
    chinese: str
    profiles: Mapping[Profile, Value]

    def parse(self, value: Value) -> Value:
        """Return the value as in the table: `"7"` becomes 7. Raises UnknownChoice."""
        # Values from command lines and variables are texts; JSON has numbers, too.
        for known in self.values:
            if str(known) == str(value) and not isinstance(value, bool):
                return known
        expected = f"Expected {self.name} to be {self.values_text()}"
        texts = [each for each in self.values if isinstance(each, str)]
        hint = did_you_mean(str(value), texts)
        if self.name == "page_size_over_limit" and str(value).isdecimal():
            hint = f" (did you mean page_size_max={value}?)"
        raise UnknownChoice(f"{expected}, got {value!r}{hint}")

    @property
    def is_range(self) -> bool:
        """True if the values are too many numbers to be listed."""
        return isinstance(self.values[0], int) and len(self.values) > _LISTED_NUMBERS

    def values_text(self) -> str:
        """Return the values as text: `reject or clamp`, `1 to 30`."""
        if self.is_range:
            return f"{self.values[0]} to {self.values[-1]}"
        return " or ".join(str(value) for value in self.values)


@cache
def table() -> Mapping[str, Choice]:
    """Return all choices by name, in the order of `Choices`.

    A choice whose type lists no values is a page size, from 1 to the maximum.
    """
    hints, rows = get_type_hints(Choices), {}
    for entry in fields(Choices):
        values = get_args(hints[entry.name]) or tuple(range(1, Published.page_size + 1))
        rows[entry.name] = Choice(
            name=entry.name, values=values, **entry.metadata["about"]
        )
    return rows
