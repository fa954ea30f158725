"""Where the memories of these tests are: in this process, or on a PostgreSQL server."""

from __future__ import annotations

from uuid import uuid4

from recollect.bootstrap import assemble
from recollect.engine.postgres import PostgresEngine
from recollect.engine.sqlite import SqliteEngine
from recollect.memory import Memory
from recollect.model.scope import Viewer
from recollect.ports import Clock, Engine
from tests.postgres.server import shared_url


def in_process() -> Engine:
    return SqliteEngine(":memory:")


def on_postgres() -> Engine:
    """In a space that nobody else has."""
    return PostgresEngine(shared_url(), space=uuid4().hex, connections=2)


def opened(engine: Engine, clock: Clock) -> Memory:
    return assemble(engine, clock, Viewer())
