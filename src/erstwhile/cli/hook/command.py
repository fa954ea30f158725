"""`erstwhile hook`: what a coding agent calls by itself."""

from __future__ import annotations

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.hook.pre_tool_use import respond
from erstwhile.decisions.decision import Namespace


@click.group(cls=options.Commands)
def hook() -> None:
    """Answer the events of a coding agent.

    \b
    Example:
      erstwhile --project shop hook pre-tool-use < event.json
    """


@hook.command(name="pre-tool-use")
@click.option("--goal", help="The goal the call belongs to; the agent's session unless said.")
@click.option(
    "--namespace", type=options.one_of(Namespace), help="Which decisions; global unless said."
)
@click.option("--silent", is_flag=True, help="Say nothing instead of ask.")
@click.option("--meaning", is_flag=True, help="Compare by meaning, too; loads the embedder.")
@click.pass_obj
def pre_tool_use(
    call: Call, /, goal: str | None, namespace: str | None, silent: bool, meaning: bool
) -> None:
    """Say whether a tool call is allowed, denied or to be asked.

    Reads the agent's PreToolUse event in JSON from standard input. Whatever goes wrong, the answer
    is ask, with the reason on standard error and exit code 0.

    \b
    Example:
      erstwhile --project shop hook pre-tool-use < event.json
    """
    said = {"goal": goal, "namespace": namespace, "silent": silent, "meaning": meaning}
    respond({**call.said, **said})
