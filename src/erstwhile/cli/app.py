"""The command `erstwhile`: its global options, its commands, and how it ends."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import click

from erstwhile import __version__
from erstwhile.cli import exit_codes, options
from erstwhile.cli.call import Call

EPILOG = """\b
Example:
  erstwhile --db agent.db --user ana remember "Ana prefers pnpm over npm" --kind preference
  erstwhile --db agent.db --user ana recall "which package manager does Ana like?"

What is not said here comes from the environment (ERSTWHILE_DB, ERSTWHILE_USER, …) or from
config.toml in your configuration folder, or from the file that ERSTWHILE_CONFIG names.

\b
Exit codes: 0 ok, 2 usage, 3 not found, 4 refused, 5 internal, 7 busy (try again)."""

_COMMANDS = {
    "remember": "commands.remember:remember",
    "recall": "commands.recall:recall",
    "context": "commands.context:context",
    "feedback": "commands.feedback:feedback",
    "facts": "commands.facts:facts",
    "entities": "commands.entities:entities",
    "blocks": "commands.blocks:blocks",
    "decisions": "commands.decisions:decisions",
    "quarantine": "commands.quarantine:quarantine",
    "conflicts": "commands.conflicts:conflicts",
    "conversations": "commands.conversations:conversations",
    "sessions": "commands.sessions:sessions",
    "identities": "commands.identities:identities",
    "learn": "commands.learn:learn",
    "learning": "commands.learn:learning",
    "import": "commands.import_chat:imports",
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
    "stats": "commands.stats:stats",
    "reembed": "commands.recall:reembed",
    "copy": "commands.copy:copy",
    "distribute": "commands.distribute:distribute",
    "eval": "commands.evaluation:evaluate",
    "guard": "commands.guard:guard",
    "hook": "hook.command:hook",
    "demo": "demo.command:demo",
}
"""Where each command is, in the order of the help."""


class _Loading(Mapping[str, click.Command]):
    """The commands by name: a call loads its own and no other."""

    def __getitem__(self, name: str) -> click.Command:
        module, command = _COMMANDS[name].split(":")
        found: click.Command = getattr(import_module(f"erstwhile.cli.{module}"), command)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_COMMANDS)

    def __len__(self) -> int:
        return len(_COMMANDS)


class App(options.Commands):
    """The root. However a call ends, it ends with one message and a documented exit code."""

    def __init__(self, **said: Any) -> None:
        super().__init__(**said)
        self.commands = _Loading()  # type: ignore[assignment]  # click only reads it

    def main(self, args: Any = None, *_: Any, **extra: Any) -> Any:
        words = list(sys.argv[1:] if args is None else args)
        extra |= {"prog_name": "erstwhile", "standalone_mode": False}
        run = super().main
        sys.exit(exit_codes.code_of(lambda: run(words, **extra), as_json="--json" in words))


@click.group(cls=App, epilog=EPILOG)
@click.option("--db", metavar="FILE", help="Where the memory is.")
@click.option("--user", metavar="NAME", help="Whose memory: the user.")
@click.option("--agent", metavar="NAME", help="Whose memory: the agent.")
@click.option("--project", metavar="NAME", help="Whose memory: the project.")
@click.option("--session", metavar="NAME", help="Whose memory: the session.")
@click.option("--resolve", is_flag=True, help="Take --user for any name of the person.")
@click.option("--everything", is_flag=True, help="See all scopes, as an administrator.")
@options.embedder
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON, also on a terminal.")
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

    On a terminal you get tables, everything else gets JSON. Times are UTC.
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
