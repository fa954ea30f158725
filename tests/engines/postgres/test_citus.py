"""A distributed memory, on a real Citus cluster: a coordinator and two workers."""

from __future__ import annotations

import json
import os
import signal
from contextlib import closing
from typing import Any

import psycopg
import pytest
from psycopg import sql

import erstwhile
from erstwhile import Memory, Settings
from erstwhile.engines.postgres import engine
from erstwhile.engines.postgres.citus import distribution, pipeline
from erstwhile.engines.postgres.connection import numbered
from erstwhile.engines.postgres.engine import ROLE, PostgresEngine
from erstwhile.operations import store
from erstwhile.storage.statements import load
from tests.engines.postgres.cluster import (
    REASON,
    SHARDS,
    VARIABLE,
    Cluster,
)
from tests.storage.walking import variants

pytestmark = [
    pytest.mark.skipif(VARIABLE not in os.environ, reason=REASON),
    pytest.mark.xdist_group("citus"),
]
SQL = load("postgres")
SPACES = [f"space {number}" for number in range(8)]
WITHOUT_TABLES = {
    "searches_vectors": "asks the catalogue",
    **dict.fromkeys(
        ("put_vector", "nearest_vectors"),
        "is a function, whose statements each go to one shard",
    ),
}
IN_STEPS = {"add_embedder": "writes to one shard, then calls a function"}
VALUES = {
    "text": "'1'", "bigint": "1", "integer": "1", "double precision": "1.0", "jsonb": "'[1]'",
    "bytea": "'\\x00'", "bigint[]": "'{1}'",
}  # fmt: skip


def opened(url: str, space: str) -> Memory:
    return erstwhile.open(url, settings=Settings(space=space))


def fill(url: str, space: str) -> None:
    with opened(url, space) as memory:
        memory.remember_many(
            [f"friend {number} of {space} drinks green tea" for number in range(5)]
        )
        memory.conversations.add_exchange(f"we met in {space}", "noted")
        memory.flush()


def found(url: str, space: str) -> list[object]:
    with opened(url, space) as memory:
        hits = [
            (hit.record.id, round(hit.relevance, 5)) for hit in memory.recall("who drinks tea?")
        ]
        assert memory.everything().audit.verify().ok
        return [*hits, *memory.facts.list()]


@pytest.fixture(scope="module")
def distributed(cluster: Cluster) -> str:
    """Fill a database, distribute it, and return its address."""
    url = cluster.database("memory")
    for space in SPACES:
        fill(url, space)
    before = {space: found(url, space) for space in SPACES}
    _refuse_with_open_clients(url)
    _leave_nothing_of_a_failure(url)
    assert {space: found(url, space) for space in SPACES} == before
    tables = store.distribute(url)
    assert len(tables) > 30
    assert {space: found(url, space) for space in SPACES} == before
    return url


def _refuse_with_open_clients(url: str) -> None:
    with opened(url, SPACES[0]) as memory:
        memory.remember("I am still here")
        with pytest.raises(erstwhile.InvalidInputError, match="connections"):
            store.distribute(url)
        memory.facts.erase(memory.facts.list(contains="still here").items[0].id)


def _leave_nothing_of_a_failure(url: str) -> None:
    def failing(*_: object) -> None:
        raise erstwhile.StorageError("the last step fails")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distribution, "_run_beside_the_rows", failing)
        with pytest.raises(erstwhile.StorageError, match="last step"):
            store.distribute(url)
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT count(*) FROM pg_dist_partition").fetchone() == (0,)


def test_a_second_run_changes_nothing(distributed: str) -> None:
    assert store.distribute(distributed) == []


def test_the_spaces_lie_on_several_servers_and_each_on_one(distributed: str) -> None:
    with psycopg.connect(distributed) as connection:
        places = {
            space: connection.execute(
                "SELECT nodeport FROM pg_dist_placement AS p JOIN pg_dist_node AS n"
                " ON n.groupid = p.groupid"
                " WHERE shardid ="
                " get_shard_id_for_distribution_column('erstwhile.facts', %s::text)",
                [space],
            ).fetchall()
            for space in SPACES
        }
    assert all(len(place) == 1 for place in places.values())
    assert len({port for [(port,)] in places.values()}) == 2


def test_nothing_stays_behind_on_the_coordinator(cluster: Cluster, distributed: str) -> None:
    """Else an erased text would still be there."""
    assert distributed
    with psycopg.connect(cluster.coordinator.url("memory")) as connection:
        connection.execute("SET citus.enable_ddl_propagation = off")
        sizes = connection.execute(
            "SELECT sum(pg_relation_size(logicalrelid)) FROM pg_dist_partition"
        )
        assert sizes.fetchone() == (0,)


def test_a_change_on_one_server_is_one_commit(cluster: Cluster, distributed: str) -> None:
    """A two-phase commit would be noted by the coordinator, and take several times as long."""
    noted = "SELECT gid FROM pg_dist_transaction"
    with psycopg.connect(cluster.coordinator.url("memory"), autocommit=True) as connection:
        before = connection.execute(noted).fetchall()
        fill(distributed, SPACES[5])
        assert set(connection.execute(noted).fetchall()) <= set(before)


def test_old_numbers_of_connections_are_swept(distributed: str) -> None:
    store = PostgresEngine(distributed, space=SPACES[6])
    old = "INSERT INTO commits VALUES (:space, 'old', 1, 0)"
    store.write(lambda session: session.execute_async(old, {"space": SPACES[6]}))
    assert store.forget_clients() == 1
    store.close()


def test_another_space_sees_nothing_of_it(distributed: str) -> None:
    with opened(distributed, "nobody's") as memory:
        assert list(memory.recall("who drinks tea?")) == []
        assert list(memory.everything().facts.list()) == []


def test_a_bound_tenant_keeps_to_its_space_on_every_server(
    cluster: Cluster, distributed: str
) -> None:
    tenants = ("acme", "bolt")
    cluster.coordinator.execute("memory", *(f"CREATE ROLE {each} LOGIN" for each in tenants))
    with psycopg.connect(distributed, autocommit=True) as owner:
        for tenant in tenants:
            owner.execute("SELECT erstwhile.bind(%s, %s)", [tenant, f"of {tenant}"])
    for tenant in tenants:
        login = cluster.coordinator.url("memory", tenant)
        settings = Settings(space=f"of {tenant}", embedder="hashing")
        with erstwhile.open(login, settings=settings) as memory:
            memory.remember(f"{tenant} drinks green tea")
            memory.flush()
            found = [hit.record for hit in memory.recall("who drinks tea?")]
            assert found == list(memory.facts.list())
        assert _rows_of(cluster, tenant, f"of {tenant}") == 1
    assert _rows_of(cluster, "bolt", "of acme") == 0
    with opened(cluster.coordinator.url("memory", "bolt"), "of acme") as memory:
        with pytest.raises(erstwhile.StorageError, match="row-level security"):
            memory.remember("an intruder was here")
        assert list(memory.everything().facts.list()) == []


def _rows_of(cluster: Cluster, login: str, space: str) -> int:
    """Return how many facts of a space a login sees that asks the servers without Erstwhile."""
    with psycopg.connect(cluster.coordinator.url("memory")) as connection:
        shards = connection.execute(
            "SELECT shardid, nodeport FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)"
            " JOIN pg_dist_node USING (groupid) WHERE logicalrelid = 'erstwhile.facts'::regclass"
        ).fetchall()
    seen = 0
    for node in cluster.nodes:
        with psycopg.connect(node.url("memory", login), autocommit=True) as connection:
            connection.execute("SELECT set_config('erstwhile.space', %s, false)", [space])
            for shard in (number for number, port in shards if port == node.port):
                place = sql.Identifier("erstwhile", f"facts_{shard}")
                rows = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(place))
                seen += int(rows.fetchall()[0][0])
    return seen


def test_every_variant_of_every_statement_goes_to_one_shard(distributed: str) -> None:
    with psycopg.connect(distributed, autocommit=True) as connection:
        for name in SQL.names:
            for text in variants(SQL, name):
                tasks = _tasks(connection, text)
                if name in WITHOUT_TABLES:
                    assert tasks == [], text
                else:
                    assert tasks == [1] or (name in IN_STEPS and set(tasks) == {1}), text


def _tasks(connection: psycopg.Connection[Any], text: str) -> list[int]:
    """Return the number of shards of each part of a plan that is asked of other servers."""
    asked, names = numbered(text)
    with connection.transaction(force_rollback=True):
        connection.execute("SET LOCAL search_path = erstwhile, public")
        connection.execute(f"SET LOCAL ROLE {ROLE}")
        connection.execute(f"PREPARE asked AS {asked}".encode())
        [types] = connection.execute(
            "SELECT parameter_types::text[] FROM pg_prepared_statements"
        ).fetchall()
        values = [
            "'space 1'" if name == "space" else VALUES[kind]
            for name, kind in zip(names, types[0], strict=True)
        ]
        plan = connection.execute(
            f"EXPLAIN (FORMAT JSON) EXECUTE asked({','.join(values)})".encode()
        )
        told = json.dumps(plan.fetchall())
    connection.execute("DEALLOCATE asked")
    return [int(part.split(",")[0]) for part in told.split('"Task Count": ')[1:]]


@pytest.fixture
def sent(sent: list[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Also forget the joins that are known."""
    monkeypatch.setattr(pipeline, "_reads", {})
    return sent


def test_a_join_is_read_beside_its_rows_from_its_second_call_on(
    distributed: str, sent: list[str]
) -> None:
    with opened(distributed, SPACES[4]) as memory:
        first, before = _told(memory), len(sent)
        second = _told(memory)
        assert not any("FROM read_here" in each for each in sent[:before])
        assert any("FROM read_here" in each for each in sent[before:])
        assert not any("JOIN scopes" in each for each in sent[before:])
    assert second == first


def test_the_changes_of_a_transaction_go_to_their_server_together(
    distributed: str, sent: list[str]
) -> None:
    settings = Settings(space=SPACES[4], embedder="none")
    with erstwhile.open(distributed, settings=settings) as memory:
        memory.remember("the first fact of this connection")
        sent.clear()
        memory.remember("the second one")
        assert sum("change_here" in each for each in sent) == 1
        assert not any("INSERT INTO facts" in each for each in sent)
        facts = memory.remember_many([f"fact {number} of many" for number in range(60)])
        numbers = _numbers(distributed, SPACES[4], [fact.id for fact in facts])
        assert numbers == sorted(set(numbers))
        assert len(numbers) == len(facts)
        assert memory.everything().audit.verify().ok
        assert [hit.record.id for hit in memory.recall("fact 59 of many", limit=1)] == [
            facts[59].id
        ]


def _numbers(url: str, space: str, subjects: list[str]) -> list[int]:
    """Return the numbers of the audit entries of records, in the order of the records."""
    with psycopg.connect(url) as connection:
        connection.execute("SET LOCAL citus.propagate_set_commands = 'local'")
        connection.execute(f"SET LOCAL erstwhile.space = '{space}'".encode())
        rows = connection.execute(
            "SELECT subject, number FROM erstwhile.audit WHERE space = %s AND subject = ANY (%s)",
            [space, subjects],
        ).fetchall()
    numbers: dict[str, int] = dict(rows)
    return [numbers[subject] for subject in subjects]


def _told(memory: Memory) -> list[object]:
    hits = [(hit.record, hit.why) for hit in memory.recall("who drinks tea?")]
    return [*hits, memory.facts.list(), memory.conversations.list()]


def test_another_run_indexes_the_vectors_of_a_new_embedder_on_every_server(
    cluster: Cluster, distributed: str
) -> None:
    settings = Settings(space="hashed", embedder="hashing")
    with erstwhile.open(distributed, settings=settings) as memory:
        memory.remember("Ana drinks green tea")
        memory.flush()
        before = [(hit.record, hit.why.cosine) for hit in memory.recall("who drinks tea?")]
    assert _indexes(cluster, "vector_index_256") == 0
    assert store.distribute(distributed) == []
    assert _indexes(cluster, "vector_index_256") == SHARDS
    with erstwhile.open(distributed, settings=settings) as memory:
        after = [(hit.record, hit.why.cosine) for hit in memory.recall("who drinks tea?")]
    assert after == before != []


def _indexes(cluster: Cluster, name: str) -> int:
    """Return how many shards have an index, on all servers."""
    counted = "SELECT count(*) FROM pg_class WHERE relkind = 'i' AND relname ~ %s"
    found = 0
    for node in cluster.nodes:
        with psycopg.connect(node.url("memory"), autocommit=True) as connection:
            connection.execute("SET citus.override_table_visibility = off")
            found += int(connection.execute(counted, [f"^{name}_[0-9]+$"]).fetchall()[0][0])
    return found


def test_the_bytes_of_all_servers_are_counted(cluster: Cluster, distributed: str) -> None:
    with opened(distributed, SPACES[0]) as memory:
        counted = memory.everything().stats().bytes or 0
    with psycopg.connect(cluster.coordinator.url("memory")) as connection:
        here = connection.execute(
            "SELECT sum(pg_total_relation_size(logicalrelid)) FROM pg_dist_partition"
        )
        assert counted > int(here.fetchall()[0][0])


def test_what_is_erased_is_gone_from_all_servers(cluster: Cluster, distributed: str) -> None:
    with opened(distributed, SPACES[2]) as memory:
        fact = memory.remember("the unforgettable quetzal")
        memory.flush()
        memory.facts.erase(fact.id)
        assert memory.everything().audit.verify().ok
    for node in cluster.nodes:
        with psycopg.connect(node.url("memory")) as connection:
            for (table,) in connection.execute(
                "SELECT c.oid::regclass::text FROM pg_class AS c JOIN pg_attribute AS a"
                " ON a.attrelid = c.oid AND a.attname IN ('text', 'terms')"
                " WHERE c.relnamespace = 'erstwhile'::regnamespace AND c.relkind = 'r'"
            ).fetchall():
                asked = sql.SQL("SELECT 1 FROM {} AS t WHERE t::text ~ 'quetzal'")
                rows = connection.execute(asked.format(sql.SQL(table)))
                assert rows.fetchall() == [], table


def test_a_copy_into_the_cluster_answers_as_its_source(distributed: str) -> None:
    made = erstwhile.copy(distributed, distributed, source_space=SPACES[3], target_space="a copy")
    assert made.written > 10
    with opened(distributed, SPACES[3]) as here, opened(distributed, "a copy") as there:
        assert list(there.facts.list()) == list(here.facts.list())
        there.remember("its numbers go on after the copied ones")


def test_a_space_that_gets_a_shard_of_its_own_is_found_again(
    cluster: Cluster, distributed: str
) -> None:
    with opened(distributed, SPACES[7]) as memory:
        before = [_told(memory), _told(memory)]
        cluster.coordinator.execute(
            "memory",
            f"SELECT isolate_tenant_to_new_shard('erstwhile.facts', '{SPACES[7]}', 'CASCADE',"
            " shard_transfer_mode => 'block_writes')",
        )
        assert [_told(memory), _told(memory)] == before
        fact = memory.remember("a new shard, a new fact")
        assert [hit.record.id for hit in memory.recall("shard")] == [fact.id]
        assert memory.everything().audit.verify().ok


def test_numbers_grow_for_a_tenant_and_others_after_the_coordinator_crashed(
    cluster: Cluster, distributed: str
) -> None:
    """A worker stores a row, although the coordinator has not yet stored its counter."""
    cluster.coordinator.execute("memory", "CREATE ROLE cole LOGIN")
    with psycopg.connect(distributed, autocommit=True) as owner:
        owner.execute("SELECT erstwhile.bind('cole', 'of cole')")
    spaces = {"of cole": cluster.coordinator.url("memory", "cole"), SPACES[6]: distributed}
    tenant, other = (
        erstwhile.open(url, settings=Settings(space=space, embedder="none"))
        for space, url in spaces.items()
    )
    with tenant, other:
        for memory in (tenant, other):
            memory.remember("the connection is open")
        with closing(psycopg.connect(distributed)) as ahead:
            os.kill(_log_writer(cluster), signal.SIGSTOP)
            for counter in ("erstwhile.audit_number_seq", "erstwhile.passages_seq_seq"):
                ahead.execute("SELECT setval(%s, nextval(%s) + 99)", [counter, counter])
            ahead.execute("SELECT erstwhile.next_numbers(1)")  # logs 32 for all others
            before = [memory.remember("counted, but not stored") for memory in (tenant, other)]
            cluster.coordinator.crash()
        cluster.coordinator.start()
        after = [memory.remember("the counter is back") for memory in (tenant, other)]
        for memory in (tenant, other):
            assert memory.everything().audit.verify().ok
    for space, facts in zip(spaces, zip(before, after, strict=True), strict=True):
        earlier, later = _numbers(distributed, space, [fact.id for fact in facts])
        assert later > earlier


def _log_writer(cluster: Cluster) -> int:
    """Return the process that stores the log of the coordinator for transactions that wait."""
    with psycopg.connect(cluster.coordinator.url("memory")) as connection:
        [(process,)] = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'"
        ).fetchall()
    return int(process)


def test_numbers_grow_behind_a_pooler_which_conceals_a_crash(
    cluster: Cluster, distributed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "is_pooled", lambda _: True)
    with opened(distributed, SPACES[6]) as memory:
        before = memory.remember("the pooler keeps this connection")
        cluster.coordinator.execute("memory", "TRUNCATE erstwhile.counted_on")  # as a crash does
        after = memory.remember("and makes a new one to the server")
    earlier, later = _numbers(distributed, SPACES[6], [before.id, after.id])
    assert later - earlier > 1_000_000


def test_the_counters_go_on_once_after_a_crash(distributed: str) -> None:
    facts = []
    for number in range(2):
        with opened(distributed, SPACES[6]) as memory:
            facts.append(memory.remember(f"fact of connection {number}"))
    earlier, later = _numbers(distributed, SPACES[6], [fact.id for fact in facts])
    assert later - earlier < 1_000


def test_a_database_that_was_distributed_without_these_functions_names_the_remedy(
    cluster: Cluster, distributed: str
) -> None:
    cluster.coordinator.execute("memory", "DROP FUNCTION erstwhile.count_on")
    with (
        pytest.raises(erstwhile.StorageError, match="earlier version"),
        opened(distributed, SPACES[6]) as memory,
    ):
        memory.remember("the number of this fact could be taken")
    assert store.distribute(distributed) == []
    with opened(distributed, SPACES[6]) as memory:
        assert memory.remember("now it is counted")
