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
from collections.abc import Collection, Iterator
from itertools import pairwise

from msgspec import Struct

from mock_server.domain.limits import Published
from mock_server.domain.objects.haystack import fold
from mock_server.domain.objects.pending import Steps, compute

MIN_CHUNK_CHARS = 64
"""Minimum size of a chunk, so that a text does not become too many rows."""
MAX_ROW_CHARS = 11_200
"""Maximum number of characters of a row: 0.7 of the limit of a model."""
_PART_CHARS, _OVERLAP_CHARS = 65_536, 4_096
"""Number of characters that are searched in one step, and of those searched again."""
_MATCHES_PER_STEP = 1_024
_SCORED_CHARS = 8_192
_CHARS_PER_STEP = 1_048_576


class ChunkRules(Struct, frozen=True):
    """The rules for cutting a text. A text of fewer than `min_chars` is one row.

    A chunk has about `size` characters, of which the next chunk repeats `overlap`.
    Headings of level 1 to `heading_levels` are used, or `separators` instead.
    """

    size: int = 1_000
    overlap: int = 200
    heading_levels: int = 5
    separators: tuple[str, ...] = ()
    min_chars: int = 1_000


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


def chunks_of(text: str, limit: int, rules: ChunkRules) -> list[str]:
    """Return the chunks of a text, as `chunks` does. Raises NotReady."""
    key = text, limit, rules
    # The owner is no data, so that a reset does not begin the chunks again.
    return compute(chunks, key, chunks(*key))


def chunks(
    text: str, limit: int, rules: ChunkRules = DEFAULT_RULES
) -> Steps[list[str]]:
    """Return the chunks of a text; an empty list for a blank text.

    If there are more than `limit` chunks, return the first `limit` + 1.
    """
    stripped = text.strip()
    if len(stripped) < rules.min_chars or not stripped:
        whole = text if len(text) <= Published.text_chars else stripped
        return [whole] if stripped else []
    results: list[str] = []
    text = yield from _with_short_line_ends(text)
    text = yield from _with_code_in_one_line(text)
    for section in _sections(text, rules):
        if section is None:
            yield
            continue
        heading, body = section
        texts = [body]
        if not rules.separators or _chars(body) > MAX_ROW_CHARS:
            texts = yield from _split(body, rules)
        chars = 0
        for each in texts or [""]:
            chars += len(each) + MIN_CHUNK_CHARS
            if chars > _PART_CHARS:
                yield
                chars = 0
            chunk = f"{heading}{each}".replace(_CODE_LINE_END, "\n").strip()
            if chunk:
                results.append(re.sub(r"\n{3,}", "\n\n", chunk))
        if len(results) > limit:
            break
    return results[: limit + 1]


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str] | None]:
    """Yield the matches in a text, and None at times, to let other requests run."""
    start, count = 0, 0
    while start < len(text):
        end = start + _PART_CHARS
        match = pattern.search(text, start, end)
        if match is not None:
            yield match
            start, count = match.end(), count + 1
        elif end >= len(text):
            return
        else:
            # A match may cross the end of this part, so search its end again.
            start, count = end - _OVERLAP_CHARS, _MATCHES_PER_STEP
        if count >= _MATCHES_PER_STEP:
            yield None
            count = 0


def _with_short_line_ends(text: str) -> Steps[str]:
    """Return the text with LF for each CR LF."""
    parts: list[str] = []
    rest = ""
    for start in range(0, len(text), _CHARS_PER_STEP):
        part = rest + text[start : start + _CHARS_PER_STEP]
        rest = "\r" if part.endswith("\r") else ""
        parts.append(part.removesuffix(rest).replace("\r\n", "\n"))
        yield
    return "".join(parts) + rest


def _with_code_in_one_line(text: str) -> Steps[str]:
    joined: list[str] = []
    parts: list[str] = []
    start = 0
    for match in _matches(_CODE, text):
        if match is None:
            # Short parts take ten times the memory of their text.
            joined.append("".join(parts))
            parts.clear()
            yield
        elif "\n" in match[0]:
            code = match[0].replace("\n", _CODE_LINE_END)
            parts += text[start : match.start()], code
            start = match.end()
    return "".join([*joined, *parts, text[start:]])


def _sections(text: str, rules: ChunkRules) -> Iterator[tuple[str, str] | None]:
    """Yield the headings and the body of each section, and None as `_matches` does."""
    if rules.separators:
        separators = re.compile("|".join(map(re.escape, rules.separators)))
        for part in _pieces(separators, text, keeps_breaks=False):
            yield None if part is None else ("", part)
        return
    if not rules.heading_levels:
        yield "", text
        return
    open_headings: list[tuple[int, str]] = []
    start = 0
    headings = re.compile(rf"^(#{{1,{rules.heading_levels}}})\s[^\n]+\n", re.MULTILINE)
    for match in _matches(headings, text):
        if match is None:
            yield None
            continue
        body, level = text[start : match.start()], len(match[1])
        is_last = bool(open_headings) and level <= open_headings[-1][0]
        if not _is_blank(body) or is_last:
            yield _heading_text(open_headings, rules), body
        while open_headings and open_headings[-1][0] >= level:
            open_headings.pop()
        open_headings.append((level, match[0]))
        start = match.end()
    rest = text[start:]
    if not _is_blank(rest) or open_headings:
        yield _heading_text(open_headings, rules), rest


def _heading_text(open_headings: list[tuple[int, str]], rules: ChunkRules) -> str:
    """Return the headings above a section; "" if they are longer than a chunk."""
    headings = "".join(heading for _, heading in open_headings)
    return headings if len(headings) <= rules.size else ""


def _pieces(
    pattern: re.Pattern[str], text: str, *, keeps_breaks: bool = True
) -> Iterator[str | None]:
    """Yield the pieces of a text that are not blank, and None as `_matches` does.

    With `keeps_breaks`, a piece includes the break at its end.
    """
    start = 0
    for match in _matches(pattern, text):
        if match is None:
            yield None
            continue
        piece = text[start : match.end() if keeps_breaks else match.start()]
        start = match.end()
        if not _is_blank(piece):
            yield piece
    rest = text[start:]
    if not _is_blank(rest):
        yield rest


def _split(
    text: str, rules: ChunkRules, step: int = 0, carry: str = ""
) -> Steps[list[str]]:
    """Return the chunks of `carry` and a text, cut at the breaks with index `step`.

    `carry` is the beginning of the first chunk. Pieces that are too long are cut at the
    breaks of the next step.
    """
    if step == len(_BREAKS):
        rest, stride = carry + text, rules.size - rules.overlap
        if _chars(rest) < MAX_ROW_CHARS:
            return [rest]
        starts = range(0, len(rest), stride)
        return [rest[start : start + rules.size] for start in starts]
    results: list[str] = []
    carry_chars, is_new = _chars(carry), True  # False: `carry` is only an overlap
    for piece in _pieces(_BREAKS[step], text):
        if piece is None:
            yield
            continue
        has_code = step == 0 and ("```" in piece or "~~~" in piece)
        limit = MAX_ROW_CHARS if has_code else rules.size
        piece_chars = _chars(piece)
        if carry_chars + piece_chars > 1.2 * limit and carry_chars > 0.8 * limit:
            yield  # `_overlap` takes long, and few pieces take no step of `_matches`
            results.append(carry)
            carry = _overlap(carry, rules, step)
            carry_chars = _chars(carry)
        if carry_chars + piece_chars <= limit:
            carry, carry_chars, is_new = carry + piece, carry_chars + piece_chars, True
            continue
        yield
        if carry_chars + piece_chars < 1.2 * limit:
            results.append(carry + piece)
        else:
            results += yield from _split(piece, rules, step + 1, carry)
        is_new = _chars(results[-1]) < 0.8 * limit
        carry = results.pop() if is_new else _overlap(results[-1], rules, step)
        carry_chars = _chars(carry)
    if carry and is_new:
        if results and carry_chars < 0.4 * rules.size:
            results[-1] += carry
        else:
            results.append(carry)
    return results


def _overlap(chunk: str, rules: ChunkRules, step: int) -> str:
    """Return the sentences at the end of a chunk that the next one repeats."""
    if not rules.overlap or not _FIRST_SENTENCE_BREAK <= step < len(_BREAKS):
        return ""
    pieces = [*filter(None, _pieces(_BREAKS[step], chunk))]
    start, chars = len(pieces), 0
    while start and chars <= rules.overlap:
        start -= 1
        chars += _chars(pieces[start])
        if chars > 0.4 * rules.size:
            longer = "".join(pieces[start:])
            tail = "".join(pieces[start + 1 :])
            return _overlap(longer, rules, step + 1) or tail
    return "".join(pieces[start:])


def _is_blank(text: str) -> bool:
    return not text or text.isspace()  # `strip` would copy a long text


def _chars(text: str) -> int:
    """Return the number of characters without white space; in a long text, of all.

    At least an eighth counts, so that a chunk of white space ends too.
    """
    if len(text) > _PART_CHARS:
        return len(text)
    return max(len("".join(text.split())), len(text) // 8)


_MAX_PARTS, _QUESTION_CHARS = 64, 8_192
"""Maximum number of parts of a question that are compared, and of characters in which
they are looked for: its first ones.
"""


def parts_of(question: str) -> tuple[str, ...]:
    """Return the parts of a question for `score`; an empty tuple without words."""
    parts: dict[str, None] = {}
    for word in _words(fold(question[:_QUESTION_CHARS])):
        pairs = [word] if len(word) == 1 else map("".join, pairwise(word))
        for part in pairs:
            parts[part] = None
            if len(parts) == _MAX_PARTS:
                return tuple(parts)
    return tuple(parts)


def score(parts: Collection[str], folded: str) -> Steps[float]:
    """Return the share of `parts` in a folded text: 0 to 1, rounded to four digits."""
    missing = parts
    for start in range(0, len(folded), _SCORED_CHARS):
        if start:
            yield
        piece = folded[start : start + _SCORED_CHARS + 1]  # a pair may begin at its end
        missing = [each for each in missing if each not in piece]
    return round(1 - len(missing) / len(parts), 4) if parts else 0.0


def tokens_of(text: str) -> int:
    """Return the estimated number of tokens: one for every four bytes of UTF-8."""
    return (len(text.encode()) + 3) // 4


def _words(text: str) -> list[str]:
    return "".join(each if each.isalnum() else " " for each in text).split()
