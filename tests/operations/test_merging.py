"""Imports into scopes that hold other records: what is new is merged, nothing is overwritten."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

import erstwhile
from erstwhile import Memory, Settings
from erstwhile.operations.import_merge import KINDS, MERGED
from erstwhile.operations.tables import EXPORTED
from erstwhile.testing.clock import FakeClock
from tests.contracts.storage.whole_life import live
from tests.operations.test_copy import Place

UNMERGED = {"scopes", "audit", "decisions", "entities", "entity_names", "fact_uses"}
"""The tables that are no records, or stay out."""
MERGED_TABLES = {name for kind in KINDS for name in (kind.table, *kind.parts)}


@pytest.fixture
def files(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """Return two files, the second one with an import of the first."""
    here, there = tmp_path / "a.db", tmp_path / "b.db"
    with opened(here) as memory:
        memory.remember("Ana drinks tea", key="drink")
        memory.remember("Ana has a boat")
    move(here, there)
    yield here, there
    assert erstwhile.doctor(there, models=False, settings=Settings(embedder="none")).ok


def opened(path: Path) -> Memory:
    return erstwhile.open(path, embedder="none").scoped(user="ana")


def move(source: Path, target: Path) -> erstwhile.types.Imported:
    file = source.with_name(f"{uuid4().hex}.jsonl")
    erstwhile.export(source, file)
    return erstwhile.import_file(file, target)


def texts(path: Path) -> set[str]:
    with opened(path) as memory:
        return {fact.text for fact in memory.facts.list(state="any")}


def test_no_table_is_forgotten() -> None:
    assert set(EXPORTED) == MERGED_TABLES | UNMERGED
    assert not MERGED_TABLES & UNMERGED


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_records_of_every_table_come_with_their_history(
    exported: Path, tmp_path: Path, postgres: str, engine: str
) -> None:
    there = Place.new(engine, tmp_path, postgres)
    with there.open() as memory:
        ana = memory.scoped(user="ana")
        live(ana, "thistle")
        memory.remember("shared with everybody")
        before = {fact.id: fact for fact in ana.facts.list(state="any", limit=100)}
    planned = erstwhile.import_file(exported, there.url, space=there.space, preview=True)
    made = erstwhile.import_file(exported, there.url, space=there.space)
    assert planned == made
    assert (made.scopes, made.merged, made.known) == (1, 2, 0)
    assert [each.place for each in made.refused] == ["decisions of scope user=ana"]
    assert MERGED_TABLES - made.lines.keys() == {"onboarding"}, "it is the same in both"
    space = Settings(space=there.space, embedder="none")
    with (
        erstwhile.open(exported.with_name("a.db"), embedder="none") as source,
        erstwhile.open(there.url, settings=space) as memory,
    ):
        ana, theirs = memory.scoped(user="ana"), source.scoped(user="ana")
        assert memory.everything().audit.verify().problems == ()
        for fact in theirs.facts.list(state="any", limit=100):
            if fact.text == "shared with everybody":  # which is known here, with another id
                continue
            assert ana.facts.get(fact.id) == fact
            assert ana.facts.history(fact.id) == theirs.facts.history(fact.id)
        assert {id: ana.facts.get(id) for id in before} == before
        [best, *_] = theirs.recall("where does marigold live?")
        assert best.fact in [hit.fact for hit in ana.recall("where does marigold live?")]
        assert ana.audit.list(action=MERGED).items[0].reason
        ana.remember("life goes on")
        assert memory.everything().audit.verify().ok
    again = erstwhile.import_file(exported, there.url, space=there.space)
    assert (again.merged, again.known, dict(again.lines)) == (0, 3, {})
    assert again.refused == made.refused


def test_what_differs_is_told_and_left(files: tuple[Path, Path]) -> None:
    here, there = files
    with opened(here) as memory:
        drink = memory.facts.find("Ana drinks tea")
        memory.facts.replace(drink.id, "Ana drinks coffee")
        memory.remember("Ana has a cat")
    with opened(there) as memory:
        memory.facts.retire(drink.id, "wrong")
        memory.remember("Ana has a dog")
    made = move(here, there)
    assert made.lines["facts"] == 2
    assert [each.place for each in made.refused] == [f"fact {drink.id}"]
    assert "differs" in made.refused[0].reason
    assert texts(there) == {*texts(here), "Ana has a dog"}
    with opened(there) as memory:
        assert memory.facts.get(drink.id).ending == "wrong"


def test_the_same_statement_comes_once_and_a_key_keeps_its_value(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    _, there = files
    other = tmp_path / "c.db"
    with opened(other) as memory:
        memory.remember("Ana has a boat")
        rum = memory.remember("Ana drinks rum", key="drink")
        memory.remember("Ana sails", entities=["Ana"], relations=[("Ana", "sails", "boat")])
    with opened(there) as memory:
        memory.remember("Ana rows", relations=[("Ana", "rows", "boat")])
    made = move(other, there)
    assert made.lines["facts"] == 1
    assert [each.place for each in made.refused] == [f"fact {rum.id}"]
    with opened(there) as memory:
        assert memory.facts.value("drink") == "Ana drinks tea"
        assert {fact.text for fact in memory.facts.list(entity="boat")} == {"Ana rows", "Ana sails"}


def test_what_was_erased_here_does_not_come_back(files: tuple[Path, Path]) -> None:
    here, there = files
    with opened(there) as memory:
        boat = memory.facts.find("Ana has a boat")
        memory.facts.erase(boat.id)
    with opened(here) as memory:
        memory.remember("Ana has a cat")
    made = move(here, there)
    assert [(each.place, each.reason) for each in made.refused] == [
        (f"fact {boat.id}", "it was erased here")
    ]
    assert texts(there) == {"Ana drinks tea", "Ana has a cat"}


def test_a_merged_trail_is_sealed_by_age(tmp_path: Path) -> None:
    """Old entries that came later do not let younger ones go."""
    with erstwhile.open(tmp_path / "a.db", embedder="none", clock=FakeClock()) as memory:
        memory.scoped(user="ana").remember("Ana has a boat")
    with opened(tmp_path / "b.db") as ana:
        ana.outcomes.erase(*[ana.outcomes.add("sailing", 1).id for _ in range(4)])
    move(tmp_path / "a.db", tmp_path / "b.db")
    with erstwhile.open(tmp_path / "b.db", embedder="none") as memory:
        steps = {step.name: step.count for step in memory.maintain({"audit": "30 days"}).steps}
        assert steps["audit"] == 0
        assert memory.everything().audit.verify().ok
