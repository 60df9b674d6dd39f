"""Clients in Go are generated from the OpenAPI documents, compile, and work.

Those in TypeScript are part of the project in test_languages.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mock_server import MockServer
from tests.docs.pages import DOCS, blocks
from tests.examples.projects import DOCUMENTS, NEEDS_GENERATOR, copied, needs, run
from tests.openapi.committed import ADMIN, PUBLIC

PARTS = "models,apis,apiTests=false,modelTests=false,supportingFiles"
# Some answers have a field `_id` and another `id`, which Go would write alike.
NAMED: dict[str, tuple[str, ...]] = {
    ADMIN: (),
    PUBLIC: ("--name-mappings", "_id=ObjectId"),
}


def generate(project: Path, name: str) -> None:
    """A client in Go, in a folder of the document's name."""
    run(
        project,
        "openapi-generator-cli",
        *("generate", "--generator-name", "go", "--output", name),
        *("--input-spec", DOCUMENTS / f"{name}.json", "--global-property", PARTS),
        *("--additional-properties", f"packageName={name}", *NAMED[name]),
    )


@pytest.mark.ci
@needs("go", "java")
@NEEDS_GENERATOR
def test_a_client_of_the_operations_compiles(tmp_path: Path) -> None:
    generate(tmp_path, PUBLIC)
    run(tmp_path / PUBLIC, "go", "vet", ".", GOPROXY="off")


def test_the_guide_generates_in_the_same_way() -> None:
    shown = [each.text for each in blocks(DOCS / "guides" / "languages.md", "sh")]
    (command,) = (each for each in shown if "-generator-cli generate -g go" in each)
    assert f"packageName={ADMIN} --global-property {PARTS}\n" in command


@pytest.mark.ci
@needs("go", "java")
@NEEDS_GENERATOR
def test_a_client_of_the_admin_api_steers_a_server(tmp_path: Path) -> None:
    project = copied("go-client", tmp_path)
    generate(project, ADMIN)
    run(project, "go", "vet", "./...", GOPROXY="off")
    with MockServer() as server:
        said = run(project, "go", "run", ".", GOPROXY="off", MOCK_SERVER_URL=server.url)
    assert said == "fault f1 fired 0 times, generation 2\n"
