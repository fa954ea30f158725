"""What an engine makes from the rows of a table, made again for the rows of a copy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from erstwhile.copying.tables import Table
from erstwhile.core.ports import Engine, Row, Session
from erstwhile.facts import text_index
from erstwhile.storage import full_text as fulltext
from erstwhile.storage.statements import load


class _Index(NamedTuple):
    """How the rows of a table are put into a full-text index and taken out of it."""

    name: str
    terms: Callable[[dict[str, Any]], str]


_INDEXES = {
    "fact_texts": _Index(
        "facts",
        lambda row: text_index.indexed(row["terms"], row["scope"], bool(row["open"])),
    ),
    "record_texts": _Index(
        "records",
        lambda row: fulltext.indexed(row["terms"], row["kind"], row["scope"]),
    ),
}


def derive(engine: Engine, session: Session, table: Table, rows: Sequence[Row]) -> None:
    """Index new and changed rows, in the transaction that brings them."""
    if index := _INDEXES.get(table.name):
        named = [table.named(row) for row in rows]
        forget(engine, session, table, [(row["seq"],) for row in named])
        session.run_many(
            load(engine.dialect)["add_terms", index.name],
            [
                {"space": engine.space, "seq": row["seq"], "terms": index.terms(row)}
                for row in named
            ],
        )


def forget(engine: Engine, session: Session, table: Table, keys: Sequence[Row]) -> None:
    """Take rows out of the index before they go."""
    if index := _INDEXES.get(table.name):
        session.run_many(
            load(engine.dialect)["remove_terms", index.name],
            [{"space": engine.space, "seq": seq} for (seq,) in keys],
        )
