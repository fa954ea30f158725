"""The command `erstwhile`: its global options and its commands."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from itertools import pairwise
from typing import Any

import click
from click.shell_completion import CompletionItem

from erstwhile import __version__
from erstwhile.cli import exit_codes, options
from erstwhile.cli.call import Call, Format
from erstwhile.cli.command_data import global_options, panels, summaries
from erstwhile.cli.groups import CommandGroup, HelpContext, LazyCommands, build_top_command

EPILOG = """\b
Examples:
  erstwhile --db agent.db --user ana remember "Ana prefers pnpm over npm" --kind preference
  erstwhile recall "which package manager does Ana like?" --db agent.db --user ana

The options above may also follow the command. Options that you leave out come from the
environment (ERSTWHILE_DB, ERSTWHILE_USER, …), or from config.toml in your configuration folder,
or from the file that ERSTWHILE_CONFIG names.

\b
Exit codes: 0 ok, 2 usage, 3 not found, 4 refused, 5 internal,
7 busy (try again)."""


class App(CommandGroup):
    """The root command. Every failure ends with one message and a documented exit code."""

    context_class = HelpContext

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = LazyCommands([*summaries()], build_top_command)

    def main(self, args: Any = None, *_: Any, **extra: Any) -> Any:
        words = sys.argv[1:] if args is None else args
        extra |= {"prog_name": "erstwhile", "standalone_mode": False}
        run = super().main
        if "_ERSTWHILE_COMPLETE" in os.environ:
            import_module("erstwhile.cli.completion")  # it registers the shells
        chosen = {*words, *map("=".join, pairwise(words))}
        as_json = bool(chosen & {"--json", "--format=json", "--format=jsonl", "--format=csv"})

        def called() -> Any:
            return run(options.global_options_first(self, words), **extra)

        sys.exit(exit_codes.code_of(called, as_json=as_json))

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by subject, without importing them."""
        width = max(map(len, summaries()))
        for panel, listed in panels().items():
            with formatter.section(panel):
                formatter.write_dl([(name.ljust(width), text) for name, text in listed.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command, without importing them."""
        found = [
            CompletionItem(name, help=text)
            for name, text in summaries().items()
            if name.startswith(incomplete)
        ]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]


@click.group(
    cls=App,
    epilog=EPILOG,
    params=[options.described_option(*each) for each in global_options().items()],
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def app(
    context: click.Context,
    /,
    db: str | None,
    resolve: bool,
    everything: bool,
    form: str | None,
    as_json: bool,
    embedder: str | None,
    **dimensions: str | None,
) -> None:
    """Long-term memory for AI agents, in one file.

    It prints tables on a terminal and JSON everywhere else. Times are UTC.
    """
    context.obj = Call(
        context=context,
        db=db,
        dimensions=dimensions,
        resolve=resolve,
        everything=everything,
        form=Format.JSON if as_json else Format(form) if form else None,
        embedder=embedder,
    )
