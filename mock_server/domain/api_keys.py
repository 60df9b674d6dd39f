"""API keys that logins create: who may, how many, and who changes which."""

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
"""What `find` refuses."""


def check_may(call: Call, level: Level) -> None:
    """Raises TeamForbidden unless the caller may do so much in general."""
    if call.caller.level < level:
        expected = f"a login with {level.name.lower()} permission"
        raise TeamForbidden(expected, "one without it", "headers")


def own(call: Call) -> list[ApiKey]:
    """The keys that the caller has created, the latest first."""
    every = reversed([*call.store.api_keys.values()])
    own = [each for each in every if each.member == call.member]
    return sorted(own, key=lambda each: -each.create_time)


def check_room(call: Call, app_id: str | None) -> None:
    """Raises ApiKeysExceeded for one key too many of a member, LimitReached of all."""
    found, most, of = own(call), Published.member_api_keys, "a member"
    if call.facts.api_keys_of_apps:
        found = [each for each in found if each.app_id == app_id]
        most, of = Published.app_api_keys, "a member for an app"
    if len(found) >= most:
        expected = f"at most {most} API keys of {of}"
        raise ApiKeysExceeded(expected, "one more", "body", "delete some first")
    most = call.state.limits.api_keys
    call.check_room(len(call.store.api_keys), most, "API keys")


def find(call: Call, key_id: str, at: str) -> ApiKey:
    """The key of an id, which the caller has created or may delete. API_KEY."""
    found = call.store.api_keys.get(key_id)
    if found is None:
        raise ApiKeyNotFound.of(key_id, "the _id of an API key", at)
    app = call.store.app(found.app_id or "")
    level = call.caller.level if app is None else app.level_of(call.caller)
    is_own = app is None and found.member == call.member
    if not is_own and level < Level.OWNER:
        raise ApiKeyForbidden("a login that owns the API key", "another one", at)
    return found


def is_good(call: Call, key: str) -> bool:
    """Whether a key counts in the sandbox of the call."""
    state = call.state
    if key in state.callers or state.holder_of(key) is not None:
        return True
    is_any = not state.callers and state.choices.unknown_key == "accept"
    return is_any and not key.startswith(ISSUED_KEY_PREFIX)
