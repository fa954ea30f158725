"""`erstwhile import`: an export of a memory, or files of other programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

import erstwhile
from erstwhile.cli.call import Call, counting
from erstwhile.cli.input_text import read_text
from erstwhile.cli.plain_values import plain
from erstwhile.core.errors import InvalidInputError
from erstwhile.learning.attempt import Attempt, AttemptOutcome

if TYPE_CHECKING:
    from erstwhile.integrations.conversation_import import ImportResult, UnreadablePart

OWN = "erstwhile"
CONVERSATIONS = "conversations"


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--from",
    "source",
    type=click.Choice((OWN, CONVERSATIONS)),
    default=OWN,
    show_default=True,
    help="What wrote the file.",
)
@click.option("--dry-run", is_flag=True, help="Only check the file, and show what would come.")
@click.option("--learn", is_flag=True, help="Learn from imported conversations at once.")
@click.pass_obj
def import_file(call: Call, /, file: Path, source: str, dry_run: bool, learn: bool) -> None:
    """Import FILE, which `erstwhile export` or another program wrote.

    Importing a file again stores nothing twice. An export comes with its scopes, ids, times and
    audit trail. Each scope is verified, and imported as a whole or not at all; what is refused is
    shown with its reason.

    With --from conversations, FILE has one JSON object on each line, with role and content, and
    optionally at (a time) and conversation (a name). Or it is the conversations.json of an export
    from ChatGPT or Claude. Then - reads standard input. A conversation that cannot be read
    completely is left out.

    \b
    Examples:
      erstwhile --db new.db import agent.jsonl
      erstwhile --user ana import export.json --from conversations --learn
    """
    if source == OWN:
        _import_own(call, file, dry_run=dry_run)
    else:
        _import_conversations(call, file, learn=learn)


def _import_own(call: Call, file: Path, *, dry_run: bool) -> None:
    with counting("Importing") as tell:
        made = erstwhile.import_file(
            file, call.location, preview=dry_run, settings=call.settings, progress=tell
        )
    for each in made.refused:
        call.out.notice(f"refused: {each.place}: {each.reason}")
    verb = "Would import" if dry_run else "Imported"
    counts = f"{verb} scopes: {made.scopes:,}, records: {sum(made.lines.values()):,}"
    call.out.done(f"{counts}; here already: {made.known:,}; refused: {len(made.refused):,}", made)


def _import_conversations(call: Call, file: Path, *, learn: bool) -> None:
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
        remedy="see `erstwhile import --help` for the format of such a file",
    )
