"""The variables of an app's chats, with the defaults and types of its settings.

FastGPT 4.16: WorkflowVariableState (packages/service/core/workflow/dispatch/utils/variables.ts) and
valueTypeFormat (packages/global/core/workflow/runtime/utils.ts).
"""

from typing import Any

from msgspec import UNSET

from mock_server.decoding.json_values import JsonObject, json_or_text
from mock_server.store.account import App, objects_in
from mock_server.store.replies import as_text


def declared_variables(app: App, given: JsonObject) -> JsonObject:
    """The given variables that an app declares, in their types; the others have their defaults."""
    if app.kept_variables is None:
        return given
    settings = {str(it.get("key")): it for it in objects_in(app.chat_config.get("variables"))}
    variables = {}
    for name in app.kept_variables:
        setting = settings.get(name, {})
        # A client may also name a variable as people see it.
        label = as_text(setting.get("label")) or name
        value = given.get(label, given.get(name, setting.get("defaultValue", UNSET)))
        if value is not UNSET:
            variables[name] = cast_variable(value, setting.get("valueType"))
    return variables


def cast_variable(value: Any, value_type: Any) -> Any:
    """A value as its type has it; null, and a value of a type that is not known, stay."""
    parsed = json_or_text(value)
    is_parsed = isinstance(parsed, dict | list)
    match value_type:
        case _ if value is None:
            return None
        case "string":
            return as_text(value)
        case "number":
            return to_number(value)
        case "boolean" if isinstance(value, str):
            return value.lower() == "true"
        case "boolean":
            return value != 0
        case "object":
            return parsed if is_parsed else {}
        case str() if value_type.startswith("array"):
            return parsed if is_parsed else [value]
    return value


def to_number(value: Any) -> float | None:
    """A value as a number: true is 1. None for one that is none, as JSON has no NaN."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None
