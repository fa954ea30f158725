"""Prometheus metrics: requests, their duration, and requests under way.

No label holds a name, an address or a text of a user. All workers of one server count together, in
the folder of PROMETHEUS_MULTIPROC_DIR, which must be set before this module is imported.
"""

from __future__ import annotations

import os
from time import perf_counter

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
_APPS = frozenset(("mcp", "v1", "metrics"))


class Metrics:
    """Counters of this process, and the page with the sums of all processes."""

    def __init__(self) -> None:
        own = self._registry = CollectorRegistry()
        self._requests = Counter(
            "erstwhile_http_requests",
            "Requests that were answered or refused.",
            ("method", "app", "status"),
            registry=own,
        )
        self._seconds = Histogram(
            "erstwhile_http_request_seconds",
            "Seconds until the answer was complete.",
            ("app",),
            buckets=_BUCKETS,
            registry=own,
        )
        self._under_way = Gauge(
            "erstwhile_http_requests_under_way",
            "Requests that are answered now.",
            registry=own,
            multiprocess_mode="livesum",
        )

    def count_requests(self, app: ASGIApp) -> ASGIApp:
        """Return an application with a middleware that counts its requests."""

        async def count(scope: Scope, receive: Receive, send: Send) -> None:
            status, begun = 0, perf_counter()

            async def send_counted(message: Message) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = message["status"]
                await send(message)

            with self._under_way.track_inprogress():
                await app(scope, receive, send_counted)
            first = scope["path"].strip("/").partition("/")[0]
            label = first if first in _APPS else "other"
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._requests.labels(method, label, str(status)).inc()
            self._seconds.labels(label).observe(perf_counter() - begun)

        return count

    def page(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        if _FOLDER not in os.environ:
            return generate_latest(self._registry)
        all_processes = CollectorRegistry()
        MultiProcessCollector(all_processes)  # type: ignore[no-untyped-call]
        return generate_latest(all_processes)


def drop_process(pid: int) -> None:
    """Drop the requests under way of a worker that has exited."""
    if _FOLDER in os.environ:
        mark_process_dead(pid)  # type: ignore[no-untyped-call]
