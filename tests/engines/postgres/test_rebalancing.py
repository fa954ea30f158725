"""A server is added to a Citus cluster, and a space moves to it, while it is written."""

from __future__ import annotations

import os

import psycopg
import pytest

from tests.engines.postgres.cluster import (
    REASON,
    VARIABLE,
    Cluster,
    add_command,
    make_database,
)
from tests.engines.postgres.test_crashes import wait_for, writing

pytestmark = [
    pytest.mark.skipif(VARIABLE not in os.environ, reason=REASON),
    pytest.mark.xdist_group("citus"),
]
_SHARD = "SELECT get_shard_id_for_distribution_column('erstwhile.facts', %s::text)"
_PLACE = """SELECT nodeport FROM pg_dist_placement AS p
  JOIN pg_dist_node AS n ON n.groupid = p.groupid WHERE shardid = %s"""
_MOVE = """SELECT citus_move_shard_placement(
  %s, '127.0.0.1', %s, '127.0.0.1', %s, shard_transfer_mode => 'block_writes')"""
"""Move all tables of a space, and of those that lie beside it. The other modes of Citus never end:
PostgreSQL replicates nothing into tables with row-level security."""
SPACE = "moving"


def test_a_space_moves_to_a_new_server_while_it_is_written(
    cluster: Cluster, distributed: str
) -> None:
    """Writers wait meanwhile. Nothing is lost, refused or uncertain."""
    node = cluster.add_node()
    make_database(node, "memory")
    cluster.coordinator.execute("memory", add_command(node))
    with (
        psycopg.connect(cluster.coordinator.url("memory"), autocommit=True) as administrator,
        writing(distributed, SPACE) as writers,
    ):
        wait_for(writers, len(writers))
        [(shard,)] = administrator.execute(_SHARD, [SPACE]).fetchall()
        [(source,)] = administrator.execute(_PLACE, [shard]).fetchall()
        administrator.execute(_MOVE, [shard, source, node.port])
        wait_for(writers, len(writers))
        [(target,)] = administrator.execute(_PLACE, [shard]).fetchall()
    assert not any(writer.refused or writer.uncertain for writer in writers)
    assert target == node.port != source
