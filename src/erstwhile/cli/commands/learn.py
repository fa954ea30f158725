"""`erstwhile learn` and `erstwhile learning`: memory from what was said, and how that goes."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call, counting
from erstwhile.core.page import Page
from erstwhile.learning.attempt import AttemptOutcome

NOTHING_WAITS = (
    "Nothing waits to be learned from here.\nIn every scope: erstwhile --everything learn"
)
NO_ATTEMPTS = "No attempt here fits.\nLearn from what was said: erstwhile --user ana learn"


@click.command()
@click.argument("conversation", required=False)
@click.pass_obj
def learn(call: Call, /, conversation: str | None) -> None:
    """Learn from what was said, or from one CONVERSATION.

    What was learned from already is left alone. It asks the language model of the settings
    (ERSTWHILE_LLM), and uses patterns where there is none. Stopped half-way, it goes on where it
    was.

    \b
    Example:
      erstwhile --user ana learn
    """
    with counting("Learning") as tell:
        made = call.memory.learn(conversation, progress=tell)
    call.out.page(Page(tuple(made)), NOTHING_WAITS)


@click.group(cls=options.Commands)
def learning() -> None:
    """See what was learned from conversations, and how.

    \b
    Example:
      erstwhile --user ana learning attempts
    """


@learning.command()
@click.option("--conversation", metavar="ID", help="In this conversation.")
@click.option("--outcome", type=options.one_of(AttemptOutcome), help="That went this way.")
@options.paging
@click.pass_obj
def attempts(call: Call, /, **asked: Any) -> None:
    """List every attempt to learn from a turn, newest first.

    \b
    Example:
      erstwhile --user ana learning attempts --outcome given_up
    """
    call.out.page(call.memory.learning.attempts(**options.said(asked)), NO_ATTEMPTS)


@learning.command()
@click.pass_obj
def pending(call: Call, /) -> None:
    """List the conversations that wait to be learned from.

    \b
    Example:
      erstwhile --everything learning pending
    """
    call.out.page(Page(tuple(call.memory.learning.pending())), NOTHING_WAITS)


@learning.command()
@click.argument("id")
@click.pass_obj
def retry(call: Call, /, id: str) -> None:
    """Try once more to learn from a turn that was given up.

    ID is that of the attempt.

    \b
    Example:
      erstwhile --user ana learning retry 019a8a5b-1234
    """
    call.out.done("Tried again", call.memory.learning.retry(id))


@learning.command()
@click.pass_obj
def status(call: Call, /) -> None:
    """Show which model is asked, what was spent today and what waits.

    \b
    Example:
      erstwhile learning status
    """
    call.out.record(call.memory.learning.status())
