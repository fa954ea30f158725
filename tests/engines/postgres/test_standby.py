"""A standby takes over under load: what the primary acknowledged is there once, on the new one."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from tests.engines.postgres.installations import Cluster, installations
from tests.engines.postgres.test_crashes import PER_CRASH, wait_for, writing

INSTALLED = [each for each in installations() if (each.programs / "pg_basebackup").exists()]
pytestmark = pytest.mark.skipif(not INSTALLED, reason="no programs for a standby are installed")
ACKNOWLEDGED = {"synchronous_commit": "remote_apply", "synchronous_standby_names": "standby"}
"""A commit is acknowledged when the standby has it, too."""


@pytest.fixture
def pair() -> Iterator[tuple[Cluster, Cluster]]:
    with INSTALLED[-1].cluster() as primary, primary.standby() as standby:
        with psycopg.connect(primary.url, autocommit=True) as server:
            for name, value in ACKNOWLEDGED.items():
                server.execute(f"ALTER SYSTEM SET {name} = '{value}'")
            server.execute("SELECT pg_reload_conf()")
        yield primary, standby


def test_no_acknowledged_change_is_lost_when_a_standby_takes_over(
    pair: tuple[Cluster, Cluster],
) -> None:
    """The address names both; the one that accepts changes is found."""
    primary, standby = pair
    hosts, ports = f"{primary.folder},{standby.folder}", f"{primary.port},{standby.port}"
    both = f"postgresql://postgres@/postgres?host={hosts}&port={ports}"
    with writing(both, "standby") as writers:
        wait_for(writers, PER_CRASH)
        primary.stop("immediate")
        standby.control("promote", "-w")
        wait_for(writers, PER_CRASH)
