"""`erstwhile hook` as commands, for calls with options that `quick_call` does not parse."""

from __future__ import annotations

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.groups import Group
from erstwhile.cli.hook.quick_call import POST, PRE, respond
from erstwhile.decisions.decision import Namespace

hook = Group(
    "hook",
    "Answer and record the events of a coding agent.",
    "--project shop hook pre-tool-use < event.json",
)
goal = click.option("--goal", help="The goal of the call; the agent's session by default.")


@hook.command(name=PRE)
@goal
@click.option(
    "--namespace", type=options.one_of(Namespace), help="Which decisions; global by default."
)
@click.option("--silent", is_flag=True, help="Print nothing if there is no advice.")
@click.option("--no-record", is_flag=True, help="Only answer; record nothing.")
@click.option("--meaning", is_flag=True, help="Also compare by meaning; loads the embedder.")
@click.pass_obj
def pre_tool_use(
    call: Call,
    /,
    goal: str | None,
    namespace: str | None,
    silent: bool,
    no_record: bool,
    meaning: bool,
) -> None:
    """Answer allow, deny or ask for a tool call, and record it.

    It reads the agent's PreToolUse event in JSON from standard input. After any error the answer is
    ask, with the reason on standard error and exit code 0.

    \b
    Examples:
      erstwhile --project shop hook pre-tool-use < event.json
    """
    given = {"goal": goal, "namespace": namespace, "silent": silent, "no_record": no_record}
    respond({**call.place, **given, "meaning": meaning, "command": PRE})


@hook.command(name=POST)
@goal
@click.pass_obj
def post_tool_use(call: Call, /, goal: str | None) -> None:
    """Record that a tool call is done, or failed.

    It reads the agent's PostToolUse event in JSON from standard input. It prints nothing; an error
    is told on standard error, with exit code 0.

    \b
    Examples:
      erstwhile --project shop hook post-tool-use < event.json
    """
    respond({**call.place, "goal": goal, "command": POST})
