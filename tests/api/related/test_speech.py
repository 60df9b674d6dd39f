"""Replies that are read aloud: what comes is MP3, whatever was to be read."""

from __future__ import annotations

import pytest

from tests.api.related.world import APP, WORLD, send
from tests.conftest import MakeApi


@pytest.mark.parametrize(
    ("version", "path"), [("4.14", "item/getSpeech"), ("4.16", "record/getSpeech")]
)
def test_a_reply_is_read_as_a_second_of_silence(
    make_api: MakeApi, version: str, path: str
) -> None:
    api = make_api(WORLD, choices={"version": version})
    config = {"type": "model", "model": "tts-1", "voice": "nova", "speed": 1.5}
    body = {"appId": APP, "input": "Hello", "ttsConfig": config}
    answer = send(api, "POST", f"/api/core/chat/{path}", body)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "audio/mpeg")
    _, *frames = answer.content.split(b"\xff\xfb\x14\xc0")
    assert {*frames} == {bytes(92)}  # no side information, and no sound
    assert 1 <= len(frames) * 1_152 / 48_000 < 1.1
