"""Routes that create, list, change, delete, copy and check API keys."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field
from msgspec.structs import replace

from mock_server.api.envelope import View
from mock_server.api.operations import body_field
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.route import Call, RequestFields, route
from mock_server.domain import api_keys, errors
from mock_server.domain.access import ISSUED_KEY_PREFIX, Level
from mock_server.domain.call import APP
from mock_server.domain.clock import format_time
from mock_server.domain.datasets.dataset_folders import TeamForbidden
from mock_server.domain.limits import Published
from mock_server.domain.listing.list_v2 import Page
from mock_server.domain.objects.haystack import fold
from mock_server.domain.objects.models import DEFAULT_TEAM_ID, ApiKey
from mock_server.fixture.document import Id, Points, Time

PATH = "/api/support/openapi"
DEMO_KEY = "68b2c4d5e6f7a8091a2b3c4d"
KeyName = Annotated[str, Meta(min_length=1, max_length=Published.api_key_name_chars)]


class KeyLimit(Struct, rename="camel", kw_only=True):
    """Expiry and usage limit of an API key; neither is enforced."""

    expired_time: Any = UNSET
    max_usage_points: Points = -1


KeyTags = (
    Annotated[list[fields.ShortText], Meta(max_length=20), fields.IDLE] | UnsetType
)


class KeyCreateBody(RequestFields, kw_only=True):
    """The API key's name, application and limit; tags are not stored."""

    name: KeyName
    app_id: Any = UNSET
    limit: KeyLimit | UnsetType = UNSET
    auth_proxy: bool | UnsetType = UNSET
    tags: KeyTags = UNSET


def _with_changes(call: Call, key: ApiKey, body: Any) -> ApiKey:
    """Return a key with a request's changes. Raises InvalidField, TeamForbidden."""
    if body.auth_proxy:
        api_keys.require_level(call, Level.OWNER)
    changes: dict[str, Any] = {
        name: value
        for name in ("name", "auth_proxy")
        if (value := getattr(body, name)) is not UNSET
    }
    if body.limit is not UNSET:
        time = body.limit.expired_time
        time = UNSET if time in (None, "") else time
        expired_time = fields.date_of(time, "limit.expiredTime")
        changes |= {
            "expired_time": expired_time,
            "max_usage_points": body.limit.max_usage_points,
        }
    return replace(key, **changes)


@route(
    f"POST {PATH}/create",
    chinese="创建 API 密钥",
    since="4.6",
    differences="Tags are not stored. The key begins with `fastgpt-sbx-`, is valid "
    "until it is deleted, and counts no points.",
    refusals=(*APP, TeamForbidden, api_keys.ApiKeysExceeded, errors.LimitReached),
    example={"name": "Website"},
    is_write=True,
    access="login",
)
def openapi_create(call: Call, body: KeyCreateBody) -> str:
    """Create an API key.

    Returns the key. It has the permissions of its creator, is valid at once, and leads
    to the sandbox of the login. A state does not contain its text: loaded into another
    sandbox, the state has other keys. The caller needs a login token.
    """
    app_id = None
    if call.facts.api_keys_of_apps and isinstance(body.app_id, str):
        app_id = call.app(body.app_id, Level.MANAGE).id
    else:
        api_keys.require_level(call, Level.WRITE)
    draft = ApiKey("", member=call.member, app_id=app_id, create_time=call.now)
    key = _with_changes(call, draft, body)
    api_keys.check_room(call, app_id)
    key = replace(key, id=call.store.new_id())
    call.store.api_keys.put(key.id, key)
    return call.state.tokens.created_key(key.id)


class LimitView(View, kw_only=True):
    """Expiry and usage limit of an API key; -1 points mean no limit."""

    expired_time: Time | UnsetType = UNSET
    max_usage_points: Points = -1


class KeyView(View, kw_only=True):
    """An API key; `apiKey` shows only its last four characters."""

    id: str = field(name="_id")
    team_id: str = DEFAULT_TEAM_ID
    tmb_id: str
    app_id: str | UnsetType = UNSET
    name: str
    api_key: str
    usage_points: int = 0
    limit: LimitView
    create_time: Time
    can_copy: bool = True
    auth_proxy: bool
    tag_ids: list[str] = field(default_factory=list)
    tags: list[Any] = field(default_factory=list)


def _key_view(key_with_text: tuple[ApiKey, str], _: object) -> KeyView:
    key, text = key_with_text
    expiry = key.expired_time
    limit = LimitView(
        expired_time=UNSET if expiry is None else format_time(expiry),
        max_usage_points=key.max_usage_points,
    )
    return KeyView(
        id=key.id,
        tmb_id=key.member,
        app_id=key.app_id or UNSET,
        name=key.name,
        api_key=f"******{text[-4:]}",
        limit=limit,
        create_time=format_time(key.create_time),
        auth_proxy=key.auth_proxy,
    )


class KeyListQuery(RequestFields, kw_only=True):
    """Filters and order of API keys; `tags` has no effect."""

    app_id: Id | UnsetType = UNSET
    keyword: Annotated[str, Meta(max_length=100)] = ""
    sort_by: Literal["createTime", "lastUsedTime", "remainingPoints"] = "createTime"
    tags: Annotated[fields.ShortText | fields.Tags, fields.IDLE] | UnsetType = UNSET


@route(
    f"GET {PATH}/list",
    chinese="API 密钥",
    since="4.6",
    differences="No key has tags or a time of last use.",
    refusals=APP,
    example={},
    item_view=_key_view,
    has_total=False,
    access="login",
    invent_item=lambda _, n: (ApiKey(f"appeared-{n}", f"Appeared {n}"), "0000"),
)
def openapi_list(call: Call, query: KeyListQuery) -> Page[tuple[ApiKey, str]]:
    """List a member's API keys.

    Returns an array, the latest first. Each key shows only its last four characters.
    `keyword` selects keys by name or text. The caller needs a login token.
    """
    keys, app_id = api_keys.created_keys(call), query.app_id
    if call.facts.api_keys_of_apps:
        listed_app_id = call.app(app_id, Level.MANAGE).id if app_id else None
        if listed_app_id or call.caller.level >= Level.MANAGE:
            all_keys = call.store.api_keys.values()
            keys = sorted(all_keys, key=lambda key: -key.create_time)
        keys = [key for key in keys if key.app_id == listed_app_id]
    elif query.sort_by == "remainingPoints":
        keys.sort(key=lambda key: (key.max_usage_points < 0, key.max_usage_points))
    if app_id:
        keys.sort(key=lambda key: key.app_id != app_id)
    search_term = fold(query.keyword.strip())
    items = [
        (key, text)
        for key in keys
        for text in (call.state.tokens.created_key(key.id),)
        if search_term in fold(key.name) or search_term in text
    ]
    return Page(items, len(items), call.caller.level, items, 0, Published.integer)


class KeyUpdateBody(RequestFields, kw_only=True):
    """The API key and its new values; tags are not stored."""

    id: Id = field(name="_id")
    name: KeyName | UnsetType = UNSET
    limit: KeyLimit | UnsetType = UNSET
    auth_proxy: bool | UnsetType = UNSET
    tags: KeyTags = UNSET

    def check(self) -> None:
        """Raise InvalidField if there is no new value."""
        changes = self.name, self.limit, self.auth_proxy, self.tags
        if all(each is UNSET for each in changes):
            raise errors.InvalidField("name, limit, authProxy or tags", "none", "$")


@route(
    f"PUT {PATH}/update",
    chinese="修改 API 密钥",
    since="4.6",
    differences="Tags are not stored.",
    refusals=(*api_keys.API_KEY, TeamForbidden),
    example={"_id": DEMO_KEY, "name": "Shop"},
    is_write=True,
    access="login",
)
def openapi_update(call: Call, body: KeyUpdateBody) -> None:
    """Rename or limit an API key.

    The text of the key stays, and no limit is enforced. The caller needs a login token.
    """
    key = api_keys.find_for_change(call, body.id, "$._id")
    call.store.api_keys.put(key.id, _with_changes(call, key, body))


@route(
    f"DELETE {PATH}/delete",
    chinese="删除 API 密钥",
    since="4.6",
    refusals=api_keys.API_KEY,
    example={"id": DEMO_KEY},
    is_write=True,
    access="login",
)
def openapi_delete(call: Call, query: fields.IdQuery) -> fields.EmptyData | None:
    """Delete an API key.

    From then on, the key is refused. The caller needs a login token.
    """
    call.store.api_keys.remove(api_keys.find_for_change(call, query.id, "$.id").id)
    return None if call.facts.api_key_delete_is_null else fields.EmptyData()


class KeyCopyBody(RequestFields):
    """The API key to copy."""

    id: Id


@route(
    f"POST {PATH}/copy",
    name="openapi.copy",
    chinese="复制 API 密钥",
    since="4.15",
    versions=("4.16",),
    refusals=api_keys.API_KEY,
    example={"id": DEMO_KEY},
    access="login",
)
def openapi_copy(call: Call, body: KeyCopyBody) -> str:
    """Get the whole text of an API key.

    Lists show only the end of this text. The caller needs a login token.
    """
    return call.state.tokens.created_key(
        api_keys.find_for_change(call, body.id, "$.id").id
    )


class HealthQuery(RequestFields):
    """The API key to check."""

    api_key: Annotated[
        str,
        Meta(min_length=1, max_length=Published.key_chars),
        body_field.FieldRules(is_secret=True).meta(),
    ]


class HealthView(View, kw_only=True):
    """Validity and usage of an API key."""

    valid: bool | UnsetType = UNSET
    usage_points: int | UnsetType = UNSET
    max_usage_points: Points | UnsetType = UNSET
    app_id: str | UnsetType = UNSET


@route(
    f"GET {PATH}/health",
    name="openapi.health",
    chinese="API 密钥是否有效",
    since="4.13.2",
    differences="The key is checked in the sandbox of the request, which is that of "
    "its `Authorization` header, if it has one. No points are counted.",
    refusals=(api_keys.ApiKeyInvalid,),
    example={"apiKey": "fastgpt-any"},
    traits={"secret"},
    access="anyone",
    is_always_checked=True,
)
def openapi_health(call: Call, query: HealthQuery) -> HealthView:
    """Check whether an API key is accepted.

    Keys of the fixture and keys that a login created are valid; other keys are valid if
    the sandbox accepts every key. The journal does not store the query.
    """
    is_issued = query.api_key.startswith(ISSUED_KEY_PREFIX)
    if not api_keys.is_accepted(call, query.api_key):
        sandbox_hint = (
            "a key of a named sandbox is valid only there: "
            "send it in header Authorization too"
        )
        hint = sandbox_hint if is_issued else ""
        expected, got = "a valid API key", "an unknown one"
        raise api_keys.ApiKeyInvalid(expected, got, "$.apiKey", hint)
    key_id = call.state.tokens.created_key_id(query.api_key)
    api_key = call.store.api_keys.get(key_id or "") or ApiKey("")
    app_id = api_key.app_id or UNSET
    if not call.facts.api_key_health_has_points:
        return HealthView(app_id=app_id)
    max_points = api_key.max_usage_points
    return HealthView(
        valid=True, usage_points=0, max_usage_points=max_points, app_id=app_id
    )
