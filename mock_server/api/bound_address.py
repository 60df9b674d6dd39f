"""Addresses that are bound to a sandbox: `/__sandboxes/NAME` in front of a path.

A request below such an address reaches that sandbox with any API key. The key is then
accepted or refused as on a server that has only this sandbox.
"""

from urllib.parse import unquote

from starlette.types import Scope

from mock_server.api.context import notes_of
from mock_server.domain.sandboxes.registry import Sandboxes, SandboxNotFound
from mock_server.domain.sandboxes.sandbox import Sandbox

BOUND_PREFIX = "/__sandboxes/"
"""Start of a bound address; the name of the sandbox follows."""

_ADMIN_PREFIX = "/__admin/sandboxes/"


def bind(scope: Scope, path: str, sandboxes: Sandboxes) -> None:
    """Bind a request to the sandbox that its path names.

    If the sandbox exists, the request continues at the rest of the path. This changes
    `scope` itself and no copy, because the request log reads `scope` afterwards.
    """
    name, slash, rest = path.removeprefix(BOUND_PREFIX).partition("/")
    notes_of(scope).bound_to = name
    if sandboxes.find(name) is not None:
        scope["path"] = slash + rest
        scope["raw_path"] = scope["path"].encode()


def likely_sandbox(sandboxes: Sandboxes, scope: Scope) -> Sandbox:
    """Return the sandbox of the address or of the API key, else the default.

    The address is a bound one, or of the admin API. Unknown names and keys select the
    default sandbox too.
    """
    notes, path = notes_of(scope), scope["path"]
    name = notes.bound_to
    for prefix in (BOUND_PREFIX, _ADMIN_PREFIX):
        if path.startswith(prefix):
            name = unquote(path.removeprefix(prefix).partition("/")[0])
    if name is not None:
        return sandboxes.find(name) or sandboxes.default
    return sandboxes.for_key(notes.headers.key or "") or sandboxes.default


def bound_sandbox(name: str, sandboxes: Sandboxes) -> Sandbox:
    """Return the sandbox of a bound address. Raises SandboxNotFound."""
    sandbox = sandboxes.find(name)
    if sandbox is None:
        expected = f"{BOUND_PREFIX} and the name of a sandbox"
        hint = "it was deleted, has expired, or never existed"
        hint += "; GET /__admin/sandboxes lists the sandboxes"
        raise SandboxNotFound.of(name, expected, "path", hint)
    return sandbox
