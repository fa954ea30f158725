"""Search in PostgreSQL: its indexes, row-level security and counts."""

from __future__ import annotations

import json
from collections.abc import Iterator

import psycopg
import pytest

from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.core.time import SystemClock
from erstwhile.engines.postgres.connection import numbered
from erstwhile.engines.postgres.engine import ROLE, PostgresEngine
from erstwhile.memory import Memory
from erstwhile.storage.statements import load
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import embedding_memory, found
from tests.engines.postgres.conftest import Raw, enter
from tests.engines.postgres.server import fresh_database

SQL = load("postgres")
MODEL, PARTITION, ANOTHER = 1, 1, 2
QUESTION = "[1, 0, 0]"


@pytest.fixture
def app(postgres: str, engine: PostgresEngine) -> Iterator[Raw]:
    """Open a session with the role of the application, in the space of the test."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"SET ROLE {ROLE}")
        connection.execute("SET search_path = erstwhile")
        enter(connection, engine.space)
        yield connection


@pytest.fixture
def unkept(app: Raw) -> Iterator[Raw]:
    """Yield the session in a transaction that is rolled back."""
    with app.transaction(force_rollback=True):
        yield app


@pytest.fixture
def meaningful(engine: PostgresEngine, clock: FakeClock) -> Memory:
    return embedding_memory(engine, clock, HashingEmbedder(64))


def add_terms(app: Raw, space: str, count: int, *, first: int = 1) -> None:
    """Add passages with the term `every` and one unique term each."""
    app.execute(
        "INSERT INTO passage_terms SELECT %(space)s, n, term_numbers(%(space)s, 'every t' || n)"
        " FROM generate_series(%(first)s, %(first)s + %(count)s - 1) AS n",
        {"space": space, "count": count, "first": first},
    )


def add_vectors(app: Raw, space: str, partition: int, count: int, *, first: int = 1) -> None:
    app.execute(
        "INSERT INTO vectors SELECT %s, %s, n, %s, n,"
        " '\\x00000000'::bytea || decode(lpad(to_hex(n %% 120), 2, '0') || '4001', 'hex')"
        " FROM generate_series(%s::int, %s::int) AS n",
        [space, MODEL, partition, first, first + count - 1],
    )


@pytest.fixture
def model(unkept: Raw, space: str) -> int:
    unkept.execute(
        "INSERT INTO embedders (space, id, model, dimensions, serving, usual, spread)"
        " VALUES (%s, %s, 'm', 3, 1, 0, 1)",
        [space, MODEL],
    )
    unkept.execute("SELECT index_dimensions(3)")
    return MODEL


def matched(app: Raw, space: str, terms: dict[str, float], limit: int = 10) -> list[int]:
    rows = app.execute("SELECT match_terms(%s, %s, %s)", [space, json.dumps(terms), limit])
    return [int(str(seq)) for (seq,) in rows]


def nearest(app: Raw, space: str, partitions: list[int], most: int, visible: int) -> list[int]:
    rows = app.execute(
        "SELECT seq FROM nearest(%s, %s, %s, %s, %s, %s)",
        [space, MODEL, partitions, QUESTION, most, visible],
    )
    return [int(str(seq)) for (seq,) in rows]


def scans(app: Raw, relation: str) -> int:
    """Count the sequential scans and index scans of this transaction."""
    asked = app.execute("SELECT pg_stat_get_xact_numscans(%s::regclass)", [relation])
    return int(str(asked.fetchall()[0][0]))


def test_terms_are_found_by_their_index_though_policies_guard_the_table(
    unkept: Raw, space: str
) -> None:
    """The role of the application itself would not use the index."""
    add_terms(unkept, space, 3_000)
    before = scans(unkept, "passage_terms"), scans(unkept, "passage_terms_by_term")
    assert matched(unkept, space, {"t77": 1.0}) == [77]
    assert scans(unkept, "passage_terms") == before[0]
    assert scans(unkept, "passage_terms_by_term") > before[1]


def test_a_list_is_looked_up_by_index_though_policies_guard_the_table(
    unkept: Raw, space: str, model: int
) -> None:
    """Under a policy an index is used only for values that are already computed."""
    add_vectors(unkept, space, PARTITION, 3_000)
    unkept.execute(
        "INSERT INTO term_counts SELECT %s, n, 1 FROM generate_series(1, 3000) AS n", [space]
    )
    unkept.execute("ANALYZE vectors, term_counts")
    for setting in ("enable_seqscan", "enable_hashjoin", "enable_mergejoin", "enable_material"):
        unkept.execute(f"SET LOCAL {setting} = off")
    asked = {"space": space, "seqs": "[7]", "terms": '["t"]', "embedder": model}
    for name, sought in (("stored_vectors", "seq = l.seq"), ("count_holding", "term = l.number")):
        statement, names = numbered(SQL[name,])
        explain = psycopg.RawCursor(unkept).execute
        plan = explain(f"EXPLAIN {statement}".encode(), [asked[each] for each in names]).fetchall()
        conditions = [str(line) for (line,) in plan if "Index Cond" in str(line)]
        assert any(sought in condition for condition in conditions), (name, plan)


def test_a_space_that_is_new_to_the_statistics_is_not_taken_for_empty(
    engine: PostgresEngine, raw: Raw
) -> None:
    """A plan for one space would scan it for each row of a join, so plans are generic."""
    mode = engine.read(
        lambda session: session.rows("SELECT current_setting('plan_cache_mode')", {})
    )
    assert mode == [("force_generic_plan",)]
    columns = raw.execute(
        "SELECT c.relname, a.attoptions FROM pg_attribute AS a JOIN pg_class AS c"
        " ON c.oid = a.attrelid WHERE a.attname = 'space' AND c.relkind = 'r'"
        " AND c.relnamespace = 'erstwhile'::regnamespace"
    ).fetchall()
    assert len(columns) >= 14
    assert [table for table, options in columns if options != ["n_distinct=1"]] == []


def test_the_heaviest_terms_count_most_then_the_shorter_passage(unkept: Raw, space: str) -> None:
    unkept.execute(
        "INSERT INTO passage_terms SELECT %(space)s, n, term_numbers(%(space)s, terms)"
        " FROM (VALUES (1, 'a'), (2, 'b'), (3, 'a b'), (4, 'b c d')) AS given (n, terms)",
        {"space": space},
    )
    assert matched(unkept, space, {"a": 1.0, "b": 3.0}) == [3, 2, 4, 1]
    assert matched(unkept, space, {"a": 1.0, "b": 3.0}, limit=2) == [3, 2]
    assert matched(unkept, space, {"nowhere": 1.0}) == matched(unkept, space, {}) == []


def test_vectors_are_found_by_their_graph_though_policies_guard_the_table(
    unkept: Raw, space: str, model: int
) -> None:
    assert model
    add_vectors(unkept, space, PARTITION, 400)
    graph, table = scans(unkept, "vector_index_3"), scans(unkept, "vector_index")
    assert len(nearest(unkept, space, [PARTITION], 10, visible=1_000_000)) == 10
    assert scans(unkept, "vector_index_3") > graph
    assert scans(unkept, "vector_index") == table
    graph = scans(unkept, "vector_index_3")
    assert len(nearest(unkept, space, [PARTITION], 10, visible=400)) == 10
    assert scans(unkept, "vector_index_3") == graph


@pytest.mark.parametrize("visible", [20, 1_000_000])
def test_exactly_so_many_are_found_however_few_of_all_they_are(
    unkept: Raw, space: str, model: int, visible: int
) -> None:
    """If the vector index finds too few, all vectors are compared."""
    assert model
    add_vectors(unkept, space, PARTITION, 1_000)
    add_vectors(unkept, space, ANOTHER, 20, first=5_001)
    assert len(nearest(unkept, space, [ANOTHER], 15, visible)) == 15
    assert sorted(nearest(unkept, space, [ANOTHER], 30, visible)) == list(range(5_001, 5_021))
    assert len(nearest(unkept, space, [PARTITION, ANOTHER], 1_500, visible)) == 1_020


def test_no_other_space_is_found_whatever_is_asked(unkept: Raw, space: str, model: int) -> None:
    assert model
    add_terms(unkept, space, 20)
    add_vectors(unkept, space, PARTITION, 20)
    other = f"{space} 2"
    for entered, asked in ((other, space), (other, other), (space, other), ("", space)):
        enter(unkept, entered)
        assert matched(unkept, asked, {"every": 1.0}) == []
        for visible in (20, 1_000_000):
            assert nearest(unkept, asked, [PARTITION], 10, visible) == []
    enter(unkept, space)
    assert len(matched(unkept, space, {"every": 1.0}, limit=100)) == 20


def test_what_has_the_rights_of_the_owner_is_for_the_application_alone(raw: Raw) -> None:
    """Its search path is fixed."""
    functions = raw.execute(
        "SELECT p.proname, p.proconfig, has_function_privilege('public', p.oid, 'EXECUTE'),"
        " has_function_privilege(%s, p.oid, 'EXECUTE')"
        " FROM pg_proc AS p WHERE p.pronamespace = 'erstwhile'::regnamespace AND p.prosecdef",
        [ROLE],
    ).fetchall()
    assert {"match_terms", "index_dimensions"} <= {name for name, *_ in functions}
    for name, settings, for_everybody, for_us in functions:
        assert "search_path=erstwhile, pg_temp" in settings, name  # type: ignore[operator]
        assert (for_everybody, for_us) == (False, True), name


def test_the_counts_of_terms_are_those_of_the_facts(
    meaningful: Memory, app: Raw, clock: FakeClock
) -> None:
    """After every change of facts. A term without a fact is removed by an erasure."""
    counted = (
        "SELECT term, count(*) FROM passage_terms, unnest(terms) AS term GROUP BY 1 ORDER BY 1"
    )
    kept = "SELECT term, holding FROM term_counts WHERE holding > 0 ORDER BY 1"
    ana = meaningful.scoped(user="ana")
    ids = [ana.remember(f"ana keeps bees in hive {n} and hive {n + 1}").id for n in range(5)]
    meaningful.remember("everybody keeps bees")
    ana.facts.retire(ids[0], ending="wrong")
    ana.facts.replace(ids[1], "ana sold the hive")
    ana.facts.delete(ids[2])
    ana.facts.delete(ids[3])
    ana.facts.restore(ids[3])
    clock.advance(days=1)
    ana.facts.undo(ids[0])
    for erased in (False, True):
        if erased:
            ana.facts.erase(ids[4])
        assert app.execute(counted).fetchall() == app.execute(kept).fetchall() != []
    assert app.execute("SELECT count(*) FROM term_counts WHERE holding <= 0").fetchall() == [(0,)]


def test_the_searchable_vectors_are_those_that_are_stored(meaningful: Memory, app: Raw) -> None:
    stored = "SELECT embedder, seq, partition FROM vectors WHERE vector IS NOT NULL ORDER BY 1, 2"
    searched = "SELECT embedder, seq, partition FROM vector_index ORDER BY 1, 2"
    fact = meaningful.remember("the cat sleeps")
    meaningful.remember("the dog barks")
    for step in (lambda: meaningful.flush(), lambda: meaningful.facts.erase(fact.id)):
        step()
        assert app.execute(stored).fetchall() == app.execute(searched).fetchall() != []


def test_without_the_extension_words_are_found_and_recall_says_so(
    postgres: str, login: str
) -> None:
    """When it is installed, the next opening by the owner indexes all vectors."""
    with fresh_database(postgres) as place:
        with psycopg.connect(place, autocommit=True) as server:
            [(database,)] = server.execute("SELECT current_database()")
            server.execute(f"ALTER DATABASE {database} OWNER TO {login}")
        mine = psycopg.conninfo.make_conninfo(place, user=login)
        with opened(mine) as memory:
            memory.remember("the cat sleeps on the sofa")
            assert memory.flush().texts == 0
            hits = memory.recall("sofa cat")
            assert found(hits) == ["the cat sleeps on the sofa"]
            assert [hit.why.cosine for hit in hits] == [None]
            [notice] = hits.trace.notices
            assert "no vector search" in notice
        with psycopg.connect(place, autocommit=True) as server:
            server.execute("CREATE EXTENSION vector")
        with opened(mine) as memory:
            hits = memory.recall("sofa cat")
            assert hits.trace.notices == ()
            assert [hit.why.cosine is not None for hit in hits] == [True]
            memory.remember("the dog sleeps in the garden")
            assert memory.flush().texts == 0
            assert found(memory.recall("garden dog", limit=1)) == ["the dog sleeps in the garden"]


def opened(place: str) -> Memory:
    return embedding_memory(PostgresEngine(place), SystemClock(), HashingEmbedder(64))
