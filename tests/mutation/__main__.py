"""Says how many mutants the tests kill: `python -m tests.mutation --help`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import click
import msgspec

from tests.mutation.kills import (
    AGAIN_SECONDS,
    LONG,
    MOST_SECONDS,
    QUICK,
    Trace,
    Tried,
    interval,
    read,
    traced,
    tried,
)
from tests.mutation.mutants import FLOORS, Mutant, Source, all_mutants, files, sample
from tests.planted.copies import Copy, copied

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.option("--sample", "size", default=400, help="How many mutants; 0 for all.")
@click.option("--seed", default=0, help="Of the sample.")
@click.option("--only", multiple=True, help="Modules whose path has this in it.")
@click.option("--results", type=FILE, help="Kept there; a run goes on with them.")
@click.option("--trace", "traces", type=FILE, help="What tests run, kept there too.")
@click.option("--again", is_flag=True, help="Try those of --results that survived.")
@click.option("--long", "is_long", is_flag=True, help="By the tests of -m ci instead.")
def main(
    size: int,
    seed: int,
    only: Sequence[str],
    results: Path | None,
    traces: Path | None,
    again: bool,
    is_long: bool,
) -> None:
    """Make mutants of domain, validation, fixture and api, and run tests against each.

    First all tests are run once, to know which of them run which function. What is kept
    holds as long as the package is the same, and the trace as long as the tests are.
    What survives the quick tests meets the long ones by `--again --long`, with a trace
    of its own.
    """
    known = {(it.file, it.number): it for it in read(results)} if results else {}
    wanted = _wanted(size, seed, only)
    done = {place for place, it in known.items() if it.is_killed or not again}
    left = [each for each in wanted if (each.file, each.number) not in done]
    with tempfile.TemporaryDirectory() as folder, copied(Path(folder)) as copy:
        trace = _trace(copy, traces, is_long) if left else Trace([], {})
        most = AGAIN_SECONDS if again else MOST_SECONDS
        for each in _tried(copy, left, trace, most):
            known[each.file, each.number] = each
            if results:
                with results.open("ab") as file:
                    file.write(msgspec.json.encode(each) + b"\n")
    _tell([known[each.file, each.number] for each in wanted])


def _trace(copy: Copy, path: Path | None, is_long: bool) -> Trace:
    """What tests run: as it is kept, else found out, and kept."""
    if path is not None and path.exists():
        return msgspec.json.decode(path.read_bytes(), type=Trace, strict=False)
    trace = traced(copy, LONG if is_long else QUICK)
    if path is not None:
        path.write_bytes(msgspec.json.encode(trace))
    return trace


def _wanted(size: int, seed: int, only: Sequence[str]) -> list[Mutant]:
    names = files()
    if only:
        names = [name for name in names if any(part in name for part in only)]
    mutants = all_mutants(names)
    click.echo(f"{len(mutants)} mutants in {len(names)} modules")
    return sample(mutants, size or len(mutants), seed)


def _tried(
    copy: Copy, mutants: Sequence[Mutant], trace: Trace, most: float
) -> Iterator[Tried]:
    """What becomes of each, told as it comes."""
    by_file = sorted(mutants, key=lambda each: each.file)
    for file, some in groupby(by_file, key=lambda each: each.file):
        source = Source(file)
        for mutant in some:
            result = tried(copy, mutant, source, trace, most)
            click.echo(f"{result.outcome:8} {file}:{mutant.number} {result.by}")
            yield result


def _tell(results: Sequence[Tried]) -> None:
    """The survivors, and the shares, by floor and of all."""
    for each in results:
        if not each.is_killed:
            click.echo(
                f"\n{each.outcome}: {each.file}:{each.number}\n{each.difference}"
            )
    click.echo()
    for floor in (*FLOORS, ""):
        some = [each for each in results if each.file.startswith(floor)]
        if some:
            killed = sum(each.is_killed for each in some)
            low, high = interval(killed, len(some))
            share = f"{killed} of {len(some)} killed, {100 * killed / len(some):.1f} %"
            click.echo(
                f"{floor or 'all':10} {share} ({100 * low:.1f} to {100 * high:.1f})"
            )


if __name__ == "__main__":
    main()
