"""Cut texts into data rows, and score rows against questions.

A text is cut as the service cuts it: at the request's separators, else at headings,
each of which begins a row that repeats the headings above; then at ever smaller breaks
while a piece is too long. Pieces are joined while they fit into a chunk. After the end
of a sentence the next chunk begins with the last sentences of the chunk before. White
space is not counted.

The parts of a question are the pairs of adjacent characters in its words, case folded;
a word of one character is a part itself. The score of a text is the share of these
parts that it contains, from 0 to 1. Scores need no words, so they work for Chinese, and
no model, so they are the same everywhere.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct

from mock_server.domain.objects.haystack import fold
from mock_server.domain.objects.pending import Steps

MIN_CHUNK_CHARS = 64
"""Smallest chunk size, so that a text does not become a row for each character."""
MOST_CHARS = 11_200
"""Maximum characters of a row: 0.7 of a model's limit."""
_PART_CHARS, _BACK_CHARS = 65_536, 4_096
_MATCHES = 1_024


class Cutting(Struct, frozen=True):
    """Rules for cutting; a text of fewer than `least` characters is one row.

    A chunk has about `size` characters, and the next one repeats `overlap` of them.
    Headings count down to `levels`; `separators` replace headings.
    """

    size: int = 1_000
    overlap: int = 200
    levels: int = 5
    separators: tuple[str, ...] = ()
    least: int = 1_000


USUAL = Cutting()
_CODE = re.compile(r"```.*?```|~~~.*?~~~", re.DOTALL)
_LINE_OF_CODE = "\uffff"
"""Replaces line ends in a block of code, where nothing is cut."""
_BREAKS = (
    *map(re.compile, (r"\n(?:```.*?```|~~~.*?~~~)", r"\n{2,}", r"\n")),
    *map(re.compile, (r"。|[a-zA-Z]\.\s", r"！|!\s", r"？|\?\s", r"；|;\s", r"，|,\s")),
)
"""Patterns that end a piece: the largest pieces first."""
_FIRST_SENTENCE = 3


def chunks(text: str, most: int, cutting: Cutting = USUAL) -> Steps[list[str]]:
    """Return the chunks of a text; none for a blank text.

    If there are more than `most`, return the first `most` + 1.
    """
    if len(text.strip()) < cutting.least or not text.strip():
        return [text] if text.strip() else []
    made: list[str] = []
    text = yield from _with_code_in_one_line(text.replace("\r\n", "\n"))
    for section in _sections(text, cutting):
        if section is None:
            yield
            continue
        heading, body = section
        found = [body]
        if not cutting.separators or _chars(body) > MOST_CHARS:
            found = yield from _split(body, cutting)
        for number, each in enumerate(found or [""], 1):
            if not number % _MATCHES:
                yield
            chunk = f"{heading}{each}".replace(_LINE_OF_CODE, "\n").strip()
            if chunk:
                made.append(re.sub(r"\n{3,}", "\n\n", chunk))
        if len(made) > most:
            break
    return made[: most + 1]


def _found(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str] | None]:
    """Yield the matches in a text, and None now and then to let other requests run."""
    at, count = 0, 0
    while at < len(text):
        end = at + _PART_CHARS
        found = pattern.search(text, at, end)
        if found is not None:
            yield found
            at, count = found.end(), count + 1
        elif end >= len(text):
            return
        else:
            # A match lies within one part, so search the end of this part again.
            at, count = end - _BACK_CHARS, _MATCHES
        if count >= _MATCHES:
            yield None
            count = 0


def _with_code_in_one_line(text: str) -> Steps[str]:
    joined: list[str] = []
    parts: list[str] = []
    start = 0
    for found in _found(_CODE, text):
        if found is None:
            # Short parts take ten times the memory of their text.
            joined.append("".join(parts))
            parts.clear()
            yield
        elif "\n" in found[0]:
            code = found[0].replace("\n", _LINE_OF_CODE)
            parts += text[start : found.start()], code
            start = found.end()
    return "".join([*joined, *parts, text[start:]])


def _sections(text: str, cutting: Cutting) -> Iterator[tuple[str, str] | None]:
    """Yield the headings and the body of each section; sections are not joined."""
    if cutting.separators:
        own = re.compile("|".join(map(re.escape, cutting.separators)))
        for part in _pieces(own, text, keeps=False):
            yield None if part is None else ("", part)
        return
    if not cutting.levels:
        yield "", text
        return
    above: list[tuple[int, str]] = []
    start = 0
    headings = re.compile(rf"^(#{{1,{cutting.levels}}})\s[^\n]+\n", re.MULTILINE)
    for found in _found(headings, text):
        if found is None:
            yield None
            continue
        body, level = text[start : found.start()], len(found[1])
        is_last = bool(above) and level <= above[-1][0]
        if body.strip() or is_last:
            yield _joined(above, cutting), body
        while above and above[-1][0] >= level:
            above.pop()
        above.append((level, found[0]))
        start = found.end()
    if text[start:].strip() or above:
        yield _joined(above, cutting), text[start:]


def _joined(above: list[tuple[int, str]], cutting: Cutting) -> str:
    """Return the headings above a section; "" if they are longer than a chunk."""
    whole = "".join(heading for _, heading in above)
    return whole if len(whole) <= cutting.size else ""


def _pieces(
    pattern: re.Pattern[str], text: str, *, keeps: bool = True
) -> Iterator[str | None]:
    """Yield the pieces that are not blank, each with its end unless `keeps` is False.

    Also yield None when `_found` does.
    """
    start = 0
    for found in _found(pattern, text):
        if found is None:
            yield None
            continue
        piece = text[start : found.end() if keeps else found.start()]
        start = found.end()
        if piece.strip():
            yield piece
    if text[start:].strip():
        yield text[start:]


def _split(
    text: str, cutting: Cutting, step: int = 0, carry: str = ""
) -> Steps[list[str]]:
    """Return the chunks of `carry` and a text, cut at the breaks of a step."""
    if step == len(_BREAKS):
        whole, stride = carry + text, cutting.size - cutting.overlap
        if _chars(whole) < MOST_CHARS:
            return [whole]
        starts = range(0, len(whole), stride)
        return [whole[at : at + cutting.size] for at in starts]
    made: list[str] = []
    carried, is_new = _chars(carry), True  # or no more than an overlap
    for piece in _pieces(_BREAKS[step], text):
        if piece is None:
            yield
            continue
        has_code = step == 0 and ("```" in piece or "~~~" in piece)
        most = MOST_CHARS if has_code else cutting.size
        own = _chars(piece)
        if carried + own > 1.2 * most and carried > 0.8 * most:
            made.append(carry)
            carry = _overlap(carry, cutting, step)
            carried = _chars(carry)
        if carried + own <= most:
            carry, carried, is_new = carry + piece, carried + own, True
            continue
        if carried + own < 1.2 * most:
            made.append(carry + piece)
        else:
            made += yield from _split(piece, cutting, step + 1, carry)
        is_new = _chars(made[-1]) < 0.8 * most
        carry = made.pop() if is_new else _overlap(made[-1], cutting, step)
        carried = _chars(carry)
    if carry and is_new:
        if made and carried < 0.4 * cutting.size:
            made[-1] += carry
        else:
            made.append(carry)
    return made


def _overlap(chunk: str, cutting: Cutting, step: int) -> str:
    """Return the sentences at the end of a chunk that the next one repeats."""
    if not cutting.overlap or not _FIRST_SENTENCE <= step < len(_BREAKS):
        return ""
    tail = ""
    for piece in [*filter(None, _pieces(_BREAKS[step], chunk))][::-1]:
        longer = piece + tail
        if _chars(longer) > 0.4 * cutting.size:
            return _overlap(longer, cutting, step + 1) or tail
        if _chars(longer) > cutting.overlap:
            return longer
        tail = longer
    return tail


def _chars(text: str) -> int:
    """Return the characters without white space; in a very long text, all."""
    if len(text) > _PART_CHARS:
        return len(text)
    return len("".join(text.split()))


_MOST_PARTS = 64
"""Parts of a question that are compared, its first ones, which bounds the time."""


def parts_of(question: str) -> tuple[str, ...]:
    """Return the parts of a question for `score`; none if it has no words."""
    parts: dict[str, None] = {}
    for word in _words(fold(question[:_PART_CHARS])):
        pairs = [word] if len(word) == 1 else map("".join, pairwise(word))
        for part in pairs:
            parts[part] = None
            if len(parts) == _MOST_PARTS:
                return tuple(parts)
    return tuple(parts)


def score(parts: tuple[str, ...], folded: str) -> float:
    """Return the share of a question's parts that a folded text has, to four digits."""
    if not parts:
        return 0.0
    return round(sum(map(folded.__contains__, parts)) / len(parts), 4)


def tokens_of(text: str) -> int:
    """Return about how many tokens a text has: one for every four bytes of UTF-8."""
    return (len(text.encode()) + 3) // 4


def _words(text: str) -> list[str]:
    return "".join(each if each.isalnum() else " " for each in text).split()
