"""`erstwhile eval`: measure search, contexts and learning on labelled sets."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.lazy_commands import LazyCommands

_COMMANDS = {
    "learning": "commands.learning_figures:learning_figures",
    "questions": "commands.questions:questions",
}


class EvaluationGroup(options.OrderedGroup):
    """What can be measured. Without the name of a command, files of questions are meant."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = LazyCommands(_COMMANDS)  # type: ignore[assignment]  # click only reads it

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        named = bool(args) and (args[0] in self.commands or args[0] in ctx.help_option_names)
        return super().parse_args(ctx, args if named else ["questions", *args])


@click.group("eval", cls=EvaluationGroup)
def evaluate() -> None:
    """Measure search, contexts and learning on labelled sets.

    \b
    Examples:
      erstwhile eval locomo10.json
      erstwhile eval learning
    """
