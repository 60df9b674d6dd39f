"""A client in TypeScript, in a process of its own: its bugs are found as any others."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from mock_server.strategies import ClientError, ClientMachine, SubprocessClient
from tests.examples.projects import installed, needs, run


class Lines(ClientMachine):
    """Calls the client by lines of JSON."""

    attempts = 3
    errors = (ClientError,)
    client: SubprocessClient

    def start(self, url: str, key: str) -> None:
        self.client.sleep = self.sleep
        self.client.call("start", url=url, key=key)

    def pin(self, app_id: str, chat_id: str, top: bool) -> None:
        self.client.call("pin", appId=app_id, chatId=chat_id, top=top)

    def list_folder(self, dataset_id: str, parent_id: str | None) -> Any:
        return self.client.call("folder", datasetId=dataset_id, parentId=parent_id)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The adapter as JavaScript, which any Node runs; its types are right."""
    project = installed("client-machine", tmp_path_factory.mktemp("node"))
    run(project, "npx", "tsc")
    return project


def drive(project: Path, examples: int) -> None:
    """Run the machine on the client of a project."""
    chosen = settings(
        ClientMachine.TestCase.settings,
        max_examples=examples,
        derandomize=True,
        database=None,
    )
    process = SubprocessClient("node", str(project / "adapter.js"))

    class Machine(Lines):
        client = process

    try:
        Machine.run(settings=chosen)
    finally:
        process.close()


BUGS = [
    pytest.param(
        "if (page.list.length === 0 || items.length >= page.total)",
        "",
        "that are there, got 30 of",
        marks=pytest.mark.ci,
    ),
    pytest.param(
        'await this.call("POST", path, body)',
        'await this.call("POST", path, body).catch(() => ({ list: [], total: 0 }))',
        "the 2 that are there, got 0 of 2|an error, for this is to be refused",
        marks=pytest.mark.ci,
    ),
    pytest.param(
        "pageSize: 30", "pageSize: 50", "page_size_over_limit", marks=pytest.mark.ci
    ),
    pytest.param(
        "if (left === 0 || !(error instanceof TypeError))",
        "if (left === 0 && error instanceof TypeError) return null;\n"
        "if (!(error instanceof TypeError))",
        "to be pinned, got unpinned|for this is to be refused, got None",
        marks=pytest.mark.full,
    ),
    pytest.param(
        "this.sleep(asked)",
        "this.sleep(0)",
        "asked again after 1 s",
        marks=pytest.mark.full,
    ),
]
"""What is in the client, what is planted in its place, and what is said of it."""
SHORT = 8
"""Lines of a story. Three would do, but Hypothesis keeps a step that does nothing where
it cannot take away at once all that was drawn for it."""


@needs("npm", "node")
@pytest.mark.parametrize(("right", "wrong", "said"), BUGS)
def test_a_bug_in_typescript_is_found(
    compiled: Path, tmp_path: Path, right: str, wrong: str, said: str
) -> None:
    project = shutil.copytree(compiled, tmp_path / "client")
    client = project / "client.js"
    text = client.read_text()
    assert right in text
    client.write_text(text.replace(right, wrong))
    with pytest.raises(AssertionError, match=said) as found:
        drive(project, 100)
    story = "\n".join(found.value.__notes__)
    assert len(re.findall(r"^state\.", story, re.MULTILINE)) <= SHORT


@pytest.mark.ci
@needs("npm", "node")
def test_a_client_in_typescript_passes_that_is_right(compiled: Path) -> None:
    drive(compiled, 15)
