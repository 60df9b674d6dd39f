"""What is known of one request on its way to a response: data, and nothing else."""

from msgspec import Struct
from starlette.types import Scope

from mock_server.api.headers import ParsedHeaders
from mock_server.api.operations.declared import Served
from mock_server.api.request import RequestBody
from mock_server.domain.access import NOBODY, Caller
from mock_server.domain.faults import Firing
from mock_server.domain.sandbox import Sandbox
from mock_server.domain.state import State

BOUND_TO = "mock_server.bound"
"""The key under which a scope names the sandbox to which its address is bound."""

DECLARED = "mock_server.declared"
"""The key under which a scope names the declared response that is at its path."""

ENTERED = "mock_server.entered"
"""The key under which a scope names the journal entry of a response that has begun: by
sandbox, generation and number (0 where there is none).
"""


class RequestContext(Struct):
    """A request, and what has been found out about it so far.

    `started` is in seconds, by a clock that never jumps. `sandbox` is that of a bound
    address, else the one that the key leads to, else the default one; `state` is what
    that was in when the request was admitted. `operation` and `caller` are known once
    it is admitted, `content` once its body has come, `firing` if a fault fires.
    """

    scope: Scope
    headers: ParsedHeaders
    body: RequestBody
    started: float
    sandbox: Sandbox
    state: State
    operation: Served | None = None
    caller: Caller = NOBODY
    content: bytes | None = None
    firing: Firing | None = None
