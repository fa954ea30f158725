"""What an engine makes from the rows of a table, made again for the rows of a copy."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.ports import Engine, Row, Session
from recollect.statements import load
from recollect.store.access import SQL
from recollect.store.copying.tables import Table
from recollect.store.text_index import indexed


def derive(engine: Engine, session: Session, table: Table, rows: Sequence[Row]) -> None:
    """Index new and changed rows, in the transaction that brings them."""
    if table.name != "fact_texts":
        return
    texts = [table.named(row) for row in rows]
    forget(engine, session, table, [(text["seq"],) for text in texts])
    session.run_many(
        load(SQL, engine.dialect)["add_terms",],
        [
            {
                "space": engine.space,
                "seq": text["seq"],
                "terms": indexed(text["terms"], text["scope"], bool(text["open"])),
            }
            for text in texts
        ],
    )


def forget(engine: Engine, session: Session, table: Table, keys: Sequence[Row]) -> None:
    """Take rows out of the index before they go."""
    if table.name == "fact_texts":
        session.run_many(
            load(SQL, engine.dialect)["remove_terms",],
            [{"space": engine.space, "seq": seq} for (seq,) in keys],
        )
