"""The command `erstwhile`: its global options and its commands."""

from __future__ import annotations

import sys
from typing import Any

import click

from erstwhile import __version__
from erstwhile.cli import exit_codes, options
from erstwhile.cli.call import Call
from erstwhile.cli.lazy_commands import LazyCommands

EPILOG = """\b
Examples:
  erstwhile --db agent.db --user ana remember "Ana prefers pnpm over npm" --kind preference
  erstwhile --db agent.db --user ana recall "which package manager does Ana like?"

Options that you leave out come from the environment (ERSTWHILE_DB, ERSTWHILE_USER, …), or from
config.toml in your configuration folder, or from the file that ERSTWHILE_CONFIG names.

\b
Exit codes: 0 ok, 2 usage, 3 not found, 4 refused, 5 internal, 7 busy (try again)."""

_COMMANDS = {
    "remember": "commands.remember:remember",
    "recall": "commands.recall:recall",
    "context": "commands.recall:context",
    "feedback": "commands.recall:feedback",
    "facts": "commands.facts:facts",
    "entities": "commands.entities:entities",
    "blocks": "commands.blocks:blocks",
    "decisions": "commands.decisions:decisions",
    "quarantine": "commands.quarantine:quarantine",
    "conflicts": "commands.quarantine:conflicts",
    "conversations": "commands.conversations:conversations",
    "sessions": "commands.sessions:sessions",
    "identities": "commands.identities:identities",
    "learn": "commands.learning:learn",
    "learning": "commands.learning:learning",
    "import": "commands.learning:imports",
    "tasks": "commands.tasks:tasks",
    "checkpoints": "commands.checkpoints:checkpoints",
    "outcomes": "commands.outcomes:outcomes",
    "lessons": "commands.lessons:lessons",
    "observations": "commands.observations:observations",
    "limitations": "commands.limitations:limitations",
    "usage": "commands.usage:usage",
    "profile": "commands.profile:profile",
    "onboarding": "commands.profile:onboarding",
    "audit": "commands.audit:audit",
    "erase-user": "commands.erasing:erase_user",
    "erase-scope": "commands.erasing:erase_scope",
    "stats": "commands.store:stats",
    "reembed": "commands.store:reembed",
    "doctor": "commands.doctor:doctor",
    "backup": "commands.backups:backup",
    "restore": "commands.backups:restore",
    "copy": "commands.store:copy",
    "distribute": "commands.store:distribute",
    "eval": "commands.evaluation:evaluate",
    "guard": "commands.guard:guard",
    "hook": "hook.command:hook",
    "demo": "demo.command:demo",
}
"""The module and name of each command, in the order of the help."""


class App(options.OrderedGroup):
    """The root command. Every failure ends with one message and a documented exit code."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = LazyCommands(_COMMANDS)  # type: ignore[assignment]  # click only reads it

    def main(self, args: Any = None, *_: Any, **extra: Any) -> Any:
        words = list(sys.argv[1:] if args is None else args)
        extra |= {"prog_name": "erstwhile", "standalone_mode": False}
        run = super().main
        sys.exit(exit_codes.code_of(lambda: run(words, **extra), as_json="--json" in words))


@click.group(cls=App, epilog=EPILOG)
@click.option("--db", metavar="FILE", help="The file or database of the memory.")
@click.option("--user", metavar="NAME", help="The user whose memory it is.")
@click.option("--agent", metavar="NAME", help="The agent whose memory it is.")
@click.option("--project", metavar="NAME", help="The project of the memory.")
@click.option("--session", metavar="NAME", help="The session of the memory.")
@click.option("--resolve", is_flag=True, help="Find the person by any linked name in --user.")
@click.option("--everything", is_flag=True, help="See all scopes, as an administrator.")
@options.embedder
@click.option("--json", "as_json", is_flag=True, help="Write JSON, also on a terminal.")
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def app(
    context: click.Context,
    /,
    db: str | None,
    resolve: bool,
    everything: bool,
    as_json: bool,
    embedder: str | None,
    **scope: str | None,
) -> None:
    """Long-term memory for AI agents, in one file.

    It prints tables on a terminal and JSON everywhere else. Times are UTC.
    """
    context.obj = Call(
        context,
        db=db,
        scope=scope,
        resolve=resolve,
        everything=everything,
        as_json=as_json,
        embedder=embedder,
    )
