"""Finds the known name or path that is most similar to an unknown one.

It finds `chatId` for `chatID`, and a path that differs in slashes, case or prefix.
"""

import re
from collections.abc import Collection, Iterable
from itertools import islice
from urllib.parse import unquote

from mock_server.domain.limits import Published
from mock_server.domain.messages import cut, most_alike, quoted

_MAX_COMPARED = 50
"""Maximum number of fields of a body that are compared; the others are skipped."""
_SYNONYMS = dict.fromkeys(("current", "page"), "pageNum")
_SYNONYMS |= dict.fromkeys(("limit", "size"), "pageSize")
_SYNONYMS |= dict.fromkeys(("keyword", "query", "search"), "searchText text")
_SYNONYMS |= dict.fromkeys(("pin", "pinned", "isTop", "isPinned"), "top")
_SYNONYMS |= {"content": "text", "answer": "a", "title": "name", "url": "link"}
_SYNONYMS["question"] = "q messages"
_SYNONYMS |= dict.fromkeys(("prompt", "input", "text"), "messages content")
"""Our names (values) for quite different names (keys) of fields in other APIs."""


def nearest(name: str, known: Collection[str]) -> str | None:
    """Return a known synonym of `name`, else the most similar known name, else None.

    The comparison ignores case, `_` and `-`.
    """
    # Comparing takes time quadratic in the length.
    if len(name) > Published.hinted_chars:
        return None
    for each in _SYNONYMS.get(name, "").split():
        if each in known:
            return each
    by_letters = {letters(each): each for each in known}
    similar = most_alike(letters(name), by_letters)
    return by_letters[similar] if similar is not None else None


def misnamed_fields(missing: Collection[str], unknown: Iterable[str]) -> dict[str, str]:
    """Return, by missing field, the unknown field that is likely meant for it."""
    result: dict[str, str] = {}
    for name in islice(unknown, _MAX_COMPARED):
        similar = nearest(name, missing)
        if similar is None and _SYNONYMS.get(name) == "pageNum" and "offset" in missing:
            similar = "offset"  # both select a page
        elif similar is None and name[-2:].lower() == "id":
            # `datasetId` for the `id` of a dataset, or the other way round.
            ids = [each for each in missing if each[-2:].lower() == "id"]
            similar = next((each for each in ids if "id" in (each, name)), None)
        if similar is not None:
            result.setdefault(similar, name)
    return result


def likely_hint(unknown: str | None, missing: str) -> str:
    """Return the end of the message on a missing field; "" if `unknown` is None.

    `unknown` is the field that is likely meant for the missing one.
    """
    if unknown is None:
        return ""
    return f" (unknown field {quoted(cut(unknown))}: did you mean {quoted(missing)}?)"


def ignored_hints(
    body: Collection[str], known: Collection[str], reported: Collection[str] = ()
) -> list[str]:
    """Return a hint at the first ignored field that is similar to a known one, or [].

    `reported` are unknown fields that need no hint.
    """
    known = [*known, *reported]
    absent = [each for each in known if each not in body]
    for name in islice((each for each in body if each not in known), _MAX_COMPARED):
        if similar := similar_hint(name, absent):
            return [f"unknown field {quoted(cut(name))} is ignored{similar}"]
    return []


def similar_hint(name: str, known: Collection[str]) -> str:
    """Return the end of the message on an unknown field; "" if no name is similar."""
    similar = nearest(name, known)
    return f" (did you mean {quoted(similar)}?)" if similar else ""


def typos(body: Collection[str], known: Collection[str]) -> Collection[str]:
    """Return the unknown fields of a body that are misspelled known ones."""
    absent = [letters(each) for each in known if each not in body]
    unknown = islice((each for each in body if each not in known), _MAX_COMPARED)
    return [each for each in unknown if _is_like(letters(each), absent)]


def _is_like(name: str, plain: Collection[str]) -> bool:
    is_short = len(name) <= Published.hinted_chars
    return is_short and most_alike(name, plain, _LEAST_ALIKE) is not None


def letters(name: str) -> str:
    """Return a name in lower case without `_` and `-`, for comparisons."""
    return name.replace("_", "").replace("-", "").casefold()


def words_of(name: str) -> list[str]:
    """Return the sorted words of a name; `createApp` and `app.create` have the same."""
    if len(name) > Published.hinted_chars:
        return [name]
    return sorted(each.lower() for each in re.findall("[A-Z]?[a-z0-9]+", name))


_ADMIN_PREFIXES = {
    # An admin path is unknown only below a bound address.
    re.compile("/__admin(?=/)"): "/__admin/sandboxes/NAME",
    re.compile("(?<!/)/++_*+admin(?=/|$)", re.IGNORECASE): "/__admin",
    re.compile("(?<!/)/++health[a-z]*+/?$", re.IGNORECASE): "/__admin/health",
    re.compile("(?!/__sandboxes/)/_*+sandbox(es)?(?=/[^/]+/api/)"): "/__sandboxes",
    # The paths of MockServer.
    re.compile("/mockserver/expectation$"): "POST /__admin/faults "
    '{"kind": "answer", "operation": "GET /api/x", "json": {}}',
    re.compile("/mockserver/verify$"): "POST /__admin/journal/verify",
    re.compile("/mockserver/retrieve$"): "GET /__admin/journal",
    re.compile("/mockserver/(reset|clear)$"): "POST /__admin/reset",
}
"""Maps a pattern for the start of a wrong path to the start of the right one."""
_ONE_TYPO, _FEW_TYPOS, _LEAST_ALIKE = 0.96, 0.9, 0.8
"""Minimum similarities (0 to 1) of two paths or names, by how much may differ."""
_COMMON_FOLDERS = {"", "api", "core"}
_VERSION = re.compile("/v[0-9](?=/)")
_DELETES = re.compile("/(batch)?(del|clear|remove|reset|restore|advance)[^/]*$")


def nearest_path(
    path: str, known: Collection[str], preferred: Collection[str] = ()
) -> str | None:
    """Return the known path that is most similar to `path`, or None.

    Candidates are tried in this order: paths that differ only in case, slashes or
    escapes; only in the prefix; only in the middle; in a few characters; paths whose
    last word is longer; paths that differ in more characters.
    Among equal ones, `preferred` paths come first. A path that deletes or resets is
    suggested only for a small spelling mistake in it.
    """
    # Comparing takes time quadratic in the length.
    if len(path) > Published.hinted_chars:
        return None
    plain = plain_path(path)
    by_plain = {each.lower(): each for each in known}
    if plain in by_plain:
        return by_plain[plain]
    ends = [each for each in by_plain if _one_ends_other(plain, each)]
    if len(ends) != 1:
        # Without its version, a path stands for the lowest version of the route.
        lowest = {_VERSION.sub("", each): each for each in sorted(by_plain)[::-1]}
        text = _VERSION.sub("", plain)
        ends = [each for end, each in lowest.items() if _one_ends_other(text, end)]
    if len(ends) == 1:
        return by_plain[ends[0]]
    if _DELETES.search(plain):
        similar = most_alike(plain, by_plain, _FEW_TYPOS)
    else:
        all_known = [each for each in by_plain if not _DELETES.search(each)]
        preferred_plain = [each for each in all_known if by_plain[each] in preferred]
        end = "/" + plain.rpartition("/")[2]
        namesakes = (
            [each for each in paths if each.endswith(end)]
            for paths in (preferred_plain, all_known)
        )
        ranked = [(each, _LEAST_ALIKE) for each in namesakes]
        close = [each for each in (most_alike(plain, all_known, _FEW_TYPOS),) if each]
        is_folder = any(each.startswith(f"{plain}/") for each in all_known)
        # A folder of known paths, such as `/api`, is not the beginning of a word.
        starts = () if is_folder else preferred_plain
        longer = [each for each in starts if _extends_word(by_plain[each], plain)]
        ranked += [([each for each in by_plain if _DELETES.search(each)], _ONE_TYPO)]
        ranked += [([each for each in close if each in preferred_plain], 0)]
        ranked += [(longer, 0 if len(longer) == 1 else _LEAST_ALIKE), (close, 0)]
        ranked += [(preferred_plain, _LEAST_ALIKE), (all_known, _LEAST_ALIKE)]
        matches = (most_alike(plain, paths, cutoff) for paths, cutoff in ranked)
        similar = next(filter(None, matches), None)
    return by_plain[similar] if similar is not None else None


def nearest_admin_path(path: str) -> str | None:
    """Return our own path that a path such as `/admin/health` means, or None."""
    is_short = len(path) <= Published.hinted_chars
    for pattern, target in _ADMIN_PREFIXES.items():
        if is_short and (match := pattern.match(path)):
            return target + path[match.end() :]
    return None


def plain_path(path: str) -> str:
    """Return a path in lower case without escapes, double slashes and final slash."""
    text = unquote(path).partition(";")[0].strip().lower()
    return re.sub("/+", "/", text).rstrip("/")


def _extends_word(known: str, path: str) -> bool:
    """Return whether the last word of `known` extends that of a path in lower case.

    `loginByPassword` extends `login`. The folders of the path must have a word of those
    of `known`, unless all are common ones.
    """
    known_folder, _, known_word = known.rpartition("/")
    folder, _, word = path.rpartition("/")
    folders = {*folder.split("/")} - _COMMON_FOLDERS
    if folders and folders.isdisjoint(known_folder.lower().split("/")):
        return False
    is_start = known_word.lower().startswith(word)
    return is_start and known_word[len(word) : len(word) + 1].isupper()


def _one_ends_other(path: str, known: str) -> bool:
    """Return whether one path is the end of the other."""
    return len(path) > 1 and (known.endswith(path) or path.endswith(known))
