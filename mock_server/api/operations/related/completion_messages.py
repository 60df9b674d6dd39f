"""The messages of a completion: their form, and the question in them."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from mock_server.api.operations.related import fields
from mock_server.domain.errors import InvalidField
from mock_server.domain.messages import describe_value

V = TypeVar("V")
EXPECTED = 'an array such as [{"role": "user", "content": "Hello"}]'
MESSAGE = Meta(extra={"expected": f"an object such as {EXPECTED[18:-1]}"})

_Texts = tuple[tuple[str, ...], ...]
"""The paths of texts in an object."""
_TEXT: dict[str, _Texts] = {"text": (("text",),)}
_REFUSAL: dict[str, _Texts] = {"refusal": (("refusal",),)}
_FILES: dict[str, _Texts] = {
    "image_url": (("image_url", "url"),),
    "input_audio": (("input_audio", "data"), ("input_audio", "format")),
    "video_url": (("video_url", "url"),),
    "file": (),
    "file_url": (("url",),),
}
_ROLES: dict[str, dict[str, _Texts]] = {
    "user": _TEXT | _FILES,
    "system": _TEXT,
    "developer": _TEXT,
    "assistant": _TEXT | _REFUSAL,
    "tool": _TEXT,
    "function": {},
}
"""The types of parts that an array as content may have, by the role of the message.

Each type has the texts that its parts need.
"""
_NEEDED: dict[str, _Texts] = {"tool": (("tool_call_id",),), "function": (("name",),)}
_MAY_BE_NULL = ("assistant", "function")
_TOOL_CALL: _Texts = (("id",), ("function", "name"), ("function", "arguments"))


class RequestMessage(Struct, rename={"data_id": "dataId", "hide_in_ui": "hideInUI"}):
    """A message; its `role`, `content` and `dataId` have an effect."""

    role: Any = UNSET
    content: Any = UNSET
    name: Annotated[str, fields.IDLE] | UnsetType = UNSET
    tool_calls: Annotated[Any, fields.IDLE] = UNSET
    tool_call_id: Annotated[Any, fields.IDLE] = UNSET
    reasoning_content: Annotated[str, fields.IDLE] = ""
    data_id: str = ""
    hide_in_ui: Annotated[bool, fields.IDLE] = False


def check_messages(messages: Iterable[RequestMessage]) -> None:
    """Raise InvalidField for a message that does not have the form of its role."""
    for index, each in enumerate(messages):
        place = f"$.messages[{index}]"
        role, content = each.role, each.content
        types = _named(role, _ROLES, place, "role")
        if isinstance(content, list) and types:
            for number, part in enumerate(content):
                _check_part(part, types, f"{place}.content[{number}]")
        elif not (
            isinstance(content, str)
            or (content is None and role in _MAY_BE_NULL)
            or (content is UNSET and role == "assistant")
        ):
            expected = "a string or an array" if types else "a string or null"
            raise _wrong(content, expected, f"{place}.content")
        _need_texts(structs.asdict(each), _NEEDED.get(role, ()), place)
        if role == "assistant" and each.tool_calls is not UNSET:
            if not isinstance(each.tool_calls, list):
                raise _wrong(each.tool_calls, "an array", f"{place}.tool_calls")
            for number, call in enumerate(each.tool_calls):
                _need_texts(call, _TOOL_CALL, f"{place}.tool_calls[{number}]")


# A body may have 25,000 parts, so these functions make no text before it is needed.


def _check_part(part: object, types: Mapping[str, _Texts], place: str) -> None:
    part_type = part.get("type", UNSET) if isinstance(part, dict) else UNSET
    _need_texts(part, _named(part_type, types, place, "type"), place)


def _named(name: object, known: Mapping[str, V], place: str, field: str) -> V:
    """Return the value of a known name. Raises InvalidField for any other."""
    if not isinstance(name, str) or name not in known:
        raise _wrong(name, " or ".join(known), f"{place}.{field}")
    return known[name]


def _need_texts(value: object, texts: _Texts, place: str) -> None:
    """Raise InvalidField unless an object has a text at each of these paths."""
    for path in texts:
        inner = value
        for name in path:
            inner = inner.get(name, UNSET) if isinstance(inner, dict) else UNSET
        if not isinstance(inner, str):
            raise _wrong(inner, "a string", ".".join((place, *path)))


def question_of(messages: list[RequestMessage]) -> str:
    """Return the text of the last message of a user, else of the last message.

    Raises InvalidField if the role of this message, or its content, is wrong.
    """
    user_indexes = [at for at, each in enumerate(messages) if each.role == "user"]
    index = user_indexes[-1] if user_indexes else len(messages) - 1
    at = f"$.messages[{index}]"
    content = messages[index].content
    _named(messages[index].role, _ROLES, at, "role")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [each.get("text") for each in content if isinstance(each, dict)]
        return "\n".join(text for text in texts if isinstance(text, str))
    raise _wrong(content, "a string or an array", f"{at}.content")


def _wrong(value: object, expected: str, place: str) -> InvalidField:
    got = "nothing" if value is UNSET else describe_value(value)
    return InvalidField(expected, got, place)
