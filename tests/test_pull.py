"""The command `pull`: what it writes is served as the pulled server serves it."""

import os
import signal
import sys
from typing import Any

import httpx2
import pytest
import yaml
from account import LocalClient, mentions
from commands import started_command

from mock_server import MockServer
from mock_server.fixture.load import load_fixture
from mock_server.tools.pull import anonymized, pull
from mock_server.tools.real_responses import ServiceError

KEY = "fastgpt-secret-of-the-owner"
CHATS = [{"chatId": f"c{n}", "title": f"Chat of Alice {n}", "top": n % 9 == 0} for n in range(65)]
DEEPER = {"name": "Deeper", "children": [{"name": "Install", "tags": ["setup"]}]}
ARTICLES = {"repeat": 70, "name": "Article {n:03}", "tags": ["tag {n}", "common"]}
GUIDES = {"name": "Guides", "children": [DEEPER, ARTICLES]}
ROWS = [{"q": f"What costs number {n}?", "a": f"{n} guilders"} for n in range(40)]
PRICES: dict[str, Any] = {"_id": "prices", "name": "Prices: a list", "type": "link", "forbid": True}
PRICES |= {"rawLink": "https://acme.test/prices", "trainingAmount": 2}
PRICES |= {"data": [it | {"chunkIndex": n % 3} for n, it in enumerate(ROWS)]}
CONFIG = {"welcomeText": "Welcome to Acme", "variables": [{"key": "acme", "label": "Acme"}]}
SUPPORT = {"name": "Support desk", "parentId": "team", "avatar": "/imgs/support-desk.svg"}
HANDBOOK: dict[str, Any] = {"name": "Handbook", "intro": "All that Acme knows", "parentId": "shelf"}
HANDBOOK |= {"permissions": {"fastgpt-outsider": "none"}, "teamId": "acme"}
HANDBOOK |= {"vlmModel": {"model": "acme"}}
ACCOUNT: dict[str, Any] = {
    "keys": [{"key": KEY}, {"key": "fastgpt-outsider", "permission": "read"}],
    "apps": [
        {"id": "team", "type": "folder", "name": "Team apps"},
        {"id": "support", "chats": CHATS, "chatConfig": CONFIG, "chatModels": ["acme"]} | SUPPORT,
    ],
    "datasets": [
        {"id": "shelf", "type": "folder", "name": "Shelf"},
        {"id": "handbook", "collections": [GUIDES, PRICES]} | HANDBOOK,
        {"id": "public", "name": "Public", "collections": [{"name": "no"}, {"name": "1.5"}]},
    ],
}
TEXTS = (
    *("Team apps", "Support desk", "support-desk", "Alice", "Shelf", "Handbook", "Acme", "Guides"),
    *("Deeper", "Install", "Article", "setup", "common", "Prices", "acme", "guilders", "costs"),
)


def served(client: httpx2.Client) -> dict[str, Any]:
    """All lists that a server shows to the owner, by the request."""
    found: dict[str, Any] = {}
    headers = {"Authorization": f"Bearer {KEY}"}

    def items(path: str, **body: Any) -> list[Any]:
        page = list[Any]()
        total = 1
        while len(page) < total:
            sent = {"offset": len(page), "pageSize": 30, **body}
            data = client.post(f"/api/core/{path}", json=sent, headers=headers).json()["data"]
            data = {"list": data, "total": len(data)} if isinstance(data, list) else data
            page = page + data["list"]
            total = data["total"]
        found[f"{path} {body}"] = page
        return page

    def show(path: str) -> None:
        found[path] = client.get(f"/api/core/{path}", headers=headers).json()["data"]

    for parent in (None, "team"):
        for app in items("app/list", parentId=parent):
            items("chat/history/getHistories", appId=app["_id"])
            show(f"chat/init?chatId=x&appId={app['_id']}")
    for parent in (None, "shelf"):
        for dataset in items("dataset/list", parentId=parent):
            id = dataset["_id"]
            show(f"dataset/detail?id={id}")
            folders = [None]
            for folder in folders:
                body = {"datasetId": id, "parentId": folder}
                for it in items("dataset/collection/listV2", **body):
                    folders += [it["_id"]] if it["type"] == "folder" else []
                    items("dataset/data/v2/list", collectionId=it["_id"])
                items("dataset/collection/listV2", searchText="1", **body)
    return found


@pytest.fixture(params=["documented", "fastgpt-4.16"])
def server(request: pytest.FixtureRequest, serve: Any) -> MockServer:
    return serve(ACCOUNT, profile=request.param)


@pytest.fixture
def pulled(run: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs `pull` with a key, which it does not show; of stderr, without what is read."""

    def run_it(*args: Any, key: str = KEY) -> tuple[int, str, str]:
        monkeypatch.setenv("ACME_KEY", key)
        code, out, err = run("pull", "--key-env", "ACME_KEY", *args)
        assert key not in out + err and "Traceback" not in err
        lines = [it for it in err.splitlines(keepends=True) if not it.startswith("reading ")]
        return code, out, "".join(lines)

    return run_it


def test_the_pulled_account_is_served_as_the_first_in_spite_of_faults(server):
    expected = served(server.http)
    profile = server.choices["item_fields"] == "service"
    server.fault("error", status=503, probability=0.3, times=None)
    server.fault("reset", probability=0.1, times=None)
    document, problems = pull(server.url, KEY, rows=True, pause=0)
    assert problems == [] and len(expected) > 90
    with LocalClient(document, profile="fastgpt-4.16" if profile else "documented") as second:
        assert served(second) == expected


def test_the_file_has_what_was_asked_for(pulled, server, tmp_path):
    path = tmp_path / "pulled.yaml"
    args = ("--base-url", server.url, "--dataset", "handbook", "--app", "support")
    code, out, err = pulled(*args, "--rows", "--output", path)
    assert (code, out) == (0, "") and mentions(err, f"1 dataset, 74 collections, 65 chats {path}")
    assert load_fixture(path).summary == "1 dataset, 74 collections, 65 chats"
    assert [it.name for it in tmp_path.iterdir()] == ["pulled.yaml"]
    code, out, err = pulled(*args)
    assert mentions(err, "74 collections, 65 chats stdout")
    assert code == 0 and "guilders" in path.read_text("utf-8") and "guilders" not in out


def test_what_may_not_be_read_is_named_and_the_rest_is_written(pulled, server):
    chosen = ("--base-url", server.url, "--dataset", "handbook", "--dataset", "public")
    code, out, err = pulled(*chosen, key="fastgpt-outsider")
    partial, problem, *rest = err.splitlines()
    assert mentions(partial, "owner's key") and mentions(
        problem, "dataset handbook: READ permission"
    )
    assert code == 1 and mentions(rest, "1 dataset, 2 collections, 65 chats stdout")
    assert load_fixture(yaml.safe_load(out)).summary == "1 dataset, 2 collections, 65 chats"
    assert len(server.calls("dataset.detail")) == 2  # a refusal is no outage


def test_a_key_that_is_refused_writes_nothing(pulled, server, tmp_path):
    path = tmp_path / "pulled.yaml"
    code, _, err = pulled("--base-url", server.url, "--output", path, key="fastgpt-of-a-stranger")
    assert mentions(err, "apps top level: server API key") and mentions(
        err, "key ACME_KEY, nothing"
    )
    assert code == 1 and not path.exists()


def test_what_is_read_and_tried_again_is_said_in_plain_words(serve):
    server = serve({"apps": [{"id": "a"}]})
    server.respond("app.list", text="<title>Bad&nbsp;gate</title>", status=502, times=1)
    said: list[str] = []
    pull(server.url, KEY, log=said.append, pause=0)
    page = f"0 s: 502 'Bad\\xa0gate' {server.url}/api/core/app/list"
    assert mentions(said[0], "apps top level") and mentions(said[1], page)
    of_datasets = ["reading the datasets at the top level", "reading all datasets"]
    assert said[2:] == ["reading all apps", "reading app a", *of_datasets]


def test_a_dataset_in_one_that_is_no_folder_is_pulled(serve):
    parents = {"outer": None, "inner": "outer", "hidden": None, "shown": "hidden"}
    datasets = [{"id": id, "parentId": parent} for id, parent in parents.items()]
    datasets[2]["permissions"] = {"fastgpt-reader": "none"}
    datasets[3]["permissions"] = {"fastgpt-reader": "read"}
    keys = [{"key": KEY}, {"key": "fastgpt-reader", "permission": "read"}]
    for key, left_out, changed in ((KEY, [], {}), ("fastgpt-reader", ["hidden"], {"shown": None})):
        server = serve({"keys": keys, "datasets": datasets}, profile="fastgpt-4.16")
        pulled = pull(server.url, key)[0]["datasets"]
        expected = {id: it for id, it in parents.items() if id not in left_out}
        assert {it["id"]: it["parentId"] for it in pulled} == expected | changed


def test_what_reaches_a_model_is_not_written(serve):
    model = {"model": "m", "requestAuth": "sk-secret", "requestUrl": "https://acme.test"}
    server = serve({"datasets": [{"id": "d", "vectorModel": model}]})
    assert pull(server.url, KEY)[0]["datasets"][0]["vectorModel"] == {"model": "m"}


def test_an_account_of_which_nothing_is_read_is_no_success(pulled, serve, tmp_path):
    path = tmp_path / "f.yaml"
    code, _, err = pulled("--base-url", serve({}).url, "--output", path)
    assert code == 1 and mentions(err, "key ACME_KEY, nothing") and not path.exists()


@pytest.mark.parametrize("times", [1, None])
def test_a_list_that_changes_is_read_again_and_then_left_out(serve, times):
    server = serve(ACCOUNT)
    match = {"body": {"offset": 30}}
    server.fault("page_drift", operation="listV2", insert=1, match=match, times=times)
    document, problems = pull(server.url, KEY, dataset=("handbook",), pause=0)
    sizes = [len(it["collections"]) for it in document["datasets"]]
    assert (sizes, len(problems)) == (([74], 0) if times else ([], 1))


def test_an_anonymous_account_has_no_text_of_the_first(pulled, server):
    args = ("--base-url", server.url, "--rows", "--anonymize")
    code, out, _ = pulled(*args)
    assert code == 0 and pulled(*args)[1] == out
    assert [it for it in TEXTS if it in out] == []
    document = yaml.safe_load(out)
    tags = [it["tags"][-1] for it in document["datasets"][2]["collections"] if it.get("tags")]
    assert document["apps"][1]["id"] == "support" and (len(tags), len(set(tags))) == (71, 2)
    assert load_fixture(document).summary == "3 datasets, 76 collections, 65 chats"
    assert anonymized({"name": "Ä"}) == anonymized({"name": "Ä"}) != anonymized({"name": "Ö"})


OTHER_FORMS = [{"text": "<html>"}, {"json": [1]}, {"data": {"list": {}, "total": 0}}]
OTHER_FORMS += [{"data": {"list": [{"_id": 5, "name": "A"}], "total": 1}}]
OTHER_FORMS += [{"data": {"list": [{"_id": "a", "name": "A", "dataAmount": "1"}], "total": 1}}]
OTHER_FORMS += [{"text": "wrong gate", "status": 401}]


@pytest.mark.parametrize("answer", OTHER_FORMS)
def test_an_answer_of_another_form_exits_with_5(pulled, serve, tmp_path, answer):
    server = serve(ACCOUNT)
    server.respond("listV2", **answer)
    code, out, err = pulled("--base-url", server.url, "--output", tmp_path / "f.yaml")
    assert (code, out, err.count("\n")) == (5, "", 1) and [*tmp_path.iterdir()] == []
    assert "/api/core/dataset/collection/listV2\n" in err


def test_a_service_that_is_not_there_exits_with_3(pulled, serve):
    code, out, err = pulled("--base-url", "http://127.0.0.1:9")
    assert (code, out) == (3, "") and "http://127.0.0.1:9/" in err and "Error(" not in err
    server = serve(ACCOUNT)
    server.fault("error", status=502, times=None)
    with pytest.raises(ServiceError, match="status 502 "):
        pull(server.url, KEY, pause=0)
    assert len(server.journal) == 8


def test_a_500_with_an_envelope_is_an_answer(serve):
    server = serve(ACCOUNT)
    server.fault("error", operation="getHistories", status=500, times=None)
    document, problems = pull(server.url, KEY, pause=0)
    assert len(server.calls("getHistories")) == len(problems) == 1
    assert len(document["datasets"]) == 3


@pytest.mark.parametrize("url", ["ftp://acme.test", "acme.test", "http://", "http://a:b"])
def test_a_wrong_address_or_key_exits_with_1(pulled, url):
    assert pulled("--base-url", url)[:2] == (1, "")
    for key in ("two\nlines", f"Bearer {KEY}"):
        assert pulled("--base-url", "http://127.0.0.1:9", key=key)[0] == 1


ELSEWHERE = {"status": 301, "headers": {"Location": "https://acme.test/list"}}
TOLD = [(ELSEWHERE, "301: https://acme.test/list; address")]
TOLD += [({"json": {"code": 403, "message": "no"}}, "status 200, code 403 'no'")]


@pytest.mark.parametrize(("answer", "facts"), TOLD)
def test_it_is_said_what_another_answer_means(pulled, serve, answer, facts):
    server = serve(ACCOUNT)
    server.respond("app.list", **answer)
    assert mentions(pulled("--base-url", server.url)[2], facts)


def test_a_proxy_that_is_dead_is_named_without_its_password(pulled, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", f"http://me:{KEY}@127.0.0.1:9")
    err = pulled("--base-url", "http://acme.test")[2]
    assert mentions(err, "proxy 127.0.0.1:9")


def test_a_key_in_place_of_its_variable_is_not_shown(run):
    code, out, err = run("pull", "--base-url", "http://127.0.0.1:9", "--key-env", KEY)
    assert (code, out) == (1, "") and err.endswith(" --key-env\n") and KEY not in err


@pytest.mark.skipif(signal.getsignal(signal.SIGINT) is signal.SIG_IGN, reason="ignores SIGINT")
def test_an_interrupted_pull_leaves_no_file(serve, tmp_path):
    server = serve(ACCOUNT)
    server.fault("delay", ms=20_000, operation="listV2")
    args = ("--base-url", server.url, "--output", str(tmp_path / "pulled.yaml"))
    command = (sys.executable, "-m", "mock_server", "pull", *args)
    variables = os.environ | {"MOCK_SERVER_PULL_KEY": KEY}
    with started_command(*command, env=variables) as process:
        server.wait_for("dataset.list", times=2, timeout=20)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 3 and "interrupted" in err.splitlines()[-1]
    assert [*tmp_path.iterdir()] == []
