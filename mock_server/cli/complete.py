"""What shells complete: fixtures, choices with their values, faults with their fields.

Names of operations are completed by the command that takes them.
"""

import os
from itertools import islice

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class
from msgspec.structs import fields

from mock_server.api.faults.table import KINDS, PRESETS
from mock_server.cli import SHIPPED
from mock_server.domain.choices import table
from mock_server.domain.profiles import PROFILES

_SUFFIXES = (".yaml", ".yml", ".json")
_MOST = 200
"""Files of a folder that are looked at."""


def fixtures(
    ctx: click.Context, param: click.Parameter | None, incomplete: str
) -> list[CompletionItem]:
    """Shipped fixtures and the fixture files here; where none begins so, any file."""
    del ctx, param
    names = [*SHIPPED, *_files()]
    found = [CompletionItem(each) for each in names if each.startswith(incomplete)]
    return found or [CompletionItem(incomplete, type="file")]


def _files() -> list[str]:
    with os.scandir() as entries:
        names = [each.name for each in islice(entries, _MOST)]
    return sorted(each for each in names if each.endswith(_SUFFIXES))


def assignments(
    ctx: click.Context, param: click.Parameter | None, incomplete: str
) -> list[CompletionItem]:
    """The names of choices, and once there is a `=`, their values."""
    del ctx, param
    name, equals, _ = incomplete.partition("=")
    if not equals:
        texts = [f"{each}=" for each in table()]
    else:
        values = table()[name].values if name in table() else ()
        texts = [f"{name}={value}" for value in values]
    return [CompletionItem(each) for each in texts if each.startswith(incomplete)]


def profiles(
    ctx: click.Context, param: click.Parameter | None, incomplete: str
) -> list[CompletionItem]:
    """The names of profiles, else any file."""
    del ctx, param
    found = [CompletionItem(each) for each in PROFILES if each.startswith(incomplete)]
    return found or [CompletionItem(incomplete, type="file")]


def fault_names(
    ctx: click.Context, param: click.Parameter | None, incomplete: str
) -> list[CompletionItem]:
    """Kinds of faults and presets."""
    del ctx, param
    rows = {name: each.sentence for name, each in KINDS.items()}
    rows |= {name: each.sentence for name, each in PRESETS.items()}
    return [
        CompletionItem(name, help=sentence)
        for name, sentence in rows.items()
        if name.startswith(incomplete)
    ]


def fault_fields(
    ctx: click.Context, param: click.Parameter | None, incomplete: str
) -> list[CompletionItem]:
    """The fields of the kind that stands in front of them."""
    del param
    texts = _fields_of(ctx.params.get("name") or "")
    return [CompletionItem(each) for each in texts if each.startswith(incomplete)]


def fault_texts(
    ctx: click.Context, param: click.Parameter | None, incomplete: str
) -> list[CompletionItem]:
    """What `KIND[:FIELD=VALUE,...]` can begin with."""
    kind, colon, rest = incomplete.partition(":")
    if not colon:
        return fault_names(ctx, param, incomplete)
    whole = incomplete.removesuffix(rest.rpartition(",")[2])
    texts = [whole + each for each in _fields_of(kind)]
    return [CompletionItem(each) for each in texts if each.startswith(incomplete)]


def _fields_of(kind: str) -> list[str]:
    if kind not in KINDS:
        return []
    return [f"{each.encode_name}=" for each in fields(KINDS[kind].definition)]


# Where bash begins another word.
_BREAKS = ("=", ":")


class Bash(BashComplete):
    """As click's, for words that hold a `=` or a `:`."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Called by click; the words before the one to complete, and that one."""
        args, incomplete = super().get_completion_args()
        *whole, last = joined([*args, incomplete])
        self._prefix = last if incomplete in _BREAKS else last.removesuffix(incomplete)
        return whole, last

    def format_completion(self, item: CompletionItem) -> str:
        """Called by click; without the part that bash does not replace."""
        item.value = item.value.removeprefix(self._prefix)
        return super().format_completion(item)


def joined(words: list[str]) -> list[str]:
    """Words as they were typed, from the parts of which bash makes words."""
    found: list[str] = []
    for word in words:
        follows = bool(found) and found[-1].endswith(_BREAKS)
        if found and (word.startswith(_BREAKS) or follows):
            found[-1] += word
        else:
            found.append(word)
    # An option takes its value as a word of its own.
    return [part for word in found for part in _parts(word)]


def _parts(word: str) -> list[str]:
    return word.split("=", 1) if word.startswith("--") and "=" in word else [word]


def install() -> None:
    """Have click complete for bash with the class above."""
    add_completion_class(Bash)
