"""What a server says of itself when it starts."""

from __future__ import annotations

import json
import shlex

from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.access import Caller, Level
from mock_server.domain.printable import json_text, one_line
from mock_server.domain.sandbox import Sandbox


def banner(sandbox: Sandbox, url: str, *, admin_open: bool) -> str:
    """A few lines: content, keys, who may use the admin API, a call to try."""
    fixture, profile = sandbox.baseline, sandbox.state.profile
    counts = ", ".join(f"{count} {name}" for name, count in fixture.counts().items())
    admin = "open to whoever reaches this port" if admin_open else "needs the token"
    lines = (
        f"serving {counts} from {', '.join(fixture.files)}, profile {profile}",
        f"keys: {_keys(sandbox)}",
        f"admin: {url}/__admin {admin}",
        f"try: {_example(sandbox, url)}",
    )
    return "\n".join(map(one_line, lines))


def _keys(sandbox: Sandbox) -> str:
    declared = ", ".join(sandbox.store.generation.keys)
    if declared or sandbox.choices.unknown_key == "reject":
        return declared or "none is declared, and none is accepted"
    return "any bearer key is accepted"


def _example(sandbox: Sandbox, url: str) -> str:
    generation = sandbox.store.generation
    callers = list(generation.keys.values()) or [Caller("fastgpt-demo")]
    list_v2 = OPERATIONS["listV2"]
    for dataset in generation.datasets.values():
        for caller in callers:
            if dataset.level_of(caller) >= Level.READ:
                body = {"offset": 0, "datasetId": dataset.id, "parentId": None}
                key = shlex.quote(f"Authorization: Bearer {caller.key}")
                data = shlex.quote(json_text(json.dumps(body, ensure_ascii=False)))
                return (
                    f"curl -X {list_v2.method} {url}{list_v2.path} -H {key} "
                    f"-H 'Content-Type: application/json' -d {data}"
                )
    return f"curl {url}/__admin/health"
