"""Cut texts into data rows, and score rows against questions.

A text is cut as the service cuts it: at the separators of the request, else at
headings. Each heading begins a row that repeats the headings above it. A piece that is
too long is cut at ever smaller breaks; short pieces are joined while they fit into a
chunk. If a chunk ends at a sentence, the next chunk repeats its last sentences. White
space is not counted.

The parts of a question are the pairs of adjacent characters in its words, case folded;
a word of one character is a part, too. The score of a text is the share of these parts
that it contains, from 0 to 1. This works without a model, and for Chinese, which does
not separate words.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct

from mock_server.domain.objects.haystack import fold
from mock_server.domain.objects.pending import Steps

MIN_CHUNK_CHARS = 64
"""Minimum size of a chunk, so that a text does not become too many rows."""
MOST_CHARS = 11_200
"""Maximum number of characters of a row: 0.7 of the limit of a model."""
_PART_CHARS, _OVERLAP_CHARS = 65_536, 4_096
"""Number of characters that are searched in one step, and of those searched again."""
_MATCHES_PER_STEP = 1_024


class ChunkRules(Struct, frozen=True):
    """The rules for cutting a text. A text of fewer than `least` characters is one row.

    A chunk has about `size` characters, of which the next chunk repeats `overlap`.
    Headings of level 1 to `levels` are used; `separators` are used instead of headings.
    """

    size: int = 1_000
    overlap: int = 200
    levels: int = 5
    separators: tuple[str, ...] = ()
    least: int = 1_000


DEFAULT_RULES = ChunkRules()
_CODE = re.compile(r"```.*?```|~~~.*?~~~", re.DOTALL)
_CODE_LINE_END = "\uffff"
"""Replaces the line ends in a block of code, so that the block is not cut there."""
_BREAKS = (
    *map(re.compile, (r"\n(?:```.*?```|~~~.*?~~~)", r"\n{2,}", r"\n")),
    *map(re.compile, (r"。|[a-zA-Z]\.\s", r"！|!\s", r"？|\?\s", r"；|;\s", r"，|,\s")),
)
"""Patterns for the end of a piece, those for the largest pieces first."""
_FIRST_SENTENCE_BREAK = 3
"""Index of the first pattern for the end of a sentence."""


def chunks(
    text: str, most: int, cutting: ChunkRules = DEFAULT_RULES
) -> Steps[list[str]]:
    """Return the chunks of a text; an empty list for a blank text.

    If there are more than `most` chunks, return the first `most` + 1.
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
            if not number % _MATCHES_PER_STEP:
                yield
            chunk = f"{heading}{each}".replace(_CODE_LINE_END, "\n").strip()
            if chunk:
                made.append(re.sub(r"\n{3,}", "\n\n", chunk))
        if len(made) > most:
            break
    return made[: most + 1]


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str] | None]:
    """Yield the matches in a text, and None at times, to let other requests run."""
    start, count = 0, 0
    while start < len(text):
        end = start + _PART_CHARS
        found = pattern.search(text, start, end)
        if found is not None:
            yield found
            start, count = found.end(), count + 1
        elif end >= len(text):
            return
        else:
            # A match may cross the end of this part, so search its end again.
            start, count = end - _OVERLAP_CHARS, _MATCHES_PER_STEP
        if count >= _MATCHES_PER_STEP:
            yield None
            count = 0


def _with_code_in_one_line(text: str) -> Steps[str]:
    joined: list[str] = []
    parts: list[str] = []
    start = 0
    for found in _matches(_CODE, text):
        if found is None:
            # Short parts take ten times the memory of their text.
            joined.append("".join(parts))
            parts.clear()
            yield
        elif "\n" in found[0]:
            code = found[0].replace("\n", _CODE_LINE_END)
            parts += text[start : found.start()], code
            start = found.end()
    return "".join([*joined, *parts, text[start:]])


def _sections(text: str, cutting: ChunkRules) -> Iterator[tuple[str, str] | None]:
    """Yield the headings and the body of each section, and None as `_matches` does."""
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
    for found in _matches(headings, text):
        if found is None:
            yield None
            continue
        body, level = text[start : found.start()], len(found[1])
        is_last = bool(above) and level <= above[-1][0]
        if body.strip() or is_last:
            yield _heading_text(above, cutting), body
        while above and above[-1][0] >= level:
            above.pop()
        above.append((level, found[0]))
        start = found.end()
    if text[start:].strip() or above:
        yield _heading_text(above, cutting), text[start:]


def _heading_text(above: list[tuple[int, str]], cutting: ChunkRules) -> str:
    """Return the headings above a section; "" if they are longer than a chunk."""
    whole = "".join(heading for _, heading in above)
    return whole if len(whole) <= cutting.size else ""


def _pieces(
    pattern: re.Pattern[str], text: str, *, keeps: bool = True
) -> Iterator[str | None]:
    """Yield the pieces of a text that are not blank, and None as `_matches` does.

    With `keeps`, a piece includes the break at its end.
    """
    start = 0
    for found in _matches(pattern, text):
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
    text: str, cutting: ChunkRules, step: int = 0, carry: str = ""
) -> Steps[list[str]]:
    """Return the chunks of `carry` and a text, cut at the breaks with index `step`.

    `carry` is the beginning of the first chunk. Pieces that are too long are cut at the
    breaks of the next step.
    """
    if step == len(_BREAKS):
        whole, stride = carry + text, cutting.size - cutting.overlap
        if _chars(whole) < MOST_CHARS:
            return [whole]
        starts = range(0, len(whole), stride)
        return [whole[at : at + cutting.size] for at in starts]
    made: list[str] = []
    carried, is_new = _chars(carry), True  # False: `carry` is only an overlap
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


def _overlap(chunk: str, cutting: ChunkRules, step: int) -> str:
    """Return the sentences at the end of a chunk that the next one repeats."""
    if not cutting.overlap or not _FIRST_SENTENCE_BREAK <= step < len(_BREAKS):
        return ""
    pieces = [*filter(None, _pieces(_BREAKS[step], chunk))]
    start, chars = len(pieces), 0
    while start and chars <= cutting.overlap:
        start -= 1
        chars += _chars(pieces[start])
        if chars > 0.4 * cutting.size:
            longer = "".join(pieces[start:])
            tail = "".join(pieces[start + 1 :])
            return _overlap(longer, cutting, step + 1) or tail
    return "".join(pieces[start:])


def _chars(text: str) -> int:
    """Return the number of characters without white space; in a long text, of all."""
    if len(text) > _PART_CHARS:
        return len(text)
    return len("".join(text.split()))


_MOST_PARTS = 64
"""Maximum number of parts of a question that are compared: its first ones."""


def parts_of(question: str) -> tuple[str, ...]:
    """Return the parts of a question for `score`; an empty tuple without words."""
    parts: dict[str, None] = {}
    for word in _words(fold(question[:_PART_CHARS])):
        pairs = [word] if len(word) == 1 else map("".join, pairwise(word))
        for part in pairs:
            parts[part] = None
            if len(parts) == _MOST_PARTS:
                return tuple(parts)
    return tuple(parts)


def score(parts: tuple[str, ...], folded: str) -> float:
    """Return the share of `parts` in a folded text: 0 to 1, rounded to four digits."""
    if not parts:
        return 0.0
    return round(sum(map(folded.__contains__, parts)) / len(parts), 4)


def tokens_of(text: str) -> int:
    """Return the estimated number of tokens: one for every four bytes of UTF-8."""
    return (len(text.encode()) + 3) // 4


def _words(text: str) -> list[str]:
    return "".join(each if each.isalnum() else " " for each in text).split()
