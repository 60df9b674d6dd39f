"""Makes a fixture from the completions in a HAR recording: each becomes a reply to its question.

Everything else is left out: headers, cookies, queries, the other fields of requests.
"""

import re
from base64 import b64decode
from bisect import insort
from codecs import BOM_UTF8
from collections import Counter, defaultdict
from typing import BinaryIO
from urllib.parse import urlsplit

from msgspec import MsgspecError, Struct, convert, json

from mock_server.decoding.json_values import NOT_JSON, JsonObject, json_or_text
from mock_server.http.request import ClientRequest
from mock_server.rules.response_rules import ReplyRule
from mock_server.rules.rule_set import MAX_ANSWERS
from mock_server.service.completions import completions, completions_v2
from mock_server.service.reply_stream import ReplyFormat, reply_events
from mock_server.store.replies import MAX_PAUSE_MS, Reply
from mock_server.text.wording import count_in_words
from mock_server.tools.recorded_reply import RecordedReply

GZIP = "\x1f"
"""The first character of a text that is still compressed."""


class Log(Struct):
    """What a program has recorded."""

    entries: list[JsonObject]


class Recording(Struct):
    """The content of a HAR file."""

    log: Log


class SkippedExchange(Exception):
    """An exchange is no completion that was answered, for this reason."""


def fixture_of_recording(
    file: BinaryIO, app: str | None = None, *, keeps_pace: bool = False
) -> tuple[JsonObject, list[str]]:
    """The fixture of a recording, and notes on what is left out. Raises ValueError, OSError.

    `app` is the id of the app that has all replies, by default the one that each request names.
    """
    entries = read_entries(file)
    skipped = Counter[str]()
    rules = defaultdict[str, list[JsonObject]](list)
    latest = dict[tuple[str, str], JsonObject]()
    # A file may not be in the order of time. A program writes all times in one form.
    in_order = sorted(enumerate(entries, 1), key=lambda it: str(it[1].get("startedDateTime")))
    for number, entry in in_order:
        try:
            sent, text = completion_of(entry)
            rule = reply_rule(sent.question, text)
            reply = convert(rule, ReplyRule).reply({})
            if keeps_pace:
                add_pace(rule, reply, **entry["timings"])
            # Without an id, the API key names the app, but it is not kept.
            id = str(app or sent.fields.get("appId") or "recorded")
            # A rule fires on each question that has its own one in it, so longer ones come first.
            insort(rules[id], rule, key=lambda it: -len(it["match"]["question"].casefold()))
            # Replies to the same question take turns.
            key = (id, sent.question.casefold())
            latest.get(key, {})["times"] = 1
            latest[key] = rule
        except SkippedExchange as skip:
            skipped[str(skip)] += 1
        # A value may be missing, or of any type.
        except LookupError as error:
            skipped[f"number {number} lacks {error}"] += 1
        except (AttributeError, TypeError, ValueError, MsgspecError) as error:
            skipped[f"number {number} is unusable: {error}"] += 1
    replies = sum(map(len, rules.values()))
    if replies > MAX_ANSWERS:
        raise ValueError(f"Expected at most {MAX_ANSWERS} completions in a fixture, got {replies}")
    notes = [f"skipped {count_in_words(skipped[it], 'exchange')}: {it}" for it in skipped]
    return {"apps": [{"id": id, "replies": rules[id]} for id in rules]}, notes


def read_entries(file: BinaryIO) -> list[JsonObject]:
    """The exchanges of a recording. Raises ValueError, OSError."""
    try:
        return json.decode(file.read().removeprefix(BOM_UTF8), type=Recording).log.entries
    except NOT_JSON as error:
        raise ValueError(f"Expected a HAR file, which has log.entries: {error}") from None


def completion_of(entry: JsonObject) -> tuple[ClientRequest, str]:
    """The request for a completion, and the response to it. Raises SkippedExchange, ValueError."""
    request = entry["request"]
    path = urlsplit(request["url"]).path
    # Behind a proxy, the path of FastGPT may have a prefix.
    if request["method"] != "POST" or not path.endswith((completions.path, completions_v2.path)):
        raise SkippedExchange(f"{request['method']} {path}")
    response = entry["response"]
    if response["status"] not in (200, 500):
        raise SkippedExchange(f"completion with status {response['status']}")
    body = request["postData"]["text"].encode()
    sent = ClientRequest("POST", path, "", {"content-type": "application/json"}, body)
    if not sent.question.strip():
        raise SkippedExchange("completion without a question")
    text = response["content"].get("text")
    if not text:
        raise ValueError("no text, save it with its content")
    if response["content"].get("encoding") == "base64":
        text = b64decode(text).decode(errors="replace")
    if text.startswith(GZIP):
        raise ValueError("a compressed response, record it decoded")
    return sent, text


def reply_rule(question: str, text: str) -> JsonObject:
    """The rule with the reply to a question. Raises ValueError."""
    rule: JsonObject = {"match": {"question": question}}
    reply = RecordedReply()
    match json_or_text(text):
        # Each line of a stream has a name and a colon; a comment only the colon.
        case str() if re.match("\ufeff?[\r\n]*[a-z]*:", text):
            reply.add_stream(text)
        case {"choices": _} as body:
            reply.add_unstreamed(body)
            rule["variables"] = body.get("newVariables") or {}
        case {"message": _} as error:
            reply.add_event("error", error)
        case _:
            raise ValueError("the response is none of a completion")
    rule["parts"] = reply.parts or [{"text": ""}]
    return rule


def add_pace(
    rule: JsonObject, reply: Reply, *, wait: float, receive: float, **others: float
) -> None:
    """Let a rule's reply take the time of its recording, in ms, spread evenly over its words."""
    events = reply_events(reply, ReplyFormat(is_v2=True, detail=True, title=""))
    gaps = sum(it.is_word and not it.is_closing for it in events) - 1
    if gaps > 0:
        # The rate must be from 0.1 to 100,000.
        rate = max(0.1, 1000 * gaps / max(receive, gaps / 100))
        rule["stream"] = {"tokensPerSecond": rate}
    rule["parts"].insert(0, {"pauseMs": min(max(0, wait), MAX_PAUSE_MS)})
