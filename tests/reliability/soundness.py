"""What must hold of a file after any trouble, and a digest of what it holds."""

from __future__ import annotations

from contextlib import closing
from hashlib import sha256
from pathlib import Path

import apsw

import erstwhile
from erstwhile.engines.sqlite.pages import damages

NOTHING = "nothing"
"""The digest of a file in which no memory has begun."""
QUIET = erstwhile.Settings(embedder="none", busy_timeout=60)
_TABLES = (
    "facts", "fact_versions", "fact_tags", "relations", "blocks", "block_versions",
    "conversations", "messages", "tasks", "snapshots", "audit", "passages",
)  # fmt: skip


def digest(file: Path) -> str:
    """Return a digest of all rows that people and audits see."""
    if not file.exists():
        return NOTHING
    with closing(apsw.Connection(str(file))) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'audit'").fetchall():
            return NOTHING
        digested = sha256()
        for table in _TABLES:
            rows = f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4"  # noqa: S608  our own names
            for row in connection.execute(rows):
                digested.update(repr(row).encode())
        return digested.hexdigest()


def problems(file: Path) -> list[str]:
    """Return what is unsound: pages, references, full text, the audit trail, the next write."""
    with erstwhile.open(file, settings=QUIET) as memory:
        found = [*memory.everything().audit.verify().problems]
        text = memory.remember("it can be written").text
        found += [] if memory.recall("written")[0].fact.text == text else ["recall fails"]
    with closing(apsw.Connection(str(file))) as connection:
        found += damages(connection)
        try:
            connection.execute(
                "INSERT INTO passage_terms (passage_terms) VALUES ('integrity-check')"
            )
        except apsw.Error as error:
            found.append(f"full text: {error}")
    return found
