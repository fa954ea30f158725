"""Repairs: derived rows are made again, and a damaged file is recovered into a new one."""

from __future__ import annotations

import random
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw
import pytest

import erstwhile
from erstwhile.bootstrap import assemble
from erstwhile.core.scope import Viewer
from erstwhile.engines.sqlite.connection import PAGE
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.testing.clock import FakeClock
from erstwhile.types import RecoveredRows
from tests.contracts.storage.whole_life import live

FACTS = 400


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file with many facts, and with something in every table."""
    path = tmp_path_factory.mktemp("whole") / "memory.db"
    with assemble(SqliteEngine(path), FakeClock(), Viewer()) as memory:
        live(memory.scoped(user="ana"), "Quixle")
        memory.scoped(user="bob").remember_many(
            f"Bob has boat number {number} in harbour {number % 7}" for number in range(FACTS)
        )
    return path


@pytest.fixture
def path(whole: Path, tmp_path: Path) -> Path:
    """Return a copy of it for one test."""
    return Path(shutil.copy(whole, tmp_path / "memory.db"))


def query(path: Path, statement: str, *values: str) -> list[tuple[Any, ...]]:
    connection = apsw.Connection(str(path))
    rows = connection.execute(statement, values).fetchall()
    connection.close()
    return rows


def pages_of(path: Path, name: str) -> list[int]:
    """Return the numbers of the leaf pages of a table or an index."""
    leaves = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path"
    return [page for (page,) in query(path, leaves, name)]


def rows_of(path: Path, table: str) -> set[str]:
    return {repr(row) for row in query(path, f'SELECT * FROM "{table}"')}  # noqa: S608


def root_of(path: Path, name: str) -> int:
    """Return the first page of a table, from which its others are reached."""
    [(root,)] = query(path, "SELECT rootpage FROM sqlite_schema WHERE name = ?", name)
    return int(root)


def recovered(path: Path) -> dict[str, RecoveredRows]:
    """Recover a file; return what became of each table."""
    done = erstwhile.repair(path, into=path.with_name("new.db"))
    assert done.ok is not any(each.lost or each.cut_off or each.uncounted for each in done.tables)
    return {each.table: each for each in done.tables}


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
def test_a_damaged_file_is_recovered_around_its_damage(
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
    checks = erstwhile.doctor(tmp_path / "new.db", models=False).checks
    assert {each.name for each in checks if each.health == "problem"} <= {"audit"}
    with erstwhile.open(tmp_path / "new.db", embedder="none") as memory:
        bob = memory.scoped(user="bob")
        text = bob.facts.list()[0].text
        assert text in [hit.fact.text for hit in bob.recall(text, limit=3)]
        assert bob.remember("Bob has a new boat")


@pytest.fixture(params=[False, True], ids=["new", "rewritten"])
def perhaps_rewritten(request: pytest.FixtureRequest, path: Path) -> Path:
    """Return the file, also after a compaction, which gives the tables other places."""
    if request.param:
        with erstwhile.open(path) as memory:
            memory.maintain(compact=True)
    return path


@pytest.mark.parametrize("damaged", ["the first page", "all pages of the schema", "nothing but"])
def test_a_damaged_schema_is_made_anew(
    perhaps_rewritten: Path, tmp_path: Path, damaged: str
) -> None:
    path = perhaps_rewritten
    pages = [1] if damaged == "the first page" else [1, *pages_of(path, "sqlite_schema")]
    before = damage(path, pages)
    if damaged == "nothing but":  # the file begins with zeros, as after a failed write
        with path.open("r+b") as file:
            file.write(bytes(PAGE))
        before = sha256(path.read_bytes()).hexdigest()
    done = erstwhile.repair(path, into=tmp_path / "new.db")
    assert sha256(path.read_bytes()).hexdigest() == before
    assert done.ok
    assert next(each.copied for each in done.tables if each.table == "facts") > FACTS
    assert not any(each.lost for each in done.tables)
    with erstwhile.open(tmp_path / "new.db") as memory:
        assert memory.everything().audit.verify().ok
        assert len(memory.scoped(user="bob").facts.list(limit=1000)) == FACTS


@pytest.mark.parametrize("content", [b"", b"x" * 100, b"noise" * 100_000])
def test_what_never_was_a_memory_cannot_be_recovered(
    path: Path, tmp_path: Path, content: bytes
) -> None:
    path.write_bytes(content)
    Path(f"{path}-wal").unlink(missing_ok=True)
    with pytest.raises(erstwhile.ErstwhileError):
        erstwhile.repair(path, into=tmp_path / "new.db")
    assert not list(tmp_path.glob("new.db*"))


@pytest.mark.parametrize("kept", [0.9, 0.6, 0.3, 0.03])
def test_a_file_that_was_cut_off_is_recovered(path: Path, kept: float) -> None:
    """Also if the schema is cut off, or begins to be; what is lost is not called whole."""
    before = rows_of(path, "facts")
    with path.open("r+b") as file:
        file.truncate(int(path.stat().st_size * kept))
    found = recovered(path)
    assert found["scopes"].copied == 2
    after = rows_of(path.with_name("new.db"), "facts")
    assert after <= before
    gone = len(before) - len(after)
    assert found["facts"].copied == len(after)
    assert found["facts"].lost + found["facts"].cut_off == gone or found["facts"].uncounted
    assert gone == 0 or found["facts"].lost or found["facts"].uncounted


def test_an_inner_page_costs_no_rows(perhaps_rewritten: Path) -> None:
    """The pages below it are found by the form of their rows; the indexes count them."""
    path = perhaps_rewritten
    before = {table: rows_of(path, table) for table in ("facts", "audit", "fact_versions")}
    damage(path, [root_of(path, table) for table in before])
    found = recovered(path)
    for table in ("facts", "audit"):
        assert rows_of(path.with_name("new.db"), table) == before[table]
        assert (found[table].lost, found[table].uncounted) == (0, False)
    assert found["fact_versions"].uncounted  # they have no index that would count them


def test_a_long_text_on_other_pages_is_found(path: Path) -> None:
    with erstwhile.open(path, embedder="none") as memory:
        memory.scoped(user="bob").remember_many(f"{n} " + "boat " * 1500 for n in range(9))
    before = rows_of(path, "facts")
    damage(path, [root_of(path, "facts")])
    assert recovered(path)["facts"].lost == 0
    assert rows_of(path.with_name("new.db"), "facts") == before


def test_the_schema_and_other_pages_may_be_damaged_together(path: Path) -> None:
    before = rows_of(path, "facts")
    damage(path, [1, pages_of(path, "sqlite_schema")[3], root_of(path, "audit")])
    found = recovered(path)
    assert rows_of(path.with_name("new.db"), "facts") == before
    assert (found["facts"].lost, found["facts"].uncounted) == (0, False)


def test_rows_whose_scope_was_lost_come_to_a_user_of_their_own(path: Path) -> None:
    damage(path, [root_of(path, "scopes"), root_of(path, "sqlite_autoindex_scopes_2")])
    found = recovered(path)
    assert (found["scopes"].lost, found["facts"].cut_off) == (2, 0)
    with erstwhile.open(path.with_name("new.db"), embedder="none") as memory:
        assert not memory.scoped(user="bob").facts.list()
        assert len(memory.scoped(user="recovered-2").facts.list(limit=1000)) == FACTS


def test_a_log_is_recovered_with_the_file(path: Path, tmp_path: Path) -> None:
    """Its last changes are in the log alone, and the first page of the file is damaged."""
    with erstwhile.open(path, embedder="none") as memory:
        memory.scoped(user="bob").remember("Bob sold all his boats")
        for suffix in ("", "-wal"):
            shutil.copy(f"{path}{suffix}", tmp_path / f"copy.db{suffix}")
    damage(tmp_path / "copy.db", [1])
    erstwhile.repair(tmp_path / "copy.db", into=tmp_path / "new.db")
    assert len(rows_of(tmp_path / "new.db", "facts")) == len(rows_of(path, "facts"))


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
        ("UPDATE partitions SET passages = 0, terms = 7", "partitions"),
        ("UPDATE conversations SET messages = 17", "conversation counts"),
    ],
)
def test_what_is_derived_is_made_again(path: Path, harm: str, rebuilt: str) -> None:
    sound = erstwhile.repair(path)
    assert sound.ok
    assert not any(sound.rebuilt.values())
    query(path, harm)
    found = {each.name: each for each in erstwhile.doctor(path, models=False).checks}
    assert found["index"].remedy == "run `erstwhile repair`"
    assert erstwhile.repair(path).rebuilt[rebuilt] > 0
    assert erstwhile.doctor(path, models=False).ok
    assert not any(erstwhile.repair(path).rebuilt.values())
