"""Prometheus metrics: requests, their duration, and requests under way.

No label holds a name, an address or a text of a user. All workers of one server count together, in
the folder of PROMETHEUS_MULTIPROC_DIR, which must be set before this module is imported.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
CONTENT_TYPE = CONTENT_TYPE_LATEST
_BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))


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

    @contextmanager
    def count_request(self, method: str, app: str) -> Iterator[list[int]]:
        """Count a request. The caller adds its status to the list, or nothing if there is none."""
        status = list[int]()
        begun = perf_counter()
        with self._under_way.track_inprogress():
            yield status
        known = method if method in _METHODS else "other"
        self._requests.labels(known, app, str(status[0] if status else 0)).inc()
        self._seconds.labels(app).observe(perf_counter() - begun)

    def page(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        if FOLDER not in os.environ:
            return generate_latest(self._registry)
        all_processes = CollectorRegistry()
        MultiProcessCollector(all_processes)  # type: ignore[no-untyped-call]
        return generate_latest(all_processes)


def drop_process(pid: int) -> None:
    """Drop the requests under way of a worker that has exited."""
    if FOLDER in os.environ:
        mark_process_dead(pid)  # type: ignore[no-untyped-call]
