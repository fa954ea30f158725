"""Spans and metrics about memory operations, for OpenTelemetry.

They follow the GenAI conventions for memory. Nothing is measured until a program, or the command
`opentelemetry-instrument`, asks for it. Texts are left out unless they are asked for, too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from functools import cache, wraps
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

from erstwhile import __version__
from erstwhile.core.errors import ErstwhileError
from erstwhile.core.installing import import_extra
from erstwhile.lazy_collections import LazyCollections
from erstwhile.memory import Memory
from erstwhile.secrets.masking import mask_text

if TYPE_CHECKING:
    from opentelemetry.metrics import Histogram, MeterProvider
    from opentelemetry.trace import Status, Tracer, TracerProvider

CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""The variable by which all GenAI instrumentations are asked for texts."""
_SCOPE = "erstwhile"
_PARTS = ("metrics", "trace")
_BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30]
_Replaced: TypeAlias = dict[tuple[type, str], Callable[..., Any] | None]


class MemoryTelemetry:
    """Measures the verbs of all memories of this process, from `instrument` to `uninstrument`."""

    _replaced: _Replaced = {}  # noqa: RUF012 (one process is measured once, whoever asks)

    def instrument(
        self,
        *,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
        content: bool | None = None,
        **_others: Any,
    ) -> None:
        """Start to measure. The providers are those of the process by default.

        With `content`, spans hold the query and the texts of records. By default the variable
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT decides it.
        """
        metrics, trace = (import_extra(f"opentelemetry.{each}", "otel") for each in _PARTS)
        if self._replaced:
            return
        meter = metrics.get_meter(_SCOPE, __version__, meter_provider)
        duration = meter.create_histogram(
            "gen_ai.client.operation.duration",
            unit="s",
            description="Duration of memory operations.",
            explicit_bucket_boundaries_advisory=_BUCKETS,
        )
        if content is None:
            content = os.environ.get(CONTENT, "").lower() == "true"
        tracer = trace.get_tracer(_SCOPE, __version__, tracer_provider)
        measuring = _Measuring(tracer, duration, trace.Status(trace.StatusCode.ERROR), content)
        for (kind, name), (verb, operation) in _verbs().items():
            self._replaced[kind, name] = kind.__dict__.get(name)
            setattr(kind, name, measuring.wrapped(getattr(kind, name), verb, operation))

    def uninstrument(self, **_others: Any) -> None:
        """Stop to measure."""
        for (kind, name), own in self._replaced.items():
            if own is None:  # it is inherited
                delattr(kind, name)
            else:
                setattr(kind, name, own)
        self._replaced.clear()


class _Measuring:
    """Wraps functions, so that each call is a span and a measurement."""

    def __init__(self, tracer: Tracer, duration: Histogram, failed: Status, content: bool) -> None:
        self._tracer = tracer
        self._duration = duration
        self._failed = failed
        self._content = content

    def wrapped(self, own: Callable[..., Any], verb: str, operation: str) -> Callable[..., Any]:
        """Return the function of a verb with its measurement."""
        common = {"gen_ai.operation.name": operation, "gen_ai.provider.name": _SCOPE}

        @wraps(own)
        def measured(*arguments: Any, **given: Any) -> Any:
            begun, labels = perf_counter(), dict(common)
            # The message of an error may quote content, so only its type is recorded.
            options = {"record_exception": False, "set_status_on_exception": False}
            with self._tracer.start_as_current_span(operation, **options) as span:  # type: ignore[arg-type]
                span.set_attributes({**common, "erstwhile.verb": verb})
                try:
                    result = own(*arguments, **given)
                except Exception as error:
                    kind = type(error).__qualname__
                    labels["error.type"] = error.code if isinstance(error, ErstwhileError) else kind
                    span.set_attribute("error.type", labels["error.type"])
                    span.set_status(self._failed)
                    raise
                finally:
                    self._duration.record(perf_counter() - begun, labels)
                if span.is_recording():
                    span.set_attributes(_count_attributes(result))
                    if self._content:
                        span.set_attributes(
                            _content_attributes(operation, arguments, given, result)
                        )
                return result

        return measured


@cache
def _verbs() -> Mapping[tuple[type, str], tuple[str, str]]:
    """Return the functions that are measured: class and name, with the verb and its operation."""
    found = {}
    lines = Path(__file__).with_name("telemetry_operations.txt").read_text("utf-8").splitlines()
    for line in lines:
        operation, separator, verbs = line.partition(":")
        for verb in verbs.split() if separator and not line.startswith("#") else ():
            collection, _, name = verb.rpartition(".")
            kind = getattr(LazyCollections, collection).kind if collection else Memory
            found[kind, name] = (verb, operation)
    return found


def _count_attributes(result: Any) -> dict[str, Any]:
    """Return how many records a result has, and the id of a single one."""
    items = getattr(result, "ids", getattr(result, "items", result))
    if isinstance(items, Sized) and not isinstance(items, str | bytes):
        return {"gen_ai.memory.record.count": len(items)}
    if isinstance(id := getattr(result, "id", None), str):
        return {"gen_ai.memory.record.count": 1, "gen_ai.memory.record.id": id}
    return {}


def _content_attributes(
    operation: str, arguments: tuple[Any, ...], given: Mapping[str, Any], result: Any
) -> dict[str, Any]:
    """Return the query and the texts of the records."""
    attributes: dict[str, Any] = {}
    query = given.get("query", arguments[1] if len(arguments) > 1 else None)
    if operation == "search_memory" and isinstance(query, str):
        attributes["gen_ai.memory.query.text"] = mask_text(query)
    if records := list(_records(result)):
        attributes["gen_ai.memory.records"] = json.dumps(records, ensure_ascii=False)
    return attributes


def _records(result: Any) -> Iterator[dict[str, Any]]:
    several = isinstance(result, Iterable) and not isinstance(result, str | bytes | Mapping)
    for item in result if several else (result,):
        record = getattr(item, "record", item)
        text = next((getattr(record, name, None) for name in _TEXTS if hasattr(record, name)), None)
        if isinstance(text, str):
            score = getattr(item, "relevance", None)
            named = {"id": getattr(record, "id", None), "content": text, "score": score}
            yield {name: value for name, value in named.items() if value is not None}


_TEXTS = ("text", "content", "description", "goal")
"""The attribute with the text of each kind of records."""
