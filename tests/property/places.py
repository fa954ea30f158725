"""The engines of these tests: in this process, or on a PostgreSQL server."""

from __future__ import annotations

from uuid import uuid4

from erstwhile.bootstrap import assemble
from erstwhile.core.ports import Clock, Engine
from erstwhile.core.scope import Viewer
from erstwhile.engines.postgres.engine import PostgresEngine
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.memory import Memory
from tests.engines.postgres.server import shared_url


def in_process() -> Engine:
    return SqliteEngine(":memory:")


def on_postgres() -> Engine:
    """Open a memory in a new space."""
    return PostgresEngine(shared_url(), space=uuid4().hex, connections=2)


def opened(engine: Engine, clock: Clock) -> Memory:
    return assemble(engine, clock, Viewer())
