"""`erstwhile learn` and `learning`: facts from conversations."""

from __future__ import annotations

import click

from erstwhile.cli import options, watching
from erstwhile.cli.call import Call, counting
from erstwhile.cli.groups import Group, one_id
from erstwhile.core.defaults import MOST_LEARNERS
from erstwhile.core.page import Page
from erstwhile.learning.attempts import AttemptOutcome

NOTHING_WAITS = (
    "No conversation here is waiting for learning.\nIn every scope: erstwhile --everything learn"
)
NOTHING_MISSED = "The daily limit kept no turn here from the language model."
NO_ATTEMPTS = "No attempt here fits.\nLearn from conversations: erstwhile --user ana learn"


@click.command()
@click.argument("conversation", required=False)
@click.option("--watch", is_flag=True, help="Continue, and learn from turns as they come.")
@click.option("--missed", is_flag=True, help="Read the turns that the daily limit left out.")
@click.option(
    "--learners",
    type=click.IntRange(1, MOST_LEARNERS),
    metavar="COUNT",
    help="Learn from this many conversations at the same time.",
)
@click.pass_obj
def learn(
    call: Call, /, conversation: str | None, watch: bool, missed: bool, learners: int | None
) -> int | None:
    """Learn facts from all conversations, or from one.

    Messages that were learned from before are skipped. It uses the language model of the settings
    (ERSTWHILE_LLM), or uses patterns if there is none. If you stop it, the next call continues.
    With --watch it is a worker that runs until SIGINT or SIGTERM, and writes a line of JSON for
    each attempt if standard output is no terminal. With --missed the language model reads the turns
    that were left to patterns because its daily limit was reached.

    \b
    Examples:
      erstwhile --user ana learn
      erstwhile --everything learn --watch
    """
    call.learners = learners
    if watch:
        if conversation is not None or missed:
            raise click.UsageError(
                "--watch learns from all conversations: leave CONVERSATION and --missed out."
            )
        return watching.watch(call)
    with counting("Learning") as tell:
        follow = call.followed(tell)
        attempts = call.memory.learn(conversation, missed=missed, progress=follow)
    call.out.page(Page(tuple(attempts)), NOTHING_MISSED if missed else NOTHING_WAITS)
    return None


learning = Group(
    "learning",
    "See what was learned from conversations, and how.",
    "--user ana learning attempts",
)
learning.method(
    "attempts",
    "List every attempt to learn from a turn, newest first.\n\nFor each proposal a line tells "
    "what was done, the statement, and why.",
    "--user ana learning attempts --outcome given_up",
    click.option("--conversation", metavar="ID", help="In this conversation."),
    click.option("--outcome", type=options.one_of(AttemptOutcome), help="With this outcome."),
    options.paging,
    empty=NO_ATTEMPTS,
)
learning.method(
    "pending",
    "List the conversations that wait for learning.",
    "--everything learning pending",
    empty=NOTHING_WAITS,
)
learning.method(
    "retry",
    "Learn again from a turn that was given up.\n\nID is the id of the attempt.",
    "--user ana learning retry 019a8a5b-1234",
    one_id,
    done="Tried again",
)
learning.method(
    "status",
    "Show the model, the spending of today and pending work.",
    "learning status",
)
