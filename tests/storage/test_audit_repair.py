"""A repair of times knows every column that holds one."""

from __future__ import annotations

import re

import pytest

from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.storage.audit import moves
from erstwhile.storage.statements import load

TIME = re.compile(r"at|day|since|\w+_at|known_\w+|valid_\w+|\w+_until")
COLUMNS = """SELECT m.name, c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
  WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'passage_terms%'
    AND m.name <> 'migrations' AND c.type = 'INTEGER'"""


def times() -> list[tuple[str, str]]:
    """Return the tables and columns of the schema that hold a time."""
    engine = SqliteEngine(":memory:")
    rows = engine.read(lambda session: session.rows(COLUMNS, {}))
    engine.close()
    return [(table, column) for table, column in rows if TIME.fullmatch(column)]


def moved() -> str:
    return "\n".join((*moves(), load("sqlite")["move_fact_uses",]))


@pytest.mark.parametrize(("table", "column"), times())
def test_every_time_of_the_schema_is_moved(table: str, column: str) -> None:
    updates = [text for text in re.split(r"(?=UPDATE )", moved()) if f"UPDATE {table} SET" in text]
    assert any(re.search(rf"\b{column} = ", text.split("WHERE space")[0]) for text in updates)
