"""A running server as programs steer it: calls of its admin API over HTTP."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import msgspec

from mock_server.api.envelope import Failure

_SECONDS = 30
# A proxy that the environment names is for other hosts than a mock server.
_NO_PROXY = urllib.request.ProxyHandler({})


class Unreachable(Exception):
    """There is no server at that address; the text says why."""


class Refused(Exception):
    """An error answer; the text is its message, `status_text` its kind."""

    def __init__(self, status: int, body: bytes) -> None:
        self.status = status
        self.status_text = ""
        message = f"the server answered {status}"
        try:
            failure = msgspec.json.decode(body, type=Failure)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            pass
        else:
            self.status_text, message = failure.status_text, failure.message
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Remote:
    """A server by its address, and the sandbox in it that is meant."""

    url: str
    sandbox: str | None = None
    token: str | None = None

    def call(
        self,
        method: str,
        path: str,
        content: bytes = b"",
        *,
        content_type: str = "application/json",
        accept: str = "application/json",
        seconds: float = _SECONDS,
    ) -> tuple[int, bytes]:
        """The status and body of an answer. Raises Unreachable."""
        part = f"/sandboxes/{quote(self.sandbox, safe='')}" if self.sandbox else ""
        headers = {"Content-Type": content_type, "Accept": accept}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        address = f"{self.url.rstrip('/')}/__admin{part}{path}"
        data = content if method in ("POST", "PUT") else None
        try:
            request = urllib.request.Request(  # noqa: S310 - callers check the scheme
                address, data, headers, method=method
            )
            opener = urllib.request.build_opener(_NO_PROXY)
            with opener.open(request, timeout=seconds) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()
        except (OSError, ValueError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise Unreachable(f"cannot reach {self.url}: {reason}") from None

    def text(self, method: str, path: str, content: bytes = b"", **how: Any) -> bytes:
        """The body of a good answer. Raises Refused, or Unreachable."""
        status, body = self.call(method, path, content, **how)
        if status >= 400:
            raise Refused(status, body)
        return body

    def json(self, method: str, path: str, **fields: Any) -> Any:
        """A good answer as plain data, to a body of these fields. Raises as `text`."""
        return msgspec.json.decode(self.text(method, path, msgspec.json.encode(fields)))
