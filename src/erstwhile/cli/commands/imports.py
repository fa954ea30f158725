"""`erstwhile import`: an export of a memory, or files of other programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import erstwhile
from erstwhile.cli.call import Call, counting
from erstwhile.cli.data_output import to_json
from erstwhile.cli.exit_codes import REFUSED
from erstwhile.cli.options import read_text
from erstwhile.cli.people import IncomingFile, untrusted_note
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.results import Page
from erstwhile.integrations.conversation_files import read_conversations
from erstwhile.integrations.conversation_import import UnreadablePart, import_conversations
from erstwhile.integrations.importers.import_records import ImportReport, import_records
from erstwhile.integrations.importers.registry import PROGRAMS, read_from
from erstwhile.learning.attempts import Attempt, AttemptOutcome
from erstwhile.operations.results import Refusal

OWN, CONVERSATIONS = "erstwhile", "conversations"
SOURCES = (OWN, CONVERSATIONS, *PROGRAMS)
"""The values of --from."""


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """The number of records of a kind that an import would bring, and one of them."""

    what: str
    whose: str
    count: int
    example: str


def import_file(
    call: Call, *, file: Path, source: str, dry_run: bool, learn: bool, trust_permissions: bool
) -> int:
    """Import FILE, an export or a file of another program."""
    if source == OWN:
        return _import_own(call, file, dry_run=dry_run, trust_permissions=trust_permissions)
    if source == CONVERSATIONS:
        return _import_conversations(call, file, dry_run=dry_run, learn=learn)
    return _import_foreign(call, source, file, dry_run=dry_run, learn=learn)


def _import_own(call: Call, file: Path, *, dry_run: bool, trust_permissions: bool) -> int:
    IncomingFile(str(file), call.location, call.settings).check(trust_permissions=trust_permissions)
    with counting("Importing") as tell:
        made = erstwhile.import_file(
            file,
            call.location,
            preview=dry_run,
            trust_permissions=trust_permissions,
            settings=call.settings,
            progress=tell,
        )
    code = REFUSED if made.refused else 0
    if dry_run:
        rows = [ImportPreview(table, "", count, "") for table, count in made.lines.items()]
        rows += _refusals("refused", made.refused)
        if made.untrusted_permissions:
            count = made.untrusted_permissions
            rows.append(ImportPreview("permissions not trusted yet", "", count, ""))
        call.out.page(Page(tuple(rows)), "Everything in the file is here already.")
        return code
    for each in made.refused:
        call.out.notice(f"refused: {each.place}: {each.reason}")
    scopes = f"Imported scopes: {made.scopes:,}, merged into: {made.merged:,}"
    counts = f"{scopes}, records: {sum(made.lines.values()):,}"
    summary = f"{counts}; here already: {made.known:,}; refused: {len(made.refused):,}"
    call.out.done(f"{summary}{untrusted_note(made.untrusted_permissions)}", made)
    return code


def _refusals(what: str, parts: Sequence[Refusal | UnreadablePart]) -> list[ImportPreview]:
    """Return a row with the place and the reason of each part that would not come."""
    return [ImportPreview(what, each.place, 1, each.reason) for each in parts]


def _import_conversations(call: Call, file: Path, *, dry_run: bool, learn: bool) -> int:
    found, unreadable = read_conversations(read_text(file), file.stem)
    if dry_run:
        messages = sum(len(each.messages) for each in found)
        preview = {"conversations": len(found), "messages": messages}
        rows = [ImportPreview(what, "", count, "") for what, count in preview.items()]
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
    call.out.done(
        f"{counts}, turns learned from: {turns:,}", {**to_json(imported), "learned": turns}
    )
    return 0


def _import_foreign(call: Call, source: str, file: Path, *, dry_run: bool, learn: bool) -> int:
    found, preview = read_from(source, file), dict[tuple[str, str], ImportPreview]()

    def tell(what: str, user: str | None, text: str) -> None:
        key = what, user or ""
        row = preview.get(key, ImportPreview(*key, 0, text))
        preview[key] = replace(row, count=row.count + 1)

    with counting("Importing") as progress:
        made = import_records(call.memory, source, found, progress, preview=dry_run, on_new=tell)
    code = REFUSED if made.left_out and not made.came else 0
    if dry_run:
        notes = {"messages": made.messages, "held": made.held, "here already": made.known}
        rows = [
            *preview.values(),
            *(ImportPreview(what, "", n, "") for what, n in notes.items() if n),
        ]
        rows += _refusals("left out", made.left_out)
        call.out.page(Page(tuple(rows)), "Everything in the file is here already.")
        return code
    for left_out in made.left_out:
        call.out.notice(f"left out: {left_out.place}: {left_out.reason}")
    turns = _learn_from(call, made.conversations) if learn else 0
    call.out.done(_import_counts(made), {**to_json(made), "learned": turns})
    return code


def _import_counts(made: ImportReport) -> str:
    counts = {
        "facts": made.facts,
        "of them held": made.held,
        "messages": made.messages,
        "blocks": made.blocks,
        "here already": made.known,
        "left out": len(made.left_out),
    }
    summary = [f"{name}: {count:,}" for name, count in counts.items() if count]
    return f"Imported {', '.join(summary) or 'nothing'}"


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
