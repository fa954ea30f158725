"""No byte of a secret is in the files, whichever verb stored it."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

import erstwhile
from tests.contracts.secrets.masking import CANARY, SECRETS, live


@pytest.mark.parametrize("secret", SECRETS.values(), ids=list(SECRETS))
def test_no_byte_of_a_secret_reaches_a_file(tmp_path: Path, secret: str) -> None:
    """Neither a table nor an index nor the write-ahead log has it."""
    file = tmp_path / "memory.db"
    with erstwhile.open(file, embedder="hashing") as memory:
        live(memory.scoped(agent="coder"), secret)
        memory.flush()
        stored = b"".join(each.read_bytes() for each in tmp_path.iterdir())
    assert b"[masked:" in stored
    assert CANARY.encode() not in stored
    assert CANARY.lower().encode() not in stored.lower()
    assert CANARY not in _all_rows(file)


def _all_rows(file: Path) -> str:
    with apsw.Connection(str(file)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        names = [name for (name,) in tables.fetchall()]
        rows = {name: connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}  # noqa: S608
    assert len(names) > 20
    return repr(rows)
