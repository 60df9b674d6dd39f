"""The rules of a sandbox: faults, answers, replies and hits."""

from itertools import chain
from typing import Annotated, get_origin

from msgspec import to_builtins

from mock_server.admin.route import AdminCall, Input, route
from mock_server.decoding.json_values import JsonObject, convert_or_refuse
from mock_server.faults.rule_kinds import AnyRule, check_operation, decode_rule, preset_faults
from mock_server.rules.handlers import HANDLER, handler_name
from mock_server.rules.paths import PathPattern
from mock_server.rules.response_rules import rule_warnings
from mock_server.rules.rule import ActiveRule, PresetName, Rule
from mock_server.service.chat_records import LinkedPage
from mock_server.service.operations import OPERATION_NAMES, OPERATIONS
from mock_server.service.pages import Page
from mock_server.store.account import Store
from mock_server.text.wording import did_you_mean

PAGE_OPERATIONS = frozenset(
    operation.name
    for operation in OPERATIONS
    if (get_origin(operation.response_type) or operation.response_type) in (Page, LinkedPage)
)
"""The operations that return pages. None of them changes data."""


class AddPreset(Input):
    """A named list of faults to add."""

    preset: PresetName
    seed: int = 0


RuleBody = Annotated[JsonObject, AnyRule, AddPreset]
"""A rule, or a preset. The route decodes it, as the fields of a rule depend on its kind."""
RuleView = JsonObject
"""A rule as it was added, with its id and its counts (`rule_view`)."""


@route("GET", "/rules")
def get_rules(call: AdminCall) -> dict[str, list[RuleView]]:
    """List all rules: those that were added, the latest finished ones too, and declared ones."""
    rules = call.state.rules.by_id()
    return {"rules": [*map(rule_view, rules.values())]}


@route("POST", "/rules", status=201)
def post_rule(call: AdminCall, body: RuleBody) -> RuleView:
    """Add a rule, or all faults of a preset.

    The response has a `warning` if the rule cannot fire now, names a row that does not exist, or
    has a text that is nearly a placeholder.
    """
    rules = call.state.rules
    if "preset" not in body:
        rule = decode_rule(body)
        check_operation(rule)
        added = rules.add([rule], handler=call.request.scope.get(HANDLER))
        call.warnings += filter(None, [cannot_fire_warning(rule, call.store), *rule_warnings(rule)])
        return rule_view(added[0])
    addition = convert_or_refuse(body, AddPreset)
    added = rules.add(preset_faults(addition.preset, addition.seed), addition.preset)
    return {"rules": [*map(rule_view, added)]}


@route("DELETE", "/rules")
def delete_rules(call: AdminCall) -> dict[str, list[RuleView]]:
    """Remove all rules; a reset brings the declared ones of the baseline back."""
    removed = call.state.rules.by_id()
    call.state.remove_rules(removed)
    return {"rules": [*map(rule_view, removed.values())]}


@route("GET", "/rules/{rule}")
def get_rule(call: AdminCall) -> RuleView:
    """Read a rule, maybe one of the last 1,000 finished rules; `d1` is the first declared rule."""
    rules = call.state.rules
    reason_gone = rules.reason_gone(call.path_parameters["rule"])
    active = call.require_item("rule", rules.by_id(), reason_gone)
    # Why the rule did not fire on the nearest request: a list lacks it, as it takes time to find.
    missed = active.explain_miss(reversed(call.state.journal.exchanges))
    warning = cannot_fire_warning(active.rule, call.store)
    if missed and warning:
        missed += f". {warning}"
    return rule_view(active) | {"missed": missed}


@route("DELETE", "/rules/{rule}")
def delete_rule(call: AdminCall) -> RuleView:
    """Remove a rule; a reset brings a declared one of the baseline back."""
    view = get_rule(call)
    call.state.remove_rules([view["id"]])
    # The calls that it held go on.
    return view | {"held": 0}


def rule_view(active: ActiveRule[Rule]) -> RuleView:
    return {
        "id": active.id,
        **to_builtins(active.rule),
        "remaining": active.remaining,
        "fired": active.fired,
        "matches": active.matches,
        "endsIn": active.ends_in,
        "held": active.held,
        "outwaited": active.outwaited,
        "preset": active.preset,
        "handler": active.handler and handler_name(active.handler),
        "declared": active.is_declared,
    }


def cannot_fire_warning(rule: Rule, store: Store) -> str | None:
    """Why a rule cannot fire now, or hits leave a row out; None if no reason is known."""
    operation = rule.operation
    # Some faults never fire on their operation.
    if rule.acts_on == "writes" and operation in PAGE_OPERATIONS:
        return f"{rule.kind} never fires on {operation}, which changes no data"
    if rule.acts_on == "pages" and operation in OPERATION_NAMES - PAGE_OPERATIONS:
        return f"{rule.kind} fires on {operation}, which returns no page, only if an answer does"
    if rule.acts_on == "requests" or " " not in operation:
        return rule.missing_reference(store)
    # The operation is a method and a path: maybe an older path, or one with parameters.
    method, path = operation.split(" ", 1)
    pattern = PathPattern(path)
    routes = []
    for served_path, served_method in chain.from_iterable(it.routes for it in OPERATIONS):
        if served_method == method and pattern.parameters(served_path) is not None:
            return None
        routes.append(f"{served_method} {served_path}")
    return (
        f"The service has no route {operation!r}{did_you_mean(operation, routes)}: "
        "only an answer for it can fail"
    )
