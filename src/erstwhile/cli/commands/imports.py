"""`erstwhile import`: an export of a memory, or files of other programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

import erstwhile
from erstwhile.cli.call import Call, counting
from erstwhile.cli.coming import Coming
from erstwhile.cli.exit_codes import REFUSED
from erstwhile.cli.input_text import read_text
from erstwhile.cli.person import Arrival, unvouched_note, vouching
from erstwhile.cli.plain_values import plain
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.page import Page
from erstwhile.exports.staging import Refusal
from erstwhile.integrations.conversation_files import read_conversations
from erstwhile.integrations.conversation_import import UnreadablePart, import_conversations
from erstwhile.integrations.ways_in.arriving import Arrived, arrive
from erstwhile.integrations.ways_in.registry import WAYS_IN, read_from
from erstwhile.learning.attempts import Attempt, AttemptOutcome

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
@vouching
@click.pass_obj
def import_file(
    call: Call, /, file: Path, source: str, dry_run: bool, learn: bool, vouch: bool
) -> int:
    """Import FILE, an export or a file of another program.

    Importing a file again stores nothing twice. An export comes with its scopes, ids, times and
    audit trail. Each scope is verified, and imported as a whole or not at all; into a scope that
    holds other records, those that are new are merged. What is refused is shown with its reason.
    What people allowed according to the file allows nothing here, unless somebody at a terminal
    vouches for it.

    With --from conversations, FILE has one JSON object on each line, with role and content, and
    optionally at (a time) and conversation (a name). Or it is the conversations.json of an export
    from ChatGPT or Claude. Then - reads standard input. A conversation that cannot be read
    completely is left out.

    With the name of another memory program, its facts, conversations and blocks come into the scope
    of the call, or, without --user, to the users that the file names. They pass the guard.

    The exit code is 4 if a part of an export was refused, or if everything of another file was left
    out.

    \b
    Examples:
      erstwhile --db new.db import agent.jsonl
      erstwhile --user ana import export.json --from conversations --learn
      erstwhile --user ana import memory.jsonl --from mcp-memory --dry-run
    """
    if source == OWN:
        return _import_own(call, file, dry_run=dry_run, vouch=vouch)
    if source == CONVERSATIONS:
        return _import_conversations(call, file, dry_run=dry_run, learn=learn)
    return _import_foreign(call, source, file, dry_run=dry_run, learn=learn)


def _import_own(call: Call, file: Path, *, dry_run: bool, vouch: bool) -> int:
    Arrival(str(file), call.location, call.settings).check(vouch=vouch)
    with counting("Importing") as tell:
        made = erstwhile.import_file(
            file,
            call.location,
            preview=dry_run,
            vouch=vouch,
            settings=call.settings,
            progress=tell,
        )
    code = REFUSED if made.refused else 0
    if dry_run:
        rows = [Coming(table, "", count, "") for table, count in made.lines.items()]
        rows += _refusals("refused", made.refused)
        if made.unvouched:
            rows.append(Coming("permissions without a voucher", "", made.unvouched, ""))
        call.out.page(Page(tuple(rows)), "Everything in the file is here already.")
        return code
    for each in made.refused:
        call.out.notice(f"refused: {each.place}: {each.reason}")
    scopes = f"Imported scopes: {made.scopes:,}, merged into: {made.merged:,}"
    counts = f"{scopes}, records: {sum(made.lines.values()):,}"
    told = f"{counts}; here already: {made.known:,}; refused: {len(made.refused):,}"
    call.out.done(f"{told}{unvouched_note(made.unvouched)}", made)
    return code


def _refusals(what: str, parts: Sequence[Refusal | UnreadablePart]) -> list[Coming]:
    """Return a row with the place and the reason of each part that would not come."""
    return [Coming(what, each.place, 1, each.reason) for each in parts]


def _import_conversations(call: Call, file: Path, *, dry_run: bool, learn: bool) -> int:
    found, unreadable = read_conversations(read_text(file), file.stem)
    if dry_run:
        messages = sum(len(each.messages) for each in found)
        coming = {"conversations": len(found), "messages": messages}
        rows = [Coming(what, "", count, "") for what, count in coming.items()]
        rows += _refusals("left out", unreadable)
        call.out.page(Page(tuple(rows)), "Nothing in the file can be imported.")
        return REFUSED if unreadable and not found else 0
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
        return 0
    turns = _learn_from(call, imported.conversations)
    call.out.done(f"{counts}, turns learned from: {turns:,}", {**plain(imported), "learned": turns})
    return 0


def _import_foreign(call: Call, source: str, file: Path, *, dry_run: bool, learn: bool) -> int:
    found, coming = read_from(source, file), dict[tuple[str, str], Coming]()

    def tell(what: str, user: str | None, text: str) -> None:
        key = what, user or ""
        row = coming.get(key, Coming(*key, 0, text))
        coming[key] = replace(row, count=row.count + 1)

    with counting("Importing") as progress:
        made = arrive(call.memory, source, found, progress, preview=dry_run, tell=tell)
    code = REFUSED if made.left_out and not made.came else 0
    if dry_run:
        notes = {"messages": made.messages, "held": made.held, "here already": made.known}
        rows = [*coming.values(), *(Coming(what, "", n, "") for what, n in notes.items() if n)]
        rows += _refusals("left out", made.left_out)
        call.out.page(Page(tuple(rows)), "Everything in the file is here already.")
        return code
    for left_out in made.left_out:
        call.out.notice(f"left out: {left_out.place}: {left_out.reason}")
    turns = _learn_from(call, made.conversations) if learn else 0
    call.out.done(_told(made), {**plain(made), "learned": turns})
    return code


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
