"""Spaces are separate: no space sees the records of another in the same tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from erstwhile import Memory, NotFoundError
from erstwhile.bootstrap import assemble
from erstwhile.core.ports import Engine
from erstwhile.core.scope import Viewer
from erstwhile.engines.postgres.engine import PostgresEngine
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import contents, texts, unchanged
from tests.contracts.storage.audit import CHANGES


def on_sqlite(file: Path, space: str) -> Engine:
    engine = SqliteEngine(file, synchronous="NORMAL")
    engine.space = space
    return engine


@pytest.fixture(params=["sqlite", "postgres"])
def spaces(
    request: pytest.FixtureRequest, tmp_path: Path, space: str
) -> Iterator[tuple[Memory, Memory]]:
    """Yield two memories in one file or database, each in a space of its own."""
    clock, opened = FakeClock(), []
    for name in (f"here {space}", f"elsewhere {space}"):
        if request.param == "postgres":
            engine: Engine = PostgresEngine(request.getfixturevalue("postgres"), space=name)
        else:
            engine = on_sqlite(tmp_path / "memory.db", name)
        opened.append(assemble(engine, clock, Viewer()))
    yield opened[0], opened[1]
    for memory in opened:
        memory.close()


def test_a_space_does_not_show_the_records_of_another(spaces: tuple[Memory, Memory]) -> None:
    """Neither for an administrator nor by id, nor as a duplicate, a value or an entity."""
    here, elsewhere = spaces
    fact = here.facts.set("city", "Rome", entities=["Rome"], tags=["t"])
    here.entities.add_alias("Rome", "Roma")
    empty = contents(elsewhere.everything())
    assert [len(part) for part in empty[:4]] == [0, 0, 0, 0]
    assert elsewhere.facts.value("city") is None
    assert elsewhere.everything().stats().live == 0
    with pytest.raises(NotFoundError):
        elsewhere.everything().facts.get(fact.id)
    with unchanged(here):
        other = elsewhere.facts.set("city", "Rome", entities=["Roma"])
    assert (other.evidence, elsewhere.entities.get("Roma").entity.name) == (1, "Roma")


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_in_one_space_leaves_the_other_alone(
    spaces: tuple[Memory, Memory], change: str
) -> None:
    """Although both spaces hold equal records."""
    facts = {}
    for memory in spaces:
        facts = {
            name: memory.remember(text, entities=["Ana"], tags=["t"])
            for name, text in (("live", "live one"), ("replaced", "old"), ("deleted", "gone"))
        }
        memory.facts.replace(facts["replaced"].id, "newer one")
        memory.facts.delete(facts["deleted"].id)
        memory.facts.set("city", "Rome")
        memory.entities.add_alias("Ana", "A.", "Aña")
    here, elsewhere = spaces
    before = contents(elsewhere.everything())
    with unchanged(here):
        CHANGES[change](elsewhere, facts)
    assert contents(elsewhere.everything()) != before
    assert elsewhere.everything().audit.verify().ok


def test_each_space_has_timestamps_of_its_own(spaces: tuple[Memory, Memory]) -> None:
    """The newest change in one space does not move the timestamps of another."""
    here, elsewhere = spaces
    assert here.remember("x").recorded_at == elsewhere.remember("y").recorded_at
    assert (texts(here.facts.list()), texts(elsewhere.facts.list())) == (["x"], ["y"])
