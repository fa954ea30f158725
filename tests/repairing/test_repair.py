"""Repairs: derived rows are made again, and a damaged file is salvaged into a new one."""

from __future__ import annotations

import random
from hashlib import sha256
from pathlib import Path

import apsw
import pytest

import erstwhile
from erstwhile.bootstrap import assemble
from erstwhile.core.scope import Viewer
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.testing.clock import FakeClock
from tests.contracts.storage.whole_life import live

FACTS = 400
PAGE = 4096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file with many facts, and with something in every table."""
    path = tmp_path / "memory.db"
    with assemble(SqliteEngine(path), FakeClock(), Viewer()) as memory:
        live(memory.scoped(user="ana"), "Quixle")
        memory.scoped(user="bob").remember_many(
            f"Bob has boat number {number} in harbour {number % 7}" for number in range(FACTS)
        )
    return path


def pages_of(path: Path, name: str) -> list[int]:
    """Return the numbers of the leaf pages of a table or an index."""
    connection = apsw.Connection(str(path))
    rows = connection.execute(
        "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path", (name,)
    ).fetchall()
    connection.close()
    return [int(str(page)) for (page,) in rows]


def damage(path: Path, pages: list[int]) -> str:
    """Overwrite pages with noise; return the hash of the file."""
    noise = random.Random(7)
    with path.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * PAGE)
            file.write(noise.randbytes(PAGE))
    return sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("tables", "losing"),
    [
        (("facts",), {"facts"}),
        (("audit", "passages"), {"audit", "passages"}),
        (("sqlite_autoindex_facts_1", "facts_newest"), set[str]()),
        (("scopes",), set[str]()),
        (("vectors", "usage"), {"usage"}),
    ],
)
def test_a_damaged_file_is_salvaged_around_its_damage(
    path: Path, tmp_path: Path, tables: tuple[str, ...], losing: set[str]
) -> None:
    """One page in the middle of each; only its rows are lost, and the old file stays as it is."""
    middles = [found[len(found) // 2] for name in tables if (found := pages_of(path, name))]
    before = damage(path, middles)
    assert not erstwhile.doctor(path, models=False).ok
    done = erstwhile.repair(path, into=tmp_path / "new.db")
    assert sha256(path.read_bytes()).hexdigest() == before
    assert {each.table for each in done.tables if each.lost} == losing
    assert not done.ok if losing else done.audit_problems == 0
    counts = {each.table: each for each in done.tables}
    assert counts["facts"].copied > FACTS * 0.8
    checks = {
        each.name: each for each in erstwhile.doctor(tmp_path / "new.db", models=False).checks
    }
    assert {name for name, each in checks.items() if each.health == "problem"} <= {"audit"}
    with erstwhile.open(tmp_path / "new.db", embedder="none") as memory:
        bob = memory.scoped(user="bob")
        for fact in bob.facts.list(limit=200):
            assert fact.text in [hit.fact.text for hit in bob.recall(fact.text, limit=3)]
            break
        assert bob.remember("Bob has a new boat")


@pytest.mark.parametrize("rewritten", [False, True])
@pytest.mark.parametrize("damaged", ["the first page", "all pages of the schema", "nothing but"])
def test_a_damaged_schema_is_made_anew(
    path: Path, tmp_path: Path, rewritten: bool, damaged: str
) -> None:
    """Also after a compaction, which gives the tables other places."""
    if rewritten:
        with erstwhile.open(path) as memory:
            memory.maintain(compact=True)
    pages = [1] if damaged == "the first page" else [1, *pages_of(path, "sqlite_schema")]
    before = damage(path, pages)
    if damaged == "nothing but":  # the file begins with zeros, as after a failed write
        with path.open("r+b") as file:
            file.write(bytes(PAGE))
        before = sha256(path.read_bytes()).hexdigest()
    done = erstwhile.repair(path, into=tmp_path / "new.db")
    assert sha256(path.read_bytes()).hexdigest() == before
    assert done.ok
    found = {each.table: each for each in done.tables}
    assert found["facts"].copied > FACTS
    assert not any(each.lost for each in done.tables)
    with erstwhile.open(tmp_path / "new.db") as memory:
        assert memory.everything().audit.verify().ok
        assert len(memory.scoped(user="bob").facts.list(limit=1000)) == FACTS


@pytest.mark.parametrize("content", [b"", b"x" * 100, b"noise" * 100_000])
def test_what_never_was_a_memory_cannot_be_salvaged(
    path: Path, tmp_path: Path, content: bytes
) -> None:
    path.write_bytes(content)
    Path(f"{path}-wal").unlink(missing_ok=True)
    with pytest.raises(erstwhile.ErstwhileError):
        erstwhile.repair(path, into=tmp_path / "new.db")
    assert not list(tmp_path.glob("new.db*"))


def test_a_file_that_was_cut_off_is_salvaged(path: Path, tmp_path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 10 * PAGE)
    done = erstwhile.repair(path, into=tmp_path / "new.db")
    assert {each.table: each for each in done.tables}["facts"].copied > FACTS * 0.5


def test_a_new_file_is_never_an_old_one(path: Path) -> None:
    with pytest.raises(erstwhile.ConflictError, match="exists"):
        erstwhile.repair(path, into=path)


@pytest.mark.parametrize(
    ("harm", "rebuilt"),
    [
        ("DELETE FROM passages WHERE kind = 'facts'", "facts"),
        ("DELETE FROM passages WHERE kind = 'messages'", "messages"),
        ("DELETE FROM passages WHERE kind IN ('lessons', 'summaries')", "lessons"),
        ("UPDATE passages SET terms = 'nonsense' WHERE kind = 'facts'", "facts"),
        ("UPDATE passages SET terms = terms || ' x' WHERE kind = 'observations'", "observations"),
        ("UPDATE passages SET start = 1 WHERE kind = 'messages'", "messages"),
        ("UPDATE passages SET open = 1 - open WHERE kind = 'facts'", "facts"),
        ("UPDATE passages SET stored = 'nonsense' WHERE kind = 'summaries'", "summaries"),
        ("DELETE FROM passage_terms WHERE rowid < 9", "terms"),
        ("UPDATE shelves SET passages = 0, terms = 7", "shelves"),
        ("UPDATE conversations SET messages = 17", "conversation counts"),
    ],
)
def test_what_is_derived_is_made_again(path: Path, harm: str, rebuilt: str) -> None:
    sound = erstwhile.repair(path)
    assert sound.ok
    assert not any(sound.rebuilt.values())
    connection = apsw.Connection(str(path))
    connection.execute(harm)
    connection.close()
    found = {each.name: each for each in erstwhile.doctor(path, models=False).checks}
    assert found["index"].remedy == "run `erstwhile repair`"
    assert erstwhile.repair(path).rebuilt[rebuilt] > 0
    assert erstwhile.doctor(path, models=False).ok
    assert not any(erstwhile.repair(path).rebuilt.values())
