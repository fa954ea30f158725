"""`erstwhile import`: an export of a memory, or files of other programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

import erstwhile
from erstwhile.cli.call import Call, counting
from erstwhile.cli.coming import Coming
from erstwhile.cli.input_text import read_text
from erstwhile.cli.plain_values import plain
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.page import Page
from erstwhile.integrations.conversation_files import read_conversations
from erstwhile.integrations.conversation_import import UnreadablePart, import_conversations
from erstwhile.integrations.ways_in.arrivals import Arrivals
from erstwhile.integrations.ways_in.arriving import Arrived, arrive
from erstwhile.integrations.ways_in.registry import WAYS_IN, read_from
from erstwhile.learning.attempt import Attempt, AttemptOutcome

OWN, CONVERSATIONS = "erstwhile", "conversations"


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--from",
    "source",
    type=click.Choice((OWN, CONVERSATIONS, *WAYS_IN)),
    default=OWN,
    show_default=True,
    help="What wrote the file.",
)
@click.option("--dry-run", is_flag=True, help="Only check the file, and show what would come.")
@click.option("--learn", is_flag=True, help="Learn from imported conversations at once.")
@click.pass_obj
def import_file(call: Call, /, file: Path, source: str, dry_run: bool, learn: bool) -> None:
    """Import FILE, an export or a file of another program.

    Importing a file again stores nothing twice. An export comes with its scopes, ids, times and
    audit trail. Each scope is verified, and imported as a whole or not at all; what is refused is
    shown with its reason.

    With --from conversations, FILE has one JSON object on each line, with role and content, and
    optionally at (a time) and conversation (a name). Or it is the conversations.json of an export
    from ChatGPT or Claude. Then - reads standard input. A conversation that cannot be read
    completely is left out.

    With the name of another memory program, its facts, conversations and blocks come into the scope
    of the call, or, without --user, to the users that the file names. They pass the guard.

    \b
    Examples:
      erstwhile --db new.db import agent.jsonl
      erstwhile --user ana import export.json --from conversations --learn
      erstwhile --user ana import memory.jsonl --from mcp-memory --dry-run
    """
    if source == OWN:
        _import_own(call, file, dry_run=dry_run)
    elif source == CONVERSATIONS:
        _import_conversations(call, file, dry_run=dry_run, learn=learn)
    else:
        _import_foreign(call, source, file, dry_run=dry_run, learn=learn)


def _import_own(call: Call, file: Path, *, dry_run: bool) -> None:
    with counting("Importing") as tell:
        made = erstwhile.import_file(
            file, call.location, preview=dry_run, settings=call.settings, progress=tell
        )
    for each in made.refused:
        call.out.notice(f"refused: {each.place}: {each.reason}")
    if dry_run:
        rows = [Coming(table, "", count, "") for table, count in made.lines.items()]
        rows += [Coming("refused", "", len(made.refused), "")] if made.refused else []
        call.out.page(Page(tuple(rows)), "Everything in the file is here already.")
        return
    counts = f"Imported scopes: {made.scopes:,}, records: {sum(made.lines.values()):,}"
    call.out.done(f"{counts}; here already: {made.known:,}; refused: {len(made.refused):,}", made)


def _import_conversations(call: Call, file: Path, *, dry_run: bool, learn: bool) -> None:
    found, unreadable = read_conversations(read_text(file), file.stem)
    if dry_run:
        messages = sum(len(each.messages) for each in found)
        coming = {"conversations": len(found), "messages": messages, "left out": len(unreadable)}
        rows = (Coming(what, "", count, "") for what, count in coming.items())
        call.out.page(Page(tuple(rows)), "Nothing in the file can be imported.")
        return
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
    turns = _learn_from(call, imported.conversations)
    call.out.done(f"{counts}, turns learned from: {turns:,}", {**plain(imported), "learned": turns})


def _import_foreign(call: Call, source: str, file: Path, *, dry_run: bool, learn: bool) -> None:
    found = read_from(source, file)
    with counting("Importing") as tell:
        made = arrive(call.memory, source, found, tell, preview=dry_run)
    for left_out in made.left_out:
        call.out.notice(f"left out: {left_out.place}: {left_out.reason}")
    turns = _learn_from(call, made.conversations) if learn and not dry_run else 0
    if dry_run:
        call.out.page(Page(_coming(found, made)), "Everything in the file is here already.")
    else:
        call.out.done(_told(made), {**plain(made), "learned": turns})


def _coming(found: Arrivals, made: Arrived) -> tuple[Coming, ...]:
    """Return the table of what would come, after what is known or left out was counted off."""
    rows = [
        Coming("facts", fact.user or "", 0, fact.text)
        for fact in {fact.user: fact for fact in reversed(found.facts)}.values()
    ]
    counts = Counter(fact.user or "" for fact in found.facts)
    rows = [replace(row, count=counts[row.whose]) for row in rows]
    for what, texts in (
        ("messages", [each.content for talk in found.conversations for each in talk.messages]),
        ("blocks", [f"{block.name}: {block.content}" for block in found.blocks]),
    ):
        rows += [Coming(what, "", len(texts), texts[0])] if texts else []
    notes = {"held in quarantine": made.held, "here already": made.known}
    left = {**notes, "left out": len(made.left_out)}
    return (*rows, *(Coming(what, "", count, "") for what, count in left.items() if count))


def _told(made: Arrived) -> str:
    counts = {
        "facts": made.facts,
        "of them held": made.held,
        "messages": made.messages,
        "blocks": made.blocks,
        "here already": made.known,
        "left out": len(made.left_out),
    }
    told = [f"{name}: {count:,}" for name, count in counts.items() if count]
    return f"Imported {', '.join(told) or 'nothing'}"


def _learn_from(call: Call, conversations: Sequence[str]) -> int:
    """Learn from all imported conversations, and return the number of turns."""
    total, attempts = len(conversations), list[Attempt]()
    with counting("Learning") as tell:
        for number, conversation in enumerate(conversations, 1):
            attempts += call.memory.learn(conversation)
            tell(number, total)
    return sum(attempt.outcome is not AttemptOutcome.FAILED for attempt in attempts)


def _nothing_imported(file: Path, unreadable: Sequence[UnreadablePart]) -> InvalidInputError:
    reasons = [f"{each.place}: {each.reason}" for each in unreadable[:3]]
    return InvalidInputError(
        "; ".join([f"nothing in {file} can be imported", *reasons]),
        remedy="see `erstwhile import --help` for the format of such a file",
    )
