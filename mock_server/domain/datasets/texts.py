"""Texts of data rows: cut out of longer ones, and compared with questions.

A text is cut as the service cuts it: at separators of one's own, else at headings, of
which each begins a row that has the headings above it, too; then at ever smaller breaks
for as long as a piece is too long. Pieces are joined while they fit into a chunk.
Behind the end of a sentence the next chunk begins with the last sentences of the one
before. White space is not counted.

The parts of a question are the pairs of neighbouring characters in its words, case
folded; a word of one character is a part itself. The score of a text is the share of
these parts that it contains, from 0 to 1: a text that contains all of the question has
1. It needs no words, so that it serves Chinese as well, and no model, so that it is the
same everywhere.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct

from mock_server.domain.objects.haystack import fold
from mock_server.domain.objects.pending import Steps

MIN_CHUNK_CHARS = 64
"""Fewer count as these: a text must not become a row for each character."""
MOST_CHARS = 11_200
"""Characters of a row at most: 0.7 of what a model takes."""
_PART_CHARS, _BACK_CHARS = 65_536, 4_096
_MATCHES = 1_024


class Cutting(Struct, frozen=True):
    """How a text is cut; one of fewer characters than `least` is one row.

    A chunk has about `size` characters, of which the next one repeats `overlap`.
    Headings count down to so many `levels`; `separators` take their place.
    """

    size: int = 1_000
    overlap: int = 200
    levels: int = 5
    separators: tuple[str, ...] = ()
    least: int = 1_000


USUAL = Cutting()
_CODE = re.compile(r"```.*?```|~~~.*?~~~", re.DOTALL)
_LINE_OF_CODE = "\uffff"
"""Stands for the end of a line in a block of code, where nothing is cut."""
_BREAKS = (
    *map(re.compile, (r"\n(?:```.*?```|~~~.*?~~~)", r"\n{2,}", r"\n")),
    *map(re.compile, (r"。|[a-zA-Z]\.\s", r"！|!\s", r"？|\?\s", r"；|;\s", r"，|,\s")),
)
"""What ends a piece: the largest pieces first."""
_FIRST_SENTENCE = 3


def chunks(text: str, most: int, cutting: Cutting = USUAL) -> Steps[list[str]]:
    """The chunks of a text; none of a blank one.

    If there are more than `most`, that is one more of them.
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
    """What is found in a text, and None now and then, so that others are served."""
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
            # What is found stands in one part: what is cut by its end begins again.
            at, count = end - _BACK_CHARS, _MATCHES
        if count >= _MATCHES:
            yield None
            count = 0


def _with_code_in_one_line(text: str) -> Steps[str]:
    parts: list[str] = []
    start = 0
    for found in _found(_CODE, text):
        if found is None:
            yield
            continue
        parts += [text[start : found.start()], found[0].replace("\n", _LINE_OF_CODE)]
        start = found.end()
    return "".join([*parts, text[start:]])


def _sections(text: str, cutting: Cutting) -> Iterator[tuple[str, str] | None]:
    """What is never joined: the headings above each part of a text, and the part."""
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
    """The headings above a part; none if they are longer than a chunk."""
    whole = "".join(heading for _, heading in above)
    return whole if len(whole) <= cutting.size else ""


def _pieces(
    pattern: re.Pattern[str], text: str, *, keeps: bool = True
) -> Iterator[str | None]:
    """The pieces of a text that are not blank, with what ends them unless it goes.

    None as `_found` gives it.
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
    """The chunks of a text behind what is carried over, cut at the breaks of a step."""
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
    """The sentences at the end of a chunk with which the next one begins."""
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
    """Characters that count; in a very long text, all."""
    if len(text) > _PART_CHARS:
        return len(text)
    return len("".join(text.split()))


_MOST_PARTS = 64
"""Parts of a question that are compared, its first ones: a long question takes no
longer than this many."""


def parts_of(question: str) -> tuple[str, ...]:
    """The parts of a question by which texts are compared; none if it has no words."""
    parts: dict[str, None] = {}
    for word in _words(fold(question[:_PART_CHARS])):
        pairs = [word] if len(word) == 1 else map("".join, pairwise(word))
        for part in pairs:
            parts[part] = None
            if len(parts) == _MOST_PARTS:
                return tuple(parts)
    return tuple(parts)


def score(parts: tuple[str, ...], text: str) -> float:
    """The share of a question's parts that a text contains, to four digits."""
    if not parts:
        return 0.0
    folded = fold(text)
    return round(sum(map(folded.__contains__, parts)) / len(parts), 4)


def tokens_of(text: str) -> int:
    """About how many tokens a text counts: one for every four bytes of UTF-8."""
    return (len(text.encode()) + 3) // 4


def _words(text: str) -> list[str]:
    return "".join(each if each.isalnum() else " " for each in text).split()
