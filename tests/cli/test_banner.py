"""What a server says of itself when it starts."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from mock_server.app import create_app
from mock_server.cli.serve import banner


def said(document: dict[str, Any], **choices: str) -> str:
    app = create_app(document, choices=choices)
    where = "http://localhost:1"
    return banner(app.sandbox, where, admin_open=True)


def test_the_call_to_try_survives_a_shell() -> None:
    name = 'it\'s "d"'
    call = said({"datasets": [{"id": name}]}).splitlines()[-1]
    assert json.loads(shlex.split(call)[-1])["datasetId"] == name


def test_the_call_uses_a_key_that_may_read() -> None:
    keys = [{"key": "nobody", "permission": "none"}, {"key": "reader"}]
    text = said({"keys": keys, "datasets": [{"id": "d"}]})
    assert "keys: nobody, reader" in text
    assert "Bearer reader" in text


@pytest.mark.parametrize("keys", [[], [{"key": "nobody", "permission": "none"}]])
def test_without_a_dataset_to_read_the_call_is_health(keys: list[Any]) -> None:
    datasets = [{"id": "d"}] if keys else []
    text = said({"keys": keys, "datasets": datasets})
    assert "try: curl http://localhost:1/__admin/health" in text


def test_keys_are_told_as_they_are_taken() -> None:
    assert "any bearer key is accepted" in said({})
    assert "none is accepted" in said({}, unknown_key="reject")


def test_what_a_fixture_holds_moves_no_terminal() -> None:
    name = "\x9b31m\u202e##[x]"
    text = said({"datasets": [{"id": name}]})
    assert all(line.isprintable() for line in text.splitlines())
    call = text.splitlines()[-1]
    assert json.loads(shlex.split(call)[-1])["datasetId"] == name
    assert "##[" not in text
