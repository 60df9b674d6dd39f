"""Wrong calls of the control object, and the message of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mock_server import Fault, MockServer
from tests.said import Text


def message_of(control: Any, call: str) -> str:
    """The message of the error that a call raises."""
    control.reset()
    try:
        eval(f"control.{call}", {"control": control, "Fault": Fault})
    except Exception as error:
        return str(error)
    return "no error"


def _message_alone(call: str) -> str:
    with MockServer() as server:
        return message_of(server.control, call)


TEXT = Text(Path(__file__).with_name("said") / "calls.txt", _message_alone)
