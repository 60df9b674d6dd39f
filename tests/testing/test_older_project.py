"""The plugin in a project that is pinned to what was new in 2024."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.versions import environment

pytestmark = pytest.mark.ci
PINS = [
    *("fastapi==0.115.*", "starlette==0.41.*", "uvicorn==0.34.*", "pydantic==2.10.*"),
    *("pytest==8.*", "pytest-asyncio==0.25.*", "httpx==0.28.*", "anyio==4.6.*"),
]
PANEL = """
from fastapi import FastAPI
from fastapi.testclient import TestClient
import httpx
import pytest

LIST = "/api/core/dataset/collection/listV2"
HANDBOOK = {"offset": 0, "datasetId": "6593e137231a2be9c5603ba7", "parentId": None}


def panel(service):
    app = FastAPI()

    @app.get("/count")
    async def count() -> int | None:
        headers = {"Authorization": "Bearer k"}
        async with httpx.AsyncClient(base_url=service.url, headers=headers) as client:
            answer = await client.post(LIST, json=HANDBOOK)
        return answer.json()["data"]["total"] if answer.is_success else None

    return TestClient(app)


def test_collections_are_counted(mock_server):
    assert panel(mock_server).get("/count").json() == 8
    mock_server.assert_called("listV2", times=1)


def test_a_failure_is_no_count(mock_server):
    with mock_server.fault("error", status=503):
        assert panel(mock_server).get("/count").json() is None
"""


def test_it_runs_under_their_versions_without_a_warning(tmp_path: Path) -> None:
    python = environment(tmp_path / "venv", sys.executable, *PINS)
    (tmp_path / "test_panel.py").write_text(PANEL)
    command = [str(python), "-m", "pytest", "-W", "error", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "2 passed" in done.stdout, done.stdout + done.stderr
