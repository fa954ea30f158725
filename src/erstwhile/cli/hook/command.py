"""`erstwhile hook` as a command, for calls with options that `pre_tool_use` does not parse."""

from __future__ import annotations

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.groups import Group
from erstwhile.cli.hook.pre_tool_use import respond
from erstwhile.decisions.decision import Namespace

hook = Group(
    "hook",
    "Answer the events of a coding agent.",
    "--project shop hook pre-tool-use < event.json",
)


@hook.command(name="pre-tool-use")
@click.option("--goal", help="The goal of the call; the agent's session by default.")
@click.option(
    "--namespace", type=options.one_of(Namespace), help="Which decisions; global by default."
)
@click.option("--silent", is_flag=True, help="Print nothing instead of ask.")
@click.option("--meaning", is_flag=True, help="Also compare by meaning; loads the embedder.")
@click.pass_obj
def pre_tool_use(
    call: Call, /, goal: str | None, namespace: str | None, silent: bool, meaning: bool
) -> None:
    """Answer allow, deny or ask for a tool call.

    It reads the agent's PreToolUse event in JSON from standard input. After any error the answer is
    ask, with the reason on standard error and exit code 0.

    \b
    Examples:
      erstwhile --project shop hook pre-tool-use < event.json
    """
    given = {"goal": goal, "namespace": namespace, "silent": silent, "meaning": meaning}
    respond({**call.place, **given})
