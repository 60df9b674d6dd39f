"""The formats of request lines; apart from `request_log`, which loads a server."""

from typing import Literal

LogFormat = Literal["text", "json"]
