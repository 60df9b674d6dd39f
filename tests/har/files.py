"""HAR files as browsers write them."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

HOST = "https://app.example"


def entry(
    path: str,
    body: bytes | str | None = "",
    *,
    method: str = "GET",
    status: int = 200,
    host: str = HOST,
    kind: str = "application/json",
    posted: Any = None,
    sent: dict[str, str] | None = None,
    **headers: str,
) -> dict[str, Any]:
    """An entry; bytes are in base64, None is an answer whose body was not recorded."""
    content: dict[str, Any] = {"size": 9, "mimeType": kind}
    if isinstance(body, bytes):
        content |= {"text": b64encode(body).decode(), "encoding": "base64"}
    elif body is not None:
        content |= {"text": body, "size": len(body)}
    given = {"Content-Type": kind, **headers}
    made = {
        "startedDateTime": "2026-01-01T00:00:00.000Z",
        "time": 1,
        "request": {
            "method": method,
            "url": host + path,
            "headers": named(sent or {}),
        },
        "response": {"status": status, "headers": named(given), "content": content},
    }
    if posted is not None:
        text = {"mimeType": "application/json", "text": json.dumps(posted)}
        made["request"]["postData"] = text  # type: ignore[index]
    return made


def named(headers: dict[str, str]) -> list[dict[str, str]]:
    return [
        {"name": name.replace("_", "-"), "value": value}
        for name, value in headers.items()
    ]


def har(*entries: Any) -> dict[str, Any]:
    creator = {"name": "a browser", "version": "1"}
    return {"log": {"version": "1.2", "creator": creator, "entries": list(entries)}}


def write(path: Path, *entries: Any) -> str:
    """Write a file; gives its name."""
    path.write_text(json.dumps(har(*entries)))
    return str(path)
