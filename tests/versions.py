"""Runs the quick tests with other versions of what the server depends on.

They run in another order each time; `--args=--randomly-seed=N` repeats one.

`python -m tests.versions [SET]...`; needs uv, which makes an environment for each set.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import randrange

import click

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Versions:
    """What is installed: requirements beside the project's own, and by which rule."""

    pins: tuple[str, ...]
    resolution: str = "highest"
    has_uvloop: bool = True


# Starlette's own client for tests needs, in old versions, an httpx of its time.
_CLIENT = ("httpx==0.27.2",)
SETS = {
    "oldest": Versions(_CLIENT, resolution="lowest-direct", has_uvloop=False),
    "fastapi-0.115": Versions(
        (
            *_CLIENT,
            "fastapi==0.115.*",
            "starlette==0.41.*",
            "uvicorn==0.34.*",
            "pydantic==2.10.*",
        )
    ),
    "uvicorn-0.42": Versions((*_CLIENT, "starlette==0.46.*", "uvicorn==0.42.*")),
    "uvicorn-0.52": Versions(("starlette==1.3.1", "uvicorn==0.52.*")),
    "newest": Versions(()),
    "newest-without-uvloop": Versions((), has_uvloop=False),
}


def environment(folder: Path, python: str, *requirements: str) -> Path:
    """An environment with the project as users install it; gives its Python."""
    interpreter = folder / "bin" / "python"
    _run("venv", "-q", "--python", python, str(folder))
    _run(*_install(interpreter), "-e", ".", *requirements)
    return interpreter


def make(folder: Path, versions: Versions, python: str) -> Path:
    """An environment with these versions, and what tests need; gives its Python."""
    rule = ("--resolution", versions.resolution)
    interpreter = environment(folder, python, *rule, *versions.pins)
    where = ("--python", str(interpreter))
    frozen = folder / "constraints.txt"
    frozen.write_text(_run("pip", "freeze", *where, "--exclude-editable"))
    tests = "-e", ".[test]", "pytest-randomly", *versions.pins
    _run(*_install(interpreter), "-c", str(frozen), *tests)
    if not versions.has_uvloop:
        _run("pip", "uninstall", "-q", *where, "uvloop")
    return interpreter


def _install(interpreter: Path) -> tuple[str, ...]:
    return ("pip", "install", "-q", "--python", str(interpreter))


def _run(*words: str) -> str:
    """Run uv; gives what it prints."""
    command = [sys.executable, "-m", "uv", *words]
    done = subprocess.run(
        command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


@click.command()
@click.option("--python", default=sys.executable, help="Version or path.")
@click.option("--args", "arguments", default="", help="Arguments of pytest.")
@click.argument("names", nargs=-1, type=click.Choice(list(SETS)))
def main(python: str, arguments: str, names: tuple[str, ...]) -> None:
    """Run the quick tests with sets of versions, by default with all of them."""
    failed = []
    for name in names or SETS:
        seed = f"--randomly-seed={randrange(2**32)}"
        print(f"== {name}, with {python} {seed}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            interpreter = make(Path(folder) / "venv", SETS[name], python)
            command = [str(interpreter), "-m", "pytest", "-q", "-p", "randomly", seed]
            command += arguments.split()
            if subprocess.run(command, cwd=ROOT).returncode:
                failed.append(name)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
