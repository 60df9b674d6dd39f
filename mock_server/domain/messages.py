"""Build parts of messages: descriptions of JSON values, similar names, other hints."""

import json
import re
from collections.abc import Collection, Iterable
from itertools import accumulate, islice

from mock_server.domain.limits import Published

SHOWN_CHARS = 60
"""Maximum number of characters of a text that a message shows."""
CUT_MARK = "…"
"""Follows the beginning of a text that a message has shortened."""


def quoted(text: str) -> str:
    """Return a text as a JSON string."""
    return json.dumps(text, ensure_ascii=False)


def cut(text: str) -> str:
    """Return a text; of a long text only the beginning, with CUT_MARK."""
    return text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + CUT_MARK


def describe_value(value: object) -> str:
    """Return a description of a JSON value, such as `the string "a"` or `an array`."""
    if isinstance(value, str):
        if len(value) <= SHOWN_CHARS:
            return f"the string {quoted(value)}"
        return f"the string {quoted(cut(value))} of {len(value)} characters"
    if isinstance(value, list):
        return "an array"
    if isinstance(value, dict):
        return "an object"
    # Python refuses to write integers of more than 4,300 digits.
    if isinstance(value, int) and abs(value) >= 10**SHOWN_CHARS:
        return "a longer integer"
    return json.dumps(value)


_COMPARED_NAMES = 1_000
"""Maximum number of names that are compared with an unknown id."""
_FEW, _MANY = 50, 5_000
"""Up to `_FEW` known words, all are compared; up to `_MANY`, some; above that, none."""
_WORD_CHARS, _COMPARED_CHARS = 64, 20_000
"""Maximum number of characters of a compared word, and maximum product of this number
and the characters of all known words that are compared: it limits the time."""
_SYNONYMS = {"type": "kind", "time": "now", "at": "now", "times": "exactly"}
_SYNONYMS |= dict.fromkeys(("count", "number"), "times exactly")
_SYNONYMS |= dict.fromkeys(("start", "run", "up", "server", "launch"), "serve")
_SYNONYMS |= dict.fromkeys(
    ("duration", "seconds", "milliseconds", "delay", "latency"),
    "ms delayMs delay_ms stream",
)
_SYNONYMS |= {"answer": "text", "reply": "text"}
_SYNONYMS |= {"role": "obj", "content": "text", "title": "name"}
_SYNONYMS |= {"rm": "remove delete", "ls": "list", "new": "create", "tail": "follow"}
_SYNONYMS |= {"user": "Human", "assistant": "AI"}
_SYNONYMS |= {"messages": "records", "body": "json", "fixture": "state"}
_SYNONYMS |= {
    "id": "chatId _id dataId",
    "appId": "id",
    "datasetId": "id",
    "collectionId": "_id",
}
_SYNONYMS |= dict.fromkeys(("pin", "pinned", "isPinned"), "top")
_SYNONYMS |= {"admin": "owner", "editor": "write", "viewer": "read"}
_SYNONYMS |= {"timeout": "hang delay ms", "disconnect": "reset"}
_SYNONYMS |= {"reload": "watch"}
_SYNONYMS |= {"jsonBody": "json", "bodyPatterns": "body", "status_code": "status"}
_SYNONYMS |= dict.fromkeys(("queryParameters", "query_string", "params"), "query")
_SYNONYMS |= dict.fromkeys(("url", "urlPath", "route"), "path operation base-url")
_SYNONYMS |= {"fixedDelayMilliseconds": "delayMs", "repeat": "times"}
_SYNONYMS |= dict.fromkeys(("verbose", "debug", "log-level"), "log-format")
_SYNONYMS |= dict.fromkeys(("message", "prompt"), "question")
_SYNONYMS |= dict.fromkeys(("when", "if", "where", "on"), "match")
_SYNONYMS |= {"chat": "completions", "search": "searchTest"}
_SYNONYMS |= {"4.14": "deployed-4.14", "4.16": "deployed"}
_SYNONYMS |= dict.fromkeys(
    ("base_url", "address", "uri", "endpoint", "host", "port"), "url"
)
"""The names used here for the quite different words that users of other tools write."""


def all_problems(messages: Iterable[str]) -> str:
    """Join the messages of problems: `first; second; and more`.

    Number and length are limited. Without messages, the text is empty.
    """
    text, found = "", iter(messages)
    for message in islice(found, Published.told_problems):
        if not text:
            text = message  # clients' texts in messages are short
        elif len(text) + len(message) < Published.told_chars:
            text = f"{text}; {message}"
        else:
            return f"{text}; and more"
    return text if next(found, None) is None else f"{text}; and more"


def did_you_mean(word: str, known: Collection[str]) -> str:
    """Return the hint ` (did you mean 'title'?)`, or "" without a similar word."""
    similar = nearest(word, known)
    unit = ", in milliseconds" if similar in ("ms", "delayMs", "delay_ms") else ""
    return "" if similar is None else f" (did you mean {similar!r}{unit}?)"


def known_names_hint(word: str, known: Iterable[str], count: int) -> str:
    """Return the hint for an unknown name: a similar name, and the first known names.

    `known` has `count` names.
    """
    if count == 0:
        return "there are none"
    compared = list(islice(known, _MANY)) if count <= _MANY else ()
    similar = nearest(word, compared)
    names = compared or islice(known, Published.listed_names)
    first = [quoted(cut(each)) for each in islice(names, Published.listed_names)]
    more = f" and {count - len(first)} more" if count > len(first) else ""
    there_are = f"there {'is' if count == 1 else 'are'} {', '.join(first)}{more}"
    if similar is None:
        return there_are
    return f"did you mean {quoted(cut(similar))}? T{there_are[1:]}"


def whose_name(word: str, named: Iterable[tuple[str, str]]) -> str:
    """Return the hint `that is the name of "b1"` if a name was sent instead of an id.

    Return "" otherwise. `named` yields ids and names, of which the first are compared.
    """
    first = islice(named, _COMPARED_NAMES)
    found = (own_id for own_id, name in first if name == word != "")
    return "".join(
        f"that is the name of {quoted(cut(each))}" for each in islice(found, 1)
    )


_ID = re.compile("[0-9a-f]{24}")


def nearest(word: str, known: Collection[str]) -> str | None:
    """Return a known synonym of a word, else the most similar known word, else None.

    If more than `_FEW` words are known, only some with the same first three letters are
    compared; if more than `_MANY`, none. So even a thousand mistakes are found quickly.
    """
    if len(known) > _MANY or len(word) > _WORD_CHARS:
        return None
    for each in _SYNONYMS.get(word, "").split():
        if each in known:
            return each
    some = [each for each in known if len(each) <= _WORD_CHARS]
    if len(known) > _FEW:
        some = [each for each in some if each[:3] == word[:3]][:_FEW]
    sums = accumulate(len(word) * len(each) for each in some)
    compared = some[: sum(each <= _COMPARED_CHARS for each in sums)]
    # Ids that were created one after the other are similar without a typing mistake.
    return most_alike(word, compared, 0.9 if _ID.fullmatch(word) else 0.6)


def most_alike(word: str, known: Collection[str], least: float = 0.6) -> str | None:
    """Return the most similar known word, or None.

    Its similarity (0 to 1) has to be at least `least`.
    """
    # Import late, because a start without mistakes does not need this module.
    from difflib import get_close_matches

    near = get_close_matches(word, known, 1, least)
    return near[0] if near else None
