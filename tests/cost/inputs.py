"""Everything that a client can make larger, each as requests of a given size.

Who adds an input to the server adds a row here: its largest size, and what is sent at
a size. The last request is the one that is measured.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha512
from random import Random
from string import ascii_lowercase
from typing import Any
from unicodedata import combining
from urllib.parse import urlencode

from mock_server.domain.limits import DEFAULT_LIMITS, Published
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.storage.store import Store
from tests.support import APP, CHAT, DATASET, LIST, PIN

KEY = "fastgpt-some-key"
BODY = DEFAULT_LIMITS.body_bytes - 200
STATE = "/__admin/state"
ROWS = DEFAULT_LIMITS.text_body_bytes - 200
ESCAPES = 2 * Published.json_escapes - 200
FORM = DEFAULT_LIMITS.upload_bytes - 200
CREATE = "/api/core/dataset/collection/create"
TAGS = [f"tag {n}" for n in range(100)]
TAGGED: dict[str, Any] = {
    "datasetId": "d",
    "parentId": "f",
    "pageSize": 30,
    "filterTags": TAGS[:2],
}
APPS_CREATE = "/api/core/app/create"
INSERT = "/api/core/dataset/data/insertData"
LOGIN = "/api/support/user/account/loginByPassword"
YAML = {"content-type": "application/yaml"}
BETWEEN_DOUBLES = b"9007199254740993." + b"0" * 44 + b"1"
"""A number that takes long to round."""
CHAIN = b'{"%b":' % (b'\\"' * 8) * 60 + b"1" + b"}" * 60
"""Nested objects, each with a name of escapes."""


@dataclass(frozen=True)
class Sent:
    """A request; `profile` is that of the server that it is sent to.

    `at_once` is how often it is sent at the same time, if it is measured. `is_logged`:
    the server writes a line for each request.
    """

    path: str
    body: bytes = b""
    method: str = "POST"
    headers: dict[str, str] = field(default_factory=dict)
    query: str = ""
    profile: str = "deployed"
    at_once: int = 1
    is_logged: bool = False


@dataclass(frozen=True)
class Input:
    """What can grow: its largest size, and the requests of a size."""

    largest: int
    sent: Callable[[int], Sent | Sequence[Sent]]

    def requests(self, size: int) -> Sequence[Sent]:
        """What is sent at a size, one after the other."""
        sent = self.sent(size)
        return [sent] if isinstance(sent, Sent) else sent


def bearer(key: str) -> dict[str, str]:
    """The header for a key."""
    return {"authorization": f"Bearer {key}"}


def listed(value: bytes) -> Sent:
    """A list call with a further field of that value."""
    body = json.dumps({"offset": 0, "datasetId": DATASET, "x": 0}).encode()
    return Sent(LIST, body[:-2] + value + b"}")


def with_fields(**fields: Any) -> Sent:
    """A list call with other fields."""
    body = {"offset": 0, "datasetId": DATASET} | fields
    return Sent(LIST, json.dumps(body, ensure_ascii=False).encode())


def with_headers(value: str) -> Sent:
    """List calls with as many long headers as a server takes, all of that value.

    They are two at once: others wait for the second too if it has arrived with them.
    """
    headers = {f"x-long-{number}": value for number in range(4)}
    return Sent(LIST, headers=headers, at_once=2)


def percent(value: str) -> str:
    """Each character in an escape of URLs."""
    return "".join(f"%{ord(char):02x}" for char in value)


def admin(method: str, path: str, body: object) -> Sent:
    """An admin call."""
    return Sent(f"/__admin{path}", json.dumps(body).encode(), method)


def array(item: bytes, size: int) -> bytes:
    """An array of that many bytes, about, of the same item."""
    return b"[%b]" % b",".join([item] * (size // (len(item) + 1)))


def fields(size: int) -> bytes:
    """An object of that many bytes, about, of many fields."""
    return b"{%b}" % b",".join(b'"name-%06d":1' % n for n in range(size // 16))


def short_fields(size: int) -> bytes:
    """An object of that many bytes, about, of as many fields as possible."""
    return b"{%b}" % b",".join(b'"%x":1' % n for n in range(size // 10))


def uploaded(body: bytes, parameters: str = "; boundary=edge") -> Sent:
    """A form, or what is sent as one."""
    headers = {"content-type": f"multipart/form-data{parameters}"}
    return Sent("/api/core/dataset/collection/create/localFile", body, headers=headers)


def of_a_row(value: bytes) -> bytes:
    """A body whose only field has that value."""
    return b'{"indexes":%b}' % value


def with_metadata(item: bytes, size: int) -> Sent:
    """A row whose fields are valid: metadata may have any values."""
    metadata = b'{"a":%b}' % array(item, size)
    return Sent(INSERT, b'{"collectionId":"c","q":"q","metadata":%b}' % metadata)


def text(part: str, size: int) -> bytes:
    """A JSON text of that many bytes, about, of the same part."""
    return f'"{part * (size // len(part.encode()))}"'.encode()


def journalled(count: int) -> list[Sent]:
    """Calls that fill a journal with bodies as large as it keeps them."""
    return [with_fields(x=["y"] * 1_900, number=number) for number in range(count)]


def wanting(count: int) -> list[Sent]:
    """Faults that compare a whole body, and find one field missing."""
    wanted = {"x": [0] * 1_300, "y": 1}
    fault = {"kind": "error", "match": {"body": wanted}}
    return [admin("POST", "/faults", fault) for _ in range(count)]


def chat(**parts: Any) -> Sent:
    """A chat session that is put."""
    return admin("PUT", f"/apps/{APP}/chats/new", parts)


def collection(**parts: Any) -> Sent:
    """A collection that is put."""
    return admin("PUT", f"/datasets/{DATASET}/collections/new", {"name": "n"} | parts)


def marked(size: int) -> list[Sent]:
    """Collections with long names and tags of marks in no order, and a search."""
    marks = "".join(marks_in_any_order(size))
    fields = {"name": marks, "tags": [marks[: Published.id_chars]] * Published.tags}
    path = f"/datasets/{DATASET}/collections"
    puts = [admin("PUT", f"{path}/new-{n}", fields) for n in range(8)]
    return [*puts, with_fields(searchText="x")]


def explained(size: int) -> list[Sent]:
    """Why a search does not show such a collection."""
    asked = {"dataset": DATASET, "item": "new-0", "request": '{"searchText":"x"}'}
    return [*marked(size)[:1], Sent("/__admin/why", b"", "GET", query=urlencode(asked))]


def explained_beside(text: str) -> list[Sent]:
    """Why a request does not show a collection; its body has this text, too."""
    kids = {"name": "a {n}", "repeat": 8_000, "tags": ["p", "q"]}
    folder = {"_id": "f", "name": "f", "children": [kids]}
    items = [folder, {"_id": "it", "name": "zz", "tags": ["p"]}]
    asked = {"searchText": "nope", "selectFolder": True, "filterTags": ["u"]}
    asked |= {"parentId": "f", "offset": 10**6, "pageSize": 1}
    body = f"{json.dumps(asked)[:-1]}{text}}}"
    query = urlencode({"dataset": "d", "item": "it"}) + f"&request={body}"
    state = admin("PUT", "/state", {"datasets": [{"id": "d", "collections": items}]})
    return [state, Sent("/__admin/why", b"", "GET", query=query)]


def long_texts(text: str) -> Sent:
    """A state of collections whose texts are this one, and its beginning."""
    names = ("name", "externalFileId", "rawLink", "fileId", "tmbId", "trainingType")
    texts = dict.fromkeys(names, text)
    tags = [text[: Published.id_chars]] * Published.tags
    entry = {"repeat": 100, "tags": tags, **texts}
    return admin("PUT", "/state", {"datasets": [{"id": "d", "collections": [entry]}]})


def dataset_of_row(text: str) -> dict[str, Any]:
    """A dataset with a data row of this text, twice: details repeat both texts."""
    row = {"_id": "r", "q": text, "a": text}
    return {"id": "d", "collections": [{"name": "n", "data": [row]}]}


def permissions_of_datasets(size: int) -> Sent:
    """A state with `size` datasets, all with the same permissions of many keys."""
    keys = [{"key": f"key-{n}"} for n in range(DEFAULT_LIMITS.keys)]
    levels = {each["key"]: "read" for each in keys}
    datasets = [{"id": f"d-{n}", "permissions": levels} for n in range(size)]
    return state(json.dumps({"keys": keys, "datasets": datasets}))


def listed_of(dataset: str, **fields: Any) -> Sent:
    """A list of a dataset."""
    return sent_json(LIST, datasetId=dataset, offset=0, **fields)


def marked_titles(size: int) -> list[Sent]:
    """A chat with titles of marks in no order, and a search of it."""
    marks = "".join(marks_in_any_order(size))
    chats = Sent(f"/__admin/apps/{APP}/chats", method="GET", query="name=x")
    return [chat(title=marks, customTitle=marks), chats]


def marked_names(count: int) -> list[Sent]:
    """Collections with names of marks in no order, and a search of them all."""
    path = f"/__admin/datasets/{DATASET}/collections"
    name = b'{"name":%b}' % text("\u0301\u0f73\u0327", 6_144)
    puts = [Sent(f"{path}/new-{n}", name, "PUT") for n in range(count)]
    return [*puts, with_fields(searchText="x")]


def of_chunks(count: int) -> Sent:
    """A text with that many chunks."""
    body = {
        "datasetId": DATASET,
        "name": "n",
        "chunkSettingMode": "custom",
        "chunkSize": 64,
        "text": f"{'a' * 64}\n" * count,
    }
    return Sent(f"{CREATE}/text", json.dumps(body).encode())


def trained(count: int, sent: Sent) -> list[Sent]:
    """Chunks of a text, trained by the clock, and further requests."""
    advanced = admin("POST", "/clock/advance", {"seconds": 10**6})
    return [of_chunks(count), advanced, sent]


def made_of(value: bytes, query: str = "") -> Sent:
    """A text in JSON, of which a collection is made."""
    body = b'{"datasetId":"%b","name":"n","text":%b}' % (DATASET.encode(), value)
    return Sent(f"{CREATE}/text", body, query=query)


def separated(value: str) -> Sent:
    """A text to cut at each of several separators, which nearly occur in it."""
    splitter = "|".join([*(f"{'a' * 29}{n}" for n in range(8)), "by"])
    how = {"chunkSettingMode": "custom", "chunkSplitter": splitter}
    fields = {"datasetId": DATASET, "name": "n", "text": value}
    return sent_json(f"{CREATE}/text", **fields, **how)


def of_sentences(size: int) -> Sent:
    """A text of empty sentences, to cut into rows as large as possible."""
    how = {"chunkSettingMode": "custom", "chunkSize": 10**9}
    fields = {"datasetId": DATASET, "name": "n", "text": "； " * (size // 2)}
    return sent_json(f"{CREATE}/text", **fields, **how)


def of_short_chunks(size: int) -> Sent:
    """A text that is cut into as many rows as possible."""
    how = {"chunkSettingMode": "custom", "chunkSize": 64}
    fields = {"datasetId": DATASET, "name": "n", "text": "One word. " * (size // 10)}
    return sent_json(f"{CREATE}/text", **fields, **how)


def of_numbers(size: int) -> Sent:
    """A form of about `size` bytes, in parts of numbers with long exponents."""
    return of_parts(*[array(b"1e308", 5_940)] * (size // 6_000))


def of_parts(*values: bytes) -> Sent:
    """A form of plain parts."""
    parts = (
        b"--edge\r\nContent-Disposition: form-data; name=p%d\r\n\r\n%b\r\n" % part
        for part in enumerate(values)
    )
    return uploaded(b"".join(parts) + b"--edge--\r\n")


def searched_rows(size: int) -> list[Sent]:
    """Rows of one letter, and a search for a text of that many, which they lack."""
    row = {"q": "a" * 2_490}
    push = f"{RELATED}/data/pushData"
    pushes = [
        sent_json(
            push, collectionId="c", data=[row | {"a": f"{n}"} for n in range(200)]
        )
        for _ in range(2)
    ]
    term = "a" * size + "baa"
    return [
        *pushes,
        sent_json(
            f"{RELATED}/data/v2/list", collectionId="c", offset=0, searchText=term
        ),
    ]


def pushed(count: int) -> Sent:
    """So many rows of quotes; an eighth of them has too many brackets to be plain."""
    rows = [{"q": '"' * 25_000, "indexes": [{"text": "x"}]}] * count
    return sent_json("/api/core/dataset/data/pushData", collectionId="c", data=rows)


def conversation(messages: list[Any]) -> list[Sent]:
    """A completion of so many messages."""
    path = "/api/v1/chat/completions"
    return [EMPTY, sent_json(path, appId="a", messages=messages)]


def by_link(rest: object = None, **fields: Any) -> list[Sent]:
    """A list for the visitor of a share link, which has something beside its ids."""
    named = {"shareId": "s", "outLinkUid": "u", "rest": rest}
    if isinstance(rest, str):
        fields["outLinkAuthData"] = json.dumps(named)
    path = "/api/core/chat/history/getHistories"
    shares = [{"shareId": "s", "appId": "a"}]
    state = admin("PUT", "/state", {"apps": [{"id": "a"}], "shares": shares})
    return [state, sent_json(path, **{"outLinkAuthData": named, **fields})]


def part(header: str, data: bytes = b"x") -> bytes:
    """A part of a form, up to its last line."""
    name = b"Content-Disposition: form-data; name=x"
    return b"--edge\r\n%b%b\r\n\r\n%b\r\n" % (name, header.encode(), data)


SEARCH = Sent(
    "/api/core/dataset/searchTest",
    json.dumps(
        {"datasetId": DATASET, "text": " ".join(f"{n:03}" for n in range(99))}
    ).encode(),
)
RELATED, APPS = "/api/core/dataset", "/api/core/app"
EQUAL_TAGS = ["a" * 252 + f"{at:03}" for at in range(Published.tags)]
EQUAL_TERMS = ["a" * (45 + at) + "b" + "a" * 40 for at in range(4)]
"""Each is compared with most of each tag of equal letters."""
MARKED_TAGS = ["\u0301\u0f73\u0327" * 83 + f"{at}" for at in range(Published.tags)]
EMPTY = admin(
    "PUT",
    "/state",
    {
        "apps": [{"id": "a"}],
        "datasets": [{"id": "d", "collections": [{"_id": "c", "name": "c"}]}],
    },
)
AT_ONCE = admin("PUT", "/choices", {"choices": {"training": "instant"}})
MARKS, COMPOSED = "\u0301\u0327", "\u0390"


def sent_json(path: str, **fields: Any) -> Sent:
    """A call of a related route."""
    return Sent(path, json.dumps(fields, ensure_ascii=False).encode())


def rows_of(count: int, part: str, chars: int, last: Sent) -> list[Sent]:
    """Data rows of so many characters, and what follows."""
    text = part * (chars // len(part))
    rows = (
        sent_json(INSERT, collectionId="c", q=text, a=f"{n}{text}")
        for n in range(count)
    )
    return [EMPTY, *rows, last]


def insertion_of(text: str, number: int) -> Sent:
    """A data row with a text, and with one as long that begins with a number."""
    return sent_json(INSERT, collectionId="c", q=text, a=f"{number:02}{text[2:]}")


def rows_listed(**fields: Any) -> Sent:
    """A list of data rows."""
    return sent_json(f"{RELATED}/data/v2/list", collectionId="c", pageSize=30, **fields)


def datasets_of(count: int, part: str, **fields: Any) -> list[Sent]:
    """Datasets with long introductions, and a list of them."""
    text = part * (Published.intro_chars // len(part))
    each = sent_json(
        f"{RELATED}/create", type="dataset", name="n", intro=text, avatar=text
    )
    return [*[each] * count, sent_json(f"{RELATED}/list", **fields)]


def holders(what: str, count: int) -> Sent:
    """A state with that number of apps or datasets."""
    return admin("PUT", "/state", {what: [{"name": f"n{at}"} for at in range(count)]})


def keyed(count: int, chars: int = 128) -> Sent:
    """A state with that number of long keys, all different."""
    texts = (b64encode(sha512(b"%d" % at).digest()).decode() for at in range(count))
    keys = [{"key": (text * (chars // 88 + 1))[-chars:]} for text in texts]
    return admin("PUT", "/state", {"keys": [{"key": KEY}, *keys]})


def marks_in_any_order(count: int) -> list[str]:
    """Combining marks, most of them of the few that decompose into two."""
    each_class = {combining(chr(at)): chr(at) for at in range(0x300, 0x1E000)}
    others = [mark for number, mark in each_class.items() if number]
    return Random(1).choices([*others, *"\u0f73\u0f75\u0f81" * len(others)], k=count)


def numbered_keys(count: int) -> Sent:
    """A state with that number of keys that begin as those of the service do."""
    keys = [{"key": f"fastgpt-{'z' * 100}{at:08}"} for at in range(count)]
    return admin("PUT", "/state", {"keys": [{"key": KEY}, *keys]})


NESTED = "%4%3%3%3%001%4%3%3%31"
"""Escapes in escapes: unescaping a text with them takes all rounds."""
NEAR_WORDS = " ".join(f"fastgpt-{'a' * (90 - at)}=" for at in range(20))


def logged_in_with(value: str, passwords: Sequence[str] = ()) -> Sent:
    """A login with twenty passwords that long headers are full of, or these."""
    passwords = passwords or ["a" * length for length in range(8, 28)]
    headers = {f"x-long-{at}": (NESTED + value)[: len(value)] for at in range(4)}
    body = json.dumps({"username": "u", "password": passwords}).encode()
    return Sent(LOGIN, body, headers=headers)


def missing_passwords(value: str) -> Sent:
    """A login with twenty passwords that begin as long headers do."""
    return logged_in_with(value, NEAR_WORDS.split())


def key_words(size: int) -> Sent:
    """Two requests at once, with six long words in each header that may have a key."""
    letters = "".join(Random(1).choices(ascii_lowercase, k=size // 6))
    value = f",<{','.join(letters[at:] + letters[:at] for at in range(6))}>=="
    headers = dict.fromkeys(("x-api-key", "api-key", "apikey"), value)
    headers["authorization"] = value[::-1]
    return Sent("/api/x", b"{}", headers=headers, at_once=2, is_logged=True)


def repeating(count: int) -> Sent:
    """A state with long keys that repeat the alphabet, each from another letter on.

    At most a hundred texts, without capitals: of more, another finder might be made.
    """
    keys = [{"key": (ascii_lowercase * 40)[at:][:900]} for at in range(count)]
    return admin("PUT", "/state", {"keys": [{"key": KEY}, *keys]})


def long_answer() -> Sent:
    """An answer with a text of a megabyte is added."""
    text = "x" * 1_000_000
    return admin(
        "POST", "/faults", {"kind": "answer", "operation": "GET /x", "text": text}
    )


def chats(count: int, **fields: str) -> Sent:
    """A state with that number of chats in one app."""
    every = [{"chatId": f"c{at}"} | fields for at in range(count)]
    return admin("PUT", "/state", {"apps": [{"id": "a", "chats": every}]})


def apps_of(count: int, part: str, **fields: Any) -> list[Sent]:
    """Applications with long introductions, and a list of them."""
    text = part * (Published.intro_chars // len(part))
    each = sent_json(f"{APPS}/create", type="simple", name="n", intro=text)
    return [*[each] * count, sent_json(f"{APPS}/list", **fields)]


def asked(count: int, text: str, last: Sent) -> list[Sent]:
    """Questions of one chat, and what follows."""
    message = {"role": "user", "content": text}
    path = "/api/v1/chat/completions"
    each = sent_json(path, appId="a", chatId="x", messages=[message])
    return [EMPTY, *[each] * count, last]


def tagged(count: int, last: Sent) -> list[Sent]:
    """Collections with many long tags, and what follows."""
    tags = [f"{n:03}" + "\u6587" * 250 for n in range(100)]
    each = sent_json(CREATE, datasetId="d", name="n", type="virtual", tags=tags)
    return [EMPTY, *[each] * count, last]


RECORDS = {"appId": "a", "chatId": "x", "pageSize": 1_000}
NEST = b"[" * 60 + b"]" * 60
OPERATIONS = {
    "key": Input(60_000, lambda n: Sent(LIST, headers=bearer("k" * n))),
    "key within the limit": Input(
        Published.key_chars, lambda n: Sent(LIST, headers=bearer("k" * n))
    ),
    "header": Input(60_000, lambda n: Sent(LIST, headers={"x-long": "x" * n})),
    "escaped header": Input(
        60_000, lambda n: Sent(LIST, headers={"x-long": "%41" * (n // 3)})
    ),
    "backslashes in a header": Input(
        60_000, lambda n: Sent(LIST, headers={"x-long": '\\"' * (n // 2)})
    ),
    "headers escaped many times": Input(
        60_000, lambda n: with_headers(KEY + "%4%3%3%31" * (n // 36))
    ),
    "headers of keys escaped differently": Input(
        60_000,
        lambda n: with_headers(
            KEY
            + percent(KEY)
            + percent(KEY).replace("%", "%25")
            + "a\\" * (n // 8 - 500)
        ),
    ),
    "headers of escaped keys": Input(
        60_000, lambda n: with_headers((percent(KEY) + " ") * (n // 4 // 49))
    ),
    "escaped keys in a header": Input(
        60_000,
        lambda n: Sent(LIST, headers={"x-long": f"%66{KEY[1:]} " * (n // 19)}),
    ),
    "cookies": Input(
        60_000,
        lambda n: Sent(
            LIST, headers={"cookie": "; ".join(["fastgpt_token=c"] * (n // 17))}
        ),
    ),
    "path": Input(60_000, lambda n: Sent("/" + "a" * n)),
    "escaped path": Input(60_000, lambda n: Sent("/" + "%61" * (n // 3))),
    "query": Input(60_000, lambda n: Sent(LIST, query="a=%62&" * (n // 6))),
    "method": Input(16_000, lambda n: Sent(LIST, method="X" * n)),
    "floats": Input(BODY, lambda n: listed(array(b"0.1234567890123456", n))),
    "integers": Input(BODY, lambda n: listed(array(b"1", n))),
    "integer over the limit": Input(
        BODY, lambda n: listed(array(b"1", n - 30)[:-1] + b"12345678901234567890]")
    ),
    "digits of a number": Input(BODY, lambda n: listed(b"1" * n + b"e-%d" % n)),
    "digits of numbers": Input(BODY, lambda n: listed(array(b"1" * 308 + b".5", n))),
    "exponents of numbers": Input(BODY, lambda n: listed(array(b"1e308", n))),
    "numbers that are hard to round": Input(
        BODY, lambda n: listed(array(b"77553748122003856039e99", n))
    ),
    "digits, read strictly": Input(
        BODY, lambda n: replace(listed(b"1" * n + b"e-%d" % n), profile="documented")
    ),
    "nested arrays": Input(BODY, lambda n: listed(array(NEST, n))),
    "fewer nested arrays": Input(95_000, lambda n: listed(array(NEST, n))),
    "empty objects": Input(140_000, lambda n: listed(array(b"{}", n))),
    "fields": Input(BODY, lambda n: Sent(LIST, fields(n))),
    "fields, read strictly": Input(
        BODY, lambda n: Sent(LIST, fields(n), profile="documented")
    ),
    "short fields, read strictly": Input(
        BODY, lambda n: Sent(LIST, short_fields(n), profile="documented")
    ),
    "integers, read strictly": Input(
        BODY, lambda n: replace(listed(array(b"1", n)), profile="documented")
    ),
    "fields within the limit": Input(
        Published.json_values - 10,
        lambda n: with_fields(x=dict.fromkeys(map(hex, range(n)))),
    ),
    "name of a field": Input(BODY, lambda n: Sent(LIST, b"{%b:1}" % text("n", n))),
    "text": Input(BODY, lambda n: listed(text("x", n))),
    "cut marks": Input(BODY, lambda n: listed(text("…", n))),
    "escapes": Input(BODY, lambda n: listed(text("\\u0041", n))),
    "quotes": Input(BODY, lambda n: listed(text('\\"', n))),
    "keys": Input(BODY, lambda n: listed(text(KEY, n))),
    "escaped keys": Input(BODY, lambda n: listed(text("\\u0066" + KEY[1:], n))),
    "beginnings of keys": Input(BODY, lambda n: listed(text(KEY[:-1], n))),
    "issued keys": Input(BODY, lambda n: listed(text("fastgpt-sbx-0", n))),
    "broken JSON": Input(BODY, lambda n: Sent(LIST, b'{"x":' + array(b"1", n))),
    "white space": Input(BODY, lambda n: Sent(LIST, b" " * n)),
    "id": Input(BODY, lambda n: with_fields(datasetId="d" * n)),
    "offset": Input(BODY, lambda n: with_fields(offset="1" * n)),
    "searchText": Input(BODY, lambda n: with_fields(searchText="s" * n)),
    "searchText within the limit": Input(
        Published.search_chars, lambda n: with_fields(searchText="e\u0301" * (n // 2))
    ),
    # Ordering marks takes five times what folding other text does, once for each.
    "marks that are searched": Input(Published.fixture_text_chars, marked),
    "marks in titles that are searched": Input(
        Published.fixture_text_chars, marked_titles
    ),
    "marks that are explained": Input(Published.fixture_text_chars, explained),
    "unknown fields that are explained": Input(
        1_000, lambda n: explained_beside("".join(f',"{k}":[[[]]]' for k in range(n)))
    ),
    "largest row": Input(
        Published.row_bytes,
        lambda n: [
            state(json.dumps({"datasets": [dataset_of_row("\x01" * (n // 13))]})),
            Sent(f"{RELATED}/data/detail", b"", "GET", query="id=r", at_once=2),
        ],
    ),
    "permissions for many keys": Input(1_500, permissions_of_datasets),
    "page of long texts": Input(
        Published.fixture_text_chars,
        lambda n: [long_texts("\x01" * n), listed_of("d", pageSize=100)],
    ),
    "page of long texts that fits": Input(
        Published.fixture_text_chars,
        lambda n: [long_texts("\x01" * n), listed_of("d", pageSize=18)],
    ),
    "marks in names that were written": Input(1_000, marked_names),
    "marks in a searchText": Input(
        Published.search_chars,
        lambda n: with_fields(searchText="\u0301\u0327" * (n // 2)),
    ),
    "too many filterTags": Input(
        Published.json_values - 10, lambda n: with_fields(filterTags=["t"] * n)
    ),
    "filterTags": Input(BODY, lambda n: with_fields(filterTags=["t" * (n // 90)] * 80)),
    "inputs of a node": Input(
        12_000, lambda n: workflow(node(inputs=[node_input(required=1.0)] * n))
    ),
    "nodes, the last one wrong": Input(
        8_000, lambda n: workflow(*[node(showStatus=1.0)] * n, {})
    ),
    "types of an input, the last one wrong": Input(
        40_000,
        lambda n: workflow(
            node(inputs=[node_input(renderTypeList=["input"] * n + [1])])
        ),
    ),
    "ids of chats, the last one empty": Input(
        48_000,
        lambda n: sent_json(
            f"{CHATS}/history/batchDelete", appId="a", chatIds=["a"] * n + [""]
        ),
    ),
    "marks in any order in rows that are searched": Input(
        8_192,
        lambda n: [
            EMPTY,
            *[insertion_of("".join(marks_in_any_order(n)), at) for at in range(20)],
            rows_listed(offset=0, searchText="x"),
        ],
    ),
    "marks in any order in a row that is searched": Input(
        131_072,
        lambda n: [
            EMPTY,
            sent_json(INSERT, collectionId="c", q="".join(marks_in_any_order(n))),
            rows_listed(offset=0, searchText="x"),
        ],
    ),
    "fields of a row": Input(ROWS, lambda n: Sent(INSERT, short_fields(n))),
    "integers in a row": Input(ROWS, lambda n: Sent(INSERT, of_a_row(array(b"1", n)))),
    "exponents in a row": Input(
        ROWS, lambda n: Sent(INSERT, of_a_row(array(b"9" * 63 + b"e245", n)))
    ),
    "fractions in a row": Input(
        3_086_000, lambda n: Sent(INSERT, b'{"x":%b}' % array(BETWEEN_DOUBLES, n))
    ),
    "chains in a row": Input(
        1_009_000, lambda n: Sent(INSERT, b'{"x":%b}' % array(CHAIN, n))
    ),
    "exponents in metadata": Input(ROWS, lambda n: with_metadata(b"1e308", n)),
    "objects in metadata": Input(ROWS, lambda n: with_metadata(b'{"":0}', n)),
    "a password": Input(BODY, lambda n: Sent(LOGIN, b'{"password":%b}' % text("a", n))),
    "fields of a login": Input(780_000, lambda n: Sent(LOGIN, fields(n))),
    "texts of a password": Input(
        BODY, lambda n: Sent(LOGIN, b'{"password":%b}' % array(b'""', n))
    ),
    "escapes of a password": Input(
        BODY, lambda n: Sent(LOGIN, b'{"password":%b}' % text("%41", n))
    ),
    "passwords all over the headers": Input(
        DEFAULT_LIMITS.head_line_bytes, lambda n: logged_in_with("a" * (n - 100))
    ),
    "near misses of passwords": Input(
        DEFAULT_LIMITS.head_line_bytes, lambda n: missing_passwords("a" * (n - 100))
    ),
    "long words that may be keys": Input(
        DEFAULT_LIMITS.head_line_bytes, lambda n: key_words(n - 100)
    ),
    "near misses of keys in headers of an answer": Input(
        DEFAULT_LIMITS.response_headers,
        lambda n: [
            answer(headers=long_headers(n, f"{NESTED}{'a' * 4_000}"), text="x"),
            replace(sent_json(ANSWERED), headers=bearer(NEAR_WORDS)),
        ],
    ),
    "quotes of a password in a list": Input(
        BODY // 2, lambda n: Sent(LOGIN, b'{"password":[%b]}' % text('\\"', n))
    ),
    "quotes of many passwords": Input(
        50, lambda n: sent_json(LOGIN, **{f"f{at}": ['"' * 9_000] for at in range(n)})
    ),
    "quotes of a login that is no object": Input(
        BODY // 2, lambda n: Sent(LOGIN, b'["%b' % (b'\\"' * (n // 2)))
    ),
    "starts of a key in a body that is refused": Input(
        2 * BODY, lambda n: Sent(LIST, b"a" * n, headers=bearer("a" * 60 + "b"))
    ),
    "starts of a key before marks": Input(
        BODY // 4,
        lambda n: [
            answer(text=f"%4%3%3%31{'a' * 450}c\u2026" * (n // 460)),
            replace(sent_json(ANSWERED), headers=bearer("a" * 60 + "b")),
        ],
    ),
    "escapes in names beside many keys": Input(
        DEFAULT_LIMITS.keys - 1,
        lambda n: [
            numbered_keys(n),
            sent_json(LIST, **{f"%4%3%3%31\0\\{at}{'x' * 900}": 1 for at in range(20)}),
        ],
    ),
    "escapes beside a password outside ASCII": Input(
        BODY,
        lambda n: Sent(
            LOGIN,
            b'{"password":"\\u5bc6\\u7801\\u5bc6","username":%b}' % text("\\u5bc6", n),
        ),
    ),
    "numbers in parts of a form": Input(60_000, of_numbers),
    "numbers behind a quote in a form": Input(
        60_000, lambda n: of_parts(b"1", b'"', array(b"9e300", n), b'"')
    ),
    "datasets that were put before a text is made": Input(
        400,
        lambda n: [
            *(admin("PUT", f"/datasets/x{each}", {"name": "x"}) for each in range(n)),
            of_short_chunks(300_000),
        ],
    ),
    "chunks that are trained at once": Input(
        DEFAULT_LIMITS.waiting_rows,
        lambda n: [
            AT_ONCE,
            of_chunks(n),
        ],
    ),
    "datasets that were put before one with rows": Input(
        300,
        lambda n: [
            *(admin("PUT", f"/datasets/x{each}", {"name": "x"}) for each in range(n)),
            admin("PUT", "/datasets/x", many_rows(20_000)),
        ],
    ),
    "rows that are put again beside many datasets": Input(
        300,
        lambda n: [
            *(
                admin("PUT", f"/datasets/x{each}", {"name": "x"} | many_rows(1))
                for each in range(n)
            ),
            *[admin("PUT", "/datasets/x", many_rows(20_000))] * 2,
        ],
    ),
    "datasets in which a file is looked for": Input(
        400,
        lambda n: [
            state(f'{{"datasets":[{with_collections(n)}]}}'),
            sent_json(f"{CREATE}/fileId", datasetId="0", fileId="none", name="x"),
        ],
    ),
    "sentences of a text": Input(400_000, of_sentences),
    "text that rows lack": Input(1_020, searched_rows),
    "texts in a row": Input(ROWS, lambda n: Sent(INSERT, of_a_row(array(b'""', n)))),
    "commas in a row": Input(ROWS, lambda n: Sent(INSERT, of_a_row(text(",", n)))),
    "fields of metadata": Input(
        Published.json_values - 10,
        lambda n: Sent(
            "/api/core/dataset/collection/create/text",
            json.dumps({"metadata": dict.fromkeys(map(hex, range(n)))}).encode(),
        ),
    ),
    "escapes in a type that is refused": Input(
        ROWS,
        lambda n: Sent(f"{CREATE}/text", b'{"trainingType":%b}' % text("\\u4e00", n)),
    ),
    "line ends before a form": Input(FORM, lambda n: uploaded(b"\r\n" * (n // 2))),
    "junk before a form": Input(FORM, lambda n: uploaded(b"\r\n" + b"x" * n)),
    "parameters of a form": Input(16_000, lambda n: uploaded(b"x", ";" * n)),
    "parameters of a part": Input(
        4_000, lambda n: uploaded(part(";" * n) * DEFAULT_LIMITS.form_parts)
    ),
    "boundaries in a file": Input(
        FORM, lambda n: uploaded(part("; filename=x", b"\r\n--edge-X" * (n // 10)))
    ),
    "chunks of a text": Input(
        DEFAULT_LIMITS.waiting_rows, lambda n: trained(n, listed(b"0"))[:1]
    ),
    "paragraphs of a text": Input(ROWS, lambda n: made_of(text("a\\n\\n", n))),
    "separators of a text": Input(200_000, lambda n: separated("a" * n)),
    "blank lines of a text": Input(ESCAPES, lambda n: made_of(text("\\n\\r\\n", n))),
    "more escapes than are read": Input(ROWS, lambda n: made_of(text("\\n\\r\\n", n))),
    "text beside a query": Input(
        ESCAPES, lambda n: made_of(text('\\"', n), query="parentId=")
    ),
    "rows beside a query": Input(
        200, lambda n: replace(pushed(n), query="trainingType=chunk")
    ),
    "indexes of a row": Input(
        48_000, lambda n: Sent(INSERT, of_a_row(b"[%b0]" % (b'{"text":"x"},' * n)))
    ),
    "a long body by a share link": Input(900_000, lambda n: by_link(source="x" * n)),
    "many fields by a share link": Input(
        40_000, lambda n: by_link(**{f"f{at}": at for at in range(n)})
    ),
    "a share link as a long text": Input(900_000, lambda n: by_link("\\" * n)),
    "a share link in depth": Input(900_000, lambda n: by_link([[]] * (n // 3))),
    "messages": Input(48_000, lambda n: conversation([{"role": "user"}] * n)),
    "messages, one of them none": Input(
        48_000, lambda n: conversation([*[{"role": "user"}] * n, 1])
    ),
    "parts of a message": Input(
        24_900,
        lambda n: conversation(
            [{"role": "user", "content": [{"type": "text", "text": '"9e\\'}] * n}]
        ),
    ),
    "rows that are trained": Input(
        DEFAULT_LIMITS.waiting_rows, lambda n: trained(n, listed(b"0"))
    ),
    "rows that are searched": Input(
        DEFAULT_LIMITS.waiting_rows,
        lambda n: [*trained(n, listed(b"0")), SEARCH],
    ),
    "words that are searched": Input(
        BODY,
        lambda n: replace(SEARCH, body=SEARCH.body.replace(b"00", b"00 " * (n // 3))),
    ),
    "title": Input(
        BODY,
        lambda n: Sent(
            PIN,
            json.dumps({"appId": APP, "chatId": CHAT, "title": "t" * n}).encode(),
            "PUT",
        ),
    ),
    "page of long rows": Input(30, lambda n: rows_of(n, "x", 10**6, rows_listed())),
    "page of long records": Input(
        50,
        lambda n: asked(
            n,
            "x" * 900_000,
            sent_json("/api/core/chat/record/getPaginationRecords", **RECORDS),
        ),
    ),
    "part of long records": Input(
        50,
        lambda n: asked(
            n,
            "x" * 900_000,
            sent_json("/api/core/chat/record/getRecords_v2", **RECORDS),
        ),
    ),
    "list of long introductions": Input(900, lambda n: datasets_of(n, "\u6587")),
    "list of a fixture's datasets": Input(
        DEFAULT_LIMITS.fixture_holders,
        lambda n: [holders("datasets", n), sent_json(f"{RELATED}/list")],
    ),
    "list of a fixture's apps": Input(
        DEFAULT_LIMITS.fixture_holders,
        lambda n: [holders("apps", n), sent_json(f"{APPS}/list")],
    ),
    "export of rows": Input(
        8,
        lambda n: rows_of(
            n, '"', 500_000, sent_json(f"{RELATED}/collection/export", collectionId="c")
        ),
    ),
    "list of apps": Input(900, lambda n: apps_of(n, "\u6587")),
    "search of apps amid marks": Input(400, lambda n: apps_of(n, MARKS, searchKey="x")),
    "nodes of an app": Input(
        BODY,
        lambda n: Sent(
            f"{APPS}/create",
            b'{"name":"n","type":"simple","modules":%b}' % array(b"{}", n - 50),
        ),
    ),
    "introductions that are searched": Input(
        400, lambda n: datasets_of(n, MARKS, searchKey="x")
    ),
    "rows that a list searches": Input(
        8, lambda n: rows_of(n, COMPOSED, 10**6, rows_listed(searchText="x"))
    ),
    "plain rows that a list searches": Input(
        40, lambda n: rows_of(n, "\u6587", 600_000, rows_listed(searchText="x"))
    ),
    "search of datasets for marks": Input(
        BODY, lambda n: sent_json(f"{RELATED}/list", searchKey=MARKS * (n // 4))
    ),
    "search of apps for marks": Input(
        BODY, lambda n: sent_json(f"{APPS}/list", searchKey=MARKS * (n // 4))
    ),
    "rows that a search compares": Input(
        5_200,
        lambda n: rows_of(
            n,
            "a",
            50,
            sent_json(
                f"{RELATED}/searchTest",
                datasetId="d",
                text=" ".join(f"a{chr(each)}" for each in range(0x31, 0x100)),
            ),
        ),
    ),
    "rows that are searched but not near": Input(
        512 * 1024,
        lambda n: [
            EMPTY,
            sent_json(INSERT, collectionId="c", q="文，" * (n // 2), a="x"),
            sent_json(INSERT, collectionId="c", q="文，" * (n // 2 - 4_500)),
            sent_json(
                f"{RELATED}/searchTest", datasetId="d", text="文，zz", similarity=0.9
            ),
        ],
    ),
    "slow characters of a question": Input(
        32_768,
        lambda n: [
            EMPTY,
            sent_json(f"{RELATED}/searchTest", datasetId="d", text=SLOW_PAIR * n),
        ],
    ),
    "first search of slow characters": Input(
        16,
        lambda n: [
            admin("PUT", "/state", {"datasets": [{"id": "d", "collections": slow(n)}]}),
            sent_json(LIST, offset=0, datasetId="d", parentId=None, searchText="x"),
        ],
    ),
    "marks in a row that is searched": Input(
        10**6,
        lambda n: rows_of(
            1, MARKS, n, sent_json(f"{RELATED}/searchTest", datasetId="d", text="x")
        ),
    ),
    "collections with long tags": Input(
        800,
        lambda n: tagged(
            n, sent_json(f"{RELATED}/collection/list", datasetId="d", simple=True)
        ),
    ),
    "words of a stream": Input(
        BODY // 2,
        lambda n: [
            EMPTY,
            sent_json(
                "/api/v1/chat/completions",
                appId="a",
                stream=True,
                messages=[{"role": "user", "content": "a " * (n - 100)}],
            ),
        ],
    ),
    "faults": Input(100, lambda n: [*wanting(n), listed(array(b"0", 2_600))]),
}
ANSWERED = "/api/any/path"
QUOTES = '"' * 1_000_000


def answer(**fields: Any) -> Sent:
    """An answer to that path is added."""
    fields |= {"kind": "answer", "operation": f"POST {ANSWERED}"}
    return admin("POST", "/faults", fields)


def declared(bodies: Iterable[Any]) -> Sent:
    """Answers at that path are declared, each for requests with such a body."""
    entry = {"method": "POST", "path": ANSWERED}
    entries = [{**entry, "match": {"body": each}} for each in bodies]
    return admin("PUT", "/state", {"responses": entries})


def long_headers(count: int, text: str) -> dict[str, str]:
    """So many headers that repeat a text."""
    most = Published.response_header_chars
    return {f"x-{number}": (text * most)[:most] for number in range(count)}


def large(size: int) -> Sent:
    """An answer with a list of so many items is declared."""
    return Sent(
        STATE,
        b'{"responses":[{"method":"POST","path":"%b","json":[0%b]}]}'
        % (ANSWERED.encode(), b",0" * size),
        "PUT",
    )


def broken_stream(size: int) -> list[Sent]:
    """A request for events of `size` bytes, all of which a fault breaks."""
    headers = {"Content-Type": "text/event-stream"}
    answered = {"method": "POST", "path": ANSWERED, "headers": headers}
    text = "data:}\n" * (size // 7)
    return [
        admin("PUT", "/state", {"responses": [answered | {"text": text}]}),
        admin("POST", "/faults", {"kind": "malformed_json"}),
        sent_json(ANSWERED),
    ]


def unlike(count: int) -> list[Any]:
    """Replies to questions that nobody asks."""
    questions = ("a" * 99 + str(at) for at in range(count))
    return [{"text": "x", "match": {"question": each}} for each in questions]


def reply(**fields: Any) -> Sent:
    return admin("POST", "/faults", {"kind": "reply", **fields})


def completion(question: str, **fields: Any) -> Sent:
    messages = [{"role": "user", "content": question}]
    return sent_json("/api/v1/chat/completions", messages=messages, **fields)


def spoiled(size: int, fault: dict[str, Any]) -> list[Sent]:
    """An answer with a page of so many items, and a fault that works on it."""
    data = {"list": [{"a": 1}] * size, "total": 1}
    both = {"kind": "answer", "data": data}, fault
    return [admin("POST", "/faults", {"operation": "listV2"} | each) for each in both]


def altered(fault: bytes, size: int) -> Sent:
    """The same of a state, where an answer may have more items."""
    answer = b'{"kind":"answer","operation":"listV2","data":{"total":1,"list":[{}%b]}}'
    faults = b"[%b,%b]" % (answer % (b",{}" * size), fault)
    dataset = b'{"id":"%b","name":"n"}' % DATASET.encode()
    return Sent(STATE, b'{"datasets":[%b],"faults":%b}' % (dataset, faults), "PUT")


def named(count: int) -> list[Sent]:
    """Answers at one path whose last parameter has other names, and one is spent."""
    path = ("/" + "c" * 15) * 61
    names = [f"{path}/{{a{number:04}}}" for number in range(2 * count)]
    once = {"json": 1, "times": 1}
    entries = [{"method": "POST", "path": each} | once for each in names[count:]]
    added = [
        admin("POST", "/faults", once | {"kind": "answer", "operation": f"POST {each}"})
        for each in names[:count]
    ]
    sent = Sent(f"{path}/a")
    return [admin("PUT", "/state", {"responses": entries}), *added, sent, sent]


def with_numbers(count: int) -> dict[str, Any]:
    """A state of static responses, each with 2,000 numbers."""
    numbers = {"method": "GET", "json": [1.5] * 2_000}
    return {"responses": [numbers | {"path": f"/{n}"} for n in range(count // 2_000)]}


def at_path(number: int) -> Sent:
    """An answer that looks for a part of a path."""
    wanted = {"id": {"contains": f"z{number}"}}
    fields = {"kind": "answer", "operation": "POST /any/{id}", "json": 1}
    return admin("POST", "/faults", fields | {"match": {"path": wanted}})


def of_shape(number: int) -> Sent:
    """An answer at a path with parameters where no other one has them."""
    segments = ["b"] * Published.answered_segments
    segments[number % 32], segments[32 + number // 32] = "{x}", "{y}"
    fields = {"kind": "answer", "operation": f"POST /{'/'.join(segments)}"}
    return admin("POST", "/faults", fields)


def page(size: int) -> dict[str, Any]:
    """Data of a page whose last item is none."""
    item: dict[str, Any] = {
        "_id": "c",
        "parentId": None,
        "type": "file",
        "name": "n",
        "tags": [],
        "trainingType": "chunk",
        "dataAmount": 1,
    }
    return {"data": {"list": [*[item] * size, {}], "total": 1}}


LETTERS = [*"abcdefghijklm"]
PART = "a" * 49 + "b" + "a" * 49
PARTS = {"body": {"q": [{"contains": PART}] * 8}}
LOOKING = {
    "text": "x",
    "match": {
        "body": {"x": [0] * 60, "y": {"contains": PART}},
        "question": PART,
    },
}
COMPARED = {
    "kind": "answer",
    "operation": "completions",
    "json": 1,
    "match": LOOKING["match"],
}
SHOWN = sent_json("/api/core/chat/record/getPaginationRecords", **RECORDS)


def recorded(count: int, part: object) -> list[Sent]:
    """A reply with such a part, said so often in one chat."""
    return [
        EMPTY,
        reply(parts=["x", part], times=count),
        *[completion("y", appId="a", chatId="x")] * count,
    ]


CHATS = "/api/core/chat"
FEEDBACK, FORGET = f"{CHATS}/feedback/updateUserFeedback", f"{CHATS}/record/delete"
RECORDS_PART = f"{CHATS}/record/getRecords_v2"
GUIDE = "/api/core/ai/agent/v2/createQuestionGuide"


def spoken(count: int, *then: Sent, **fields: Any) -> list[Sent]:
    """A chat of so many replies that is put, and what follows."""
    each = {"obj": "AI", "text": "x"} | fields
    records = [{"dataId": f"r{number}"} | each for number in range(count)]
    app = {"id": "a", "chats": [{"chatId": "x", "records": records}]}
    return [admin("PUT", "/state", {"apps": [app]}), *then]


def records_of(ids: list[str]) -> Sent:
    """A chat of replies with these ids is put."""
    records = [{"obj": "AI", "text": "x", "dataId": each} for each in ids]
    app = {"id": "a", "chats": [{"chatId": "x", "records": records}]}
    return admin("PUT", "/state", {"apps": [app]})


def of_record(path: str, **fields: Any) -> Sent:
    """A call of a route of chat records."""
    return sent_json(path, appId="a", chatId="x", **fields)


def forgotten(ids: object) -> Sent:
    """Records are deleted."""
    return replace(of_record(FORGET, contentIds=ids), method="DELETE")


SLOW_PAIR = "\U0001d160\u1fb7"
"""Two characters that take long to fold."""


def slow(count: int) -> list[object]:
    """Collections whose names and tags take long to fold."""
    tags = [f"{SLOW_PAIR * 106}{n:02}" for n in range(100)]
    return [
        {"name": SLOW_PAIR * 512, "_id": f"{n}", "tags": tags} for n in range(count)
    ]


def calling(count: int, params: Sequence[object] = [[]] * 99_000) -> Sent:
    """An app with this number of replies that call a tool."""
    reply = {"parts": [{"tool": {"name": "t", "params": params}}]}
    return admin("PUT", "/state", {"apps": [{"id": "a", "replies": [reply] * count}]})


def quoting(count: int) -> list[object]:
    """A reply with this number of empty quotes."""
    return [{"parts": [{"quotes": [{}] * count}]}]


def results(count: int, part: object) -> list[Sent]:
    """A reply with such parts, and its results."""
    query = "appId=a&chatId=x&dataId=r"
    return [
        EMPTY,
        reply(parts=["x", *[part] * count]),
        completion("y", appId="a", chatId="x", responseChatItemId="r"),
        Sent(f"{CHATS}/record/getResData", method="GET", query=query),
    ]


RECORDED = {
    "replies, the last of which is rated": Input(
        200_000,
        lambda n: spoken(
            n, of_record(FEEDBACK, dataId=f"r{n - 1}", userGoodFeedback="yes")
        ),
    ),
    "text of a rating": Input(
        BODY,
        lambda n: spoken(1, of_record(FEEDBACK, dataId="r0", userBadFeedback="x" * n)),
    ),
    "first feedback in a long chat": Input(
        250_000,
        lambda n: spoken(n, of_record(FEEDBACK, dataId="r0", userGoodFeedback="x")),
    ),
    "records that are deleted": Input(
        Published.ids,
        lambda n: spoken(10_000, forgotten([f"r{number}" for number in range(n)])),
    ),
    "records that are deleted, as a text": Input(
        2_700,
        lambda n: spoken(10_000, forgotten(",".join(f"r{it}" for it in range(n)))),
    ),
    "records of one id that are deleted": Input(
        10_000, lambda n: spoken(n, forgotten(["r"]), dataId="r")
    ),
    "records of many ids that are deleted": Input(
        8_000,
        lambda n: [
            records_of([*map(chr, range(0x4E00, 0x4E00 + n))] * 2 + ["r"] * n),
            forgotten(",".join(["r", *map(chr, range(0x4E00, 0x4E00 + n))])),
        ],
    ),
    "commas between records": Input(
        Published.intro_chars, lambda n: spoken(1, forgotten("," * n))
    ),
    "deleted records amid others": Input(
        10_000,
        lambda n: spoken(n, SHOWN, deleteTime="2026-01-01T00:00:00Z"),
    ),
    "deleted records that are loaded": Input(
        300_000, lambda n: spoken(n, deleteTime="2026-01-01T00:00:00Z")
    ),
    "search for a record beside a deleted one": Input(
        20_000,
        lambda n: spoken(
            n,
            forgotten(["r0"]),
            replace(of_record(RECORDS_PART, initialId=f"r{n - 1}"), at_once=6),
        ),
    ),
    "results of a reply in a long chat": Input(
        200_000,
        lambda n: spoken(
            n,
            Sent(
                f"{CHATS}/record/getResData",
                method="GET",
                query=f"appId=a&chatId=x&dataId=r{n - 1}",
                at_once=20,
            ),
        ),
    ),
    "results with quotes": Input(
        48_000, lambda n: results(1, {"quotes": [{"id": "x"}] * n})
    ),
    "results of nodes": Input(
        Published.reply_parts - 1, lambda n: results(n, {"node": "x" * 1_000})
    ),
    "settings of a question guide": Input(
        48_000,
        lambda n: [EMPTY, of_record(GUIDE, questionGuide={"open": [{}] * n})],
    ),
    "messages of a question guide": Input(
        48_000, lambda n: sent_json(GUIDE.replace("/v2", ""), messages=[{}] * n)
    ),
    "arrays beside a key that is looked after": Input(
        516_000,
        lambda n: Sent(
            "/api/support/openapi/health",
            b'{"x":%b}' % array(b"[" * 60 + b"]" * 60, n // 60 * 121),
        ),
    ),
    "key that is looked after": Input(
        60_000,
        lambda n: Sent(
            "/api/support/openapi/health", method="GET", query=f"apiKey={'k' * n}"
        ),
    ),
    "name of a file to upload": Input(
        BODY,
        lambda n: [
            EMPTY,
            sent_json(
                f"{RELATED}/file/presignDatasetFilePostUrl",
                datasetId="d",
                filename="x" * n,
            ),
        ],
    ),
}
SCRIPTED = {
    "braces of an answer": Input(BODY // 2, lambda n: answer(json="{{" * n)),
    "empty parts of a reply": Input(
        48_000,
        lambda n: admin("POST", "/faults", {"kind": "reply", "parts": [{}] * n}),
    ),
    "parts of a reply, the last one wrong": Input(
        24_000, lambda n: reply(parts=[{"text": ""}] * n + [{"x": 1}])
    ),
    "JSON of an answer": Input(BODY // 4, lambda n: answer(json=[0] * n)),
    "objects of an answer": Input(
        Published.json_containers - 100, lambda n: answer(json=[{"a": 1}] * n)
    ),
    "objects around a placeholder": Input(
        Published.json_values // 2 - 100,
        lambda n: answer(json=[*[{"a": 1}] * n, "{{body.x}}"]),
    ),
    "names of an answer": Input(
        Published.json_values - 100,
        lambda n: answer(json={f"\u00e9{number}": 1 for number in range(n)}),
    ),
    "items of an answer that are altered": Input(
        40_000,
        lambda n: [
            *spoiled(n, {"kind": "alter", "set": {"z": "q" * 80}}),
            listed(b"0"),
        ],
    ),
    "items of an answer that lose fields": Input(
        40_000,
        lambda n: [
            *spoiled(n, {"kind": "alter", "remove": [*map(hex, range(500))]}),
            listed(b"0"),
        ],
    ),
    "items of a placeholder that are altered": Input(
        49_000,
        lambda n: [
            admin(
                "POST",
                "/faults",
                {
                    "kind": "answer",
                    "operation": "listV2",
                    "data": {"list": "{{body.x}}", "total": 1},
                },
            ),
            admin(
                "POST",
                "/faults",
                {"kind": "alter", "set": dict.fromkeys(LETTERS, 1), "remove": LETTERS},
            ),
            with_fields(x=[{}] * n),
        ],
    ),
    "items of an answer that drift": Input(
        40_000,
        lambda n: [*spoiled(n, {"kind": "page_drift", "insert": 1}), listed(b"0")],
    ),
    "items of a declared answer that are altered": Input(
        1_000_000,
        lambda n: [
            altered(b'{"set":{"z":0},"kind":"alter","operation":"listV2"}', n),
            listed(b"0"),
        ],
    ),
    "items of a declared answer that drift": Input(
        1_000_000,
        lambda n: [
            altered(b'{"kind":"duplicate_item","operation":"listV2"}', n),
            listed(b"0"),
        ],
    ),
    "names of paths of answers": Input(DEFAULT_LIMITS.answers, lambda n: named(n)),
    "text of an answer": Input(BODY - 200, lambda n: answer(text="x" * n)),
    "placeholders of an answer": Input(
        Published.placeholders,
        lambda n: [
            answer(json=["{{body.x}} y"] * n),
            sent_json(ANSWERED, x="z"),
        ],
    ),
    "numbers that placeholders stand for": Input(
        950,
        lambda n: [
            answer(json=["{{body.x}}"] * Published.placeholders),
            sent_json(ANSWERED, x=[5.5] * n),
        ],
    ),
    "digits that placeholders stand for": Input(
        4_000,
        lambda n: [
            answer(json=["{{body.x}}"] * Published.placeholders),
            Sent(ANSWERED, b'{"x":%b}' % (b"9" * n)),
        ],
    ),
    "numbers that alter sets": Input(
        1_000,
        lambda n: [
            *spoiled(n, {"kind": "alter", "set": {"z": [0.5] * 1_000}}),
            listed(b"0"),
        ],
    ),
    "what a placeholder stands for": Input(
        BODY // 8,
        lambda n: [answer(json="{{body.x}}"), sent_json(ANSWERED, x="z" * n)],
    ),
    "half a placeholder": Input(
        BODY // 8,
        lambda n: [answer(json="{{body.a" * (n // 8)), sent_json(ANSWERED)],
    ),
    "names of a placeholder": Input(
        BODY // 2,
        lambda n: [answer(json="{{body" + ".a" * (n // 2)), sent_json(ANSWERED)],
    ),
    "page of an answer": Input(1_900, lambda n: answer(**page(n))),
    "page that differs": Input(
        1_900,
        lambda n: [
            admin(
                "POST", "/faults", {"kind": "answer", "operation": "listV2"} | page(n)
            ),
            listed(b"0"),
        ],
    ),
    "page that differs by a placeholder": Input(
        1_900,
        lambda n: [
            admin(
                "POST",
                "/faults",
                {"kind": "answer", "operation": "listV2"}
                | {"data": {"list": "{{body.l}}", "total": 1}},
            ),
            with_fields(l=page(n)["data"]["list"]),
        ],
    ),
    "segments of paths of answers": Input(
        DEFAULT_LIMITS.answers,
        lambda n: [*map(of_shape, range(n)), Sent("/a" * Published.answered_segments)],
    ),
    "headers of an answer": Input(
        DEFAULT_LIMITS.response_headers, lambda n: answer(headers=long_headers(n, "y"))
    ),
    "headers of marks": Input(
        DEFAULT_LIMITS.response_headers,
        lambda n: [
            answer(headers=long_headers(n, f"%4%3%3%31{'x' * 300}\\u2026"), text="x"),
            sent_json(ANSWERED),
        ],
    ),
    "headers of escapes and marks": Input(
        DEFAULT_LIMITS.response_headers,
        lambda n: [
            answer(headers=long_headers(n, "%4%3%3%31\\u2026"), text="x"),
            sent_json(ANSWERED),
        ],
    ),
    "marks of an answer": Input(
        BODY // 4,
        lambda n: [
            answer(text="%4%3%3%31fastgpt-\u2026" * (n // 20)),
            sent_json(ANSWERED),
        ],
    ),
    "answers that look for a part": Input(
        DEFAULT_LIMITS.responses,
        lambda n: [
            declared({"x": {"contains": "a" * 99 + str(at)}} for at in range(n)),
            sent_json(ANSWERED, x="a" * BODY),
        ],
    ),
    "answers that look at fields": Input(
        DEFAULT_LIMITS.responses,
        lambda n: [
            declared({"x": [*[0] * 62, at + 1]} for at in range(n)),
            sent_json(ANSWERED, x=[0] * 63),
        ],
    ),
    "replies that look for parts": Input(
        DEFAULT_LIMITS.replies,
        lambda n: [
            admin("PUT", "/state", {"apps": [{"id": "a"}], "replies": [LOOKING] * n}),
            completion("a" * 16_384, x=[0] * 60, y="a" * 3_900 + PART),
        ],
    ),
    "faults that look for parts": Input(
        DEFAULT_LIMITS.faults,
        lambda n: [
            *[admin("POST", "/faults", {"kind": "error", "match": PARTS})] * n,
            with_fields(q=[*["a" * 3_900 + PART] * 7, "a" * 16_384]),
        ],
    ),
    "faults, answers and replies that look for parts": Input(
        DEFAULT_LIMITS.replies * 3 // 4,
        lambda n: [
            admin("PUT", "/state", {"apps": [{"id": "a"}], "replies": [LOOKING] * n}),
            *[admin("POST", "/faults", {"kind": "error", "match": PARTS})] * (n // 10),
            admin("POST", "/faults", {"kind": "lost_write"}),
            *[admin("POST", "/faults", COMPARED)] * n,
            completion(
                "a" * 16_384,
                appId="a",
                x=[0] * 60,
                y="a" * 3_900 + PART,
                q=[*["a" * 3_900 + PART] * 7, "a" * 16_384],
            ),
        ],
    ),
    "answer whose match is compared with those of others": Input(
        1_000,
        lambda n: [
            answer(
                match={"body": {f"k{at}": {"a": 1} for at in range(27)} | {"z": number}}
            )
            for number in range(n)
        ],
    ),
    "events that are all broken": Input(4_190_000, broken_stream),
    "static responses that are listed": Input(
        1_000_000,
        lambda n: [
            admin("PUT", "/state", with_numbers(n)),
            Sent("/__admin/responses", method="GET"),
        ],
    ),
    "paths of answers": Input(
        DEFAULT_LIMITS.answers,
        lambda n: [*map(at_path, range(n)), Sent("/any/" + "%41" * 5_300)],
    ),
    "replies that look for a part of the question": Input(
        DEFAULT_LIMITS.replies,
        lambda n: [
            admin("PUT", "/state", {"apps": [{"id": "a"}], "replies": unlike(n)}),
            completion("a" * (BODY - 200)),
        ],
    ),
    "words of a reply": Input(
        BODY // 4,
        lambda n: [
            reply(text="x " * (n // 2)),
            completion("y", stream=True, detail=True),
        ],
    ),
    "parts of a reply": Input(
        Published.reply_parts,
        lambda n: [
            reply(parts=[{"tool": {"name": "t", "params": [0] * 200}}] * n),
            completion("y", stream=True, detail=True),
        ],
    ),
    "replies of many arrays that are put": Input(28, lambda n: calling(n)),
    "replies of many arrays that are read": Input(
        28, lambda n: [calling(n), Sent("/__admin/apps/a", method="GET")]
    ),
    "quotes of a declared reply": Input(
        Published.reply_values - 10,
        lambda n: [
            admin("PUT", "/state", {"apps": [{"id": "a"}], "replies": quoting(n)}),
            completion("y"),
        ],
    ),
    "slow numbers of a declared reply": Input(
        Published.slow_numbers,
        lambda n: [calling(1, [1e300] * n), completion("y", detail=True)],
    ),
    "declared JSON that is put": Input(2_000_000, lambda n: large(n)),
    "declared JSON that is answered": Input(
        2_000_000, lambda n: [large(n), Sent(ANSWERED)]
    ),
    "declared JSON that is written": Input(
        2_000_000, lambda n: [large(n), Sent(STATE, method="GET")]
    ),
    "records of replies with quotes": Input(
        50, lambda n: [*recorded(n, {"quotes": [{}] * 48_000}), SHOWN]
    ),
    "more records of replies with quotes": Input(
        500, lambda n: [*recorded(n, {"quotes": [{}] * 48_000}), SHOWN]
    ),
    "records of replies with tools": Input(
        50,
        lambda n: [
            *recorded(n, {"tool": {"name": "t", "params": [{}] * 48_000}}),
            SHOWN,
        ],
    ),
    "parts of many records": Input(
        1_000,
        lambda n: [
            *spoken(n, parts=[{"text": "a"}] * Published.reply_parts),
            SHOWN,
        ],
    ),
    "parts of many records that drift": Input(
        1_000,
        lambda n: [
            *spoken(n, parts=[{"text": "a"}] * Published.reply_parts),
            admin("POST", "/faults", {"kind": "page_drift", "insert": 1}),
            SHOWN,
        ],
    ),
    "error of a record": Input(
        1_000_000,
        lambda n: [*spoken(1, parts=[{"error": {"x": [{}] * n}}]), SHOWN],
    ),
    "large record that is written": Input(
        1_000_000,
        lambda n: [
            *spoken(1, parts=[{"interactive": {"x": [{}] * n}}]),
            Sent(STATE, method="GET"),
        ],
    ),
    "large records that are altered": Input(
        110,
        lambda n: [
            *recorded(n, {"interactive": {"type": "x", "params": [{}] * 20_000}}),
            admin("POST", "/faults", {"kind": "alter", "set": {"x": 1}}),
            SHOWN,
        ],
    ),
}
IN_X = "/__admin/sandboxes/x/state"
ADMIN = {
    "first request after a state of keys": Input(
        999, lambda n: [keyed(n), with_fields(number=1)]
    ),
    "first request after a state of long keys": Input(
        120, lambda n: [keyed(n, 1_000), with_fields(number=1)]
    ),
    "first request after a state of keys that repeat": Input(
        26, lambda n: [repeating(n), with_fields(number=1)]
    ),
    "other keys that are put while a log is written": Input(
        999,
        lambda n: [
            keyed(n),
            admin("POST", "/sandboxes", {"name": "x"}),
            *(
                replace(keyed(n, chars), path=IN_X, is_logged=True)
                for chars in (127, 126)
            ),
        ],
    ),
    "list of sandboxes": Input(
        40,
        lambda n: [
            keyed(999),
            *[admin("POST", "/sandboxes", {})] * n,
            Sent("/__admin/sandboxes", method="GET"),
        ],
    ),
    "list of long answers": Input(
        24, lambda n: [*[long_answer()] * n, Sent("/__admin/faults", method="GET")]
    ),
    "removal of long answers": Input(
        24, lambda n: [*[long_answer()] * n, Sent("/__admin/faults", method="DELETE")]
    ),
    "answers of many values that a reset removes": Input(
        600,
        lambda n: [
            *[
                admin(
                    "POST",
                    "/faults",
                    {"kind": "answer", "operation": "GET /x", "json": [[]] * 9_000},
                )
            ]
            * n,
            admin("POST", "/reset", {}),
        ],
    ),
    "reply of many quotes that is added": Input(
        48_000, lambda n: [EMPTY, reply(parts=[{"quotes": [{"id": "x"}] * n}])]
    ),
    "list of chats with long titles": Input(
        1_000,
        lambda n: [
            chats(n, title="x" * 8_000, customTitle="y" * 8_000),
            Sent("/__admin/apps/a/chats", method="GET", query="limit=1000"),
        ],
    ),
    "match of a fault": Input(
        BODY,
        lambda n: admin(
            "POST", "/faults", {"kind": "error", "match": {"body": {"x": "y" * n}}}
        ),
    ),
    "match of a fault within the limit": Input(
        Published.matched_bytes - 20,
        lambda n: admin(
            "POST",
            "/faults",
            {"kind": "error", "match": {"body": {"x": [0] * (n // 2)}}},
        ),
    ),
    "fields of a fault": Input(BODY, lambda n: Sent("/__admin/faults", fields(n))),
    "altered fields": Input(
        Published.altered_bytes - 20,
        lambda n: admin("POST", "/faults", {"kind": "alter", "set": {"x": "y" * n}}),
    ),
    "altered pages": Input(
        Published.altered_bytes // 11,
        lambda n: [
            *asked(490, "x", admin("GET", "/health", 0)),
            admin(
                "POST",
                "/faults",
                {"kind": "alter", "set": dict.fromkeys(map(hex, range(n)), 0)},
            ),
            sent_json("/api/core/chat/record/getPaginationRecords", **RECORDS),
        ],
    ),
    "removed fields": Input(
        BODY // 8,
        lambda n: admin("POST", "/faults", {"kind": "alter", "remove": ["abc"] * n}),
    ),
    "kind of a fault": Input(
        BODY, lambda n: admin("POST", "/faults", {"kind": "k" * n})
    ),
    "preset": Input(BODY, lambda n: admin("POST", "/faults", {"preset": "p" * n})),
    "verified body": Input(
        BODY,
        lambda n: admin("POST", "/journal/verify", {"body": {"x": [0] * (n // 3)}}),
    ),
    "verified body, of many fields": Input(
        BODY,
        lambda n: Sent("/__admin/journal/verify", b'{"body":%b}' % fields(n)),
    ),
    "verified journal": Input(
        400,
        lambda n: [
            *journalled(n),
            admin("POST", "/journal/verify", {"body": {"x": ["y"] * 1_900, "z": 1}}),
        ],
    ),
    "journal with violations": Input(
        400,
        lambda n: [
            *journalled(n),
            Sent("/__admin/journal", method="GET", query="violations=true"),
        ],
    ),
    "steps in order": Input(
        Published.verified_steps,
        lambda n: admin(
            "POST", "/journal/verify", {"inOrder": [{"operation": "listV2"}] * n}
        ),
    ),
    "query of a journal": Input(
        60_000,
        lambda n: Sent("/__admin/journal", method="GET", query="m=%62&" * (n // 6)),
    ),
    "name of a snapshot": Input(
        60_000, lambda n: admin("PUT", "/snapshots/" + "s" * n, {})
    ),
    "name of a sandbox": Input(
        BODY, lambda n: admin("POST", "/sandboxes", {"name": "s" * n})
    ),
    "choices": Input(
        BODY, lambda n: admin("PUT", "/choices", {"choices": {"c" * n: "v"}})
    ),
    "many choices": Input(
        BODY, lambda n: Sent("/__admin/choices", b'{"choices":%b}' % fields(n), "PUT")
    ),
    "time": Input(BODY, lambda n: admin("PUT", "/clock", {"now": "2" * n})),
    "title of a chat": Input(BODY, lambda n: chat(title="t" * n)),
    "id of a chat": Input(
        60_000, lambda n: admin("GET", "/apps/a/chats/" + "c" * n, 0)
    ),
    "name of a collection": Input(BODY, lambda n: collection(name="n" * n)),
    "tags of a collection": Input(BODY, lambda n: collection(tags=["tag"] * (n // 7))),
    "tags of a collection, the last one wrong": Input(
        48_000, lambda n: collection(tags=["a"] * n + [1])
    ),
    "host": Input(60_000, lambda n: Sent(STATE, headers={"host": "h" * n})),
    "names of a host": Input(
        60_000, lambda n: Sent(STATE, headers={"host": "h." * (n // 2) + "!"})
    ),
    "origin": Input(60_000, lambda n: Sent(STATE, headers={"origin": "o" * n})),
}


def state(document: str, **headers: str) -> Sent:
    """A state that is put."""
    return Sent(STATE, document.encode(), "PUT", headers)


def yaml(document: str) -> Sent:
    """A state in YAML that is put."""
    return Sent(STATE, document.encode(), "PUT", YAML)


SMALL = DEFAULT_LIMITS.inline_load_bytes - 200
STATES = {
    "names": Input(SMALL, lambda n: state(_collections('{"name":"a"}', n))),
    "names, in YAML": Input(SMALL, lambda n: yaml(_collections("{name: a}", n))),
    "one name": Input(
        SMALL, lambda n: state(_collections(f'{{"name":"{"a" * n}"}}', 1))
    ),
    "duplicate keys": Input(
        SMALL, lambda n: state("{%s}" % ('"apps":[],' * (n // 10)))
    ),
    "duplicate keys in YAML": Input(SMALL, lambda n: yaml("apps: []\n" * (n // 9))),
    "unknown fields": Input(SMALL, lambda n: state(fields(n).decode())),
    "mistakes": Input(SMALL, lambda n: state(_collections('{"x":"a"}', n))),
    "misspelt parents": Input(SMALL, lambda n: state(_misspelt(n))),
    "misspelt long parents": Input(SMALL, lambda n: state(_misspelt(n, 199))),
    "aliases": Input(
        SMALL,
        lambda n: yaml("a: &a [x]\nb: [" + "*a, " * (n // 4) + "]"),
    ),
    "chats": Input(
        SMALL,
        lambda n: state(
            '{"apps":[{"id":"a","chats":[%s]}]}'
            % ",".join(f'{{"chatId":"{c}"}}' for c in range(n // 18))
        ),
    ),
    "keys of a state": Input(
        SMALL,
        lambda n: state(
            '{"keys":[%s]}'
            % ",".join(f'{{"key":"key-{k:06}"}}' for k in range(n // 22))
        ),
    ),
    "repeat": Input(
        DEFAULT_LIMITS.inline_load_collections,
        lambda n: state(_collections(f'{{"name":"a {{n}}","repeat":{n}}}', 1)),
    ),
}

BELOW = 60_000
LATER = admin("POST", "/clock/advance", {"seconds": 10**6})
DELETE = "/api/core/dataset/collection/delete"
IN_F = {"offset": 0, "datasetId": "d", "parentId": "f"}
LONG_TAGS = ["\u6587" * 247 + f"{number:03}" for number in range(100)]
IN_ALL_AND_IN_G: list[dict[str, str]] = [{}, {"parentId": "g"}]
EVERYTHING = json.dumps({"offset": 0, "datasetId": "d"}).encode()


def with_collections(count: int) -> str:
    """Datasets, each with a thousand collections, as JSON."""
    one = '"collections":[{"name":"n{n}","repeat":1000}]'
    return ",".join(
        f'{{"id":"{each}","name":"d{each}",{one}}}' for each in range(count)
    )


def with_rows(count: int, rest: str = "") -> Sent:
    """A state with many rows in one collection that is put."""
    return admin("PUT", "/state", {"datasets": [many_rows(count, rest) | {"id": "d"}]})


def many_rows(count: int, rest: str = "") -> dict[str, Any]:
    """A dataset of one collection with many rows."""
    rows = [{"q": f"{number}{rest}"} for number in range(count)]
    return {"name": "d", "collections": [{"_id": "c", "name": "c", "data": rows}]}


def workflow(*nodes: Any) -> Sent:
    """An app with these nodes is made."""
    modules = [{"flowNodeType": "code", "outputs": []} | each for each in nodes]
    return sent_json(APPS_CREATE, name="x", type="simple", modules=modules)


def node(**fields: Any) -> dict[str, Any]:
    """A node of a workflow."""
    return {"nodeId": "", "name": "", "inputs": []} | fields


def node_input(**fields: Any) -> dict[str, Any]:
    """An input of a node."""
    return {"key": "", "label": "", "renderTypeList": []} | fields


def deleted(*numbers: int) -> Sent:
    """Chats of a range of numbers are deleted."""
    chat_ids = [*map(str, range(*numbers))]
    return sent_json(f"{CHATS}/history/batchDelete", appId="a", chatIds=chat_ids)


def visited(count: int) -> list[Sent]:
    """A state with so many chats of one visitor of a share link."""
    every = [
        {"chatId": f"{at}", "shareId": "s", "outLinkUid": "u"} for at in range(count)
    ]
    document = {
        "clock": "2024-01-01T00:00:00Z",  # when the chats were updated
        "shares": [{"shareId": "s", "appId": "a"}],
        "apps": [{"id": "a", "chats": every}],
    }
    return [admin("PUT", "/state", document)]


def cleared(visitor: str) -> Sent:
    """A visitor clears their chats."""
    named = json.dumps({"shareId": "s", "outLinkUid": visitor})
    query = urlencode({"outLinkAuthData": named})
    return Sent(f"{CHATS}/history/clearHistories", method="DELETE", query=query)


def inserted(text: str) -> Sent:
    """A row is inserted."""
    return sent_json(INSERT, collectionId="c", q=text)


def pushed_texts(text: str, count: int) -> Sent:
    """Rows with that text are pushed together."""
    rows = [{"q": text, "a": ""}] * count
    return sent_json(f"{RELATED}/data/pushData", collectionId="c", data=rows)


JOB = {"datasetId": "d", "collectionId": "c", "since": "2099-01-01T00:00:00Z"}


def one_collection() -> dict[str, Any]:
    """A state of one collection."""
    return {"datasets": [{"id": "d", "collections": [{"_id": "c", "name": "c"}]}]}


def large_collections(count: int) -> Sent:
    """A state with collections of 10,000 rows is put."""
    rows = [{"q": "x"}] * 10_000
    collections = [
        {"_id": f"c{number}", "name": "c", "data": rows} for number in range(count)
    ]
    datasets = [{"id": "d", "collections": collections}]
    return admin(
        "PUT", "/state", {"clock": "2099-01-01T00:00:00Z", "datasets": datasets}
    )


def pushed_among(collection_id: str) -> Sent:
    """Rows are pushed that come among all rows of such a collection."""
    rows = [{"q": "z", "a": "", "chunkIndex": 50 * number} for number in range(200)]
    path = f"{RELATED}/data/pushData"
    return sent_json(path, collectionId=collection_id, data=rows)


A_FILE = {"datasetId": "d", "fileId": "f", "name": "x"}


def of_file(size: int) -> Sent:
    """A state with a file of that number of rows is put."""
    one = {"_id": "c", "name": "c.txt", "type": "file", "fileId": "f"}
    collection = one | {"data": [{"q": "x"}] * size}
    return admin(
        "PUT", "/state", {"datasets": [{"id": "d", "collections": [collection]}]}
    )


def trained_among(size: int) -> Sent:
    """A state of rows, among all of which others are trained later."""
    most = DEFAULT_LIMITS.waiting_rows
    rows = [{"q": "x", "chunkIndex": number} for number in range(size)]
    others = [{"q": "y", "chunkIndex": number * size // most} for number in range(most)]
    place = {"datasetId": "d", "collectionId": "c"}
    job = place | {"since": "2026-01-01T00:00:00Z", "data": others}
    dataset = {"id": "d", "collections": [{"_id": "c", "name": "c", "data": rows}]}
    clock = "2026-01-01T00:00:00Z"
    document = {"clock": clock, "datasets": [dataset], "training": [job]}
    return admin("PUT", "/state", document)


def trained_again(size: int) -> list[Sent]:
    """A file of that many bytes is uploaded, and trained again."""
    _, own_id = Store(FixtureData()).new_ids(2)
    data = json.dumps({"datasetId": "d"}).encode()
    form = b"--edge\r\nContent-Disposition: form-data; name=%b\r\n\r\n%b\r\n"
    file = b'"file"; filename="a.txt"', b"ab cd.\n" * (size // 7)
    parts = form % (b'"data"', data) + form % file
    again = f"{RELATED}/collection/create/reTrainingCollection"
    return [
        EMPTY,
        uploaded(parts + b"--edge--\r\n"),
        sent_json(again, collectionId=own_id),
    ]


EXPORT = sent_json(f"{RELATED}/collection/export", collectionId="c")
CHATS_LISTED = sent_json(f"{CHATS}/history/getHistories", appId="a")
FOLDERS = {
    "page of a list that scrolls": Input(
        2 * BELOW,
        lambda n: of_tags(
            n,
            *[
                sent_json(
                    f"{RELATED}/collection/scrollList",
                    datasetId="d",
                    pageSize=30,
                    filterTags=["p", "q"],
                )
            ]
            * 2,
        ),
    ),
    "folder that is deleted": Input(
        BELOW, lambda n: [folder(n), Sent(DELETE, method="DELETE", query="id=f")]
    ),
    "folder of changed folders that is deleted": Input(
        4_900,
        lambda n: [
            folder(n, children=[{"name": "a"}]),
            forbidden(),
            Sent(DELETE, method="DELETE", query="id=f"),
        ],
    ),
    "folder of too many changed folders that is deleted": Input(
        120_000,
        lambda n: [
            nested(n, 9_000),
            *(forbidden(f"f{at}") for at in range(n // 9_000)),
            Sent(DELETE, method="DELETE", query="id=f"),
        ],
    ),
    "folder beside changed folders that is deleted": Input(
        39_000,
        lambda n: [
            *changed_folders(n, children=[{"name": "a"}]),
            Sent(DELETE, method="DELETE", query="id=g"),
        ],
    ),
    "folder beside removed rows that is deleted": Input(
        38_400,
        lambda n: [*removed_rows(n), Sent(DELETE, method="DELETE", query="id=g")],
    ),
    "dataset with removed rows that is put": Input(
        38_400,
        lambda n: [*removed_rows(n), admin("PUT", "/datasets/d", {"id": "d"})],
    ),
    "deletion in many datasets beside jobs": Input(
        16_000,
        lambda n: [
            admin("PUT", "/state", many_datasets(100, n)),
            without(f"c{at}" for at in range(100)),
        ],
    ),
    "deletion of changed folders in many datasets": Input(
        Published.deleted_changes,
        lambda n: [
            *changed_and_searched(n),
            admin("PUT", "/snapshots/s", {}),
            without(f"{name}{at}" for at in range(100) for name in "fg"),
        ],
    ),
    "deletion of the last of many datasets": Input(
        2_900,
        lambda n: [
            admin("PUT", "/state", many_datasets(n, 0)),
            without(f"c{at}" for at in range(n - 100, n)),
        ],
    ),
    "search of rows among removed and forbidden ones": Input(
        160, lambda n: searched_rest(n)
    ),
    "search after many changes": Input(
        79_000,
        lambda n: [
            *changed_folders(n),
            Sent(LIST, b'{"searchText":"a",' + EVERYTHING[1:]),
        ],
    ),
    "folder of marked tags that is disabled after a search": Input(
        230,
        lambda n: [
            folder(n, tags=MARKED_TAGS),
            sent_json(CREATE, datasetId="d", parentId="f", name="x", type="virtual"),
            with_fields(datasetId="d", searchText="zz"),
            forbidden(),
        ],
    ),
    "folder of tags of equal letters that is disabled after searches": Input(
        250,
        lambda n: [
            folder(n, tags=EQUAL_TAGS),
            *searches_in(EQUAL_TERMS),
            forbidden(),
        ],
    ),
    "folder of many short tags that is disabled after searches": Input(
        250,
        lambda n: [
            folder(n, tags=["b" * 18 + f"{at:02}" for at in range(Published.tags)]),
            *(
                each
                for order in ("update_time_desc", "name", "fixture")
                for each in searches_in(
                    [f"bb{letter}bb" for letter in "wxyz"], list_order=order
                )
            ),
            forbidden(),
        ],
    ),
    "folder of names of equal letters that is disabled after searches": Input(
        250,
        lambda n: [
            folder(n, name="a" * 2_000 + "{n}"),
            *searches_in(["a" * (500 + at) + "b" + "a" * 400 for at in range(4)]),
            forbidden(),
        ],
    ),
    "collections with tags of equal letters that are trained after searches": Input(
        64,
        lambda n: [
            *tagged_collections(n, EQUAL_TAGS),
            *searches_in(EQUAL_TERMS, scopes=({},)),
            LATER,
            with_fields(datasetId="d"),
        ],
    ),
    "collections with marked tags that are trained after a search": Input(
        64,
        lambda n: [
            *tagged_collections(n, MARKED_TAGS),
            with_fields(datasetId="d", searchText="zz"),
            LATER,
            with_fields(datasetId="d"),
        ],
    ),
    "search for marks after many changes": Input(
        8_000,
        lambda n: [
            *changed_folders(n, name="a"),
            with_fields(datasetId="d", searchText="\u0301\u0f73\u0327" * 341),
        ],
    ),
    "changed folders that are restored": Input(
        60_000,
        lambda n: [
            *disabled_folders([part_of_folders(n // 20)], folders=20),
            admin("PUT", "/snapshots/s", {}),
            admin("POST", "/snapshots/s/restore", {}),
        ],
    ),
    "changed datasets that are in a snapshot": Input(
        3_980,
        lambda n: [
            *changed_datasets(n, loaded=3 * n // 4),
            admin("PUT", "/snapshots/s", {}),
        ],
    ),
    "sandbox with many snapshots that is deleted": Input(
        1_600, lambda n: with_snapshots(n)
    ),
    "nested folders that are enabled again": Input(
        9_900,
        lambda n: [
            chains_of_folders(n // 99),
            *(in_r(searchText=text) for text in ("k", "1")),
            *(in_r(searchText=text, simple=True) for text in ("k", "2", "3")),
            forbidden("r"),
            forbidden("r", is_forbidden=False),
        ],
    ),
    "rows of texts that compose when folded": Input(
        800_000,
        lambda n: rows_of(2, "\u1fbe\u0323", n, rows_listed(searchText="zq")),
    ),
    "introductions that compose when folded": Input(
        270,
        lambda n: [
            admin(
                "PUT",
                "/state",
                {
                    "apps": [
                        {"name": f"{at}", "intro": "\u1fbe\u0323" * 8_192}
                        for at in range(n)
                    ]
                },
            ),
            sent_json(f"{APPS}/list", searchKey="zq"),
        ],
    ),
    "long replies of an app in a state": Input(
        15,
        lambda n: [
            admin(
                "PUT", "/state", {"apps": [{"id": "a", "replies": ['"' * 10**6] * n}]}
            ),
            Sent("/__admin/state", method="GET"),
        ],
    ),
    "text of line separators as YAML": Input(
        10**6,
        lambda n: [
            EMPTY,
            sent_json(INSERT, collectionId="c", q="\u2028" * n),
            Sent(
                "/__admin/state", method="GET", headers={"accept": "application/yaml"}
            ),
        ],
    ),
    "filter by many long tags": Input(
        2_048,
        lambda n: [
            folder(n, tags=LONG_TAGS),
            *(
                sent_json(LIST, **IN_F, filterTags=tags)
                for tags in (LONG_TAGS[:2], LONG_TAGS)
            ),
        ],
    ),
    "folder that is forbidden after searches": Input(
        9_900,
        lambda n: [
            folder(n),
            *(
                sent_json(
                    f"{RELATED}/collection/create",
                    datasetId="d",
                    parentId=parent,
                    name="a",
                    type="virtual",
                )
                for parent in (None, "f")
            ),
            *(
                sent_json(
                    LIST, datasetId="d", offset=0, searchText=term, parentId=parent
                )
                for term in ("", "a", " ", "1", "a 1")
                for parent in (None, "f")
            ),
            forbidden(),
        ],
    ),
    "folder that is forbidden beside changes and searches": Input(
        19_200,
        lambda n: [
            *changed_folders(n, name="a 1 2 {n}"),
            forbidden("g"),
            *(
                each
                for order in ("update_time_desc", "name", "fixture")
                for each in (
                    admin("PUT", "/choices", {"choices": {"list_order": order}}),
                    *(
                        sent_json(
                            LIST, datasetId="d", offset=0, searchText=term, **scope
                        )
                        for term in ("a", " ", "1", "2")
                        for scope in IN_ALL_AND_IN_G
                    ),
                )
            ),
            forbidden("g"),
        ],
    ),
    "folder beside changed folders that is forbidden": Input(
        9_900,
        lambda n: [
            *disabled_folders([{"name": "a {n}", "repeat": 9_900}], n),
            admin("PUT", "/snapshots/s", {}),
            forbidden("g"),
        ],
    ),
    "folder of tagged collections that is forbidden": Input(
        9_900, lambda n: [folder(n, tags=TAGS), forbidden()]
    ),
    "tags of tagged collections": Input(
        9_000,
        lambda n: [
            folder(n, tags=TAGS),
            sent_json(f"{RELATED}/collection/scrollList", **TAGGED),
        ],
    ),
    "folder of folders without content that is moved": Input(
        80_000,
        lambda n: [
            deep_folders(n),
            *(
                without(f"c{at}" for at in range(start, start + 1_000))
                for start in range(1, n, 1_000)
            ),
            put_below("f", "p98"),
        ],
    ),
    "folder that is deleted by admin": Input(
        BELOW,
        lambda n: [
            folder(n),
            Sent("/__admin/datasets/d/collections/f", method="DELETE"),
        ],
    ),
    "list after a folder is deleted": Input(
        BELOW, lambda n: [*without_folder(n), Sent(LIST, EVERYTHING)]
    ),
    "first search that all match": Input(
        BELOW, lambda n: [folder(n), Sent(LIST, b'{"searchText":"a",' + EVERYTHING[1:])]
    ),
    "first filter by name": Input(
        BELOW,
        lambda n: [
            folder(n),
            Sent("/__admin/datasets/d/collections", method="GET", query="name=a"),
        ],
    ),
    "filter of chats by name": Input(
        100_000,
        lambda n: [
            chats(n),
            Sent("/__admin/apps/a/chats", method="GET", query="name=a"),
        ],
    ),
    "first list in another order": Input(
        BELOW,
        lambda n: [
            folder(n),
            admin("PUT", "/choices", {"choices": {"list_order": "name"}}),
            Sent(LIST, EVERYTHING),
        ],
    ),
    "sandbox of folders that is deleted": Input(
        200_000,
        lambda n: [
            admin("POST", "/sandboxes", {"name": "s", "state": of_folders(n // 2)}),
            Sent("/__admin/sandboxes/s", method="DELETE"),
        ],
    ),
    "state of folders that is replaced": Input(
        200_000, lambda n: [folders(n // 2), admin("PUT", "/state", {})]
    ),
    "first list by names that recur": Input(
        200_000,
        lambda n: [
            recurring(n),
            admin("PUT", "/choices", {"choices": {"list_order": "name"}}),
            Sent(LIST, EVERYTHING),
        ],
    ),
    "first list of folders in another order": Input(
        150_000,
        lambda n: [
            folders(n // 2),
            admin("PUT", "/choices", {"choices": {"list_order": "name"}}),
            Sent(LIST, EVERYTHING),
        ],
    ),
    "state after a folder is deleted": Input(
        BELOW, lambda n: [*without_folder(n), Sent(STATE, method="GET")]
    ),
    "names that are looked for after a folder is deleted": Input(
        120_000, lambda n: [*without_folder(n, name="a"), in_parent("a")]
    ),
    "changed names that are looked for": Input(
        39_000, lambda n: [*changed_folders(n, name="a"), in_parent("a")]
    ),
    "list in fixture order after changes": Input(
        240_000,
        lambda n: [
            folder(n, _id="a{n}"),
            without(f"a{at}" for at in range(1, n, n // 900)),
            admin("PUT", "/choices", {"choices": {"list_order": "fixture"}}),
            sent_json(LIST, datasetId="d", offset=0, parentId="f"),
        ],
    ),
    "folder of datasets that is deleted": Input(
        2_990,
        lambda n: [
            training(n),
            Sent("/api/core/dataset/delete", method="DELETE", query="id=f"),
        ],
    ),
    "folder of apps that is deleted": Input(
        2_990,
        lambda n: [
            in_folder(n),
            Sent("/__admin/apps/f", method="DELETE", query="counts=true"),
        ],
    ),
    "chats that are cleared": Input(
        BELOW,
        lambda n: [
            state(f'{{"apps":[{{"id":"a","chats":[{numbered("chatId", n)}]}}]}}'),
            Sent(f"{CHATS}/history/clearHistories", method="DELETE", query="appId=a"),
        ],
    ),
    "chats that are cleared beside long replies": Input(
        15,
        lambda n: [
            admin("PUT", "/state", {"apps": [{"id": "a", "replies": [QUOTES] * n}]}),
            Sent(f"{CHATS}/history/clearHistories", method="DELETE", query="appId=a"),
        ],
    ),
    "chats that a visitor clears": Input(
        300_000, lambda n: [*visited(n), cleared("u")]
    ),
    "chats of others that a visitor clears": Input(
        200_000, lambda n: [*visited(n), cleared("nobody")]
    ),
    "chats that a visitor clears again": Input(
        200_000, lambda n: [*visited(n), cleared("u"), cleared("u")]
    ),
    "app that is read after its chats were cleared": Input(
        300_000,
        lambda n: [*visited(n), cleared("u"), Sent("/__admin/apps/a", method="GET")],
    ),
    "state that is read after chats were cleared": Input(
        300_000, lambda n: [*visited(n), cleared("u"), Sent(STATE, method="GET")]
    ),
    "state in YAML that is read after chats were cleared": Input(
        300_000,
        lambda n: [
            *visited(n),
            cleared("u"),
            Sent(STATE, method="GET", headers={"accept": YAML["content-type"]}),
        ],
    ),
    "chats that are deleted by their ids": Input(
        48_000,
        lambda n: [
            state(f'{{"apps":[{{"id":"a","chats":[{numbered("chatId", n)}]}}]}}'),
            sent_json(
                f"{CHATS}/history/batchDelete",
                appId="a",
                chatIds=[*map(str, range(n))],
            ),
        ],
    ),
    "chats that are listed after some were deleted": Input(
        BELOW,
        lambda n: [
            state(f'{{"apps":[{{"id":"a","chats":[{numbered("chatId", n)}]}}]}}'),
            CHATS_LISTED,
            deleted(0, n, 10),
            CHATS_LISTED,
        ],
    ),
    "chats that are listed first after most were deleted": Input(
        300_000,
        lambda n: [
            state(f'{{"apps":[{{"id":"a","chats":[{numbered("chatId", n)}]}}]}}'),
            *(
                deleted(start, start + n // 20)
                for start in range(0, n * 9 // 10, n // 20)
            ),
            CHATS_LISTED,
            Sent("/__admin/apps/a/chats", method="GET", query="limit=10"),
            replace(sent_json(PIN, appId="a", chatId="x", top=True), method="PUT"),
            Sent(f"{CHATS}/history/clearHistories", method="DELETE", query="appId=a"),
        ],
    ),
    "lists of collections at the same time": Input(
        60,
        lambda n: [
            state(f'{{"datasets":[{with_collections(1)}]}}'),
            Sent("/__admin/datasets/0/collections", method="GET", at_once=n),
        ],
    ),
    "chats of a source that are listed": Input(
        BELOW,
        lambda n: [
            state(f'{{"apps":[{{"id":"a","chats":[{numbered("chatId", n)}]}}]}}'),
            CHATS_LISTED,
            replace(CHATS_LISTED, body=b'{"appId":"a","source":"share"}'),
        ],
    ),
    "chats with records that are deleted by their ids": Input(
        48_000,
        lambda n: [
            admin("PUT", "/state", {"apps": [{"id": "a", "chats": with_record(n)}]}),
            CHATS_LISTED,
            pinned("1"),
            CHATS_LISTED,
            sent_json(
                f"{CHATS}/history/batchDelete",
                appId="a",
                chatIds=[f"{number}" for number in range(n)],
            ),
        ],
    ),
    "chats that are listed after all were pinned": Input(
        80_000,
        lambda n: [
            state(f'{{"apps":[{{"id":"a","chats":[{numbered("chatId", n)}]}}]}}'),
            CHATS_LISTED,
            *(pinned(f"{number * 7 % n}") for number in range(n)),
            CHATS_LISTED,
        ],
    ),
    "short rows that a list searches": Input(
        100_000, lambda n: [with_rows(n), rows_listed(searchText="x")]
    ),
    "searches of short rows at the same time": Input(
        60,
        lambda n: [
            with_rows(DEFAULT_LIMITS.collection_rows // 10),
            replace(rows_listed(searchText="x"), at_once=n),
        ],
    ),
    "short rows that are searched for a long text": Input(
        60_000,
        lambda n: [with_rows(n, "\u6587" * 60), rows_listed(searchText="\u6587" * 50)],
    ),
    "short rows that are exported": Input(300_000, lambda n: [with_rows(n), EXPORT]),
    "exports at the same time": Input(
        16, lambda n: [with_rows(20_000), replace(EXPORT, at_once=n)]
    ),
    "rows among which one is inserted": Input(
        DEFAULT_LIMITS.collection_rows - 2,
        lambda n: [with_rows(n), inserted("x"), inserted("y")],
    ),
    "rows among which others are trained": Input(
        300_000,
        lambda n: [trained_among(n), LATER, with_fields(datasetId="d")],
    ),
    "rows of many collections that are trained": Input(
        64,
        lambda n: [
            large_collections(n),
            *(pushed_among(f"c{number}") for number in range(n)),
            LATER,
            with_fields(datasetId="d"),
        ],
    ),
    "many jobs of one collection": Input(
        DEFAULT_LIMITS.waiting_rows,
        lambda n: admin("PUT", "/state", one_collection() | {"training": [JOB] * n}),
    ),
    "file of too many rows that is used again": Input(
        10**6, lambda n: [of_file(n), sent_json(f"{CREATE}/fileId", **A_FILE)]
    ),
    "file of too many rows that is trained again": Input(
        10**6,
        lambda n: [
            of_file(n),
            sent_json(f"{CREATE}/reTrainingCollection", collectionId="c"),
        ],
    ),
    "long rows among which one is inserted": Input(
        400,
        lambda n: [
            *(EMPTY, AT_ONCE),
            *[pushed_texts("x" * 10**6, 10)] * (n // 10),
            inserted("x"),
        ],
    ),
    "text of sentences among blanks": Input(
        1_000,
        lambda n: [EMPTY, text_of("a. " + ("b" + " " * 8_000 + "c. ") * n)],
    ),
    "text of wide lines with blanks": Input(
        1_000,
        lambda n: [EMPTY, text_of("\U0001f600" + ("a" + " " * 8_997 + "\n") * n)],
    ),
    "search of a row with long indexes": Input(
        8,
        lambda n: [
            row_with(indexes=["x" * 500_000] * n + ["\U0001f600"]),
            sent_json(f"{RELATED}/searchTest", datasetId="d", text="z"),
        ],
    ),
    "text that is trained again": Input(ROWS // 10, trained_again),
    "collections that are trained": Input(
        2_990, lambda n: [training(n), LATER, with_fields(datasetId="0")]
    ),
    "declared rows that are trained": Input(
        DEFAULT_LIMITS.waiting_rows,
        lambda n: [training(1, n), LATER, with_fields(datasetId="0")],
    ),
}


def with_record(count: int) -> list[dict[str, Any]]:
    """Chats with a record each."""
    records = [{"obj": "AI", "text": "x"}]
    return [{"chatId": f"{number}", "records": records} for number in range(count)]


def pinned(chat_id: str) -> Sent:
    """A chat is pinned."""
    sent = sent_json(PIN, appId="a", chatId=chat_id, top=True)
    return replace(sent, method="PUT")


def numbered(name: str, size: int) -> str:
    """So many objects with an id of that name, as items of an array."""
    return ",".join(f'{{"{name}":"{number}"}}' for number in range(size))


def in_folder(size: int) -> Sent:
    """A state with a folder of so many apps, and with API keys, that is put."""
    document = {
        "apps": [{"id": "f", "type": "folder"}]
        + [{"id": f"{number}", "parentId": "f"} for number in range(size)],
        "apiKeys": [
            {"id": f"{n:024x}", "name": "k", "createTime": "2026-01-01T00:00:00Z"}
            for n in range(DEFAULT_LIMITS.api_keys)
        ],
    }
    return admin("PUT", "/state", document)


def text_of(text: str) -> Sent:
    """A collection is created of a text."""
    return sent_json(f"{CREATE}/text", datasetId="d", name="n", text=text)


def row_with(**fields: Any) -> Sent:
    """A state with one data row is put."""
    collection = {"_id": "c", "name": "c", "data": [{"q": "q"} | fields]}
    return admin(
        "PUT", "/state", {"datasets": [{"id": "d", "collections": [collection]}]}
    )


def training(size: int, rows: int = 1) -> Sent:
    """A state with a folder of so many datasets, each of which is trained."""
    inside = {"parentId": "f", "collections": [{"_id": "c", "name": "c"}]}
    begun = {"collectionId": "c", "since": "2026-01-01T00:00:00Z"}
    row = {"q": "a", "indexes": ["b"] * Published.indexes}
    document = {
        "clock": "2026-01-01T00:00:00Z",
        "datasets": [{"id": "f", "type": "folder"}]
        + [{"id": f"{number}"} | inside for number in range(size)],
        "training": [
            {"datasetId": f"{number}", "data": [row] * rows} | begun
            for number in range(size)
        ],
    }
    return admin("PUT", "/state", document)


def of_tags(size: int, *then: Sent) -> list[Sent]:
    """A state of so many collections with tags that is put, and what follows."""
    collections = [{"name": "a {n}", "repeat": size, "tags": ["p", "q"]}]
    datasets = [{"id": "d", "collections": collections}]
    return [admin("PUT", "/state", {"datasets": datasets}), *then]


def searches_in(
    terms: Sequence[str],
    scopes: Sequence[Mapping[str, str]] = ({}, {"parentId": "f"}),
    **choices: str,
) -> list[Sent]:
    """Searches in names and tags, after a collection was created in each folder."""
    return [
        admin("PUT", "/choices", {"profile": "documented", "choices": choices}),
        *(
            sent_json(CREATE, datasetId="d", name="x", type="virtual", **scope)
            for scope in scopes
        ),
        *(
            with_fields(datasetId="d", searchText=term, **scope)
            for term in terms
            for scope in scopes
        ),
    ]


def tagged_collections(size: int, tags: Sequence[str]) -> list[Sent]:
    """A state of collections with such tags, into each of which a row is pushed."""
    collections = [{"_id": f"c{at}", "name": "a", "tags": tags} for at in range(size)]
    datasets = [{"id": "d", "collections": collections}]
    document = {"clock": "2026-01-01T00:00:00Z", "datasets": datasets}
    path = f"{RELATED}/data/pushData"
    return [
        admin("PUT", "/state", document),
        *(
            sent_json(path, collectionId=f"c{at}", data=[{"q": "x"}])
            for at in range(size)
        ),
    ]


def changed_folders(size: int, **fields: Any) -> list[Sent]:
    """A state with that many collections in eight folders, all of them disabled."""
    return disabled_folders([{"name": "a {n}", "repeat": size // 8} | fields])


def changed_and_searched(size: int) -> list[Sent]:
    """Searched datasets that have `size` changed collections together, and others.

    There are 100 datasets; each has one folder of changed collections, one of others.
    """
    ids = [f"{at}" for at in range(100)]
    counts = {"f": size // len(ids), "g": 100}
    document = {
        "datasets": [
            {
                "id": each,
                "collections": [
                    {
                        "_id": f"{name}{each}",
                        "name": name,
                        "children": [{"name": "a {n}", "repeat": count}],
                    }
                    for name, count in counts.items()
                ],
            }
            for each in ids
        ]
    }
    disabled = (forbidden(f"f{each}") for each in ids)
    searches = (
        with_fields(datasetId=each, searchText=text) for text in "a1" for each in ids
    )
    return [admin("PUT", "/state", document), *disabled, *searches]


def changed_datasets(size: int, loaded: int) -> list[Sent]:
    """That many datasets, each with a new collection.

    So many are loaded with a state, and the others are created.
    """
    ids = [f"{n}" for n in range(size)]
    document = {"datasets": [{"id": each} for each in ids[:loaded]]}
    created = (admin("PUT", f"/datasets/{each}", {}) for each in ids[loaded:])
    filled = (
        sent_json(CREATE, datasetId=each, name="n", type="virtual") for each in ids
    )
    return [admin("PUT", "/state", document), *created, *filled]


def disabled_folders(
    inside: list[Any], count: int = 250, folders: int = 8
) -> list[Sent]:
    """A state with folders of these collections, all of them disabled.

    Beside them is a folder of `count` unchanged collections.
    """
    collections: list[Any] = [
        {"_id": f"{n}", "name": "f", "children": inside} for n in range(folders)
    ]
    few = {"name": "a 1 2 {n}", "repeat": count}
    collections += [{"_id": "g", "name": "g", "children": [few]}]
    state = {"datasets": [{"id": "d", "collections": collections}]}
    disabled = (forbidden(f"{n}") for n in range(folders))
    return [admin("PUT", "/state", state), *disabled]


def searched_rest(size: int) -> list[Sent]:
    """Folders of 280 forbidden rows; every second is deleted, the others are searched.

    Each of the rows is in a folder of its own.
    """
    rest = {"name": "a", "forbid": True, "data": [{"q": "a"}]}
    inside = [{"name": "f", "children": [rest]}] * 280
    folders = [{"_id": f"{n}", "name": "f", "children": inside} for n in range(size)]
    deletions = (
        Sent(DELETE, method="DELETE", query=f"id={n}") for n in range(0, size, 2)
    )
    search = sent_json(f"{RELATED}/searchTest", datasetId="d", text="zz")
    document = {"datasets": [{"id": "d", "collections": folders}]}
    return [admin("PUT", "/state", document), *deletions, search]


def removed_rows(size: int) -> list[Sent]:
    """A state of collections with a row each, which are disabled, then deleted."""
    inside = [{"name": "a", "data": [{"q": "a"}]}] * (size // 8)
    deletions = (Sent(DELETE, method="DELETE", query=f"id={n}") for n in range(8))
    return [*disabled_folders(inside, 300), *deletions]


def many_datasets(count: int, jobs: int) -> dict[str, Any]:
    """A state of datasets with a collection each, and one that trains collections."""
    datasets: list[Any] = [
        {"id": f"d{at}", "collections": [{"_id": f"c{at}", "name": "c"}]}
        for at in range(count)
    ]
    trained = [{"_id": f"j{at}", "name": "j"} for at in range(jobs)]
    datasets += [{"id": "w", "collections": trained}]
    start = "2026-01-01T00:00:00Z"
    training = [
        {
            "datasetId": "w",
            "collectionId": f"j{at}",
            "since": start,
            "data": [{"q": "a"}],
        }
        for at in range(jobs)
    ]
    return {"clock": start, "datasets": datasets, "training": training}


def without(ids: Iterable[str]) -> Sent:
    """All these collections are deleted together."""
    return sent_json(f"{RELATED}/collection/delete", collectionIds=[*ids])


def chains_of_folders(count: int) -> Sent:
    """A state of chains of 98 folders, each in the one before, is put."""
    first = {"_id": "r", "name": "r", "type": "folder"}
    folders = [
        {"_id": f"{chain}-{n}", "name": f"k{n}", "type": "folder"}
        | {"parentId": f"{chain}-{n - 1}" if n else "r"}
        for chain in range(count)
        for n in range(98)
    ]
    datasets = [{"id": "d", "collections": [first, *folders]}]
    return admin("PUT", "/state", {"datasets": datasets})


def in_r(**fields: Any) -> Sent:
    """The collections of a dataset are listed, by one of two routes."""
    path = f"{RELATED}/collection/list" if "simple" in fields else LIST
    return sent_json(path, datasetId="d", offset=0, **fields)


def forbidden(folder_id: str = "f", *, is_forbidden: bool = True) -> Sent:
    """The folder is disabled, with all that it holds, or enabled."""
    fields = {"id": folder_id, "forbid": is_forbidden}
    path = f"{RELATED}/collection/update"
    return Sent(path, json.dumps(fields).encode(), "PUT")


def folder(size: int, **fields: Any) -> Sent:
    """A state with a folder of so many collections that is put."""
    inside = {"name": "a {n}", "repeat": size} | fields
    collections = [{"_id": "f", "name": "f", "children": [inside]}, {"name": "b"}]
    return admin(
        "PUT", "/state", {"datasets": [{"id": "d", "collections": collections}]}
    )


def nested(size: int, each: int) -> Sent:
    """A state with a folder of folders, each with `each` collections, that is put."""
    inside = {"name": "a {n}", "repeat": each}
    inner = [
        {"_id": f"f{at}", "name": "f", "children": [inside]}
        for at in range(size // each)
    ]
    collections = [{"_id": "f", "name": "f", "children": inner}]
    datasets = [{"id": "d", "collections": collections}]
    return admin("PUT", "/state", {"datasets": datasets})


def of_folders(count: int) -> dict[str, Any]:
    """A state with folders, each with a collection."""
    return {"datasets": [{"id": "d", "collections": [part_of_folders(count)]}]}


def part_of_folders(count: int) -> dict[str, Any]:
    """Folders, each with a collection."""
    return {"name": "f {n}", "repeat": count, "children": [{"name": "a"}]}


def with_snapshots(size: int) -> list[Sent]:
    """A sandbox with forty snapshots of datasets that have changed is deleted."""
    pair = [{"_id": "a", "name": "a"}, {"_id": "b", "name": "b"}]
    datasets = [{"id": f"{number}", "collections": pair} for number in range(size)]
    own = "/sandboxes/s"
    return [
        admin("POST", "/sandboxes", {"name": "s", "state": {"datasets": datasets}}),
        *(
            admin("DELETE", f"{own}/datasets/{number}/collections/a", {})
            for number in range(size)
        ),
        *(admin("PUT", f"{own}/snapshots/{number}", {}) for number in range(40)),
        admin("DELETE", own, {}),
    ]


def folders(count: int) -> Sent:
    """The same that is put."""
    return admin("PUT", "/state", of_folders(count))


def deep_folders(count: int) -> Sent:
    """A state with a folder of folders, each with a collection, beside deep folders."""
    parents = {"f": None} | {f"f{at}": "f" for at in range(1, count + 1)}
    parents |= {f"c{at}": f"f{at}" for at in range(1, count + 1)}
    parents |= {"p0": None} | {f"p{at}": f"p{at - 1}" for at in range(1, 100)}
    collections = [
        {"_id": each, "name": each, "parentId": parent}
        for each, parent in parents.items()
    ]
    datasets = [{"id": "d", "collections": collections}]
    return admin("PUT", "/state", {"datasets": datasets})


def put_below(collection_id: str, parent_id: str) -> Sent:
    """The collection is moved into a folder."""
    fields = {"id": collection_id, "parentId": parent_id}
    return Sent(f"{RELATED}/collection/update", json.dumps(fields).encode(), "PUT")


def recurring(count: int) -> Sent:
    """A state that is put, in which each 256th name differs from the others."""
    items = [
        {"_id": f"{n}{name}{{n}}", "name": f"{name} {{n}}", "repeat": repeat}
        for n in range(count // 256)
        for name, repeat in (("a", 1), ("b", 255))
    ]
    return admin("PUT", "/state", {"datasets": [{"id": "d", "collections": items}]})


def without_folder(size: int, **fields: Any) -> list[Sent]:
    """A state with such a folder that is put, and the folder is deleted."""
    return [folder(size, **fields), Sent(DELETE, method="DELETE", query="id=f")]


def in_parent(parent_id: str) -> Sent:
    """The collections of a folder are listed by an administrator."""
    path = "/__admin/datasets/d/collections"
    return Sent(path, method="GET", query=f"parentId={parent_id}")


def _misspelt(size: int, chars: int = 24) -> str:
    """Entries, and others in parents that are not there, of the same few letters."""
    ids = [f"{n * 7919 % 2**20:0{chars}b}" for n in range(size // (2 * chars + 40))]
    made = [f'{{"_id":"{each}","name":"x"}}' for each in ids[::4]]
    lost = [f'{{"name":"x","parentId":"000{each[::-1]}"}}' for each in ids]
    return _collections(",".join(made + lost), 1)


def _collections(entry: str, size: int) -> str:
    """A document of that many bytes, about, of the same entry."""
    count = max(1, size // (len(entry) + 1))
    return '{"datasets":[{"id":"d","collections":[%s]}]}' % ",".join([entry] * count)
