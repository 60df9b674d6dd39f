"""What uploads leave in the memory of a server process."""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path

import pytest

from mock_server.api.multipart import Form
from tests.api.related.world import (
    DATASET,
    LOCAL_FILE,
    MIB,
    WORLD,
    made,
    related_routes,
    upload,
)
from tests.conftest import MakeApi
from tests.process import rss, serving
from tests.support import client_of, fetch, wait

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
HEADERS = {"Authorization": "Bearer owner-key"}
JOURNAL_MIB = 16
"""For the journal, which keeps the beginning of each body, and for what varies."""
LINE = b"A line of a text that is uploaded again and again.\n\n"


def grown(folder: Path, count: int, name: str, keeps: bool) -> float:
    """How many MiB a server grows by so many uploads, kept or deleted at once."""
    path = folder / "world.json"
    path.write_text(json.dumps(WORLD))
    options = ("--port=0", "--profile=deployed", "--choice=training=instant")
    with (
        serving("serve", str(path), *options) as (url, process),
        client_of(url, headers=HEADERS) as client,
    ):

        def send() -> None:
            form = {"data": json.dumps({"datasetId": DATASET})}
            item = made(client.post(LOCAL_FILE, files={"file": file}, data=form))
            if not keeps:
                path = f"/__admin/datasets/{DATASET}/collections/{item}"
                assert client.delete(path).status_code == 200

        file = name, LINE * (MIB // len(LINE))
        for _ in range(5):
            send()
        before = rss(process.pid)
        for _ in range(count):
            send()
        return rss(process.pid) - before


def forms() -> int:
    """How many forms are in memory, of whatever server in this process."""
    return sum(type(each) is Form for each in gc.get_objects())


@pytest.mark.ci
@pytest.mark.parametrize("body", [b"Some text", b"\xff"], ids=["taken", "refused"])
def test_a_form_is_let_go_of_without_the_collector(
    make_api: MakeApi, body: bytes
) -> None:
    api = related_routes(make_api)
    gc.collect()
    gc.disable()
    try:
        fields = {"datasetId": DATASET if body.isascii() else "unknown"}
        assert upload(api, content=body, fields=fields).is_success is body.isascii()
        wait(lambda: forms() == 0)
    finally:
        gc.enable()


@pytest.mark.parametrize(
    "count", [25, pytest.param(990, marks=pytest.mark.full)], ids=str
)
@pytest.mark.parametrize(("name", "keeps"), [("a.pdf", True), ("a.txt", False)])
@pytest.mark.ci
def test_what_is_uploaded_leaves_no_more_than_is_kept(
    tmp_path: Path, name: str, keeps: bool, count: int
) -> None:
    growth = grown(tmp_path, count, name, keeps)
    kept = "kept" if keeps else "deleted"
    print(f"{count} uploads of 1 MB as {name}, {kept}: {growth:+.1f} MiB")
    assert growth < JOURNAL_MIB


@pytest.mark.ci
def test_a_file_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "world.json"
    path.write_text(json.dumps(WORLD))
    form = {"data": json.dumps({"datasetId": DATASET})}
    with serving("serve", str(path), "--port=0", "--profile=deployed") as (
        url,
        process,
    ):
        for size in (1_000, 16 * MIB):
            before = peak(process.pid)
            file = "a.pdf", b"x" * size
            made(
                fetch(
                    "POST",
                    url + LOCAL_FILE,
                    files={"file": file},
                    data=form,
                    headers=HEADERS,
                )
            )
        assert peak(process.pid) - before < 8


def peak(pid: int) -> float:
    """The most memory that a process has had resident, in MiB (Linux)."""
    status = Path(f"/proc/{pid}/status").read_text()
    [line] = [line for line in status.splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024
