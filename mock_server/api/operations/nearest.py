"""What is likely meant by the name of a field, or a path, that there is not.

Such as `chatID` for `chatId`, or a path with another slash, case or prefix.
"""

import re
from collections.abc import Collection, Iterable
from itertools import islice
from urllib.parse import unquote

from mock_server.domain.limits import Published
from mock_server.domain.messages import cut, most_alike, quoted

_COMPARED = 50
"""Fields of a body that are compared, its first ones."""
_SYNONYMS = dict.fromkeys(("current", "page"), "pageNum")
_SYNONYMS |= dict.fromkeys(("limit", "size"), "pageSize")
_SYNONYMS |= dict.fromkeys(("keyword", "query", "search"), "searchText text")
_SYNONYMS |= dict.fromkeys(("pin", "pinned", "isTop", "isPinned"), "top")
_SYNONYMS |= {"content": "text", "answer": "a", "title": "name"}
_SYNONYMS["question"] = "q messages"
_SYNONYMS |= dict.fromkeys(("prompt", "input", "text"), "messages content")
"""Words of other interfaces for fields that are spelt quite differently."""


def nearest(name: str, known: Collection[str]) -> str | None:
    """The known name that is nearest, whatever its case and underscores."""
    # Comparing takes time that grows with the square of the length.
    if len(name) > Published.hinted_chars:
        return None
    for each in _SYNONYMS.get(name, "").split():
        if each in known:
            return each
    by_letters = {letters(each): each for each in known}
    near = most_alike(letters(name), by_letters)
    return by_letters[near] if near is not None else None


def given_for(missing: Collection[str], unknown: Iterable[str]) -> dict[str, str]:
    """By missing field the unknown one that is likely to be meant for it."""
    found: dict[str, str] = {}
    for name in islice(unknown, _COMPARED):
        near = nearest(name, missing)
        if near is None and _SYNONYMS.get(name) == "pageNum" and "offset" in missing:
            near = "offset"  # which says how pages are counted
        elif near is None and name[-2:].lower() == "id":
            # `datasetId` for the `id` of a dataset, or the other way round.
            ids = [each for each in missing if each[-2:].lower() == "id"]
            near = next((each for each in ids if "id" in (each, name)), None)
        if near is not None:
            found.setdefault(near, name)
    return found


def meant_by_unknown(given: str | None, missing: str) -> str:
    """What the message of a missing field ends with; nothing if none was given."""
    if given is None:
        return ""
    return f" (unknown field {quoted(cut(given))}: did you mean {quoted(missing)}?)"


def ignored(
    body: Collection[str], known: Collection[str], told: Collection[str] = ()
) -> list[str]:
    """What to say of a field that has no meaning, and is likely meant for another.

    It is none of those that have been `told`.
    """
    known = [*known, *told]
    absent = [each for each in known if each not in body]
    for name in islice((each for each in body if each not in known), _COMPARED):
        if near := meant(name, absent):
            return [f"unknown field {quoted(cut(name))} is ignored{near}"]
    return []


def meant(name: str, known: Collection[str]) -> str:
    """What the message of an unknown field ends with; nothing if none is near."""
    near = nearest(name, known)
    return f" (did you mean {quoted(near)}?)" if near else ""


def letters(name: str) -> str:
    """A name without what people get wrong: case, `_` and `-`."""
    return name.replace("_", "").replace("-", "").casefold()


def words_of(name: str) -> list[str]:
    """The words of a name in any order: those of `createApp` and `app.create`."""
    if len(name) > Published.hinted_chars:
        return [name]
    return sorted(each.lower() for each in re.findall("[A-Z]?[a-z0-9]+", name))


_ADMIN = {
    # Only below a sandbox's own address does such a path come here.
    re.compile("/__admin(?=/)"): "/__admin/sandboxes/NAME",
    re.compile("(?<!/)/++_*+admin(?=/|$)", re.IGNORECASE): "/__admin",
    re.compile("(?<!/)/++health[a-z]*+/?$", re.IGNORECASE): "/__admin/health",
}
"""Beginnings of paths, and what is meant by them."""
_ONE_OFF, _SLIP, _LEAST_ALIKE = 0.96, 0.9, 0.8
_VERSION = re.compile("/v[0-9](?=/)")
_DELETES = re.compile("/(batch)?(del|clear|remove|reset|restore|advance)[^/]*$")


def nearest_path(
    path: str, known: Collection[str], preferred: Collection[str] = ()
) -> str | None:
    """The known path that is nearest to another one; None if none is.

    It differs in case, slashes or escapes only, or else in what stands before it, or
    else in its version too, or else between its ends, or else in a few characters, or
    else its last word goes on, or else it differs in more; of the same rank,
    `preferred` ones come first. What deletes or resets is meant by nothing else than
    its own path with a slip in it.
    """
    # Comparing takes time that grows with the square of the length.
    if len(path) > Published.hinted_chars:
        return None
    given = plain_path(path)
    by_plain = {each.lower(): each for each in known}
    if given in by_plain:
        return by_plain[given]
    ends = [each for each in by_plain if _ends_alike(given, each)]
    if len(ends) != 1:
        # The lowest version of a route comes last, and stays.
        lowest = {_VERSION.sub("", each): each for each in sorted(by_plain)[::-1]}
        bare = _VERSION.sub("", given)
        ends = [each for own, each in lowest.items() if _ends_alike(bare, own)]
    if len(ends) == 1:
        return by_plain[ends[0]]
    if _DELETES.search(given):
        near = most_alike(given, by_plain, _SLIP)
    else:
        all_known = [each for each in by_plain if not _DELETES.search(each)]
        first = [each for each in all_known if by_plain[each] in preferred]
        last = "/" + given.rpartition("/")[2]
        namesakes = (
            [each for each in some if each.endswith(last)]
            for some in (first, all_known)
        )
        ranked = [(each, _LEAST_ALIKE) for each in namesakes]
        slip = [each for each in (most_alike(given, all_known, _SLIP),) if each]
        is_folder = any(each.startswith(f"{given}/") for each in all_known)
        in_word = () if is_folder else first  # of `/api` no word goes on
        longer = [each for each in in_word if _goes_on(by_plain[each], last)]
        ranked += [([each for each in by_plain if _DELETES.search(each)], _ONE_OFF)]
        ranked += [([each for each in slip if each in first], 0)]
        ranked += [(longer, 0 if len(longer) == 1 else _LEAST_ALIKE), (slip, 0)]
        ranked += [(first, _LEAST_ALIKE), (all_known, _LEAST_ALIKE)]
        found = (most_alike(given, some, least) for some, least in ranked)
        near = next(filter(None, found), None)
    return by_plain[near] if near is not None else None


def nearest_admin_path(path: str) -> str | None:
    """The path of the admin API that is meant by one such as `/admin/health`."""
    is_short = len(path) <= Published.hinted_chars
    for beginning, other in _ADMIN.items():
        if is_short and (found := beginning.match(path)):
            return other + path[found.end() :]
    return None


def plain_path(path: str) -> str:
    """A path in lower case, without escapes, doubled slashes, and what ends it."""
    text = unquote(path).partition(";")[0].strip().lower()
    return re.sub("/+", "/", text).rstrip("/")


def _goes_on(known: str, last: str) -> bool:
    """Whether the last word of a path begins with that, as `loginByPassword` does."""
    end = "/" + known.rpartition("/")[2]
    return end.lower().startswith(last) and end[len(last) : len(last) + 1].isupper()


def _ends_alike(path: str, known: str) -> bool:
    """Whether one path is the end of the other: a prefix is missing, or too much."""
    return len(path) > 1 and (known.endswith(path) or path.endswith(known))
