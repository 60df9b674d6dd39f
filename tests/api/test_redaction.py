"""What is taken out of entries and messages: keys, escaped keys, beginnings of keys."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.api.redaction import (
    ESCAPED_KEY_BYTES,
    HIDDEN,
    RequestSecrets,
    Secrets,
    redactable,
    redacted_text,
)
from mock_server.domain.limits import DEFAULT_LIMITS
from tests.conftest import MakeApi
from tests.support import DATASET, LIBRARY, LIST, Api

TOKEN = "tok/en+abc=1234567="
KEYS = ["fastgpt-owner", "fastgpt-owner-and-more", 'quo"ted\\key']
PASSWORD = "P\u00e4ss \u5bc6\u7801-\U0001f511"


@pytest.fixture(params=[(TOKEN,), (TOKEN, PASSWORD)], ids=["ascii", "wide"])
def secrets(make_api: MakeApi, request: pytest.FixtureRequest) -> RequestSecrets:
    """Those of a caller with an undeclared key, beside declared keys and tokens."""
    sandbox = make_api(LIBRARY | {"keys": [{"key": key} for key in KEYS]}).sandbox
    fixture = sandbox.state.store.fixture
    return Secrets(request.param).for_request([fixture], "undeclared-key")


@pytest.mark.parametrize("secret", [*KEYS, TOKEN, "undeclared-key", "fastgpt-sbx-0a1"])
@pytest.mark.parametrize(
    "written",
    [
        str,
        str.upper,
        quote,
        lambda key: quote(key, safe=""),
        lambda key: key.replace("+", " "),
        "\0".join,  # as in UTF-16
        lambda key: json.dumps("\0".join(key))[1:-1],
        lambda key: quote("\0".join(key)),
    ],
)
def test_a_secret_goes_however_it_is_escaped(
    secrets: RequestSecrets, secret: str, written: Any
) -> None:
    text = f"before {written(secret)} after".encode()
    assert secrets.redact(text) == b"before [redacted] after"


def test_a_secret_goes_from_json_with_escapes(secrets: RequestSecrets) -> None:
    escaped = "".join(f"\\u{ord(char):04x}" for char in TOKEN)
    assert secrets.redact(f'"{escaped}"'.encode()) == b'"[redacted]"'


@pytest.mark.parametrize("end", range(1, 13))
def test_a_cut_within_an_escape_outside_ascii_shows_no_beginning(end: int) -> None:
    secrets = RequestSecrets.from_declared([PASSWORD.encode()])
    for form in escaped, quote:
        redacted = redacted_text(f"{form(PASSWORD)[:-end]}\u2026", secrets)
        assert redacted.replace("\\", "") == "[redacted]\u2026"


@pytest.mark.parametrize("end", range(1, 19))
def test_a_cut_within_an_escaped_escape_shows_no_beginning(end: int) -> None:
    key = "fastgpt-owner"
    secrets = RequestSecrets.from_declared([key.encode()])
    in_url = "".join(f"%{ord(char):02x}" for char in escaped(key))
    redacted = redacted_text(f"{in_url[:-end]}\u2026", secrets)
    assert redacted.replace("%5c", "") == "[redacted]\u2026"


def test_what_only_looks_like_json_is_redacted_as_text(secrets: RequestSecrets) -> None:
    escaped = "".join(f"\\u{ord(char):04x}" for char in TOKEN)
    for body in f'{{"a": "{escaped}"'.encode(), b"\xff" + escaped.encode():
        assert TOKEN.encode() not in secrets.redact(body)


def escaped(text: str) -> str:
    """Each character in the longest escape of JSON."""
    units = text.encode("utf-16-be")
    return "".join(f"\\u{units[n : n + 2].hex()}" for n in range(0, len(units), 2))


def mixed(text: str) -> str:
    """Each character in another form than those beside it."""
    forms = str, escaped, lambda char: quote(char, safe="")
    return "".join(forms[n % 3](char) for n, char in enumerate(text))


FORMS: list[Callable[[str], str]] = [
    str,
    escaped,
    lambda text: json.dumps(text)[1:-1],
    lambda text: escaped(text).replace("\\", "\\\\"),
    lambda text: quote(text, safe=""),
    lambda text: quote(quote(text, safe=""), safe=""),
    lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    lambda text: quote(escaped(text), safe=""),
    lambda text: escaped(quote(text, safe="")),
    mixed,
    quote_plus,
    lambda text: text.replace("+", " "),
    lambda text: text.rstrip("="),
    "\0".join,
    lambda text: json.dumps("\0".join(text))[1:-1],
    lambda text: "\0".join(quote(text, safe="")),
    lambda text: "\0".join(escaped(text)),
]
TEXTS = redactable([TOKEN.encode(), b"undeclared-key"])
SECRETS = [*KEYS, TOKEN, "undeclared-key", "fastgpt-sbx-0a1", PASSWORD]


BETWEEN = ["", "x", "\\n", "%20", '","y":"', "fastgpt-sbx-", "fastgpt-", "\\", "%"]
BETWEEN += ["\\ud83d", "%c3", "%6", "%256", "\\u006", "%25%36"]
PLACED = st.tuples(st.sampled_from(SECRETS), st.sampled_from(FORMS))


@pytest.mark.parametrize("last", [TOKEN, PASSWORD])  # all in ASCII, or not
@given(st.lists(PLACED, min_size=1, max_size=4), st.sampled_from(BETWEEN))
def test_no_placement_of_secrets_in_any_forms_survives(
    last: str, placed: list[tuple[str, Callable[[str], str]]], between: str
) -> None:
    declared = RequestSecrets.from_declared([key.encode() for key in (*KEYS, last)])
    secrets = RequestSecrets.of(TEXTS, [declared])
    known = [last if secret == PASSWORD else secret for secret, _ in placed]
    forms = [form for _, form in placed]
    text = between.join(form(each) for each, form in zip(known, forms, strict=True))
    redacted = secrets.redact(text.encode())
    assert HIDDEN in redacted
    assert secrets.redact(redacted) == redacted
    for form in FORMS:
        assert not any(form(secret).encode() in redacted for secret in SECRETS)


@pytest.mark.parametrize("before", ["%6", "%256", "\\u006", "%25%36", "\\u53"])
@pytest.mark.parametrize(
    "key",
    [
        "c0ffee-t0ken-1",
        "fastgpt-owner-1",
        "fa\\u0073tgpt-owner-1",
        mixed("fastgpt-owner-1"),
    ],
)
@pytest.mark.parametrize("last", [TOKEN, PASSWORD])  # all in ASCII, or not
def test_a_first_letter_that_ends_an_escape_hides_no_secret(
    before: str, key: str, last: str
) -> None:
    known = "c0ffee-t0ken-1", "fastgpt-owner-1", last
    secrets = RequestSecrets.from_declared([each.encode() for each in known])
    assert key[2:].encode() not in secrets.redact((before + key).encode())


AROUND = ["%", "\\", "%25", "%5c", "\\u00", "u00", "41", "%4%3%3%31", "x", "fastgpt-o"]
AROUND += ["\\ud83d", "%c3", "%6", "%256", "\\u006", "%25%36", "%2", "u0"]


@given(st.lists(st.sampled_from(AROUND) | PLACED.map(lambda each: each[1](each[0]))))
def test_no_escapes_around_secrets_hide_one(parts: list[str]) -> None:
    declared = RequestSecrets.from_declared([key.encode() for key in (*KEYS, PASSWORD)])
    secrets = RequestSecrets.of(TEXTS, [declared])
    redacted = secrets.redact("".join(parts).encode())
    assert not secrets.are_in(redacted)
    assert not any(secret.encode() in redacted for secret in (*KEYS, PASSWORD, TOKEN))


@pytest.mark.parametrize("secret", ["undeclared-key", TOKEN])
def test_an_entry_holds_no_secret_in_one_form_beside_another_in_another(
    make_api: MakeApi, secret: str
) -> None:
    api = make_api(admin_token=TOKEN)
    headers = bearer("undeclared-key") | {"Content-Type": "application/json"}
    body = f'{{"x":"fastgpt-sbx-1","y":"{escaped(secret)}"}}'
    api.client.post(LIST, headers=headers, content=body)
    api.client.get(f"/fastgpt-sbx-1/{quote(secret, safe='')}", headers=headers)
    kept = "".join(map(repr, api.sandbox.journal.since(0)))
    assert escaped(secret) not in kept.replace("\\\\", "\\")
    assert secret not in kept


@pytest.mark.parametrize("form", FORMS[1:3])
def test_redacted_json_is_json_with_all_else_as_it_was(
    secrets: RequestSecrets, form: Callable[[str], str]
) -> None:
    known = [each for each in SECRETS if secrets.are_in(each.encode())]
    assert len(known) >= len(SECRETS) - 1
    texts = [*(f'"{secret}\n"' for secret in known), "\\ \u00e9 \t"]
    body = ",".join(f'"{form(text)}"' for text in texts)
    redacted = secrets.redact(f"[{body}]".encode())
    hidden = [f'"{HIDDEN.decode()}\n"' for _ in known]
    assert json.loads(redacted) == [*hidden, texts[-1]]


def test_json_stays_json_though_a_secret_ends_an_escape(
    secrets: RequestSecrets,
) -> None:
    sent = rb'{"x": "\\\u006fastgpt-owner", "y": "\u00fastgpt-owner"}'
    assert json.loads(secrets.redact(sent)) == {"x": "[redacted]", "y": "[redacted]"}


def test_a_message_that_is_no_unicode_is_kept(secrets: RequestSecrets) -> None:
    assert redacted_text(f"\ud800 {TOKEN}", secrets) == "? [redacted]"


def test_of_two_overlapping_secrets_nothing_stays(secrets: RequestSecrets) -> None:
    assert secrets.redact(b"x fastgpt-owner-and-more y") == b"x [redacted] y"
    assert secrets.redact(b"fastgpt-ownerundeclared-key") == HIDDEN * 2


def test_of_a_text_with_very_many_secrets_nothing_is_kept(
    secrets: RequestSecrets,
) -> None:
    assert secrets.redact(b"fastgpt-owner, " * 999) == b"[redacted], " * 999
    assert secrets.redact(b"fastgpt-owner, " * 1_000) == HIDDEN
    sparse = b"fastgpt-owner" + b"." * 60
    assert secrets.redact(sparse * 9_999).count(HIDDEN) == 9_999


@pytest.mark.parametrize(
    "written",
    [
        "fastgpt-owner%2dand%2Dmore",
        "fastgpt-owner\\u002dand-more",
        "fastgpt-sbx-0%613",
        "fastgpt-sbx-0\\u00613",
        "fastgpt-sbx-0a%3%33",
    ],
)
def test_a_secret_that_begins_with_another_goes_whole(
    secrets: RequestSecrets, written: str
) -> None:
    assert secrets.redact(f"x={written}&y".encode()) == b"x=[redacted]&y"


def test_the_beginning_of_a_secret_goes_at_a_cut_mark_only(
    secrets: RequestSecrets,
) -> None:
    cut = "got fastgpt-own… and undeclared… but fastgpt-own stays"
    hidden = "got [redacted]… and [redacted]… but fastgpt-own stays"
    assert secrets.redact_message(cut.encode()) == hidden.encode()
    assert secrets.redact_message("fastgpt… x".encode()) == "fastgpt… x".encode()
    in_header = rb"got fastgpt-own\u2026 and ... but fastgpt-own..."
    hidden_there = rb"got [redacted]\u2026 and ... but [redacted]..."
    assert secrets.redact_message(in_header) == hidden_there


@pytest.mark.ci
@given(st.binary(max_size=300))
def test_a_text_without_secrets_stays_as_it_is(text: bytes) -> None:
    secrets = RequestSecrets.of([b"undeclared-key"])
    assert secrets.redact(text) == secrets.redact_message(text) == text


def test_no_entry_holds_the_admin_token_in_path_or_method(make_api: MakeApi) -> None:
    api = make_api(admin_token=TOKEN)
    api.client.get(f"/x/{quote(TOKEN, safe='')}", headers={"Authorization": "Bearer k"})
    api.client.request("undeclared-key", LIST, headers=bearer("undeclared-key"))
    kept = "".join(map(repr, api.sandbox.journal.since(0)))
    assert "tok" not in kept
    assert "undeclared-key" not in kept


def bearer(key: str) -> dict[str, str]:
    """The header for a key."""
    return {"Authorization": f"Bearer {key}"}


def test_what_a_body_hides_after_the_cut_stays_out_of_its_violations(api: Api) -> None:
    key = "undeclared-key"
    body = {"pad": "x" * 20_000, key: 1, "offset": key}
    api.client.post(LIST, headers=bearer(key), json=body)
    entry = next(api.sandbox.journal.since(0))
    assert entry.request.is_cut
    assert key not in repr(entry)


def test_a_key_that_a_cut_goes_through_goes_whole(api: Api) -> None:
    key, cut = "undeclared-key", DEFAULT_LIMITS.journal_body_bytes
    body = b'{"pad": "'.ljust(cut - 9, b"x") + key.encode() + b'"}'
    headers = bearer(key) | {"Content-Type": "application/json"}
    api.client.post(LIST, headers=headers, content=body)
    entry = next(api.sandbox.journal.since(0))
    assert entry.request.body is not None
    assert len(entry.request.body) == cut
    assert entry.request.body.endswith(HIDDEN[:9])


LONG_KEY = "fastgpt-S3cretKeyOfTheOwner0123456789abcdefghij"


@pytest.mark.parametrize("cut", range(1, len(LONG_KEY), 9))
@pytest.mark.parametrize("form", [str, escaped])
def test_half_a_key_at_the_rough_cut_is_never_shown(
    api: Api, cut: int, form: Callable[[str], str]
) -> None:
    key = form(LONG_KEY)
    rough = DEFAULT_LIMITS.journal_body_bytes + ESCAPED_KEY_BYTES
    end = cut * (len(key) // len(LONG_KEY))
    pad, more = "-" * ((rough - end) % (len(key) + 1)), [key] * 800
    headers = bearer(LONG_KEY) | {"Content-Type": "application/json"}
    api.client.post(LIST, headers=headers, content=pad + " ".join(more))
    error = {"kind": "error", "message": pad + " ".join([LONG_KEY] * 800)}
    api.client.post("/__admin/faults", json=error)
    api.client.post(LIST, headers=headers, json={})
    kept = "".join(map(repr, api.sandbox.journal.since(0))).replace("\\\\", "\\")
    assert key[: len(form(LONG_KEY[:9]))] not in kept
    assert LONG_KEY[:9] not in kept


@pytest.mark.parametrize("key", [LONG_KEY, "fastgpt-sbx-0a1", KEYS[0]])
@pytest.mark.parametrize("form", [str, lambda text: quote(text, safe="")[:-1] + "%79"])
def test_what_others_have_named_with_a_key_is_in_no_entry(
    make_api: MakeApi, key: str, form: Callable[[str], str]
) -> None:
    key += "y"
    names = [{"name": f"it's {form(key)}"}]
    datasets = [{"id": DATASET, "collections": names}]
    api = make_api({"keys": [{"key": key}], "datasets": datasets})
    for _ in range(3):
        asked = {"offset": 0, "datasetId": DATASET}
        answer = api.client.post(LIST, headers=bearer(key), json=asked)
        assert form(key) in answer.text
    kept = "".join(map(repr, api.sandbox.journal.since(0)))
    assert kept.count(HIDDEN.decode()) >= 3
    assert form(key) not in kept


@pytest.mark.parametrize(
    "question", ["{}", "it is {}", "\u5bc6\u94a5\uff1a {}", 'my "{}', "    {}"]
)
@pytest.mark.parametrize("key", ["customer-0123456789-owner", 'cus"tomer"-0-of-owner'])
def test_a_title_that_begins_a_key_is_in_no_entry(
    make_api: MakeApi, question: str, key: str
) -> None:
    api = make_api({"keys": [{"key": key}], "apps": [{"id": "a"}]})
    messages = [{"role": "user", "content": question.format(key)}]
    said = {"appId": "a", "chatId": "c", "messages": messages}
    streamed = said | {"chatId": "d", "stream": True, "detail": True}
    for body in said, streamed:
        assert api.send("POST", "/api/v1/chat/completions", body, key=key).is_success
    asked, path = {"appId": "a", "pageSize": 5}, "/api/core/chat/history/getHistories"
    assert api.send("POST", path, asked, key=key).is_success
    kept = "".join(map(repr, api.sandbox.journal.since(0)))
    assert "tomer" not in kept


@pytest.mark.parametrize(
    "key", ["K%2Dy%2d{}", "%4B%2dy-{}", "k\\u002dy-{}", "k%252Dy-{}"]
)
@pytest.mark.parametrize("length", range(15, 25))
def test_a_title_that_begins_an_escaped_key_is_redacted(key: str, length: int) -> None:
    secrets = RequestSecrets.from_declared([b"K-y-0/2345678901"])
    title = key.format("0%2F23%25345678901")[:length]
    body = json.dumps({"title": title}, separators=(",", ":")).encode()
    assert secrets.redact_response(body) == b'{"title":"[redacted]"}'


def test_an_answer_that_begins_to_hold_a_key_is_looked_through_again(api: Api) -> None:
    asked = {"offset": 0, "datasetId": DATASET}
    for name in ("Guide", LONG_KEY):
        path = f"/__admin/datasets/{DATASET}/collections/new"
        assert api.client.put(path, json={"name": name}).is_success
        answer = api.client.post(LIST, headers=bearer(LONG_KEY), json=asked)
        assert name in answer.text
    assert LONG_KEY not in "".join(map(repr, api.sandbox.journal.since(0)))


@pytest.mark.parametrize("key", [LONG_KEY, "Declared-As-Well", "To/Ken+1234567"])
def test_a_secret_in_other_case_is_in_no_entry(make_api: MakeApi, key: str) -> None:
    declared = LIBRARY | {"keys": [{"key": "Declared-As-Well"}, {"key": LONG_KEY}]}
    api = make_api(declared, admin_token="To/Ken+1234567")
    asked = {"offset": 0, "datasetId": DATASET, "x": key.swapcase()}
    answer = api.client.post(LIST, headers=bearer(LONG_KEY), json=asked)
    assert answer.status_code == 200
    kept = "".join(map(repr, api.sandbox.journal.since(0)))
    assert key.lower() not in kept.lower()


@pytest.mark.parametrize("key", [LONG_KEY, "Declared-As-Well"])
def test_a_key_in_the_name_of_a_header_is_in_no_entry(
    make_api: MakeApi, key: str
) -> None:
    api = make_api(LIBRARY | {"keys": [{"key": "Declared-As-Well"}, {"key": LONG_KEY}]})
    asked = {"offset": 0, "datasetId": DATASET}
    answer = api.client.post(LIST, headers=bearer(LONG_KEY) | {key: "x"}, json=asked)
    assert answer.status_code == 200
    kept = "".join(map(repr, api.sandbox.journal.since(0)))
    assert key.lower() not in kept.lower()


@pytest.mark.parametrize(
    "value",
    [
        *("{}", "Bearer {} more", "Token token={}", "Bearer: {}", "Bearer,{}"),
        "Basic {}-65d8a1f0c3b2a94e7f106a01",
    ],
)
def test_a_key_in_an_authorization_of_another_form_is_in_no_entry(
    api: Api, value: str
) -> None:
    key = "fastgpt-UnknownKey"
    asked = {"offset": 0, "datasetId": DATASET, "more": key, "username": "Bearer"}
    headers = {"Authorization": value.format(key)}
    assert not api.client.post(LIST, headers=headers, json=asked).is_success
    (entry,) = api.journal()
    assert entry["request"]["body"] == asked | {"more": "[redacted]"}
    assert key not in repr(entry)


@pytest.mark.parametrize("key", ["fastgpt-UnknownKey", "fastgpt-ab", "mykey12345678"])
@pytest.mark.parametrize("sent", ["{}-65d8a1f0c3b2a94e7f106a01", "<{}>", "{}."])
def test_a_key_is_in_no_entry_though_more_was_sent_with_it(
    api: Api, sent: str, key: str
) -> None:
    asked = {"offset": 0, "datasetId": DATASET, "more": key}
    headers = {"Authorization": f"Bearer {sent.format(key)}"}
    assert api.client.post(LIST, headers=headers, json=asked).is_success
    api.client.get(f"/{key}", headers=headers)
    assert key not in "".join(map(repr, api.sandbox.journal.since(0)))


@pytest.mark.parametrize("name", ["X-Api-Key", "api-key"])
@pytest.mark.parametrize("scheme", ["Bearer", "Basic"])
def test_a_key_in_a_header_of_other_services_is_nowhere_in_an_entry(
    api: Api, name: str, scheme: str
) -> None:
    headers = {name: "SomeSecret1", "Authorization": f"{scheme} some-key"}
    api.client.post(f"{LIST}?a=SomeSecret1", headers=headers, json={"b": "SomeSecret1"})
    (entry,) = api.journal()
    assert "somesecret1" not in repr(entry).lower()


def test_a_key_of_the_service_is_nowhere_in_an_entry(api: Api) -> None:
    key = "fastgpt-xRJQl5kTz0aQm2Vw"
    api.client.post(f"/api/{key}/a?apiKey={key}.And", json={"b": key})
    (entry,) = api.journal()
    assert "xRJQl" not in repr(entry)
    assert entry["request"]["body"] == {"b": "[redacted]"}


@pytest.mark.parametrize("end", ["installationguide.pdf", "announcements2026", "a1.js"])
def test_a_name_that_begins_as_keys_do_is_no_key(api: Api, end: str) -> None:
    asked = {"offset": 0, "datasetId": DATASET, "more": f"fastgpt-{end}"}
    api.client.post(LIST, json=asked)
    (entry,) = api.journal()
    assert entry["request"]["body"] == asked


def test_a_word_in_front_of_an_app_id_is_no_key(api: Api) -> None:
    asked = {"offset": 0, "datasetId": DATASET, "more": "a customer"}
    headers = {"Authorization": "Bearer customer-65d8a1f0c3b2a94e7f106a01"}
    assert api.client.post(LIST, headers=headers, json=asked).is_success
    (entry,) = api.journal()
    assert entry["request"]["body"] == asked


@pytest.mark.parametrize(
    ("field", "asked"),
    [
        ("pin", {"pin": 1234567890123}),
        ("user.word", {"user": {"name": "ann", "word": "correct-horse-7"}}),
        ("list", {"list": [["a"], ["correct-horse-7"]]}),
        ("word", {"word": "correct-horse-7\n"}),
        ("word", {"word": "\t\0correct-horse-7\x1b"}),
        ("word", {"word": "correct\nhorse-7"}),
        ("word", {"word": "correct\x01horse-7"}),
    ],
)
def test_a_scripted_answer_to_a_login_shows_none_of_its_values(
    api: Api, field: str, asked: dict[str, Any]
) -> None:
    path = "/api/login/mine"
    answer = {"kind": "answer", "operation": f"POST {path}"}
    api.admin("POST", "/faults", answer | {"json": {"said": f"{{{{body.{field}}}}}"}})
    said = json.dumps(api.client.post(path, json=asked).json()["said"])
    secret = max(re.findall(r"[\w-]+", said), key=len)
    assert len(secret) >= 8
    assert secret not in "".join(map(repr, api.sandbox.journal.since(0)))


@pytest.mark.parametrize("name", ["correct-horse-7", "correct-horse-7\n"])
def test_a_login_shows_no_unknown_name(api: Api, name: str) -> None:
    path = "/api/support/user/account/loginByPassword"
    api.client.post(path, json={"username": "ann", name: 1})
    assert "correct-horse" not in "".join(map(repr, api.sandbox.journal.since(0)))


def test_a_login_of_many_fields_shows_no_part_of_its_body(api: Api) -> None:
    fields = {f"field-{number}": number for number in range(2_000)}
    asked = fields | {"username": "ann", "password": "correct-horse-7"}
    path = "/api/support/user/account/loginByPassword"
    answer = api.client.post(path, json=asked | {"correct-horse-7": True})
    assert answer.status_code >= 400
    (entry,) = api.journal()
    assert entry["request"]["body"] == "[redacted]"
    assert "correct-horse-7" not in repr(entry)
