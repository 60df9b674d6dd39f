"""Words of messages: JSON values, similar names and other hints."""

import json
import re
from collections.abc import Collection, Iterable
from itertools import accumulate, islice

from mock_server.domain.limits import Published

SHOWN_CHARS = 60
"""Characters of a text that a message shows."""
CUT_MARK = "…"
"""Marks the place where a message cuts a text."""


def quoted(text: str) -> str:
    """Return a text as a JSON string."""
    return json.dumps(text, ensure_ascii=False)


def cut(text: str) -> str:
    """Return a text, or its beginning if it is long."""
    return text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + CUT_MARK


def describe_value(value: object) -> str:
    """Describe a JSON value for a message, shortened if it is long."""
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


_NAMED = 1_000
"""Names that are compared with an unknown id."""
_FEW, _MANY = 50, 5_000
"""Numbers of known words up to which all are compared, and up to which some are."""
_WORD_CHARS, _COMPARED_CHARS = 64, 20_000
"""Maximum characters of a compared word, and of the word times all words that are
compared: the time grows with this product, to 2 ms at most."""
_SYNONYMS = {"type": "kind", "time": "now", "at": "now", "times": "exactly"}
_SYNONYMS |= dict.fromkeys(("count", "number"), "times exactly repeat")
_SYNONYMS |= dict.fromkeys(("minutes", "hours"), "seconds")
_SYNONYMS |= dict.fromkeys(("respond", "response", "mock", "stub"), "answer")
_SYNONYMS |= dict.fromkeys(("start", "run", "up", "server", "launch"), "serve")
_SYNONYMS |= dict.fromkeys(
    ("duration", "seconds", "milliseconds", "delay", "latency"),
    "ms delayMs delay_ms stream",
)
_SYNONYMS |= {"answer": "text", "reply": "text"}
_SYNONYMS |= {"role": "obj", "content": "text", "title": "name"}
_SYNONYMS |= {"rm": "remove delete", "ls": "list", "new": "create", "tail": "follow"}
_SYNONYMS |= dict.fromkeys(("user", "User"), "Human")
_SYNONYMS |= dict.fromkeys(("assistant", "Assistant"), "AI")
_SYNONYMS |= {"messages": "records", "body": "json", "fixture": "state"}
_SYNONYMS |= {
    "id": "chatId _id dataId shareId name",
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
"""Words of other tools for our names, if they are spelt quite differently."""


def all_problems(messages: Iterable[str]) -> str:
    """Join the messages of problems: `first; second; and more`.

    Number and length are limited; without messages the text is empty.
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
    """Return ` (did you mean 'title'?)`, or "" if no known word is near."""
    near = nearest(word, known)
    unit = ", in milliseconds" if near in ("ms", "delayMs", "delay_ms") else ""
    return "" if near is None else f" (did you mean {near!r}{unit}?)"


def which_there_are(word: str, known: Iterable[str], count: int) -> str:
    """Return the hint for an unknown name: the nearest name, and the first names.

    `known` has `count` names.
    """
    if count == 0:
        return "there are none"
    compared = list(islice(known, _MANY)) if count <= _MANY else ()
    near = nearest(word, compared)
    names = compared or islice(known, Published.listed_names)
    first = [quoted(cut(each)) for each in islice(names, Published.listed_names)]
    more = f" and {count - len(first)} more" if count > len(first) else ""
    there_are = f"there {'is' if count == 1 else 'are'} {', '.join(first)}{more}"
    if near is None:
        return there_are
    return f"did you mean {quoted(cut(near))}? T{there_are[1:]}"


def whose_name(word: str, named: Iterable[tuple[str, str]]) -> str:
    """Return `that is the name of "b1"` if people sent a name instead of an id, or "".

    `named` are ids with names; only the first are compared.
    """
    found = (own_id for own_id, name in islice(named, _NAMED) if name == word != "")
    return "".join(
        f"that is the name of {quoted(cut(each))}" for each in islice(found, 1)
    )


_ID = re.compile("[0-9a-f]{24}")


def nearest(word: str, known: Collection[str]) -> str | None:
    """Return the known word that is nearest or a synonym, or None.

    Among many known words only some with the same beginning are compared, among very
    many none, so a file with a thousand mistakes still gets a quick response.
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
    # Ids that were created one after the other begin alike: that is no mistake.
    return most_alike(word, compared, 0.9 if _ID.fullmatch(word) else 0.6)


def most_alike(word: str, known: Collection[str], least: float = 0.6) -> str | None:
    """Return the most similar known word if it is at least `least` (0 to 1) alike."""
    # Import late: it takes 1 ms, and a start has no mistake to explain.
    from difflib import get_close_matches

    near = get_close_matches(word, known, 1, least)
    return near[0] if near else None
