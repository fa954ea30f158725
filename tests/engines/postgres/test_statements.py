"""The statements on PostgreSQL: within a space, with indexes and row-level security."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from erstwhile.engines.postgres.citus.pipeline import SOURCE
from erstwhile.engines.postgres.connection import numbered
from erstwhile.engines.postgres.engine import ROLE, PostgresEngine
from erstwhile.storage.statements import load
from tests.engines.postgres.conftest import Raw
from tests.engines.postgres.server import fresh_database
from tests.storage.walking import WHOLE_SPACE, of_one_scope, variants

SQL = load("postgres")
VARIANTS = [(name, text) for name in SQL.names for text in variants(SQL, name)]
WALKING = WHOLE_SPACE | {
    "count_vectors": "asked once, before everything is embedded anew",
    "last_change_at": "from the end of an index, and no further than its first entry",
    "forget_terms": "an erasure looks at every count",
    "unfinished_erasures": "its index holds only what is being looked for",
    "finish_erasures": "the same",
    "links_of_name": "the erasure of a person looks at every scope",
    "kept_facts_within": "the same",
}


@pytest.fixture(scope="module")
def explaining(postgres: str) -> Iterator[Raw]:
    """Open a session of the application in a database with enough rows for planning."""
    with fresh_database(postgres) as place:
        PostgresEngine(place).close()
        with psycopg.connect(place, autocommit=True) as connection:
            connection.execute("SET search_path = erstwhile, public")
            connection.execute(FILLED)
            connection.execute("ANALYZE")
            connection.execute(f"SET ROLE {ROLE}")
            for way in ("seqscan", "hashjoin", "mergejoin"):  # small tables would invite to them
                connection.execute(f"SET enable_{way} = off")
            connection.execute("SET erstwhile.space = 'space 1'")
            yield connection


FILLED = """
INSERT INTO scopes (space, id, scope_user, scope_agent, scope_project, scope_session, head_hash,
  digest_key)
SELECT 'space ' || n % 4, n, 'user ' || n / 4, '', '', '', '', ''
FROM generate_series(0, 1999) AS n;
INSERT INTO facts SELECT s.space, 'id ' || n, s.id, 'fact', 'text',
  CASE WHEN n % 9 = 0 THEN 'k' END, NULL, int8send(n), 'person', NULL, n, n, 'trusted', 1, 'stated',
  1, n, 253402300799999999,
  253402300799999999, CASE WHEN n % 3 = 0 THEN n END, NULL, '[]',
  CASE WHEN n % 3 = 0 THEN 'id ' || n + 1 END, 0, '[]', '[]', '[]', '{}',
  CASE WHEN n % 50 = 0 THEN n END
FROM generate_series(0, 19999) AS n JOIN scopes AS s ON s.id = n % 2000
WHERE n % 9 > 0 OR n % 3 = 0;
INSERT INTO fact_versions SELECT space, id, known_from - 1, known_from, kind, trust, confidence,
  tier, evidence, valid_from, valid_to, expires_at, NULL, NULL, supersedes, NULL, pinned, entities,
  relations, tags, metadata, NULL FROM facts;
INSERT INTO fact_tags SELECT space, scope, 'tag ' || known_from % 10, id, known_from FROM facts;
INSERT INTO entities SELECT space, 'e ' || id || n, id, 'name' || n
  FROM scopes, generate_series(1, 4) AS n;
INSERT INTO entity_names SELECT space, scope, name, id, name FROM entities;
INSERT INTO fact_entities SELECT f.space, e.id, f.id, 0 FROM facts AS f JOIN entities AS e
  ON e.space = f.space AND e.scope = f.scope;
INSERT INTO relations SELECT f.space, f.id, e.id, 'knows', e.id, 0 FROM facts AS f
  JOIN entities AS e ON e.space = f.space AND e.scope = f.scope AND e.name = 'name1';
INSERT INTO audit (space, scope, seq, at, actor, action, subject, nonce, digest, hash)
  SELECT space, scope, known_from, known_from, 'a', 'remember', id, '', '', '' FROM facts;
INSERT INTO passages (space, kind, record, number, passages, start, length, partition, open,
    conversation, position, embedded, terms, asks)
  SELECT space, 'facts', id, 0, 1, 0, 4, scope * 4, 1, 'c', known_from, 1, 'a b c', 0
  FROM facts;
INSERT INTO partitions
  SELECT space, id * 4 + n, id, 1, 10, 30 FROM scopes, generate_series(0, 2) AS n;
INSERT INTO passage_terms (space, seq, terms) SELECT space, seq, ARRAY[seq] FROM passages;
INSERT INTO term_counts (space, term, holding) SELECT space, seq, 1 FROM passages;
INSERT INTO outbox SELECT space, seq, 0, seq FROM passages;
INSERT INTO embedders (space, id, model, dimensions, serving, usual, spread)
  SELECT DISTINCT space, 1, 'm', 8, 1, 0, 1 FROM scopes;
INSERT INTO vectors SELECT space, 1, seq, partition, seq, '\\x000000000102030405060708'::bytea
  FROM passages WHERE seq % 10 = 0;
-- The other tables alike, each after those that it refers to: row n refers to row n.
DO $$
DECLARE
  other record;
BEGIN
  FOR other IN
    SELECT c.relname AS name, string_agg(quote_ident(a.attname), ', ') AS columns,
      string_agg(format(
        CASE WHEN a.attnotnull THEN '%s' ELSE 'CASE WHEN n %% 3 = 0 THEN %s END' END,
        CASE WHEN a.attname = 'space' THEN 's.space' WHEN a.attname = 'scope' THEN 's.id'
          WHEN a.attname = 'role' THEN quote_literal('user')
          WHEN a.attname = 'status' THEN quote_literal('pending')
          WHEN a.atttypid = 'text'::regtype THEN quote_literal('id ') || ' || n'
          WHEN a.atttypid = 'bytea'::regtype THEN 'int8send(n)'
          WHEN a.atttypid = 'bigint[]'::regtype THEN 'ARRAY[n]' ELSE 'n' END), ', ') AS made
    FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0
    WHERE c.relnamespace = 'erstwhile'::regnamespace AND c.relkind = 'r'
      AND EXISTS (SELECT 1 FROM pg_attribute AS i WHERE i.attrelid = c.oid AND i.attname = 'space')
      AND c.oid > 'term_counts'::regclass AND c.relname NOT IN ('vector_index', 'maintenance')
    GROUP BY c.oid ORDER BY c.oid
  LOOP
    EXECUTE format('INSERT INTO %I (%s) SELECT %s FROM generate_series(0, 9999) AS n
      JOIN scopes AS s ON s.id = n %% 2000', other.name, other.columns, other.made);
  END LOOP;
END $$;
"""


def test_every_variant_of_every_statement_can_be_planned(explaining: Raw) -> None:
    """The server prepares it with the rights of the application."""
    assert len(VARIANTS) > len(SQL.names)
    for name, text in VARIANTS:
        assert "{{" not in text, name
        assert ";" not in text, name
        assert _plan(explaining, text), name


def test_every_table_that_a_statement_names_is_seen(explaining: Raw) -> None:
    """On a cluster, each is replaced by the shard of the space."""
    rows = explaining.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'erstwhile'::regnamespace"
        " AND relkind IN ('r', 'v')"
    )
    names = "|".join(str(name) for (name,) in rows)
    named = re.compile(rf"(?<![\w.])({names})\s+AS\b")
    for name, text in VARIANTS:
        sent, _ = numbered(text)
        seen = {source for _, source, _ in SOURCE.findall(sent)}
        assert seen.issuperset(named.findall(sent)), name


def test_both_engines_have_the_same_statements() -> None:
    """PostgreSQL has more, for vector search."""
    assert set(SQL.names) >= set(load("sqlite").names)


@pytest.mark.parametrize("name", sorted(set(SQL.names) - set(WALKING)))
def test_a_statement_walks_through_no_whole_table(explaining: Raw, name: str) -> None:
    """Nor a whole space. With row-level security not every operator may use an index."""
    for text in filter(of_one_scope, variants(SQL, name)):
        for node in _nodes(_plan(explaining, text)):
            assert not _walks(node), f"{node}\n{text}"


def test_a_walk_is_recognised(explaining: Raw) -> None:
    for text in (
        "SELECT 1 FROM facts AS f WHERE f.space = :space AND f.text = :text",
        "SELECT 1 FROM audit WHERE space = :space AND reason = :reason",
    ):
        assert any(_walks(node) for node in _nodes(_plan(explaining, text)))


def _plan(connection: Raw, text: str) -> dict[str, Any]:
    asked = f"EXPLAIN (GENERIC_PLAN, FORMAT JSON) {numbered(text)[0]}"
    [(told,)] = connection.execute(asked.encode())
    plans: Any = told if isinstance(told, list) else json.loads(str(told))
    plan: dict[str, Any] = plans[0]["Plan"]
    return plan


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    inner = plan.get("Plans", [])
    yield {key: value for key, value in plan.items() if key != "Plans"}
    for part in inner:
        yield from _nodes(part)


def _walks(node: dict[str, Any]) -> bool:
    """Return whether a plan scans a table or a whole space."""
    if node["Node Type"] == "Seq Scan":
        return True
    if not node["Node Type"].startswith(("Index", "Bitmap Index")):
        return False
    conditions = node.get("Index Cond", "").strip("()").split(") AND (")
    narrowing = [each for each in conditions if not each.startswith("space = ")]
    return not narrowing and "facts_deleted" not in node["Index Name"]
