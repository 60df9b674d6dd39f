"""Collections that clients make of files, texts, tables and links: forms, names, contents."""

from typing import Any

import httpx2
import pytest
from account import Client, mentions, new_collection_id
from test_datasets import LISTED, NEW, NEW_IN, ROOT, UNKNOWN

pytestmark = pytest.mark.served(profile="fastgpt-4.16", choices={"training": "instant"})

LOCAL = f"{NEW_IN}/localFile"
API_FILE = {"datasetId": "notes", "name": "", "apiFileId": "f-1"}


def test_a_file_of_an_api_server_is_taken_once(client):
    d = client.data("POST", "/dataset/create", NEW | {"type": "apiDataset"})
    body = API_FILE | {"datasetId": d}
    for name in ("", "Other"):
        assert client.data("POST", f"{NEW_IN}/apiCollection", body | {"name": name}) is None
    (it,) = client.data("POST", LISTED, ROOT | {"datasetId": d})["list"]
    assert (it["name"], it["type"]) == ("f-1", "apiFile")
    shown = client.collection(it["_id"])
    assert shown["apiFileId"] == shown["sourceId"] == "f-1"


TIMES = {-5.7: "1969-12-31T23:59:59.995Z", None: "1970-01-01T00:00:00.000Z"}
TIMES |= {"2024-05-01T02:00:00+02:00": "2024-05-01T00:00:00.000Z"}


@pytest.mark.parametrize("time", TIMES)
def test_a_file_elsewhere_is_found_by_its_id_there(client, time):
    file = {"name": "a b.pdf", "type": "externalFile", "externalFileUrl": "http://[/a"}
    made = client.control.put_collection("notes", file | {"_id": "f", "externalFileId": "e"})
    assert client.collection(made)["externalFileUrl"] == file["externalFileUrl"]
    change = {"datasetId": "notes", "externalFileId": "e"}
    for sent, kept in ((1600000000000, "2020-09-13T12:26:40.000Z"), (time, TIMES[time])):
        client.data("POST", "/dataset/collection/update", change | {"createTime": sent})
        assert client.collection(made)["createTime"] == kept
    unknown = client.core("POST", "/dataset/collection/update", change | {"externalFileId": "f"})
    assert (unknown.status_code, unknown.json()["code"]) == (404, 507002)
    assert client.code("POST", "/dataset/collection/update", {"datasetId": "notes"}) == 507004


def test_a_file_elsewhere_is_that_of_its_dataset(client):
    for dataset in ("d", "notes"):
        same = {"name": "Old", "externalFileId": "e"}
        client.admin("PUT", f"/datasets/{dataset}/collections/same", same)
    change = {"datasetId": "notes", "externalFileId": "e", "name": "New"}
    client.data("POST", "/dataset/collection/update", change)
    for dataset, name in (("d", "Old"), ("notes", "New")):
        assert client.admin("GET", f"/datasets/{dataset}/collections/same")["name"] == name


def upload(
    client: Client, disposition: str, *texts: tuple[str, str], form: str = "{}--b--\r\n"
) -> httpx2.Response:
    """The response to a form with a file, and with texts by their names."""
    fields = [(f'name="{name}"', text) for name, text in texts or [("datasetId", "notes")]]
    parts = [*fields, (f'name="file"; {disposition}', "hello")]
    lines = [f"--b\r\nContent-Disposition: form-data; {it}\r\n\r\n{text}\r\n" for it, text in parts]
    media = {"Content-Type": "multipart/form-data; boundary=b"}
    content = form.format("".join(lines)).encode()
    return client.post(f"/api/core{NEW_IN}/localFile", content=content, headers=media)


@pytest.mark.parametrize(
    ("disposition", "name", "key"),
    [
        ("filename*=UTF-8''%E6%B5%8B.txt", "测.txt", "测_000001.txt"),
        ("filename=x.md; filename*=UTF-8''%E6%B5%8B.txt", "测.txt", "测_000001.txt"),
        ('filename="%E6%B5%8B.TXT"', "测.TXT", "测_000001.TXT"),
        ('filename="测.txt"', "æµ\x8b.txt", "æµ\x8b_000001.txt"),
        ('filename="my file (1).md"', "my file (1).md", "my_file_[1]_000001.md"),
        ('filename="%C2%A0%E3%80%80%09%EF%BB%BF.md"', "\xa0\u3000\t\ufeff.md", "_____000001.md"),
        ('filename="my report.md"', "my report.md", "my_000001.md"),
    ],
)
def test_the_name_of_a_file_and_its_key(client, disposition, name, key):
    shown = client.collection(new_collection_id(upload(client, disposition)))
    assert shown["name"] == shown["file"]["filename"] == name
    assert shown["fileId"] == f"dataset/notes/{key}"


SHOWN = ("chunkSplitMode", "paragraphChunkDeep", "chunkSplitter", "chunkSize", "indexSize")
SHOWN += ("paragraphChunkMinSize", "qaPrompt", "autoIndexes")
CUSTOM = {"chunkSettingMode": "custom", "chunkSplitMode": "char", "chunkSplitter": "x"}
CUSTOM |= {"chunkSize": 300, "indexSize": 200, "qaPrompt": "q", "autoIndexes": False}
QA = {"trainingType": "qa", "qaPrompt": "q", "autoIndexes": True}
AUTO = ("paragraph", 5, None, 1000, 512, 100, None)
SETTINGS: list[tuple[Any, Any]] = [
    ({}, (*AUTO, None)),
    (CUSTOM, ("char", 0, "x", 300, 200, None, None, False)),
    (CUSTOM | {"chunkSettingMode": "auto"}, (*AUTO, False)),
    ({"chunkSettingMode": "custom", "chunkSplitMode": "paragraph"}, ("paragraph", 5, *[None] * 6)),
    ({"trainingType": "auto"}, (*AUTO, True)),
    (QA, ("paragraph", 5, None, 8000, 3000, 100, "q", None)),
    (CUSTOM | QA, ("char", 0, "x", 300, 3000, None, "q", None)),
    (CUSTOM | {"trainingType": "template"}, [None] * 8),
]


@pytest.mark.parametrize(("sent", "shown"), SETTINGS)
def test_settings_are_kept_as_the_service_keeps_them(client, sent, shown):
    body = {"datasetId": "notes", "name": "", "text": " hello \n\n\nworld🧳"}
    body |= {"metadata": {"page": [3]}}
    it = client.collection(new_collection_id(client.core("POST", f"{NEW_IN}/text", body | sent)))
    assert [it.get(name) for name in SHOWN] == [*shown] and it["metadata"] == {"page": [3]}
    assert (it["rawTextLength"], it["hashRawText"][:8], it["name"]) == (15, "2e0f0c2c", ".txt")
    assert it["trainingType"] == sent.get("trainingType", "chunk").replace("auto", "chunk")


TEXT = 'filename="a.txt"'
FORMS: list[tuple[str, list[tuple[str, str]], int]] = [
    ('filename="a.exe"', [("datasetId", "unknown")], 510000),
    ('filename="100%.txt"', [], 510000),
    ('filename=".txt"', [], 510000),
    ("", [("datasetId", "unknown")], 500),
    (TEXT, [("data", "{}")], 501002),
    (TEXT, [("data", "no JSON")], 501002),
    (TEXT, [("datasetId", UNKNOWN), ("chunkSize", "512")], 501002),
    (TEXT, [("datasetId", "notes"), ("chunkSize", "512")], 500),
    (TEXT, [("datasetId", "notes"), ("tags", '["a"]')], 500),
    (TEXT, [("datasetId", "notes"), ('b"; filename="b.txt', "")], 500),
    (TEXT, [("datasetId", "notes\r\n--b\r\n\r\nXYZ")], 500),
]


@pytest.mark.parametrize(("disposition", "texts", "code"), FORMS)
def test_a_wrong_form_is_refused_for_its_file_first(client, disposition, texts, code):
    response = upload(client, disposition, *texts)
    assert (response.status_code, response.json()["code"]) == (500, code)


def test_a_form_has_at_most_1000_parts(client):
    texts = [("datasetId", "notes")] + [("chunkSplitter", "x")] * 997 + [("password", "s3cret")]
    assert upload(client, TEXT, *texts).status_code == 500
    response = upload(client, TEXT, *texts, ("one", "more"))
    assert (response.status_code, response.json()["statusText"]) == (409, "limitReached")
    path = "/api/core/dataset/collection/listV2"
    fields = {f"n{n}": "s3cret" for n in range(1001)}
    assert client.post(path, data=fields).status_code == 409
    assert "s3cret" not in str(client.control.journal)


def test_a_boundary_that_is_no_latin_1_is_refused(client):
    media = {"Content-Type": "multipart/form-data; boundary*=utf-8''%E6%B5%8B"}
    response = client.post(f"/api/core{NEW_IN}/localFile", content=b"x", headers=media)
    assert mentions(response.json()["message"], "boundary")
    assert client.control.journal[-1]["response"]["status"] == 500


@pytest.mark.parametrize("sent", ["application/json", "multipart/form-data", "none"])
def test_a_form_of_another_type_is_told_its_type(client, sent):
    media = {} if sent == "none" else {"Content-Type": sent}
    response = client.post(f"/api/core{NEW_IN}/localFile", content=b"--x", headers=media)
    assert mentions(response.json()["message"], f"multipart/form-data boundary, {sent}")


@pytest.mark.parametrize("form", ["{:.150}", "{}", "{}--b", "{}--b-", "{}--b\r\n"])
def test_a_form_has_an_end_and_may_have_lines_before_it(client, form):
    cut = upload(client, TEXT, ("datasetId", "notes"), ("password", "s3cret"), form=form)
    assert (cut.status_code, cut.json()["code"]) == (500, 500)
    assert "--b--" in cut.json()["message"]
    assert "s3cret" not in str(client.control.journal)
    assert upload(client, TEXT, form="A form --b\r\n{}--b--").status_code == 200


@pytest.mark.parametrize("names", ["tags tags", "tags[] tags[]", "tags[0] tags[1]", "tags[]"])
def test_a_repeated_text_of_a_form_is_an_array(client, names):
    tags = [*zip(names.split(), "ab", strict=False)]
    texts = [("datasetId", "notes"), *tags, ("data", '{"parentId": null}')]
    made = new_collection_id(upload(client, TEXT, *texts))
    assert client.collection(made)["tags"] == [tag for _, tag in tags]


def rows_of(client: Client, name: str, content: bytes) -> list[str]:
    """The rows of a file that is uploaded."""
    files = {"file": (name, content)}
    made = client.data("POST", f"{NEW_IN}/localFile", data={"datasetId": "notes"}, files=files)
    listed = {"collectionId": made["collectionId"], "pageSize": 30}
    return [it["q"] for it in client.data("POST", "/dataset/data/v2/list", listed)["list"]]


def test_a_long_text_is_cut_at_the_end_of_a_line_or_a_sentence_else_anywhere(client):
    texts = ["# One\n" + "Three words more. " * 70, "# Two\n" + "x" * 1500, "\u7b2c\u3002" * 600]
    text = "\n".join(texts)
    rows = rows_of(client, "long.md", text.encode())
    # Only blanks between rows are lost.
    assert "".join("".join(rows).split()) == "".join(text.split())
    assert max(map(len, rows)) <= 1000
    assert [it[0] for it in rows if it[0] == "#"] == ["#", "#"]
    assert "".join(it[-1] for it in rows) == "..ox\u3002\u3002"


def test_a_table_stays_as_it_is(client):
    assert rows_of(client, "T.CSV", b"q,a\nx,y\n") == ["q,a\nx,y"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk", "gb18030"])
def test_a_file_is_read_in_its_encoding_and_some_of_one_in_another(client, encoding):
    assert rows_of(client, "a.txt", "今天天气很好。".encode(encoding)) == ["今天天气很好。"]
    assert rows_of(client, "a.txt", b"a\xff b") == ["a\ufffd b"]


def test_a_file_keeps_its_name_in_a_renamed_collection(client):
    form = {"data": {"datasetId": "notes"}, "files": {"file": ("a b.txt", b"x")}}
    made = new_collection_id(client.core("POST", f"{NEW_IN}/localFile", **form))
    client.data("PUT", "/dataset/collection/update", {"id": made, "name": "New"})
    shown = client.collection(made)
    assert (shown["name"], shown["file"]["filename"]) == ("New", "a b.txt")


def test_an_empty_file_is_refused(client):
    form = {"data": {"datasetId": "notes"}, "files": {"file": ("a.txt", b"")}}
    assert client.code("POST", f"{NEW_IN}/localFile", **form) == 500


def test_a_new_folder_has_a_name(client):
    response = client.core("POST", NEW_IN, {"datasetId": "notes", "name": "", "type": "folder"})
    assert (response.status_code, response.json()["code"]) == (500, 500)


@pytest.mark.parametrize(
    ("link", "code"),
    [("x:y", 200), (" HTTP://A ", 200), ("a.example", 400), ("//a", 400), ("http://[", 400)],
)
def test_a_link_is_any_url(client, link, code):
    assert client.code("POST", f"{NEW_IN}/link", {"datasetId": "notes", "link": link}) == code


def test_a_create_time_is_of_the_years_1_to_9999(client):
    for time in ("9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00", "soon", 1e15, 1e308):
        for id in ("x", "nope"):
            change = {"id": id, "createTime": time}
            assert client.code("PUT", "/dataset/collection/update", change) == 400


def test_a_file_of_an_api_server_needs_one(client):
    response = client.core("POST", f"{NEW_IN}/apiCollection", API_FILE)
    assert (response.status_code, response.json()["code"]) == (500, 500)
    assert mentions(response.json()["message"], "'dataset' $.datasetId")


def test_files(client):
    pdf = {"file": ("a.pdf", b"%PDF" * 500_000)}
    form = {"datasetId": "notes", "data": '{"metadata": {"page": 4}}'}
    shown = client.collection(new_collection_id(client.core("POST", LOCAL, data=form, files=pdf)))
    assert (shown["file"]["contentLength"], shown["indexAmount"]) == (2_000_000, 0)
    assert shown["metadata"] == {"page": 4, "relatedImgId": shown["fileId"]}
    assert "rawTextLength" not in shown
    blob = ("blob", b'{"datasetId": "notes"}', "application/json")
    files = {"data": blob, "file": ("b.txt", b"t")}
    assert client.code("POST", f"{NEW_IN}/localFile", files=files) == 500
