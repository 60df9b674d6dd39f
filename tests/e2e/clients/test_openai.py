"""Scripted replies through the libraries `openai` of Python and JavaScript."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mock_server import MockServer
from mock_server.domain.replies import ReplyPart

pytestmark = pytest.mark.ci
OPENAI = os.environ.get("OPENAI", "")
ASKED: Any = {"model": "any", "messages": [{"role": "user", "content": "The weather?"}]}
TOOL = {"name": "weather", "params": {"city": "Ulm"}, "response": "rain"}
PARTS: dict[str, Any] = {
    "node": "AI chat",
    "reasoning": "Let me see",
    "text": "It is raining.",
    "tool": TOOL,
    "quotes": [{"id": "q1", "q": "A question"}],
    "pauseMs": 1,
    "fast": "Goodbye",
    "interactive": {"type": "userSelect", "params": {}},
}
ENDS = {"error": "Model is busy", "cut": True}
KINDS = {kind: {kind: value} for kind, value in PARTS.items()}
WHOLE = "It is raining.\nGoodbye"
SHOWN = ["reasoning", "text", "tool", "text", "interactive"]


@pytest.fixture
def server() -> Iterator[MockServer]:
    with MockServer() as server:
        yield server


@pytest.fixture
def completions(server: MockServer) -> Any:
    """The completions of a client of the server."""
    openai = pytest.importorskip("openai")
    url = f"{server.url}/api/v1"
    client = openai.OpenAI(base_url=url, api_key="any", max_retries=0)
    return client.chat.completions


def streamed(completions: Any, **fields: Any) -> str:
    """What the deltas of a stream say."""
    chunks = completions.create(**ASKED, stream=True, **fields)
    texts = (each.choices[0].delta.content for each in chunks if choices_of(each))
    return "".join(each or "" for each in texts)


def choices_of(chunk: Any) -> Any:
    """The choices of a chunk; events that are only of FastGPT have none."""
    return getattr(chunk, "choices", None)


def test_the_demo_replies(completions: Any) -> None:
    message = completions.create(**ASKED).choices[0].message
    assert message.content.startswith("Thank you for your message.")


def test_a_reply_comes_whole_and_streamed(server: MockServer, completions: Any) -> None:
    server.control.fault("reply", parts=[*KINDS.values()])
    message = completions.create(**ASKED).choices[0].message
    assert (message.content, message.reasoning_content) == (WHOLE, "Let me see")
    assert streamed(completions) == WHOLE


def test_a_reply_comes_with_detail(server: MockServer, completions: Any) -> None:
    server.control.fault("reply", parts=[*KINDS.values()])
    detail = {"detail": True}
    whole = completions.create(**ASKED, extra_body=detail)
    shown = whole.choices[0].message.content
    assert [each["type"] for each in shown] == SHOWN
    nodes = [each["moduleName"] for each in whole.responseData]
    assert nodes == ["AI chat", "weather", "Dataset search"]
    assert streamed(completions, extra_body=detail) == WHOLE


@pytest.mark.parametrize("detail", [False, True])
@pytest.mark.parametrize("kind", PARTS)
def test_every_part_is_read(
    server: MockServer, completions: Any, kind: str, detail: bool
) -> None:
    server.control.fault("reply", parts=[KINDS[kind], "End."])
    extra = {"detail": detail}
    assert completions.create(**ASKED, extra_body=extra).choices
    assert streamed(completions, extra_body=extra).endswith("End.")


def test_every_part_has_an_example() -> None:
    assert {*PARTS, *ENDS} == {*ReplyPart.__struct_encode_fields__}


@pytest.mark.parametrize("detail", [False, True])
def test_an_error_ends_a_whole_reply_and_a_stream(
    server: MockServer, completions: Any, detail: bool
) -> None:
    openai = pytest.importorskip("openai")
    extra = {"detail": detail}
    server.control.fault("reply", parts=["One ", {"error": ENDS["error"]}])
    with pytest.raises(openai.InternalServerError, match="Model is busy"):
        completions.create(**ASKED, extra_body=extra)
    *_, last = completions.create(**ASKED, stream=True, extra_body=extra)
    assert (last.choices, last.message) == (None, "Model is busy")


def test_a_cut_reply_raises_after_what_was_said(
    server: MockServer, completions: Any
) -> None:
    openai = pytest.importorskip("openai")
    server.control.fault("reply", parts=["One ", {"cut": True}])
    chunks = completions.create(**ASKED, stream=True)
    assert next(chunks).choices[0].delta.content == "One "
    with pytest.raises(openai.APIConnectionError):
        next(chunks)


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node.js")
@pytest.mark.skipif(not OPENAI, reason="needs npm: openai, and name it in OPENAI")
def test_the_library_for_javascript(server: MockServer) -> None:
    server.control.fault("reply", parts=[*KINDS.values()])
    command = ["node", "openai.mjs", server.url]
    done = subprocess.run(
        command, cwd=Path(__file__).parent, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    same = {"reasoning": "Let me see", "streamed": WHOLE}
    parts = [each["type"] for each in found["true"].pop("content")]
    assert found == {"false": {"content": WHOLE, **same}, "true": same}
    assert parts == SHOWN
