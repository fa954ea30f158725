"""`erstwhile sessions`: where an agent left off with other programs."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call, confirm, working
from erstwhile.cli.record_commands import REWRITING

NONE_HERE = (
    "No session is kept here.\nKeep one: erstwhile sessions set 0b1e-claude --channel telegram"
)
channel = click.option("--channel", metavar="NAME", help="Of this channel.")


@click.group(cls=options.Commands)
def sessions() -> None:
    """Keep the ids that other programs gave to their sessions.

    \b
    Example:
      erstwhile --user ana --project shop sessions get --channel telegram
    """


@sessions.command(name="set")
@click.argument("session_id")
@channel
@click.pass_obj
def set_session(call: Call, /, session_id: str, **asked: Any) -> None:
    """Keep the id of a session, in the place of the one before.

    \b
    Example:
      erstwhile --user ana --project shop sessions set 0b1e-claude --channel telegram
    """
    kept = call.memory.sessions.set(session_id, **options.said(asked))
    call.out.done("Kept", kept)


@sessions.command()
@channel
@click.pass_obj
def get(call: Call, /, **asked: Any) -> None:
    """Show the id that was kept for exactly this scope, if any.

    \b
    Example:
      erstwhile --user ana --project shop sessions get
    """
    call.out.record({"session_id": call.memory.sessions.get(**options.said(asked))})


@sessions.command()
@channel
@click.pass_obj
def clear(call: Call, /, **asked: Any) -> None:
    """Forget the id of a channel, or those of all channels.

    \b
    Example:
      erstwhile --user ana --project shop sessions clear --channel telegram
    """
    count = call.memory.sessions.clear(**options.said(asked))
    call.out.done(f"Sessions forgotten: {count:,}", {"cleared": count})


@sessions.command()
@channel
@options.yes
@click.pass_obj
def erase(call: Call, /, yes: bool, **asked: Any) -> None:
    """Like clear, and destroy what the audit trail says of them.

    \b
    Example:
      erstwhile --user ana sessions erase --yes
    """
    confirm(lambda: "Destroy the sessions of this scope, without any undo?", yes=yes)
    with working(REWRITING):
        receipt = call.memory.sessions.erase(**options.said(asked))
    call.out.done(f"Destroyed for good: {receipt.sessions:,}", receipt)


@sessions.command(name="list")
@options.paging
@click.pass_obj
def list_sessions(call: Call, /, **asked: Any) -> None:
    """List all that are visible from here, newest first.

    \b
    Example:
      erstwhile --everything sessions list
    """
    call.out.page(call.memory.sessions.list(**options.said(asked)), NONE_HERE)
