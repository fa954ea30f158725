"""What one process of a server runs: the memory, its doors, and the questions of operators."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from typing import Protocol

import erstwhile
from erstwhile.core.scope import Scope
from erstwhile.core.settings import Settings
from erstwhile.doors.asgi import Application
from erstwhile.doors.http.application import http_application
from erstwhile.doors.http.endpoints import STREAMED
from erstwhile.doors.mcp.toolset import memory_surface
from erstwhile.doors.metrics import Metrics
from erstwhile.doors.operations import METRICS, MetricsPage, Operations
from erstwhile.doors.service import Doors, Policies, gated
from erstwhile.doors.spaces import Spaces
from erstwhile.doors.tokens import TokenFile, dimensions
from erstwhile.memory import Memory

API = "/v1"


class Served(Protocol):
    """What a process must know to serve a memory."""

    @property
    def tokens(self) -> TokenFile: ...

    @property
    def policies(self) -> Policies: ...

    @property
    def workers(self) -> int: ...

    @property
    def open_metrics(self) -> bool: ...


@contextmanager
def served(
    location: str, settings: Settings, scope: Scope, options: Served
) -> Iterator[Application]:
    """Open a memory and give the application that serves it, at most within a scope."""

    def open_space(space: str) -> Memory:
        return erstwhile.open(location, settings=replace(settings, space=space))

    metrics = Metrics()
    with erstwhile.open(location, settings=settings) as store:
        spaces = Spaces(store.scoped(**dimensions(scope)), settings.space, open_space)
        try:
            doors = _doors(metrics, several=options.workers > 1)
            application = gated(doors, options.tokens, spaces.memory_of, options.policies)
            yield Operations(application, store.ping, metrics, open_metrics=options.open_metrics)
        finally:
            spaces.close()


def _doors(metrics: Metrics, *, several: bool) -> Doors:
    """Return the doors whose packages are installed."""
    by_path: dict[str, Application] = {METRICS: MetricsPage(metrics), API: http_application()}
    if find_spec("mcp") is None:
        return Doors(by_path=by_path, streamed=STREAMED)
    from erstwhile.doors.mcp.http import PATH, McpOverHttp, protocol_server

    server = protocol_server(memory_surface(), stateless=several)
    mcp = McpOverHttp(server, stateless=several)
    return Doors(by_path={**by_path, PATH: mcp}, running=[mcp.running], streamed=STREAMED)
