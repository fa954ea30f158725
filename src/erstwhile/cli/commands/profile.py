"""`erstwhile profile` and `erstwhile onboarding`: who somebody is, and getting to know them."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.core.errors import NotFoundError


@click.group(cls=options.Commands)
def profile() -> None:
    """See who somebody is, and which language they write in.

    Values are set with `erstwhile facts set`.

    \b
    Example:
      erstwhile --user ana profile text
    """


@profile.command()
@options.past
@click.pass_obj
def text(call: Call, /, **asked: Any) -> None:
    """Show the profile as text for a prompt, a line for each key.

    \b
    Example:
      erstwhile --user ana profile text
    """
    call.out.record({"text": call.memory.profile.text(**options.said(asked))})


@profile.command()
@click.option("--set", "code", metavar="CODE", help='Set it, such as "de" or "pt-br".')
@click.option("--notice", metavar="TEXT", help="Keep the language of this, if it is settled.")
@click.pass_obj
def language(call: Call, /, code: str | None, notice: str | None) -> None:
    """Show, set or notice the language to answer in.

    \b
    Example:
      erstwhile --user ana profile language --notice "Kannst du mir damit helfen?"
      erstwhile --user ana profile language --set de
    """
    if code and notice:
        raise click.UsageError("--set and --notice contradict each other.")
    if code:
        call.memory.profile.set_language(code)
    if notice:
        call.out.record(call.memory.profile.notice_language(notice))
        return
    found = call.memory.profile.language()
    if found is None:
        raise NotFoundError("no language is known here", remedy="set one with --set")
    call.out.record({"language": found})


@profile.command()
@click.argument("text")
@click.pass_obj
def detect(call: Call, /, text: str) -> None:
    """Tell the language of a text. Nothing is stored.

    \b
    Example:
      erstwhile profile detect "Kannst du mir damit helfen?"
    """
    call.out.record(call.memory.profile.detect_language(text))


@click.group(cls=options.Commands)
def onboarding() -> None:
    """Show somebody round, stage by stage.

    \b
    Example:
      erstwhile --user ana onboarding next
    """


@onboarding.command(name="next")
@click.pass_obj
def next_stage(call: Call, /) -> None:
    """Take the stage that is due now, if any. Each is given once.

    \b
    Example:
      erstwhile --user ana onboarding next
    """
    stage = call.memory.onboarding.next()
    call.out.record({"stage": stage, "hint": None if stage is None else stage.hint})


@onboarding.command()
@click.pass_obj
def reached(call: Call, /) -> None:
    """List the stages that were given, in their order.

    \b
    Example:
      erstwhile --user ana onboarding reached
    """
    call.out.record({"reached": call.memory.onboarding.reached()})
