"""All kinds of rules, and the presets: named lists of faults."""

from typing import Any, NamedTuple, cast, get_args
from urllib.parse import unquote

from mock_server.decoding.json_values import convert_or_refuse
from mock_server.errors import InvalidField
from mock_server.faults.data_faults import AnyDataFault
from mock_server.faults.response_faults import AnyResponseFault
from mock_server.http.request import ADMIN_PATH, OPENAPI_PATH
from mock_server.rules.paths import PathPattern
from mock_server.rules.response_rules import AnswerRule, HitsRule, ReplyRule
from mock_server.rules.rule import PresetName, Rule
from mock_server.service.operations import OPERATION_NAMES, OPERATIONS
from mock_server.text.wording import did_you_mean

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"})
AnyFault = AnyResponseFault | AnyDataFault
AnyRule = AnyFault | AnswerRule | ReplyRule | HitsRule
KINDS: dict[str, type[Rule]] = {str(it.__struct_config__.tag): it for it in get_args(AnyRule)}


NAMES_BY_ALIAS = {path: it.name for it in OPERATIONS for path, _ in it.routes} | {
    "init": "chat.init",
    "stop": "chat.stop",
    "text": "create.text",
    "link": "create.link",
    "v2.list": "data.list",
}
"""Path of an operation, or its former name -> its name."""


class Preset(NamedTuple):
    """What some faults do together, and the faults."""

    effect: str
    faults: tuple[dict[str, Any], ...]


PRESETS: dict[PresetName, Preset] = {
    "flaky": Preset(
        "About one call in five fails.",
        (
            {"kind": "error", "probability": 0.1},
            {"kind": "reset", "probability": 0.06},
            {"kind": "error", "status": 502, "phase": "after", "probability": 0.06},
        ),
    ),
    "slow": Preset(
        "Each call takes 0.1 to 0.6 s longer.", ({"kind": "delay", "min": 100, "max": 600},)
    ),
    "rate-limited": Preset(
        "More than 10 calls in 10 s are refused with 429.",
        ({"kind": "rate_limit", "limit": 10, "window": 10},),
    ),
    "offline": Preset("Each call loses its connection.", ({"kind": "reset"},)),
}


def decode_rule(fields: object) -> Rule:
    """A rule from JSON. Raises InvalidField."""
    rule: Rule = convert_or_refuse(fields, cast(Any, AnyRule))
    return rule


def preset_faults(name: PresetName, seed: int) -> list[Rule]:
    """The faults of a preset, in force until a reset."""
    lasting = {"seed": seed, "times": None}
    return [decode_rule(fields | lasting) for fields in PRESETS[name].faults]


def check_operation(rule: Rule) -> None:
    """Raises InvalidField unless a rule is for all operations, a named one, or a valid route."""
    method, _, path = rule.operation.partition(" ")
    is_route = method in METHODS and path.startswith("/")
    if not is_route and rule.operation not in ("*", *OPERATION_NAMES):
        expected = "*, an operation, or a method and a path such as GET /api/x/{id}"
        name = NAMES_BY_ALIAS.get(rule.operation, rule.operation)
        raise InvalidField(
            expected, rule.operation, "$.operation", suggestion=did_you_mean(name, OPERATION_NAMES)
        )
    # Requests are compared by their decoded path, unless a part of the server takes them before.
    is_own = f"{path}/".startswith((f"{ADMIN_PATH}/", f"{OPENAPI_PATH}/"))
    mistakes = {
        "a path without a query, which `match` has": "?" in path,
        f"the path without escapes, {unquote(path)!r}": unquote(path) != path,
        "a path that the server itself does not answer": is_own,
    }
    for expected, is_made in mistakes.items():
        if is_made:
            raise InvalidField(expected, path, "$.operation")
    try:
        PathPattern(path)
    except ValueError as error:
        raise InvalidField(str(error), path, "$.operation") from None
