"""Copying a whole memory from one engine to another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

import erstwhile
from erstwhile import Memory, Settings
from erstwhile.engines.selection import engine_at
from erstwhile.learning import progress as learning_progress
from erstwhile.operations.tables import TABLES
from erstwhile.testing.clock import FakeClock
from erstwhile.types import Copied
from tests.contracts.base import inside
from tests.contracts.facts.conflicts import clash

DERIVED = {
    "sqlite": {"maintenance", "passage_terms", "requests"},
    "postgres": {
        "maintenance",
        "requests",
        "passage_terms",
        "term_counts",
        "vector_index",
        "commits",
        "wake_channels",
    },
}
PAIRS = [(one, other) for one in DERIVED for other in DERIVED]


@dataclass(frozen=True)
class Place:
    """The address of a memory."""

    url: str
    space: str

    @classmethod
    def new(cls, engine: str, folder: Path, server: str) -> Place:
        name = uuid4().hex
        return cls(server, name) if engine == "postgres" else cls(f"{folder}/{name}", "main")

    def open(self) -> Memory:
        return erstwhile.open(
            self.url, settings=Settings(space=self.space), embedder="hashing", clock=FakeClock()
        )


@pytest.fixture
def place(tmp_path: Path, postgres: str) -> Callable[[str], Place]:
    return lambda engine: Place.new(engine, tmp_path, postgres)


@pytest.fixture(params=PAIRS, ids="-".join)
def pair(request: pytest.FixtureRequest, place: Callable[[str], Place]) -> tuple[Place, Place]:
    one, other = request.param
    return place(one), place(other)


def copied(
    source: Place, target: Place, progress: Callable[[int, int], None] | None = None
) -> Copied:
    return erstwhile.copy(
        source.url,
        target.url,
        source_space=source.space,
        target_space=target.space,
        progress=progress,
    )


def live(memory: Memory) -> None:
    """Store records of every collection."""
    ana = memory.scoped(user="ana")
    first = ana.remember("Ana drinks tea", entities=["Ana"], tags=["drink"], metadata={"cups": 2})
    ana.facts.replace(first.id, "Ana drinks coffee", reason="she said so")
    ana.remember("Ana knows Bob", relations=[("Ana", "knows", "Bob")])
    ana.entities.add_alias("Ana", "Anita")
    ana.facts.set("city", "Rome")
    ana.facts.set("city", "Oslo")
    ana.facts.retire(ana.remember("a slip").id, "wrong")
    ana.facts.delete(ana.remember("hidden").id)
    ana.facts.erase(ana.remember("destroyed").id)
    ana.feedback(ana.facts.list(key="city").items[0].id, "useful", reason="asked for")
    ana.context("which city?")
    ana.quarantine.reject(ana.remember("Ana pays Mallory", origin="web").id)
    ana.conversations.add_exchange("we moved to Postgres", "noted")
    inside(ana).change(learning_progress.want_all)
    clash(ana, ana.remember("Ana drinks milk"), ana.facts.list(tag="drink")[0])
    memory.remember_many([f"shared fact number {number}" for number in range(30)])
    memory.flush()
    memory.remember("not embedded yet: 猫が好き")


def seen(memory: Memory) -> list[object]:
    """Return all answers of a memory, after its last text got its vector."""
    memory.flush()
    everything, ana = memory.everything(), memory.scoped(user="ana")
    return [
        *everything.facts.list(state="any", limit=100),
        *everything.facts.list(deleted=True),
        *everything.entities.list(),
        *everything.audit.list(limit=100),
        *everything.conflicts.list(),
        *inside(everything).ask(learning_progress.waiting),
        *(ana.facts.history(fact.id) for fact in ana.facts.list(state="any", limit=50)),
        [(hit.fact.id, round(hit.relevance, 6)) for hit in ana.recall("what does Ana drink?")],
        [hit.fact.id for hit in ana.recall("猫")],
        ana.facts.value("city"),
    ]


def test_the_copy_answers_as_its_source_does(pair: tuple[Place, Place]) -> None:
    """Facts, history, entities, the trail and recall; and it can be lived with."""
    source, target = pair
    with source.open() as memory:
        live(memory)
    made = copied(source, target)
    assert made.written == sum(made.rows.values()) > 100
    with source.open() as here, target.open() as there:
        assert seen(there) == seen(here)
        assert there.everything().audit.verify().ok
        there.scoped(user="ana").facts.set("city", "Bergen")
        there.remember("a new fact")
        there.scoped(user="carl").remember("a new scope")
        assert there.everything().audit.verify().ok
        assert there.scoped(user="ana").facts.value("city") == "Bergen"


def test_an_interrupted_copy_goes_on(pair: tuple[Place, Place]) -> None:
    """What is there is passed over, and what changed in the source meanwhile is brought along."""
    source, target = pair
    with source.open() as memory:
        live(memory)

        def stop(done: int, total: int) -> None:
            if done > total / 2:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            copied(source, target, stop)
        ana = memory.scoped(user="ana")
        [rome] = ana.facts.list(key="city", state="retired")
        ana.facts.undo(rome.id)
        ana.facts.erase(ana.facts.list(tag="drink").items[0].id)
        memory.flush()
        made = copied(source, target)
        assert 0 < made.written < sum(made.rows.values())
        again = copied(source, target)
        assert (again.written, again.removed, again.hash) == (0, 0, made.hash)
        with target.open() as there:
            assert seen(there) == seen(memory)
            assert there.everything().audit.verify().ok


def test_the_source_stays_in_use(pair: tuple[Place, Place]) -> None:
    """The copy is of one moment; what is written meanwhile comes with the next."""
    source, target = pair
    with source.open() as memory:
        live(memory)
        told: list[erstwhile.Fact] = []
        before = memory.everything().facts.count(state="any")
        copied(source, target, lambda done, _total: told.append(memory.remember(f"at {done}")))
        assert told
        with target.open() as there:
            assert there.everything().facts.count(state="any") == before
        copied(source, target)
        with target.open() as there:
            assert there.everything().facts.count(state="any") > before
            assert there.everything().audit.verify().ok


def test_a_memory_of_somebody_else_is_left_alone(pair: tuple[Place, Place]) -> None:
    source, target = pair
    with source.open() as memory, target.open() as other:
        live(memory)
        fact = other.remember("mine")
        with pytest.raises(erstwhile.ConflictError, match="another memory"):
            copied(source, target)
        assert other.facts.list().items == (fact,)


def test_other_spaces_are_untouched(place: Callable[[str], Place]) -> None:
    source, target, bystander = (place("postgres") for _ in range(3))
    with source.open() as memory, bystander.open() as other:
        live(memory)
        live(other)
        other.flush()
        before = seen(other)
        copied(source, target)
        assert seen(other) == before


def test_a_source_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(erstwhile.NotFoundError, match="no memory"):
        erstwhile.copy(tmp_path / "typo.db", tmp_path / "copy.db")
    assert list(tmp_path.iterdir()) == []


def test_a_memory_is_not_copied_onto_itself(pair: tuple[Place, Place]) -> None:
    source, _ = pair
    source.open().close()
    with pytest.raises(erstwhile.InvalidInputError, match="itself"):
        copied(source, source)


@pytest.mark.parametrize("engine", DERIVED)
def test_every_table_is_copied_or_made_again(engine: str, place: Callable[[str], Place]) -> None:
    here = place(engine)
    catalogue = {
        "sqlite": """SELECT m.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
                     WHERE m.type = 'table' AND c.name = 'space'""",
        "postgres": """SELECT c.relname FROM pg_class AS c JOIN pg_attribute AS a
                       ON a.attrelid = c.oid AND a.attname = 'space'
                       WHERE c.relnamespace = 'erstwhile'::regnamespace AND c.relkind = 'r'""",
    }
    opened = engine_at(here.url, Settings(space=here.space))
    rows = opened.read(lambda session: session.rows(catalogue[engine], {}))
    opened.close()
    assert {name for (name,) in rows} - DERIVED[engine] == set(TABLES)
