"""The command `recollect`: its global options, its commands, and how it ends."""

from __future__ import annotations

import sys
from typing import Any

import click

from recollect import __version__
from recollect.cli import ending, options
from recollect.cli.audit import audit
from recollect.cli.blocks import blocks
from recollect.cli.call import Call
from recollect.cli.checkpoints import checkpoints
from recollect.cli.conflicts import conflicts
from recollect.cli.context import context
from recollect.cli.conversations import conversations
from recollect.cli.copy import copy
from recollect.cli.decisions import decisions
from recollect.cli.demo import demo
from recollect.cli.distribute import distribute
from recollect.cli.entities import entities
from recollect.cli.evaluate import evaluate
from recollect.cli.facts import facts
from recollect.cli.feedback import feedback
from recollect.cli.guard import guard
from recollect.cli.hook import hook
from recollect.cli.identities import identities
from recollect.cli.import_chat import imports
from recollect.cli.learn import learn, learning
from recollect.cli.lessons import lessons
from recollect.cli.limitations import limitations
from recollect.cli.observations import observations
from recollect.cli.options import Commands
from recollect.cli.outcomes import outcomes
from recollect.cli.profile import onboarding, profile
from recollect.cli.quarantine import quarantine
from recollect.cli.recall import recall, reembed
from recollect.cli.remember import remember
from recollect.cli.sessions import sessions
from recollect.cli.stats import stats
from recollect.cli.tasks import tasks
from recollect.cli.usage import usage

EPILOG = """\b
Example:
  recollect --db agent.db --user ana remember "Ana prefers pnpm over npm" --kind preference
  recollect --db agent.db --user ana recall "which package manager does Ana like?"

What is not said here comes from the environment (RECOLLECT_DB, RECOLLECT_USER, …) or from
config.toml in your configuration folder, or from the file that RECOLLECT_CONFIG names.

\b
Exit codes: 0 ok, 2 usage, 3 not found, 4 refused, 5 internal, 7 busy (try again)."""


class App(Commands):
    """The root. However a call ends, it ends with one message and a documented exit code."""

    def main(self, args: Any = None, *_: Any, **extra: Any) -> Any:
        words = list(sys.argv[1:] if args is None else args)
        extra |= {"prog_name": "recollect", "standalone_mode": False}
        run = super().main
        sys.exit(ending.code_of(lambda: run(words, **extra), as_json="--json" in words))


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


for command in (
    *(remember, recall, context, feedback, facts, entities, blocks, decisions),
    *(remember, recall, facts, entities, blocks, decisions),
    *(quarantine, conflicts),
    *(conversations, sessions, identities),
    *(learn, learning, imports),
    *(tasks, checkpoints),
    *(outcomes, lessons, observations, limitations, usage, profile, onboarding),
    *(audit, stats, reembed, copy, distribute, evaluate, guard, hook, demo),
):
    app.add_command(command)
