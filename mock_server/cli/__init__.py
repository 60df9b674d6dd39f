"""The command `mock-server`."""

import errno
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path

import click

from mock_server import __version__
from mock_server.cli import common, offline, real_service, serving
from mock_server.cli.common import PREFIX, fail, print_to_stderr
from mock_server.fixture.load import SHIPPED
from mock_server.text.wording import did_you_mean


class Commands(click.Group):
    """A group that runs `serve` if no command is named, and has its options in the help."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = "".join(args[:1])
        if first not in (*self.commands, "--help", "-h", "--version"):
            known = (*self.commands, *SHIPPED)
            # The name of a file has a suffix or a folder, unless there is such a file.
            is_word = first[:1].isalpha() and Path(first).stem == first
            if is_word and first not in known and not Path(first).exists():
                suggestion = did_you_mean(first, known) or " (see mock-server --help)"
                fail(f"Expected a command or a fixture, got {first!r}{suggestion}")
            args = ["serve", *args]
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        serve = serving.serve_command
        with click.Context(serve, parent=ctx, **serve.context_settings) as serving_context:
            records = [it.get_help_record(serving_context) for it in serve.params]
        with formatter.section("Options of serve"):
            formatter.write_dl([*filter(None, records)])
        super().format_options(ctx, formatter)


SETTINGS = {"help_option_names": ["-h", "--help"], "show_default": True}
COMMANDS = (
    serving.serve_command,
    offline.check_command,
    offline.init_command,
    offline.schema_command,
    serving.wait_command,
    real_service.verify_command,
    real_service.pull_command,
    real_service.import_group,
)


@click.group(cls=Commands, commands=COMMANDS, context_settings=SETTINGS)
@click.version_option(__version__, prog_name="mock-server")
def cli() -> None:
    """A stateful mock server of FastGPT, for tests of the programs that call it.

    `mock-server [FIXTURE]...` is short for `mock-server serve [FIXTURE]...`. A running server
    describes its API at /openapi.json.

    \b
    Serve the demo account on http://127.0.0.1:8000:
      mock-server
    Serve your data as FastGPT 4.16 would, and load it again when it changes:
      mock-server fixture.yaml --profile fastgpt-4.16 --watch
    """
    warn_of_unknown_variables()


def warn_of_unknown_variables() -> None:
    """Warn of each variable with our prefix that no command reads, and suggest another."""
    parameters = serving.serve_command.params + serving.wait_command.params
    known = [f"{PREFIX}{it.name}".upper() for it in parameters]
    known += [common.PULL_KEY, common.VERIFY_KEY]
    # All names have the prefix, so only the rest is compared.
    endings = [it.removeprefix(PREFIX) for it in known]
    for name in sorted(os.environ.keys() - known):
        if name.startswith(PREFIX):
            suggestion = did_you_mean(name.removeprefix(PREFIX), endings)
            suggestion = suggestion.replace(" '", f" '{PREFIX}")
            print_to_stderr(f"warning: unknown variable {name}{suggestion}")


def main(args: Sequence[str] | None = None) -> None:
    """Run the command with these arguments, by default those of the process."""
    # Files and pipes are UTF-8, whatever the locale; a terminal keeps its encoding.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
            if not stream.isatty():
                stream.reconfigure(encoding="utf-8")
    # The exit code of click is 2, which here means a broken fixture.
    click.UsageError.exit_code = 1
    try:
        cli(args, prog_name="mock-server")
    except OSError as error:
        # What could not be written to a full disk would fail again at the end of the process.
        if error.errno == errno.ENOSPC:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        fail(f"mock-server: {error.strerror}")
