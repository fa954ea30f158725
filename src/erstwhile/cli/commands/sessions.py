"""`erstwhile sessions`: the session ids of other programs."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.groups import Group

NONE_HERE = "No session id is stored here.\nStore one: erstwhile sessions set 0b1e-claude"
channel = click.option("--channel", metavar="NAME", help="Of this channel.")

sessions = Group(
    "sessions",
    "Store the ids that other programs gave to their sessions.",
    "--user ana --project shop sessions get --channel telegram",
)
sessions.method(
    "set",
    "Store the id of a session, in place of the previous one.",
    "--user ana --project shop sessions set 0b1e-claude --channel telegram",
    click.argument("session_id"),
    channel,
    done="Stored",
)
sessions.method(
    "get",
    "Show the id that is stored for exactly this scope, if any.",
    "--user ana --project shop sessions get",
    channel,
    field="session_id",
)


@sessions.command()
@channel
@click.pass_obj
def clear(call: Call, /, **given: Any) -> None:
    """Remove the id of one channel, or the ids of all channels.

    \b
    Examples:
      erstwhile --user ana --project shop sessions clear --channel telegram
    """
    count = call.memory.sessions.clear(**options.given(given))
    call.out.done(f"Session ids removed: {count:,}", {"cleared": count})


sessions.destroy(
    "erase",
    "Remove session ids and destroy their audit entries.",
    "--user ana sessions erase",
    channel,
    question=lambda *_, **_given: "Destroy the session ids of this scope, without any undo?",
)
sessions.method(
    "list",
    "List all session ids that are visible here, newest first.",
    "--everything sessions list",
    options.paging,
    empty=NONE_HERE,
)
