"""API keys that logins create: check permissions and limits, and find keys."""

from mock_server.domain.access import ISSUED_KEY_PREFIX, Level
from mock_server.domain.call import Call
from mock_server.domain.datasets.dataset_folders import TeamForbidden
from mock_server.domain.errors import refusal
from mock_server.domain.limits import Published
from mock_server.domain.objects.models import ApiKey

ApiKeyNotFound = refusal(
    "ApiKeyNotFound", "404 apiKeyNotFound", "500 506000 openapiUnExist"
)
ApiKeyForbidden = refusal(
    "ApiKeyForbidden", "403 forbidden", "500 506001 openapiUnAuth"
)
ApiKeysExceeded = refusal(
    "ApiKeysExceeded", "409 apiKeysExceeded", "500 506002 openapiExceedLimit"
)
ApiKeyInvalid = refusal("ApiKeyInvalid", "404 apiKeyInvalid", "500 500 error")

API_KEY = (ApiKeyNotFound, ApiKeyForbidden)
"""Refusals that `find_for_change` raises."""


def require_level(call: Call, level: Level) -> None:
    """Raise TeamForbidden if the caller's level is below `level`."""
    if call.caller.level < level:
        expected = f"a login with {level.name.lower()} permission"
        raise TeamForbidden(expected, "one without it", "headers")


def created_keys(call: Call) -> list[ApiKey]:
    """Return the API keys that the caller's member created, latest first."""
    keys = reversed([*call.store.api_keys.values()])
    created = [each for each in keys if each.member == call.member]
    return sorted(created, key=lambda each: -each.create_time)


def check_room(call: Call, app_id: str | None) -> None:
    """Raise ApiKeysExceeded if the caller's member has too many API keys.

    Raise LimitReached if the sandbox has too many. `app_id` is the app of the new key.
    """
    keys, limit, owner_text = created_keys(call), Published.member_api_keys, "a member"
    if call.facts.api_keys_of_apps:
        keys = [each for each in keys if each.app_id == app_id]
        limit, owner_text = Published.app_api_keys, "a member for an app"
    if len(keys) >= limit:
        expected = f"at most {limit} API keys of {owner_text}"
        raise ApiKeysExceeded(expected, "one more", "body", "delete some first")
    limit = call.state.limits.api_keys
    call.check_room(len(call.store.api_keys), limit, "API keys")


def find_for_change(call: Call, key_id: str, place: str) -> ApiKey:
    """Return the API key with this id if the caller may change it. Raises API_KEY.

    Errors name the `place`.
    """
    api_key = call.store.api_keys.get(key_id)
    if api_key is None:
        raise ApiKeyNotFound.of(key_id, "the _id of an API key", place)
    app = call.store.app(api_key.app_id or "")
    level = call.caller.level if app is None else app.level_of(call.caller)
    is_own = app is None and api_key.member == call.member
    if not is_own and level < Level.OWNER:
        raise ApiKeyForbidden("a login that owns the API key", "another one", place)
    return api_key


def is_accepted(call: Call, key: str) -> bool:
    """Return True if the sandbox of the call accepts the API key `key`."""
    state = call.state
    if key in state.callers or state.created_key_caller(key) is not None:
        return True
    is_any = not state.callers and state.choices.unknown_key == "accept"
    return is_any and not key.startswith(ISSUED_KEY_PREFIX)
