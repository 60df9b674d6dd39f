"""`mock-server verify --baseline`: what is known, what is new, and data that change."""

import os
import shlex
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest
from msgspec import json
from test_verify import ACCOUNT, ALTERED, APP, DATASET, MORE, NOW, ONE, SERVICE, check
from test_verify import hold as hold_here

from mock_server.application import load_baseline

__all__ = ["check", "hold_here"]
pytestmark = pytest.mark.served(fixture=None)


@pytest.fixture
def hold(hold_here):
    """Holds a server to a baseline: see test_verify."""

    def hold_in_thread(*args, **choices):
        # A browser of the other tests has its event loop in this thread.
        with ThreadPoolExecutor(1) as threads:
            return threads.submit(hold_here, *args, **choices).result()

    return hold_in_thread


def test_what_a_baseline_has_is_no_failure_and_its_end_is_said(hold, tmp_path):
    choices = {"list_order": "name", "chat_unknown": "create"}
    known = ACCOUNT | {"faults": [ALTERED]}
    assert hold(known, "--write-baseline", **choices)[0] == 0
    served = load_baseline(ACCOUNT, profile=tmp_path / "baseline.json")
    assert served.moment.choices.list_order == "name"
    code, out, _ = hold(ACCOUNT, **choices)
    assert code == 0 and "\ngone          list.nickname is a text, in the mock absent\n" in out


def test_data_that_change_are_no_drift(hold):
    twice = {"kind": "duplicate_item", "match": {"body": {"unknownField": 1}}, "times": None}
    known = {"faults": [MORE | {"match": {"body": {"pageSize": "1"}}}, twice, ALTERED]}
    small = {"id": DATASET, "collections": [{"name": "Zeta again"}]}
    hold({"apps": [{"id": APP}], "datasets": [small]} | known, "--write-baseline")
    code, out, _ = hold(ACCOUNT | known)
    assert code == 0 and "drift  " not in out and "gone  " not in out


def test_known_drift_of_another_request_is_new(hold):
    hold(ACCOUNT | {"faults": [MORE | {"match": ONE}]}, "--write-baseline")
    small = {"body": {"pageSize": "1"}}
    code, out, _ = hold(ACCOUNT | {"faults": [MORE | {"match": small}]})
    assert code == 1 and out.count('"pageSize":"1"') == out.count("drift  ") == 1


@pytest.mark.parametrize("name", ["documented", "fastgpt-4.14"])
def test_another_profile_is_much_drift_each_by_a_command_that_repeats_it(hold, name):
    hold(ACCOUNT, "--write-baseline")
    code, out, _ = hold(ACCOUNT, "--format", "json", name=name)
    assert f"choices that differ from {SERVICE}: " in hold(ACCOUNT, name=name)[1].splitlines()[-1]
    report = json.decode(out)
    assert code == 1 and report["profile"] == SERVICE and report["seen"]["profile"] == name
    found = [(drift["request"], part) for drift in report["drift"] for part in drift["differences"]]
    assert len(found) >= 15
    for drift in report["drift"]:
        words = shlex.split(os.path.expandvars(drift["request"]))
        headers = dict(it.split(": ") for it in words if ": " in it and it[0] != "{")
        sent = httpx2.request(*words[3:5], headers=headers, content=words[-1])
        difference = drift["differences"].get("status", {"server": sent.status_code})
        assert sent.status_code == difference["server"]


def test_a_baseline_has_no_data_of_the_account(hold, tmp_path):
    odd = {"code": f"sk-7 {APP}", "statusText": f"Bob {NOW}", "data": {APP: 1, NOW: 2}}
    answers = [{"operation": "listV2", "match": {"body": {"pageSize": "1"}}, "json": odd}]
    answers += [{"operation": "*", "match": {"body": {"searchText": ".*"}}, "text": str(odd)}]
    names = {"name": "Bob", "tags": ["Bob"], "parentId": APP, "type": NOW}
    faults = [ALTERED | {"set": names, "match": ONE}]
    hold(ACCOUNT | {"answers": answers, "faults": faults}, "--write-baseline")
    written = json.decode((tmp_path / "baseline.json").read_bytes())
    assert (written.pop("dataset"), written.pop("app")) == (DATASET, APP)
    assert "code is a text, in the mock 400" in written["differences"]
    assert "list.name is a text, in the mock another one" in written["differences"]
    shown = str(written)
    assert [it for it in ("sk-7", APP, DATASET, NOW[:4], "Bob", "Alpha") if it in shown] == []
