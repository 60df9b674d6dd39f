"""Make texts from outside safe to print in terminals and build logs.

Control characters move a terminal's cursor, and direction marks can reorder the letters
of a text. GitHub's and Azure's runners read a line that begins with `::`, or contains
`##[`, as a command. All of these become escapes; all other characters stay unchanged.
"""

import json
import re
from collections.abc import Mapping
from typing import Literal

LogFormat = Literal["text", "json"]
"""The formats of log lines."""

_UNSAFE = (
    # Control characters but \n; marks of direction; line and paragraph separators,
    # embeddings and overrides; invisible operators and isolates; byte order mark
    r"\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    # Annotations; lone surrogates; noncharacters; tags
    r"\ufff9-\ufffb\ud800-\udfff\ufffe\uffff\U000e0000-\U000e007f"
)
# Plain texts, which `re` compiles at their first use, so that commands start faster.
_UNSAFE_IN_LINE = rf"[\n{_UNSAFE}]|^\s*:(?=:)|(?<=#)#(?=\[)"
_UNSAFE_IN_JSON = rf"[{_UNSAFE}]|(?<=#)#(?=\[)"
_CREDENTIALS = r"""://[^\s/?#'"]*@"""
_GLIMPSE_CHARS = 60


def one_line(text: str) -> str:
    """Return a text as one safe line: unsafe characters become escapes like `\\x1b`."""
    if text.isprintable() and "::" not in text and "##" not in text:
        return text
    return re.sub(_UNSAFE_IN_LINE, lambda match: "".join(map(_escape, match[0])), text)


def ascii_text(text: str) -> str:
    """Return a text in visible ASCII: other characters become escapes of JSON."""
    return re.sub("[^ -~]", lambda match: json.dumps(match[0])[1:-1], text)


def safe_lines(text: str) -> str:
    """Return a text whose lines are each made safe; line breaks stay."""
    return "\n".join(map(one_line, text.split("\n")))


def json_text(text: str) -> str:
    """Return a safe JSON text with the same value: escapes are those of JSON."""
    return re.sub(_UNSAFE_IN_JSON, lambda match: _escape_in_json(match[0]), text)


def yaml_text(text: str) -> str:
    """Return a safe YAML text with the same value: escapes are those of YAML.

    All strings in the text have to be in double quotes.
    """
    return re.sub(_UNSAFE_IN_JSON, lambda match: _escape_in_yaml(match[0]), text)


def glimpse(text: str) -> str:
    """Return the beginning of a text, in quotes and as one safe line."""
    start = text[:_GLIMPSE_CHARS] + "…" if len(text) > _GLIMPSE_CHARS else text
    return f"'{one_line(start)}'"


def without_credentials(text: str) -> str:
    """Return a text in which URLs have no user and no password."""
    return re.sub(_CREDENTIALS, "://", text)


_KIB, _MIB = 2**10, 2**20


def size_text(size: int) -> str:
    """Return a size in bytes as text: `512 bytes`, `1.5 KiB`, `40.0 MiB`."""
    if size < _KIB:
        return f"{size} bytes"
    if size < _MIB:
        return f"{size / _KIB:.1f} KiB"
    return f"{size / _MIB:,.1f} MiB"


_COLOURS = {"red": 31, "green": 32, "yellow": 33, "magenta": 35, "cyan": 36, "dim": 2}
_STATUS_COLOURS = {2: "green", 3: "cyan", 4: "yellow"}


def coloured(text: str, colour: int | str) -> str:
    """Return a safe text in a colour, for terminals.

    `colour` is the name of a colour, or an HTTP status, which stands for the colour of
    its class (0 for no response).
    """
    if isinstance(colour, int):
        colour = _STATUS_COLOURS.get(colour // 100, "red")
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"


def wants_colour(is_terminal: bool, variables: Mapping[str, str]) -> bool:
    """Return True for a terminal, unless NO_COLOR is set or the terminal is dumb."""
    is_dumb = variables.get("TERM") == "dumb"
    return is_terminal and not (variables.get("NO_COLOR") or is_dumb)


def _escape(char: str) -> str:
    # In a match of spaces and `::`, a plain space may stay.
    if char.isspace() and char.isprintable():
        return char
    if char in "\n\r\t":
        return {"\n": r"\n", "\r": r"\r", "\t": r"\t"}[char]
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escape_in_json(char: str) -> str:
    if char < " ":
        return " "  # between values: JSON has escaped it in strings
    units = char.encode("utf-16-be", "surrogatepass")
    pairs = (units[at : at + 2].hex() for at in range(0, len(units), 2))
    return "".join(f"\\u{pair}" for pair in pairs)


def _escape_in_yaml(char: str) -> str:
    return f"\\U{ord(char):08x}" if char > "\uffff" else _escape_in_json(char)
