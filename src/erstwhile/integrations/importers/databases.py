"""Databases of Kernex (`memory.db`), Engram and Rubino."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from erstwhile.conversations.conversation import Role
from erstwhile.core.kinds import Kind
from erstwhile.integrations.conversation_import import (
    ImportedConversation,
    ImportedMessage,
    UnreadablePart,
)
from erstwhile.integrations.importers.files import (
    ProgramDatabase,
    first_time,
    list_of,
    object_of,
    text_of,
    time_of,
)
from erstwhile.integrations.importers.records import ImportedBlock, ImportedFact, ImportedRecords

_KERNEX_SKIPPED = ("lessons", "observations", "outcomes", "limitations", "scheduled_tasks")
"""Tables with records that are not imported; the report says so."""
_ENGRAM_KINDS = {"preference": Kind.PREFERENCE, "decision": Kind.DECISION}
_ENGRAM_SKIPPED = frozenset(("credential", "transcript_chunk"))
"""Types of records that are no statements, or must not be copied."""
_RUBINO_KINDS = {
    "user_profile": Kind.PROFILE,
    "preference": Kind.PREFERENCE,
    "project": Kind.PROJECT,
    "env": Kind.ENVIRONMENT,
}


def read_kernex(file: Path) -> ImportedRecords:
    """Return the facts that were not deleted, and all conversations."""
    database = ProgramDatabase(file)
    return ImportedRecords(
        facts=tuple(_kernex_facts(database)),
        conversations=tuple(
            _conversations(database, "kernex", within="conversation_id", at="timestamp")
        ),
        left_out=tuple(_kernex_skipped(database)),
    )


def _kernex_facts(database: ProgramDatabase) -> Iterator[ImportedFact]:
    for row in database.rows("facts", "id", "sender_id", "key", "value"):
        key, value = text_of(row["key"]), text_of(row["value"])
        if key and value and row.get("deleted_at") is None:
            yield ImportedFact(
                id=str(row["id"]),
                text=f"{key.replace('_', ' ')}: {value}",
                user=text_of(row["sender_id"]) or None,
                kind=Kind.PROFILE,
                metadata={"key": key},
                since=first_time(row, "updated_at", "created_at"),
            )


def _kernex_skipped(database: ProgramDatabase) -> Iterator[UnreadablePart]:
    for table in _KERNEX_SKIPPED:
        if count := sum(1 for _ in database.rows(table)):
            reason = f"its {count} records have no place in this import"
            yield UnreadablePart(place=f"table {table}", reason=reason)


def read_engram(file: Path) -> ImportedRecords:
    """Return the memories, and the present versions of the blocks."""
    database = ProgramDatabase(file)
    return ImportedRecords(
        facts=tuple(_engram_facts(database)), blocks=tuple(_engram_blocks(database))
    )


def _engram_facts(database: ProgramDatabase) -> Iterator[ImportedFact]:
    for row in database.rows("memories", "id", "content"):
        text, type = text_of(row["content"]), text_of(row.get("memory_type"))
        if not text or type in _ENGRAM_SKIPPED:
            continue
        yield ImportedFact(
            id=str(row["id"]),
            text=text,
            kind=_ENGRAM_KINDS.get(type, Kind.FACT),
            tags=[type] if type else [],
            metadata=dict(object_of(row.get("metadata"))),
            since=first_time(row, "valid_from", "created_at"),
            until=first_time(row, "valid_to", "expires_at"),
        )


def _engram_blocks(database: ProgramDatabase) -> Iterator[ImportedBlock]:
    for row in database.rows("memory_blocks", "name", "content"):
        if text_of(row["name"]) and text_of(row["content"]):
            yield ImportedBlock(name=text_of(row["name"]), content=row["content"])


def read_rubino(file: Path) -> ImportedRecords:
    """Return the facts, ended ones too, and what people and models said in the sessions."""
    database = ProgramDatabase(file)
    return ImportedRecords(
        facts=tuple(_rubino_facts(database)),
        conversations=tuple(
            _conversations(database, "rubino", within="session_id", at="created_at")
        ),
    )


def _rubino_facts(database: ProgramDatabase) -> Iterator[ImportedFact]:
    for row in database.rows("memory_facts", "id", "text", "kind"):
        if text := text_of(row["text"]):
            yield ImportedFact(
                id=str(row["id"]),
                text=text,
                kind=_RUBINO_KINDS.get(text_of(row["kind"]), Kind.FACT),
                entities=list(filter(None, map(text_of, list_of(row.get("entities_json"))))),
                since=first_time(row, "valid_from", "created_at"),
                until=time_of(row.get("valid_to")),
            )


def _conversations(
    database: ProgramDatabase, program: str, *, within: str, at: str
) -> Iterator[ImportedConversation]:
    """Yield the messages of users and models; `within` and `at` are columns of `messages`."""
    conversations: dict[str, list[ImportedMessage]] = {}
    for row in database.rows("messages", "id", within, "role", "content"):
        if text_of(row["content"]) and row["role"] in (Role.USER, Role.ASSISTANT):
            message = ImportedMessage(
                id=str(row["id"]),
                role=Role(row["role"]),
                content=row["content"],
                at=time_of(row.get(at)),
            )
            conversations.setdefault(str(row[within]), []).append(message)
    for id, messages in conversations.items():
        yield ImportedConversation(name=f"{program}:{id}", messages=tuple(messages))
