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


_DURATION = re.compile("([0-9]{1,6})(ms|s)", re.ASCII)


def as_ms(text: str) -> str:
    """Return the milliseconds of `500ms` or `2s`; any other text unchanged."""
    match = _DURATION.fullmatch(text)
    thousands = "000" if match and match[2] == "s" else ""
    return f"{match[1]}{thousands}" if match else text


_COMPARED_NAMES = 1_000
"""Names that are compared with an unknown id."""
_ALL_COMPARED, _SOME_COMPARED = 50, 5_000
"""Up to the first number of known words, all are compared; up to the second, some;
above that, none."""
_WORD_CHARS, _COMPARED_CHARS = 64, 20_000
"""Maximum characters of a compared word, and of the word times all words that are
compared: the time grows with this product, to 2 ms at most."""
_SYNONYMS = {
    # Commands
    "serve": "start run up server launch",
    "run": "start up launch unfreeze resume",
    "freeze": "set stop move_to",
    "advance": "tick",
    "create": "new save",
    "add": "new create save",
    "take": "new create save",
    "remove": "rm delete",
    "delete": "rm",
    "list": "ls show get",
    "show": "ls list get",
    "journal": "logs requests",
    "healthcheck": "ps status",
    "--version": "version",
    "--help": "help",
    # Options
    "watch": "reload",
    "state": "fixture",
    "log-format": "verbose debug log-level",
    # Answers and faults
    "answer": "respond response mock stub",
    "kind": "type fault",
    "hang": "timeout",
    "delay": "timeout latency",
    "reset": "disconnect reset_peer CONNECTION_RESET_BY_PEER",
    "empty": "EMPTY_RESPONSE",
    "garbage": "MALFORMED_RESPONSE_CHUNK RANDOM_DATA_THEN_CLOSE",
    "truncate": "limit_data",
    "dribble": "bandwidth slicer",
    "match": "when if where on",
    "times": "count number repeat",
    "exactly": "times count number",
    "ms": "duration seconds milliseconds delay latency timeout delay_ms fixedDelay "
    "fixedDelayMilliseconds",
    "delayMs": "duration seconds milliseconds delay latency fixedDelay "
    "fixedDelayMilliseconds",
    "delay_ms": "duration seconds milliseconds delay latency",
    "stream": "duration seconds milliseconds delay latency",
    "by": "total",
    "status": "status_code",
    "json": "body jsonBody",
    "body": "json bodyPatterns",
    "query": "queryParameters query_string params",
    "question": "message prompt",
    "path": "url urlPath route",
    "operation": "url urlPath route",
    "base-url": "url urlPath route",
    "url": "base_url address uri endpoint host port",
    "completions": "chat",
    "searchTest": "search",
    # Fixtures and times
    "chatId": "id",
    "_id": "id collectionId",
    "dataId": "id",
    "shareId": "id",
    "id": "appId datasetId",
    "name": "title id",
    "top": "pin pinned isPinned",
    "records": "messages",
    "obj": "role",
    "text": "content answer reply",
    "Human": "user User",
    "AI": "assistant Assistant",
    "repeat": "count number",
    "owner": "admin",
    "write": "editor",
    "read": "viewer",
    "now": "time at",
    "seconds": "minutes hours",
    # Profiles and choices
    "deployed-4.14": "4.14",
    "deployed": "4.16 deployed-4.16",
    "off": "False",
    "on": "True",
}
"""Words of other tools for our names, if they are spelt quite differently; of several
names that a word may mean, the first one counts."""


def all_problems(messages: Iterable[str]) -> str:
    """Join the messages of problems: `first; second; and more`.

    Number and length are limited. Without messages, the text is empty.
    """
    text, texts = "", iter(messages)
    for message in islice(texts, Published.told_problems):
        if not text:
            text = message  # clients' texts in messages are short
        elif len(text) + len(message) < Published.told_chars:
            text = f"{text}; {message}"
        else:
            return f"{text}; and more"
    return text if next(texts, None) is None else f"{text}; and more"


def did_you_mean(word: str, known: Collection[str], cutoff: float = 0.6) -> str:
    """Return ` (did you mean 'title'?)`, or "" if no known word is near."""
    suggestion = nearest(word, known, cutoff)
    note = ", in milliseconds" if suggestion in ("ms", "delayMs", "delay_ms") else ""
    if suggestion == "deployed" and word.endswith("4.16"):
        note = ", which is 4.16"
    return "" if suggestion is None else f" (did you mean {suggestion!r}{note}?)"


def known_names_hint(word: str, known: Iterable[str], count: int) -> str:
    """Return the hint for an unknown name: a similar name, and the first known names.

    `known` has `count` names.
    """
    if count == 0:
        return "there are none"
    compared = list(islice(known, _SOME_COMPARED)) if count <= _SOME_COMPARED else ()
    similar = nearest(word, compared)
    names = compared or islice(known, Published.listed_names)
    shown_names = [quoted(cut(each)) for each in islice(names, Published.listed_names)]
    if not shown_names:
        return f"there are {count:,}"
    more = f" and {count - len(shown_names)} more" if count > len(shown_names) else ""
    known_text = f"there {'is' if count == 1 else 'are'} {', '.join(shown_names)}{more}"
    if similar is None:
        return known_text
    return f"did you mean {quoted(cut(similar))}? T{known_text[1:]}"


def hint_of_name(word: str, ids_and_names: Iterable[tuple[str, str]]) -> str:
    """Return the hint `that is the name of "b1"` if a name was sent instead of an id.

    Return "" otherwise. Only the first names are compared.
    """
    compared = islice(ids_and_names, _COMPARED_NAMES)
    matches = (own_id for own_id, name in compared if name == word != "")
    return "".join(
        f"that is the name of {quoted(cut(each))}" for each in islice(matches, 1)
    )


_ID = re.compile("[0-9a-f]{24}")


def nearest(word: str, known: Collection[str], cutoff: float = 0.6) -> str | None:
    """Return the known word that is nearest or a synonym, or None.

    Its similarity (0 to 1) is at least `cutoff`.
    Among many known words only some with the same beginning are compared, among very
    many none, so a file with a thousand mistakes still gets a quick response.
    """
    if len(known) > _SOME_COMPARED or len(word) > _WORD_CHARS:
        return None
    for name, synonyms in _SYNONYMS.items():
        if name in known and word in synonyms.split():
            return name
    candidates = [each for each in known if len(each) <= _WORD_CHARS]
    if len(known) > _ALL_COMPARED:
        candidates = [each for each in candidates if each[:3] == word[:3]][
            :_ALL_COMPARED
        ]
    total_costs = accumulate(len(word) * len(each) for each in candidates)
    compared = candidates[: sum(each <= _COMPARED_CHARS for each in total_costs)]
    # Ids that were created one after the other begin alike: that is no mistake.
    return most_alike(word, compared, 0.9 if _ID.fullmatch(word) else cutoff)


def most_alike(word: str, known: Collection[str], cutoff: float = 0.6) -> str | None:
    """Return the most similar known word, or None.

    Its similarity (0 to 1) has to be at least `cutoff`.
    """
    # Import late, because a start without mistakes does not need this module.
    from difflib import get_close_matches

    matches = get_close_matches(word, known, 1, cutoff)
    return matches[0] if matches else None
