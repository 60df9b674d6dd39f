"""A group of commands, such as `fault add` and `fault list`."""

import click

from mock_server.cli.output import USAGE, Stop


class Group(click.Group):
    """Without one of its commands it shows its help, as wrong usage."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Called by click, which before 8.2 would take that for success."""
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            raise Stop(ctx.get_help(), USAGE)
        return super().parse_args(ctx, args)
