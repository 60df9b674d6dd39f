"""The command `verify`, and `serve` with the profile that it writes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from mock_server import MockServer
from mock_server.domain.choices.table import table
from mock_server.service.conformance.report import PROBES
from tests.cli.commands import Ended, run
from tests.conformance.world import APP, CHAT, DATASET, DOCUMENT, report_of
from tests.process import COMMAND, environment, serving
from tests.strangers import (
    ENDLESS,
    REDIRECTS,
    STRANGERS,
    Strange,
    says,
    strangers,
)
from tests.support import SECONDS, wait

KEY = "s3cret-api-key"
WHAT = ("--dataset", DATASET, "--app", APP, "--chat", CHAT)


def verify(url: str, *args: str, **variables: str) -> Ended:
    known = {"MOCK_SERVER_VERIFY_KEY": KEY} | variables
    return run("verify", "--base-url", url, *args, **known)


@pytest.fixture(scope="module")
def server() -> Iterator[MockServer]:
    with MockServer(DOCUMENT) as running:
        yield running


@pytest.fixture(scope="module")
def deployed() -> Iterator[MockServer]:
    choices = {"list_order": "name", "unknown_fields": "reject"}
    with MockServer(DOCUMENT, profile="deployed", choices=choices) as running:
        yield running


def test_a_report_has_a_line_for_every_rule_and_choice(server: MockServer) -> None:
    done = verify(server.url, *WHAT)
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert "pass            total_before_paging (spec 4.2)" in lines
    assert "not observable  pin_answer (spec 4.1) (needs --write)" in lines
    assert "page_size_default = 10" in lines
    assert "top_missing = not observable (needs --write)" in lines
    assert (
        lines[-1] == "rules: 22 pass, 0 differs, 5 not observable; "
        f"22 of {len(table())} choices seen"
    )


def test_a_run_that_observes_nothing_is_no_success() -> None:
    with MockServer(DOCUMENT, choices={"related_routes": "off"}) as server:
        done = verify(server.url)
    assert done.status == 1
    assert "pass  " not in done.out
    assert "not observable  pages_complete (spec 4.2) (needs --dataset)" in done.out
    assert done.err.startswith("no rule could be observed: give --dataset with the id")


@pytest.mark.ci
def test_without_a_dataset_it_takes_one_that_is_shown() -> None:
    with MockServer(DOCUMENT, choices={"related_routes": "on"}) as server:
        done = verify(server.url)
    assert done.status == 0
    first = DOCUMENT["datasets"][0]["id"]
    assert done.err.startswith(f"no --dataset is given: takes {first}, the first of ")
    assert "pass            pages_complete (spec 4.2)" in done.out


@pytest.mark.parametrize("status", ["mapped", "always_200", "always_500"])
def test_a_wrong_address_is_not_the_service(status: str) -> None:
    choices = {"error_http_status": status, "related_routes": "off"}
    with MockServer(DOCUMENT, choices=choices) as server:
        right, wrong = verify(server.url), verify(f"{server.url}/api")
    assert right.err.startswith("no rule could be observed")
    assert (wrong.status, wrong.out) == (5, "")
    assert wrong.err.startswith("Expected listV2 to be served (the base URL is the")
    assert len(wrong.err.splitlines()) == 1


@pytest.mark.ci
def test_a_difference_is_told_with_its_request(
    deployed: MockServer,
) -> None:
    done = verify(deployed.url, *WHAT)
    assert (done.status, done.err) == (1, "")
    body = f'{{"offset":0,"datasetId":"{DATASET}","pageSize":31}}'
    path = "/api/core/dataset/collection/listV2"
    assert (
        "differs         page_maximum (spec 8)\n"
        "    No page has more than 30 items.\n"
        f"    Expected 30 items at most, got 31 - at POST {path} {body}\n"
        "    (as the choice page_size_max=100)\n"
    ) in done.out
    assert KEY not in done.out


@pytest.mark.ci
def test_json_has_all_of_it(deployed: MockServer) -> None:
    report = json.loads(verify(deployed.url, *WHAT, "--format", "json").out)
    assert report["baseUrl"] == deployed.url
    rules = {each["rule"]: each for each in report["rules"]}
    assert rules["post_only"]["status"] == "differs"
    assert rules["post_only"]["choice"] == "method_mismatch=accept"
    assert rules["pin_states"] == {
        "rule": "pin_states",
        "section": "3",
        "sentence": "`top` true pins the chat; `top` false unpins it.",
        "status": "not observable",
        "reason": "needs --write",
    }
    values = {each["choice"]: each.get("value") for each in report["choices"]}
    assert (values["list_order"], values["top_missing"]) == ("name", None)


@pytest.mark.ci
def test_junit_has_failures_and_skipped_tests(deployed: MockServer) -> None:
    done = verify(deployed.url, *WHAT, "--format", "junit")
    root = ElementTree.fromstring(done.out)
    rules, choices = root.findall("testsuite")
    assert (rules.get("failures"), rules.get("skipped")) == ("3", "5")
    failed = [each.get("name") for each in rules if each.find("failure") is not None]
    assert failed == ["post_only", "page_maximum", "search_in_tags"]
    assert "list_order=name" in [each.get("name") for each in choices]


@pytest.mark.ci
@pytest.mark.parametrize("name", ["seen.yaml", "seen.json"])
def test_a_profile_that_was_seen_is_served(
    deployed: MockServer, tmp_path: Path, name: str
) -> None:
    fixture, profile = tmp_path / "fixture.json", tmp_path / name
    fixture.write_text(json.dumps(DOCUMENT))
    seen = report_of(deployed.url)
    done = verify(deployed.url, *WHAT, "--write", "--write-profile", str(profile))
    assert done.status == 1
    written = yaml.safe_load(profile.read_text())
    assert written["choices"] == seen.values
    unasked = {each.choice for each in PROBES if not each.description}
    assert written["notObserved"].keys() == {"credentials"} | unasked
    with serving(str(fixture), "--profile", str(profile), "--port", "0") as (url, _):
        assert report_of(url).values == seen.values


@pytest.mark.ci
def test_a_choice_wins_over_the_profile_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "seen.yaml"
    path.write_text("choices: {list_order: name, tags_empty: absent}")
    with serving(
        "--profile", str(path), "--choice", "list_order=fixture", "--port", "0"
    ) as (url, _):
        shown = json.loads(run("choices", "show", "--json", "--url", url).out)
    assert shown["choices"]["list_order"] == "fixture"
    assert shown["choices"]["tags_empty"] == "absent"


@pytest.fixture(scope="module")
def strange() -> Iterator[Strange]:
    with strangers() as running:
        yield running


SILENT = {
    *ENDLESS, "garbage", "endless_head", "endless_line", "storm_of_100", "huge_length",
    "huge_chunk", "closed_at_once", "closed_in_body", "gzip", "long_length", "http_0_9",
    "http_2", "page_503",
}  # fmt: skip
"""Those that give no whole answer of HTTP, or are busy until the time is over."""


@pytest.mark.ci
@pytest.mark.parametrize("name", [*STRANGERS, *REDIRECTS])
def test_a_stranger_is_told_from_a_service(
    strange: Strange, tmp_path: Path, name: str
) -> None:
    path, seconds = tmp_path / "seen.yaml", "0.1" if name in ENDLESS else "0.5"
    more = ("--write-profile", str(path), "--timeout", seconds)
    done = verify(strange.url(name), *WHAT, *more)
    assert (done.status, done.out) == (3 if name in SILENT else 5, "")
    *retries, message = done.err.splitlines()
    assert all(", retrying in " in line for line in retries)
    assert "POST /api/core/dataset/collection/listV2 {" in message
    assert done.err.replace("\n", "").isprintable()
    assert os.listdir(tmp_path) == []
    assert strange.elsewhere == []


def test_a_key_that_is_refused_is_told() -> None:
    with MockServer({**DOCUMENT, "keys": [{"key": "other"}]}) as server:
        done = verify(server.url, *WHAT)
    assert (done.status, done.out) == (5, "")
    assert done.err.startswith(
        "Expected a page, as the key may read the dataset, got 401"
    )
    assert KEY not in done.err


@pytest.mark.parametrize(
    "repeated",
    [f"Authorization: Bearer {KEY}", f"HTTP/{KEY} 200 OK", f"HTTP/1.1 {KEY} OK"],
)
@pytest.mark.parametrize("command", ["verify", "pull"])
def test_no_message_shows_the_key(command: str, repeated: str) -> None:
    with strangers({"repeating": says(f"{repeated}\r\n\r\n".encode())}) as strange:
        given = ("--base-url", strange.url("repeating"), "--dataset", DATASET)
        sent = f"{KEY}-65d8a1f0c3b2a94e7f106a01"  # with an app id
        keys = {"MOCK_SERVER_VERIFY_KEY": sent, "MOCK_SERVER_PULL_KEY": sent}
        done = run(command, *given, **keys)
    assert "[redacted]" in done.err
    assert KEY not in done.err


def test_a_server_that_is_busy_is_asked_again(server: MockServer) -> None:
    server.control.fault("error", status=503, retryAfter=0, times=2)
    done = verify(server.url, *WHAT)
    assert done.status == 0
    assert len(done.err.splitlines()) == 2
    retry = r"got 503 .* - at POST /api/.*, retrying in 0 s"
    assert all(re.fullmatch(retry, line) for line in done.err.splitlines())


def test_nobody_there_exits_3() -> None:
    done = verify("http://127.0.0.1:1", *WHAT)
    assert (done.status, done.out) == (3, "")
    assert done.err.startswith("cannot reach http://127.0.0.1:1: [Errno 111]")


@pytest.mark.ci
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_check_that_is_stopped_undoes_its_changes(how: signal.Signals) -> None:
    with MockServer(DOCUMENT) as server:
        before = server.control.collections(DATASET)
        fault = server.control.fault("hang", operation="pushData")
        command = [*COMMAND, "verify", "--base-url", server.url, *WHAT, "--write"]
        known = environment(MOCK_SERVER_VERIFY_KEY=KEY)
        with subprocess.Popen(command, env=known, stdout=subprocess.PIPE) as process:
            wait(lambda: fault.fired)
            assert server.control.collections(DATASET) != before
            process.send_signal(how)
            assert process.wait(SECONDS) == 1
        assert server.control.collections(DATASET) == before
