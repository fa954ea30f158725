"""`erstwhile learn`, `learning` and `import`: facts from conversations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from erstwhile.cli import options, watching
from erstwhile.cli.call import Call, counting
from erstwhile.cli.groups import Group, one_id
from erstwhile.cli.input_text import read_text
from erstwhile.cli.plain_values import plain
from erstwhile.core.defaults import MOST_LEARNERS
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.page import Page
from erstwhile.learning.attempt import Attempt, AttemptOutcome

if TYPE_CHECKING:
    from erstwhile.integrations.conversation_import import ImportResult, UnreadablePart

NOTHING_WAITS = (
    "No conversation here is waiting for learning.\nIn every scope: erstwhile --everything learn"
)
NO_ATTEMPTS = "No attempt here fits.\nLearn from conversations: erstwhile --user ana learn"


@click.command()
@click.argument("conversation", required=False)
@click.option("--watch", is_flag=True, help="Continue, and learn from turns as they come.")
@click.option(
    "--learners",
    type=click.IntRange(1, MOST_LEARNERS),
    metavar="COUNT",
    help="Learn from this many conversations at the same time.",
)
@click.pass_obj
def learn(call: Call, /, conversation: str | None, watch: bool, learners: int | None) -> int | None:
    """Learn facts from all conversations, or from one.

    Messages that were learned from before are skipped. It uses the language model of the settings
    (ERSTWHILE_LLM), or uses patterns if there is none. If you stop it, the next call continues.
    With --watch it is a worker that runs until SIGINT or SIGTERM, and writes a line of JSON for
    each attempt if standard output is no terminal.

    \b
    Examples:
      erstwhile --user ana learn
      erstwhile --everything learn --watch
    """
    call.learners = learners
    if watch:
        if conversation is not None:
            raise click.UsageError("--watch learns from all conversations: leave CONVERSATION out.")
        return watching.watch(call)
    with counting("Learning") as tell:
        attempts = call.memory.learn(conversation, progress=tell)
    call.out.page(Page(tuple(attempts)), NOTHING_WAITS)
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

imports = Group(
    "import",
    "Import conversations from other programs.",
    "--user ana import conversations export.json --learn",
)


@imports.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--learn", is_flag=True, help="Learn from the conversations at once.")
@click.pass_obj
def conversations(call: Call, /, file: Path, learn: bool) -> None:
    """Import the conversations in FILE; - reads standard input.

    Importing a file again stores nothing twice. FILE has one JSON object on each line, with role
    and content, and optionally at (a time) and conversation (a name). Or it is the
    conversations.json of an export from ChatGPT or Claude. A conversation that cannot be read
    completely is left out.

    \b
    Examples:
      erstwhile --user ana import conversations export.json --learn
    """
    # Imported here: no other command reads these files.
    from erstwhile.integrations.conversation_files import read_conversations
    from erstwhile.integrations.conversation_import import import_conversations

    found, unreadable = read_conversations(read_text(file), file.stem)
    with counting("Importing") as tell:
        imported = import_conversations(call.memory, found, unreadable, tell)
    if not imported.conversations:
        raise _nothing_imported(file, imported.left_out)
    for left_out in imported.left_out:
        call.out.notice(f"left out: {left_out.place}: {left_out.reason}")
    count = len(imported.conversations)
    counts = f"Imported conversations: {count:,}, new messages: {imported.messages:,}"
    if not learn:
        call.out.done(f"{counts}. Learn from them: erstwhile learn", imported)
        return
    turns = _learn_from(call, imported)
    call.out.done(f"{counts}, turns learned from: {turns:,}", {**plain(imported), "learned": turns})


def _learn_from(call: Call, imported: ImportResult) -> int:
    """Learn from all imported conversations, and return the number of turns."""
    total, attempts = len(imported.conversations), list[Attempt]()
    with counting("Learning") as tell:
        for number, conversation in enumerate(imported.conversations, 1):
            attempts += call.memory.learn(conversation)
            tell(number, total)
    return sum(attempt.outcome is not AttemptOutcome.FAILED for attempt in attempts)


def _nothing_imported(file: Path, unreadable: Sequence[UnreadablePart]) -> InvalidInputError:
    reasons = [f"{each.place}: {each.reason}" for each in unreadable[:3]]
    return InvalidInputError(
        "; ".join([f"nothing in {file} can be imported", *reasons]),
        remedy="see `erstwhile import conversations --help` for the format of such a file",
    )
