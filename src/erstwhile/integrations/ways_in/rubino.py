"""The database of Rubino: facts with their times and entities, and sessions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from erstwhile.core.kinds import Kind
from erstwhile.integrations.ways_in.arrivals import Arrivals, ForeignFact
from erstwhile.integrations.ways_in.files import ForeignDatabase, list_of, text_of, time_of
from erstwhile.integrations.ways_in.talks import conversations_in

_KINDS = {
    "user_profile": Kind.PROFILE,
    "preference": Kind.PREFERENCE,
    "project": Kind.PROJECT,
    "env": Kind.ENVIRONMENT,
}


def read(file: Path) -> Arrivals:
    """Return the facts, ended ones too, and what people and models said in the sessions."""
    database = ForeignDatabase(file)
    return Arrivals(
        facts=tuple(_facts(database)),
        conversations=tuple(
            conversations_in(database, "rubino", within="session_id", at="created_at")
        ),
    )


def _facts(database: ForeignDatabase) -> Iterator[ForeignFact]:
    for row in database.rows("memory_facts", "id", "text", "kind"):
        if text := text_of(row["text"]):
            yield ForeignFact(
                id=str(row["id"]),
                text=text,
                kind=_KINDS.get(text_of(row["kind"]), Kind.FACT),
                entities=list(filter(None, map(text_of, list_of(row.get("entities_json"))))),
                since=time_of(row.get("valid_from") or row.get("created_at")),
                until=time_of(row.get("valid_to")),
            )
