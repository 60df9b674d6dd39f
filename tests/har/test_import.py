"""`mock-server import har`: a browser's recording becomes a fixture that is served."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from time import thread_time
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from msgspec import convert

from mock_server.api.fixture_loading import load_fixture
from mock_server.control.embedding import MockServer
from mock_server.domain.limits import DEFAULT_LIMITS, Limits, Published
from mock_server.service.har.importing import HarImport
from mock_server.service.har.reading import Har
from tests.cli import commands
from tests.har.files import entry, har, write
from tests.har.imported import IMPORTED
from tests.support import DATASET, LIBRARY, LIST, client_of

PNG = b"\x89PNG\r\n\x1a\n\0\xff"


@pytest.fixture(scope="module")
def client() -> Iterator[httpx2.Client]:
    with (
        MockServer(LIBRARY) as server,
        client_of(server.url) as client,
    ):
        yield client


def made(tmp_path: Path, *entries: Any) -> tuple[Any, str]:
    """The fixture that is made of entries, and what was told of it."""
    target = tmp_path / "made.json"
    name = write(tmp_path / "page.har", *entries)
    done = commands.run("import", "har", name, "--output", str(target))
    assert (done.status, done.out) == (0, ""), done
    load_fixture(str(target))
    return json.loads(target.read_text()), done.err


def responses(tmp_path: Path, *entries: Any) -> list[Any]:
    return list(made(tmp_path, *entries)[0].get("responses", []))


def test_a_recording_becomes_what_a_person_has_read() -> None:
    assert IMPORTED.changed() == []


BODIES: list[tuple[bytes | str, str]] = [
    ('{"a":[1,2.5,null]}', "application/json"),
    ('{ "spaced" : 1.0 }\n', "application/json; charset=utf-8"),
    ('{"same":1,"same":2,"large":12345678901234567890}', "application/json"),
    ('"' + "[" * 9 + '"', "application/json"),
    ("[" * 80 + "]" * 80, "application/json"),
    ('{"%s":1}' % ("k" * 2000), "application/json"),
    ("<!doctype html>\r\n<p>é\x00\u2028</p>", "text/html; charset=utf-8"),
    (b"body { color: red }\n", "text/css"),
    (b"caf\xe9", "text/plain; charset=iso-8859-1"),
    (PNG, "image/png"),
    ("", "text/plain"),
]


def test_bodies_are_served_byte_by_byte(client: httpx2.Client, tmp_path: Path) -> None:
    entries = [
        entry(f"/app/{n}", body, kind=kind) for n, (body, kind) in enumerate(BODIES)
    ]
    document, _ = made(tmp_path, *entries)
    client.put("/__admin/state", json=document)
    for n, (body, kind) in enumerate(BODIES):
        served = client.get(f"/app/{n}")
        assert served.content == (body.encode() if isinstance(body, str) else body)
        assert served.headers["content-type"] == kind


def test_operations_become_state(client: httpx2.Client, tmp_path: Path) -> None:
    client.put("/__admin/state", json=LIBRARY)
    asked = {"offset": 0, "datasetId": DATASET, "parentId": None}
    key = {"Authorization": "Bearer a-key-of-mine"}
    answer = client.post(LIST, json=asked, headers=key)
    recorded = entry(LIST, answer.text, method="POST", posted=asked, sent=key)
    document, told = made(tmp_path, recorded)
    assert "responses" not in document
    assert "imported 1 dataset, 4 collections, 0 chats, 0 responses" in told
    assert "a-key-of-mine" not in json.dumps(document)
    client.put("/__admin/state", json=document)
    assert client.post(LIST, json=asked, headers=key).content == answer.content


NO_BASE64 = entry("/x", b"")
NO_BASE64["response"]["content"] = {"size": 1, "text": "\u00e9", "encoding": "base64"}
LEFT_OUT = {
    "body was not recorded": [entry("/x", None)],
    "not base64": [NO_BASE64],
    "too large": [entry("/x", "x" * (DEFAULT_LIMITS.response_bytes + 1))],
}


def test_a_password_that_was_sent_is_in_no_answer(tmp_path: Path) -> None:
    sent = entry("/a", "it is correct-horse", kind="text/plain", method="POST")
    sent["request"]["postData"] = {"text": '{"password": "correct-horse"}'}
    form = entry("/b", "it is battery&staple", kind="text/plain", method="POST")
    form["request"]["postData"] = {"text": "user=u&password=battery%26staple"}
    user = entry("/c", "it is user-staple", kind="text/plain")
    user["request"]["url"] = "https://u:user-staple@app.example/c"
    letters = {"token": "abcdefghijklmnopqrstuvwxyz", "tokenLabel": "Your tokens"}
    token = entry("/d", json.dumps(letters), host="https://app.example")
    new = entry("/e", "it is new-staple", kind="text/plain", method="POST")
    new["request"]["postData"] = {"text": '{"newPsw": "new-staple"}'}
    *parts, last = responses(tmp_path, sent, form, user, new, token)
    assert {part["text"] for part in parts} == {"it is [redacted]"}
    assert json.loads(last["text"]) == letters | {"token": "[redacted]"}


def test_a_password_outside_ascii_is_in_no_answer(tmp_path: Path) -> None:
    password = "P\u00e4ssw\u00f6rt-geheim77"
    in_json = json.dumps(password)[1:-1]
    written = [password, in_json, in_json.replace("\\", "\\\\")]
    written += [quote(password), quote(in_json), in_json.replace("\\u00f6", "%c3%b6")]
    login = entry("/login", "it is", method="POST", posted={"password": password})
    entries = [
        entry(f"/{n}", f"it is {each}", kind="text/plain", Location=f"/go/{each}")
        for n, each in enumerate(written)
    ]
    for part in responses(tmp_path, login, *entries)[1:]:
        assert part["text"] == "it is [redacted]"
        assert "geheim" not in json.dumps(part)


@pytest.mark.parametrize(
    ("sent", "repeated"),
    [
        ('{"password": "one two three four"}', "one two three four"),
        ('{"password": "geheim77 x"}', "geheim77 x"),
        ('{"password": 12345678901}', "12345678901"),
        ('{"token": "Bearer a-key-of-mine"}', "a-key-of-mine"),
        ("user=u&password=geheim%20mit+raum%2B77", "geheim+mit+raum%2B77"),
        ("user=u&password=geheim%20mit+raum%2B77", "geheim mit raum+77"),
    ],
)
def test_a_secret_of_any_shape_that_was_sent_is_in_no_answer(
    tmp_path: Path, sent: str, repeated: str
) -> None:
    made = entry("/a", f"it is {repeated}", kind="text/plain", method="POST")
    made["request"]["postData"] = {"text": sent}
    [part] = responses(tmp_path, made)
    assert part["text"] == "it is [redacted]"


PART = '--b\r\nContent-Disposition: form-data; name="{}"\r\n\r\n{}\r\n--b--'
SENT: list[tuple[dict[str, Any], str]] = [
    ({"text": PART.format("password", "geheim77")}, "geheim77"),
    ({"text": PART.format("data", '{"apiKey": "geheim77"}')}, "geheim77"),
    ({"text": "\r\n" + PART.format("password", "geheim77")}, "geheim77"),
    ({"text": PART.format('password"; x="filename', "geheim77")}, "geheim77"),
    ({"params": [{"name": "password", "value": "geheim77"}]}, "geheim77"),
    ({"text": "data=%7B%22apiKey%22%3A%22geheim77%22%7D"}, "geheim77"),
    ({"text": '{"password": "geheim77", "x": NaN}'}, "geheim77"),
    ({"text": '\ufeff{"password": 12345678}'}, "12345678"),
    ({"text": '{"a": 1}\n{"password": "geheim77"}'}, "geheim77"),
    ({"text": '{"password": "geheim77", "x": "\\ud83d"}'}, "geheim77"),
    ({"text": '{"password": 1234567.5}'}, "1234567.5"),
    ({"text": '{"password": " geheim77 "}'}, "geheim77"),
    ({"text": '{"password": "<geheim&77>"}'}, "&lt;geheim&amp;77&gt;"),
    ({"text": '{"password": "geheim\'77"}'}, "geheim&#39;77"),
    ({"text": '{"password": "geheim\'77"}'}, "geheim&#x27;77"),
    ({"text": '{"password": "geheim\\n77"}'}, "geheim\\n77"),
    ({"text": '{"password": "geheim\\t77"}'}, "geheim\\t77"),
    ({"text": '{"privateKey": "geheim77"}'}, "geheim77"),
    ({"text": '{"passphrase": "geheim77"}'}, "geheim77"),
    ({"text": '{"Pass word": "geheim77"}'}, "geheim77"),
    ({"text": '{"otp": "12345678"}'}, "12345678"),
    ({"text": '{"token": 48291377}'}, "48291377"),
    ({"text": '{"updatePassword": 48291377}'}, "48291377"),
    ({"text": '{"password": {"new": 123456789012345678901}}'}, "123456789012345678901"),
    ({"text": '{"passcode": "geheim77"}'}, "geheim77"),
    ({"text": '{"password": "1987-06-05"}'}, "1987-06-05"),
    ({"text": '{"sid": "geheim77"}'}, "geheim77"),
    ({"text": '[{"key": "password", "value": "geheim77"}]'}, "geheim77"),
    ({"text": '[{"name": "password", "val": "geheim77"}]'}, "geheim77"),
    ({"text": '{"field": "password", "value": "geheim77"}'}, "geheim77"),
    ({"text": '{"id": "password", "value": "geheim77"}'}, "geheim77"),
    ({"text": '{"x": [["user", "u"], ["password", "geheim77"]]}'}, "geheim77"),
    ({"text": '{"url": "/cb?a=b&token=geheim77"}'}, "geheim77"),
    ({"text": '{"password": "geheim77", "password": "x"}'}, "geheim77"),
    ({"text": '{"body": "user=u&password=geheim77"}'}, "geheim77"),
    ({"text": '{"a": "\u2028"}\n{"a": "\u2028", "password": "geheim77"}'}, "geheim77"),
    ({"text": '{"password": "geheim77", "x": [1, '}, "geheim77"),
    ({"text": '{"password": "geheim7 \\"7",}'}, 'geheim7 "7'),
    ({"text": '{"password": "geheim77", "x": %s}' % ("1" * 5_000)}, "geheim77"),
    ({"text": '{"password": "geheim77", "x": %s}' % ("[" * 2_000)}, "geheim77"),
    ({"text": '{"x": "it is {\\"password\\": \\"geheim77\\"}"}'}, "geheim77"),
    ({"text": '{"query": "mutation { log(password: \\"geheim77\\") }"}'}, "geheim77"),
]


@pytest.mark.parametrize(("sent", "repeated"), SENT)
def test_a_secret_in_a_body_of_any_form_is_in_no_answer(
    tmp_path: Path, sent: dict[str, Any], repeated: str
) -> None:
    made = entry("/a", f"it is {repeated}", kind="text/plain", method="POST")
    made["request"]["postData"] = sent
    [part] = responses(tmp_path, made)
    assert part["text"] == "it is [redacted]"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Authorization", "Token token=abcdefgh"),
        ("Authorization", 'Digest username="administrator", response="abcdefgh77"'),
        ("X-Auth", '{"token": "abcdefgh"}'),
        ("Referer", "https://app.example/?token=abcdefgh"),
        ("Authorization", "Basic dXNlcjphYmNkZWZnaA"),
        ("Authorization", "Basic 6TphYmNkZWZnaA=="),  # in ISO 8859-1
        (
            "Set-Cookie",
            "a=b; Expires=Wed, 21 Oct 2026 07:28:00 GMT, sid=abcdefgh; Path=/",
        ),
        ("Ocp-Apim-Subscription-Key", "abcdefgh"),
        ("x-functions-key", "abcdefgh"),
        ("Cookie", "a=%7B%22token%22%3A%20%22abcdefgh%22%7D"),
        ("Cookie", "connect.sid=abcdefgh"),
        ("Cookie", "a=j%3A%7B%22token%22%3A%22abcdefgh77%22%7D"),
        ("Cookie", "a=b%3D1%26token%3Dabcdefgh"),
        ("Cookie", 'auth={"t":"abcdefgh77"}'),
        ("Cookie", "session=%7B%22t%22%3A%22abcdefgh77%22%7D"),
        ("Set-Cookie", 'auth={"t":"abcdefgh77"}; Path=/'),
        ("Authorization", "ApiKey id:abcdefgh"),
        ("X-Api-Key", "abcdefgh77-65d8a1f0c3b2a94e7f106a01"),
        ("X-CSRF", "abcdefgh"),
    ],
)
def test_a_secret_in_a_header_of_any_form_is_in_no_answer(
    tmp_path: Path, name: str, value: str
) -> None:
    secret = "abcdefgh77" if "77" in value else "abcdefgh"
    body = f"{secret} of username administrator"
    made = entry("/a", body, kind="text/plain", sent={name: value})
    [part] = responses(tmp_path, made)
    assert part["text"] == "[redacted] of username administrator"


def test_a_word_in_front_of_an_app_id_stays_in_answers(tmp_path: Path) -> None:
    sent = {"X-Api-Key": "customer-65d8a1f0c3b2a94e7f106a01"}
    made = entry("/a", "a customer", kind="text/plain", sent=sent)
    [part] = responses(tmp_path, made)
    assert part["text"] == "a customer"


def test_a_word_after_basic_is_no_secret(tmp_path: Path) -> None:
    words = "Basic Operations, Basic Overview, Basic Optimization"
    [part] = responses(tmp_path, entry("/a", words, kind="text/plain"))
    assert part["text"] == words


@pytest.mark.parametrize(
    "path",
    [
        "/a?next=%2Fcb%3Ftoken%3Dgeheim77",
        "/a?to=https%3A%2F%2Fb.example%2F%23access_token%3Dgeheim77",
        "/a?to=%2Fb%3Fto%3D%252Fc%253Ftoken%253Dgeheim77",
        "/a?data=a%3D1%26password%3Dgeheim77",
        "/a;token=geheim77/b",
        "/reset-password/g3h3im77/b",
    ],
)
def test_a_secret_in_a_part_of_a_url_is_in_no_answer(tmp_path: Path, path: str) -> None:
    secret = "g3h3im77" if "g3h3im77" in path else "geheim77"
    [part] = responses(tmp_path, entry(path, f"it is {secret}", kind="text/plain"))
    assert part["text"] == "it is [redacted]"
    assert secret not in part["path"]


@pytest.mark.parametrize("user", ["{}", "{}:x-oauth-basic"])
def test_a_token_in_place_of_a_user_is_in_no_answer(tmp_path: Path, user: str) -> None:
    made = entry("/a", f"it is {KEY}", kind="text/plain")
    made["request"]["url"] = made["request"]["url"].replace(
        "://", f"://{user.format(KEY)}@"
    )
    [part] = responses(tmp_path, made)
    assert part["text"] == "it is [redacted]"


@pytest.mark.parametrize(
    ("side", "field"),
    [("request", "cookies"), ("request", "queryString"), ("response", "cookies")],
)
def test_a_secret_in_a_list_of_the_file_is_in_no_answer(
    tmp_path: Path, side: str, field: str
) -> None:
    made = entry("/a", "it is geheim77", kind="text/plain")
    made[side][field] = [{"name": "session_token", "value": "geheim77"}]
    [part] = responses(tmp_path, made)
    assert part["text"] == "it is [redacted]"


def test_a_created_key_of_any_prefix_is_in_no_answer(tmp_path: Path) -> None:
    created = {"code": 200, "message": "", "data": f"openapi-{KEY}"}
    path = "/api/support/openapi/create"
    create = entry(path, json.dumps(created), method="POST")
    kept = entry("/a", f"it is openapi-{KEY}", kind="text/plain")
    part = responses(tmp_path, create, kept)[-1]
    assert part["text"] == "it is [redacted]"


def test_a_response_shows_no_token_of_its_headers(tmp_path: Path) -> None:
    token = "a1b2c3d4e5f6"
    script = 'cb({"token": "%s", "tokenUrl": "/v1/s3/b4", \'tokenLabel\': "No token"})'
    link: dict[str, Any] = {"Link": f"</next?token={token}>; rel=next"}
    link["Content-Location"] = f"/next?token={token}"
    [part] = responses(tmp_path, entry("/a", script % token, kind="text/js", **link))
    assert part["text"] == script % "[redacted]"
    assert part["headers"]["link"] == "</next?token=[redacted]>; rel=next"
    assert part["headers"]["content-location"] == "/next?token=[redacted]"


def test_a_response_shows_no_cookie_that_it_sets(tmp_path: Path) -> None:
    cookies: dict[str, Any] = {"Set-Cookie": "a=b; Path=/\nsession=geheim77; Path=/"}
    [part] = responses(
        tmp_path, entry("/a", "it is geheim77", kind="text/x", **cookies)
    )
    assert part["text"] == "it is [redacted]"


KEY = "aB3dE5fG7hJ9kL1mN3pQ"


@pytest.mark.parametrize(
    "sent",
    [
        {"text": "query the session: overview"},
        {"name": "auth", "content": "overview"},
        *({name: "overview"} for name in ("authType", "tokenizer", "maxTokens")),
        {"tags": ["secret", "overview"]},
        {"hasToken": True},
    ],
)
def test_words_of_a_request_stay(tmp_path: Path, sent: dict[str, str]) -> None:
    url = "https://app.example/overview"
    text = f"an overview: True, {'a1' * 12} {url}/a"
    cookies = f"lastDataset={'a1' * 12}; auth.callback-url={quote(url, safe='')}"
    seen = {"Cookie": f"{cookies}; auth-base={url}"}
    asked = entry("/a", text, method="POST", kind="text/plain", posted=sent, sent=seen)
    [part] = responses(tmp_path, asked)
    assert part["text"] == text


def test_words_of_a_user_interface_in_a_cookie_stay(tmp_path: Path) -> None:
    seen = {"Cookie": 'session={"sort":"updateTime","theme":"dark-theme"}'}
    text = "by updateTime, in dark-theme"
    [part] = responses(tmp_path, entry("/a", text, kind="text/plain", sent=seen))
    assert part["text"] == text


@pytest.mark.parametrize(
    "value", ["2024-01-01T00:00:00.000Z", "8b1a9953-c461-4296-a827-abf8c47804d7"]
)
def test_a_time_or_an_id_in_a_url_stays(tmp_path: Path, value: str) -> None:
    text = f"{value} /b?chat={value} https://x.example/?chat={value}"
    [part] = responses(tmp_path, entry(f"/a?since={value}", text, kind="text/plain"))
    assert part["text"] == text


@pytest.mark.parametrize(
    "time", ["2024-01-01T00:00:00.000Z", "2024-01-01 00:00:00", "2024-01-01"]
)
def test_ids_and_times_inside_of_a_session_stay(tmp_path: Path, time: str) -> None:
    an_id = "65abd0ad9f3c1e22b7a1c0de"
    session: dict[str, Any] = {"dataset": an_id, "seen": [an_id, time]}
    body: dict[str, Any] = {"session": session, "tokenExpiresAt": time}
    body |= {"lastAuth": time} if ":" in time else {}
    text = f"{json.dumps(body)} 00:00:00"
    made = entry("/a", text, kind="text/plain", method="POST", posted=body)
    [part] = responses(tmp_path, made)
    assert part["text"] == text


A_UUID, AN_ID = "8b1a9953-c461-4296-a827-abf8c47804d7", "0d1e2c3b9a7f1c22b7a1c0de"


@pytest.mark.parametrize(
    "fields",
    [
        {"tokens": [AN_ID]},
        {"apiKey": {"key": A_UUID}},
        {"apiKeys": [{"value": AN_ID}, {"name": "b", "value": A_UUID}]},
        {"session": {"id": A_UUID}},
    ],
)
def test_a_secret_that_looks_like_an_id_is_in_no_answer(
    tmp_path: Path, fields: dict[str, Any]
) -> None:
    [part] = responses(tmp_path, entry("/a", json.dumps(fields)))
    assert not {each for each in (A_UUID, AN_ID) if each in json.dumps(part)}


def test_a_condition_of_a_script_stays(tmp_path: Path) -> None:
    text = "t=e?t=n.a1(1024,e[2]).b2(3):0;return e||t?token=O(r.d2)(r.e3,t1.f4):n}"
    [part] = responses(tmp_path, entry("/a", text, kind="text/javascript"))
    assert part["text"] == text


def test_a_label_in_chinese_stays(tmp_path: Path) -> None:
    label = "\u4f1a\u8bdd" * 12
    [part] = responses(tmp_path, entry("/a", json.dumps({"sessionTitle": label})))
    assert json.loads(part["text"]) == {"sessionTitle": label}


def test_numbers_of_a_response_stay(tmp_path: Path) -> None:
    text = '{"token_logprobs": [-1.9361265e-07, 12345678901234567890]}'
    [part] = responses(tmp_path, entry("/a", text, kind="text/plain"))
    assert part["text"] == text


def test_a_number_that_is_hidden_leaves_json(tmp_path: Path) -> None:
    body = {"password": "20240131", "x": "a 20240131, 7"}
    answer = '{"a": 1720240131000, "b": [-20240131], "c\\"": "a 20240131, 7"}'
    made = entry("/a", answer, method="POST", posted=body)
    [part] = responses(tmp_path, made)
    hidden = "[redacted]"
    assert json.loads(part["text"]) == {
        "a": hidden,
        "b": [hidden],
        'c"': f"a {hidden}, 7",
    }


@pytest.mark.parametrize(
    "text",
    [
        '{{"u":{}}}\n{{"v":1}}',
        'data: {{"u":{}}}\n\ndata: [1]\n',
        '\ufeff{{"u":{}}}',
        '\ufeff{{"u":{}}}\n{{"v":1}}',
        '\x1e{{"u":{}}}\n\x1e{{"v":1}}\n',
    ],
)
def test_a_number_that_is_hidden_leaves_lines_of_json(
    tmp_path: Path, text: str
) -> None:
    made = entry(
        "/a", text.format(12345678), method="POST", posted={"password": 12345678}
    )
    [part] = responses(tmp_path, made)
    assert part["text"] == text.format('"[redacted]"')


TEXTS = [
    'cb({{"token": "{}"}})',
    'for (;;); {{"a": 1, "token": "{}", "b": [',
    'data: {{"a": "\u2028", "token": "{}"}}\n\n',
    '1:{{"a": "b"}}\n2:{{"token": "{}"}}\n',
    'JSON.parse("{{\\"x\\":\\"{{\\\\\\"token\\\\\\":\\\\\\"{}\\\\\\"}}\\"}}")',
    'Answer:\n```json\n{{"token": "{}"}}\n```',
    "a sk-{} b",
    "header = 'Bearer {}'",
    '<a href="/f?d=1&amp;token={}&e=2"></a> /f?d=a1b2c3d4',
    "![a](/f?token={})",
    "![a](/f?name=b(c)&token={})",
    "a `/f?download&token={}` b",
    "see **/g?token={}**",
    "open('/#/cb/access_token={}&y=1'), '?$top=a1b2c3d4'",
    r'<script>{{"u":"/f?id=1\u0026token={}"}}</script>',
    '{{"u":"//cdn/f?sig={}&e=2", "v":"/f?d=a1b2c3d4"}}',
    "open('/cb#access_token={}&t=1')",
]
"""Texts with a token in JSON or in a URL, or behind a word that tells it."""


@pytest.mark.parametrize("text", TEXTS)
def test_a_token_in_a_text_of_any_form_is_in_no_answer(
    tmp_path: Path, text: str
) -> None:
    [part] = responses(tmp_path, entry("/a", text.format(KEY), kind="text/plain"))
    assert part["text"] == text.format("[redacted]")


@pytest.mark.parametrize("text", TEXTS)
def test_a_token_in_a_text_of_json_is_in_no_answer(tmp_path: Path, text: str) -> None:
    body = json.dumps({"code": 200, "data": [text.format(KEY)]})
    [part] = responses(tmp_path, entry("/a", body))
    assert KEY not in json.dumps(part)


@pytest.mark.parametrize("shape", ["{}", '{{"code": 200, "data": "{}"}}'])
def test_a_json_web_token_is_in_no_answer(tmp_path: Path, shape: str) -> None:
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJyb290In0.SflKxwRJSMeKKF2QT4fwpM"
    [part] = responses(
        tmp_path, entry(f"/login/{token}", shape.format(token), kind="text/plain")
    )
    assert token not in json.dumps(part)


@pytest.mark.parametrize("shape", ["{}", '{{"code": 200, "data": {}}}'])
def test_a_private_key_is_in_no_answer(tmp_path: Path, shape: str) -> None:
    head = "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,B1", ""
    lines = "-----BEGIN RSA PRIVATE KEY-----", *head, "MIIEvQIBADAN", "-----END"
    body = shape.format(json.dumps("\n".join(lines)))
    [part] = responses(tmp_path, entry("/a", body, kind="application/json"))
    assert "MIIEvQIBADAN" not in json.dumps(part)


@pytest.mark.parametrize("prefix", ["fastgpt-", "sk-", "Bearer ", "https://x.example/"])
def test_a_key_in_any_header_is_in_no_answer(tmp_path: Path, prefix: str) -> None:
    value = prefix + (f"?token={KEY}" if "/" in prefix else KEY)
    shown: dict[str, Any] = {"X-Served-For": value}
    answered, repeated = responses(
        tmp_path,
        entry("/a", "", **shown),
        entry("/b", KEY, kind="text/plain", sent={"X-Client": value}),
    )
    assert KEY not in json.dumps(answered)
    assert answered["headers"]["x-served-for"].endswith("[redacted]")
    assert repeated["text"] == "[redacted]"


@pytest.mark.parametrize("dash", ["-", "%2D"])
def test_a_key_in_a_path_becomes_a_parameter(tmp_path: Path, dash: str) -> None:
    key = f"fastgpt{dash}a1b2c3d4e5f6g7h8"
    entries = [
        entry(f"/{key}/x", key[-16:]),
        entry("/fastgpt-z1b2c3d4e5f6g7h8i9.js", ""),
    ]
    keyed, script = responses(tmp_path, *entries)
    assert keyed["path"] == "/{secret1}/x"
    assert "a1b2" not in json.dumps(keyed)
    assert script["path"] == "/fastgpt-z1b2c3d4e5f6g7h8i9.js"


def test_a_password_that_is_a_word_stays_in_longer_segments(tmp_path: Path) -> None:
    sent = {"password": "password"}
    login = entry("/forgot-password/x", "", method="POST", posted=sent)
    whole = entry("/a/password", "")
    found = responses(tmp_path, login, whole)
    assert [part["path"] for part in found] == ["/forgot-password/x", "/a/{secret2}"]


def test_of_paths_that_differ_in_a_secret_the_last_answer_is_kept(
    tmp_path: Path,
) -> None:
    paths = [f"/session/{token}/x" for token in ("a1b2c3d4e5", "z9y8x7w6v5")]
    [part] = responses(tmp_path, *(entry(path, path[-4:]) for path in paths))
    assert part["path"] == "/session/{secret2}/x"
    assert part["text"] == "v5/x"


def test_a_name_of_many_escapes_makes_yaml_that_loads(tmp_path: Path) -> None:
    body = '{"%s":1}' % ("\\u0001" * 300)
    target = tmp_path / "made.yaml"
    name = write(tmp_path / "page.har", entry("/x", body))
    assert commands.run("import", "har", name, "--output", str(target)).status == 0
    load_fixture(str(target))


@pytest.mark.ci
def test_many_cut_marks_in_a_query_keep_nobody_waiting() -> None:
    def cost(count: int) -> float:
        query = ("x" * 400 + "\u2026") * count
        asked = entry(f"/x?a={query}", sent={"X-Api-Key": "a-key-of-mine"})
        start = thread_time()
        HarImport().add_entries(convert(har(asked), Har).log.entries)
        return thread_time() - start

    assert min(cost(1_000) for _ in range(3)) < 0.1


@pytest.mark.ci
@pytest.mark.parametrize("why", LEFT_OUT)
def test_what_cannot_be_served_is_left_out_and_told(tmp_path: Path, why: str) -> None:
    document, told = made(tmp_path, *LEFT_OUT[why])
    assert "responses" not in document
    (line,) = (each for each in told.splitlines() if each.startswith("left out"))
    assert line.startswith("left out: 1 request ")
    assert why in line


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        (Limits(responses=2), "limit responses"),
        (Limits(responses_bytes=7), "too large"),
    ],
)
def test_responses_are_bounded_in_number_and_bytes(limits: Limits, why: str) -> None:
    made = HarImport(limits=limits)
    entries = [entry(f"/{n}", "abc") for n in (1, 2, 3, 4, 1)]
    made.add_entries(convert(har(*entries), Har).log.entries)
    assert len(made.document()["responses"]) == 2
    (line,) = made.advice()
    assert line.startswith("left out: 2 requests ")
    assert why in line


@pytest.mark.parametrize("output", [[], ["--output", "-"]])
def test_yaml_goes_to_stdout(tmp_path: Path, output: list[str]) -> None:
    name = write(tmp_path / "page.har", entry("/x", "é: \x00"), entry("/y", PNG))
    done = commands.run("import", "har", name, *output)
    assert done.status == 0
    fixture = tmp_path / "made.yaml"
    fixture.write_text(done.out)
    assert len(load_fixture(str(fixture)).answers) == 2


BAD = {
    "<!doctype html><p>": "Expected a HAR file, got HTML or XML - at {}",
    "": "Expected a HAR file, got nothing - at {}:1:1 (export it again: ",
    '{"log": {"entries": [\n': "got the beginning of one - at {}:2:1 (export ",
    '{"log": ': "got the beginning of one - at {}:1:9 (export it again: its end is ",
    '{"log": nil}': "got no JSON: Expecting value - at {}:1:9",
    "[]": "Expected `object`, got `array` - at $ of {}",
    "{}": "Object missing required field `log` - at $ of {}",
    '{"info": {"schema": "https://schema.getpostman.com/json/collection/v2.1.0/"}}': (
        "field `log` - at $ of {} (save a HAR in a browser: this is a collection of "
    ),
    '{"log": {"entries": {}}}': "got `object` - at $.log.entries of {}",
    json.dumps(har(entry("/x"), {"request": {}})): "field `method` - at "
    "$.log.entries[1].request of {}",
    json.dumps(har(entry("/x", status="ok"))): "Expected `int`, got `str` - at "  # type: ignore[arg-type]
    "$.log.entries[0].response.status of {}",
    '{"creator":' + "[" * 100_000: "too deep",
}


@pytest.mark.parametrize("content", BAD)
def test_what_is_no_har_file_is_told_with_its_place(
    tmp_path: Path, content: str
) -> None:
    path, target = tmp_path / "page.har", tmp_path / "made.yaml"
    path.write_text(content)
    done = commands.run("import", "har", str(path), "--output", str(target))
    assert (done.status, done.out) == (2, "")
    assert BAD[content].format(path) in done.err
    assert done.err.count("\n") == 1
    assert not target.exists()


@pytest.mark.ci
def test_files_that_cannot_be_read_or_written_are_told(tmp_path: Path) -> None:
    good = write(tmp_path / "page.har", entry("/x", "1"))
    large, odd = tmp_path / "large.har", tmp_path / "odd.har"
    with large.open("wb") as file:
        file.truncate(Published.har_bytes + 1)
    odd.write_bytes('{"log": {}}'.encode("utf-16"))
    for args, status, said in [
        ([str(tmp_path / "none.har")], 2, "cannot read"),
        ([str(tmp_path)], 2, "Is a directory"),
        ([str(large)], 2, "Expected a file of at most 100.0 MiB (limit har_bytes)"),
        ([str(odd)], 2, "Expected UTF-8, got other bytes - at"),
        ([good, "--output", str(tmp_path)], 1, "it is a directory"),
        ([good, "--output", "/dev/full"], 1, "No space left on device"),
        ([good, "--output", str(tmp_path / "no" / "x")], 1, "cannot write"),
        ([], 1, "Expected FILE, got nothing"),
    ]:
        done = commands.run("import", "har", *args)
        assert (done.status, done.out) == (status, ""), done
        assert said in done.err
        assert done.err.count("\n") == 1


@pytest.mark.full
def test_more_can_be_imported_as_json_than_as_yaml(tmp_path: Path) -> None:
    item = {"parentId": None, "type": "link", "name": "a" * 2**20}
    items = [item | {"_id": f"{number:024}"} for number in range(33)]
    page = json.dumps({"code": 200, "data": {"list": items, "total": len(items)}})
    asked = {"datasetId": "d", "offset": 0, "parentId": None}
    recorded = write(tmp_path / "a.har", entry(LIST, page, method="POST", posted=asked))
    target = tmp_path / "made.json"
    done = commands.run("import", "har", recorded, "--output", str(target))
    assert (done.status, commands.run("check", str(target)).status) == (0, 0)


def test_halves_of_surrogate_pairs_do_not_stop_it(tmp_path: Path) -> None:
    sent = {"Authorization": "Bearer cut-too-\ud83d"}
    cut = entry("/x", "cut \ud83d", kind="text/plain", sent=sent)
    (part,) = responses(tmp_path, cut)
    assert part["text"] == "cut ?"


def test_a_number_of_any_length_does_not_stop_it(tmp_path: Path) -> None:
    cut = entry("/x", "cut \ud83d", kind="text/plain") | {"_long": "LONG"}
    path = Path(write(tmp_path / "page.har", cut))
    path.write_text(path.read_text().replace('"LONG"', 5_000 * "1"))
    done = commands.run("import", "har", str(path))
    assert (done.status, done.err.count("\n")) == (0, 1)
    assert 'text: "cut ?"' in done.out
