"""`erstwhile import`: an export of a memory, or files of other programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import erstwhile
from erstwhile.cli.call import Call, counting
from erstwhile.cli.exit_codes import REFUSED
from erstwhile.cli.options import read_text
from erstwhile.cli.people import check_incoming, untrusted_note
from erstwhile.core.errors import InvalidInputError, ScopeError
from erstwhile.core.public_record import to_json
from erstwhile.core.results import Page
from erstwhile.core.scope import Scope
from erstwhile.integrations.conversation_files import read_conversations
from erstwhile.integrations.importers.import_records import ImportReport
from erstwhile.integrations.importers.records import ImportedRecords
from erstwhile.integrations.importers.registry import (
    LANGGRAPH,
    PROGRAMS,
    import_found,
    read_from,
)
from erstwhile.learning.attempts import Attempt, AttemptOutcome
from erstwhile.memory import Memory
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
    call: Call,
    *,
    file: Path,
    source: str,
    dry_run: bool,
    learn: bool,
    trust_permissions: bool,
    namespace: str | None = None,
) -> int:
    if namespace is not None and source != LANGGRAPH:
        raise InvalidInputError("--namespace is for LangGraph", remedy=f"add --from {LANGGRAPH}")
    if source == OWN:
        return _import_own(call, file, dry_run=dry_run, trust_permissions=trust_permissions)
    if source == CONVERSATIONS:
        found = _conversations_in(call, file)
    else:
        found = read_from(source, file, namespace=namespace)
    return _import_foreign(call, source, found, dry_run=dry_run, learn=learn)


def _import_own(call: Call, file: Path, *, dry_run: bool, trust_permissions: bool) -> int:
    target, settings = call.location, call.settings
    check_incoming(str(file), target, settings, trust=trust_permissions)
    chosen: dict[str, Any] = {"preview": dry_run, "trust_permissions": trust_permissions}
    with counting("Importing") as progress:
        made = erstwhile.import_file(file, target, settings=settings, progress=progress, **chosen)
    untrusted, known = made.untrusted_permissions, made.known
    if dry_run:
        rows = _count_rows(made.lines, zeros=True)
        rows += _count_rows({"permissions not trusted yet": untrusted})
        _show_preview(call, rows, "refused", made.refused)
    else:
        _notice_parts(call, "refused", made.refused)
        scopes = f"Imported scopes: {made.scopes:,}, merged into: {made.merged:,}"
        records = f"records: {sum(made.lines.values()):,}; already stored: {known:,}"
        summary = f"{scopes}, {records}; refused: {len(made.refused):,}"
        call.out.done(f"{summary}{untrusted_note(untrusted)}", made)
    return REFUSED if made.refused else 0


def _conversations_in(call: Call, file: Path) -> ImportedRecords:
    """Return the conversations of a file, which have no owners."""
    if call.everything:
        raise ScopeError(
            "an administrator's view has no scope to import conversations into",
            remedy="leave --everything out, and name a scope, such as --user",
        )
    found, left_out = read_conversations(read_text(file), file.stem)
    if not found:
        reasons = [f"{each.place}: {each.reason}" for each in left_out[:3]]
        raise InvalidInputError(
            "; ".join([f"nothing in {file} can be imported", *reasons]),
            remedy="see `erstwhile import --help` for the format of such a file",
        )
    return ImportedRecords(conversations=tuple(found), left_out=tuple(left_out))


def _import_foreign(
    call: Call, source: str, found: ImportedRecords, *, dry_run: bool, learn: bool
) -> int:
    _check_learner(call, learn=learn)
    new = dict[tuple[str, str], ImportPreview]()

    def count(kind: str, scope: Scope, text: str) -> None:
        key = kind, (scope.user or "") if scope == Scope(user=scope.user) else str(scope)
        row = new.get(key, ImportPreview(*key, 0, text))
        new[key] = replace(row, count=row.count + 1)

    with counting("Importing") as progress:
        made = import_found(call.memory, source, found, progress, preview=dry_run, on_new=count)
    notes = {"messages": made.messages, "held": made.held, "already stored": made.known}
    rows = [*new.values(), *_count_rows(notes)]
    if dry_run:
        _show_preview(call, rows, "left out", made.left_out)
    else:
        _notice_parts(call, "left out", made.left_out)
        turns = _learn_from(_with_memories(call, made)) if learn else 0
        left_out = _count_rows({"left out": sum(each.count for each in made.left_out)})
        summary = _summary([*rows, *left_out])
        hint = ". Learn from them: erstwhile learn" if made.messages else ""
        then = f", turns learned from: {turns:,}" if learn else hint
        value = {**to_json(made), "learned": turns}
        call.out.done(f"Imported {summary or 'nothing'}{then}", value)
    return REFUSED if made.left_out and not made.present else 0


def _check_learner(call: Call, *, learn: bool) -> None:
    """Raise InvalidInputError if everybody would see what is learned."""
    if learn and call.memory.scope.user is None:
        raise InvalidInputError(
            "without a user, everybody would see what is learned",
            remedy="add --user NAME, or import without --learn",
        )


def _with_memories(call: Call, made: ImportReport) -> list[tuple[Memory, str]]:
    """Return each imported conversation with the memory of its scope."""
    pairs = zip(made.scopes, made.conversations, strict=True)
    return [(call.memory.scoped(**asdict(scope)), id) for scope, id in pairs]


def _summary(rows: Sequence[ImportPreview]) -> str:
    counts = Counter[str]()
    for row in rows:
        counts[row.what] += row.count
    return ", ".join(f"{what}: {count:,}" for what, count in counts.items())


def _count_rows(counts: Mapping[str, int], *, zeros: bool = False) -> list[ImportPreview]:
    shown = {what: count for what, count in counts.items() if count or zeros}
    return [ImportPreview(what, "", count, "") for what, count in shown.items()]


def _show_preview(
    call: Call,
    rows: list[ImportPreview],
    what: str,
    parts: Sequence[Refusal],
) -> None:
    """Show the rows, and a row with the place and the reason of each part that would not come."""
    rows += [ImportPreview(what, each.place, each.count, each.reason) for each in parts]
    call.out.page(Page(tuple(rows)), "Everything in the file is stored already.")


def _notice_parts(call: Call, what: str, parts: Sequence[Refusal]) -> None:
    for each in parts:
        number = f" ({each.count:,})" if each.count > 1 else ""
        call.out.notice(f"{what}: {each.place}{number}: {each.reason}")


def _learn_from(conversations: Sequence[tuple[Memory, str]]) -> int:
    """Learn from all imported conversations, and return the number of turns."""
    total, attempts = len(conversations), list[Attempt]()
    with counting("Learning") as progress:
        for number, (memory, conversation) in enumerate(conversations, 1):
            attempts += memory.learn(conversation)
            progress(number, total)
    return sum(attempt.outcome is not AttemptOutcome.FAILED for attempt in attempts)
