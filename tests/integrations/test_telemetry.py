"""Spans and metrics by the GenAI conventions for memory, with the SDK's exporters in memory."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

import erstwhile
from erstwhile import Memory
from erstwhile.aio import AsyncMemory
from erstwhile.integrations import MemoryTelemetry, telemetry
from erstwhile.integrations.telemetry import CONTENT, _verbs

OPERATIONS = {
    "create_memory_store",
    "search_memory",
    "create_memory",
    "update_memory",
    "upsert_memory",
    "delete_memory",
    "delete_memory_store",
}
"""All operations of the conventions."""


class Traced:
    """A memory that is measured, and what was measured."""

    def __init__(self, memory: Memory, content: bool | None = None) -> None:
        self.memory = memory
        self._spans, self._reader = InMemorySpanExporter(), InMemoryMetricReader()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self._spans))
        MemoryTelemetry().instrument(
            tracer_provider=self.tracers,
            meter_provider=MeterProvider([self._reader]),
            content=content,
        )

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self._spans.get_finished_spans())

    def points(self) -> dict[tuple[str, Any], HistogramDataPoint]:
        data = self._reader.get_metrics_data()
        assert data
        [metric] = data.resource_metrics[0].scope_metrics[0].metrics
        assert (metric.name, metric.unit) == ("gen_ai.client.operation.duration", "s")
        found = {}
        for point in metric.data.data_points:
            assert isinstance(point, HistogramDataPoint)
            labels = dict(point.attributes or {})
            assert labels.pop("gen_ai.provider.name") == "erstwhile"
            name = str(labels.pop("gen_ai.operation.name"))
            found[name, labels.pop("error.type", None)] = point
            assert labels == {}
        return found


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


@pytest.fixture
def traced() -> Iterator[Callable[..., Traced]]:
    with erstwhile.open(":memory:", embedder="none") as memory:
        yield lambda **options: Traced(memory.scoped(user="ana"), **options)
    MemoryTelemetry().uninstrument()


def is_measured(verb: Callable[..., object]) -> bool:
    return verb.__code__.co_filename == telemetry.__file__


def test_nothing_is_measured_unless_it_is_asked_for(traced: Callable[..., Traced]) -> None:
    assert not is_measured(Memory.remember)
    traced()
    assert is_measured(Memory.remember)


def test_a_verb_is_a_span_of_its_operation(traced: Callable[..., Traced]) -> None:
    here = traced()
    fact = here.memory.remember("I like green tea")
    here.memory.recall("tea")
    here.memory.facts.replace(fact.id, "I like black tea")
    here.memory.context("tea")
    here.memory.facts.delete(here.memory.facts.find("black tea").id)
    told = [(span.name, attributes(span)["erstwhile.verb"]) for span in here.spans]
    assert told == [
        ("upsert_memory", "remember"),
        ("search_memory", "recall"),
        ("update_memory", "facts.replace"),
        ("search_memory", "context"),
        ("search_memory", "facts.find"),
        ("delete_memory", "facts.delete"),
    ]
    stored, found = attributes(here.spans[0]), attributes(here.spans[1])
    assert stored["gen_ai.memory.record.id"] == fact.id
    assert (stored["gen_ai.memory.record.count"], found["gen_ai.memory.record.count"]) == (1, 1)
    assert {span.kind for span in here.spans} == {SpanKind.INTERNAL}
    assert all(attributes(span)["gen_ai.operation.name"] == span.name for span in here.spans)


def test_no_text_is_told_by_default(traced: Callable[..., Traced]) -> None:
    """Neither in an attribute, nor in the message of an error, nor in an event."""
    here = traced()
    here.memory.remember("I like green tea", key="drink")
    here.memory.recall("green tea")
    here.memory.context("green tea")
    with pytest.raises(erstwhile.NotFoundError):
        here.memory.facts.find("a green garden")
    written = "".join(span.to_json() for span in here.spans)
    assert "green" not in written
    assert "drink" not in written
    assert '"ana"' not in written


@pytest.mark.parametrize("by", ["argument", "environment"])
def test_texts_are_told_on_request_without_secrets(
    traced: Callable[..., Traced], monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    monkeypatch.setenv(CONTENT, "true" if by == "environment" else "false")
    here = traced(content=True if by == "argument" else None)
    fact = here.memory.remember("I like green tea")
    here.memory.recall("green tea, my key is ghp_" + "a1B2" * 9, floor=0.0)
    stored, found = map(attributes, here.spans)
    assert json.loads(stored["gen_ai.memory.records"]) == [{"id": fact.id, "content": fact.text}]
    assert found["gen_ai.memory.query.text"].startswith("green tea, my key is ")
    assert "a1B2a1B2" not in found["gen_ai.memory.query.text"]
    [record] = json.loads(found["gen_ai.memory.records"])
    assert (record["content"], record["score"] > 0) == (fact.text, True)


def test_a_failure_tells_its_kind_only(traced: Callable[..., Traced]) -> None:
    here = traced()
    with pytest.raises(erstwhile.InvalidInputError):
        here.memory.remember("  ")
    [span] = here.spans
    assert attributes(span)["error.type"] == "invalid_input"
    assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, None)
    assert span.events == ()


def test_durations_are_measured_by_operation_and_failure(traced: Callable[..., Traced]) -> None:
    here = traced()
    for number in range(3):
        here.memory.remember(f"I have {number} cups")
    here.memory.recall("cups")
    with pytest.raises(erstwhile.InvalidInputError):
        here.memory.remember("")
    found = here.points()
    assert {key: point.count for key, point in found.items()} == {
        ("upsert_memory", None): 3,
        ("search_memory", None): 1,
        ("upsert_memory", "invalid_input"): 1,
    }
    assert all(0 < point.sum < 60 for point in found.values())


def test_spans_nest_also_with_asyncio(
    traced: Callable[..., Traced],
) -> None:
    here = traced()

    async def story() -> None:
        with here.tracers.get_tracer("test").start_as_current_span("turn"):
            await AsyncMemory(here.memory).remember("I like tea")

    asyncio.run(story())
    inner, outer = here.spans
    assert inner.parent
    assert outer.context
    assert inner.parent.span_id == outer.context.span_id


def test_it_ends_as_if_it_had_never_been(traced: Callable[..., Traced]) -> None:
    before = Memory.remember
    here = traced()
    MemoryTelemetry().instrument()  # a second time changes nothing
    MemoryTelemetry().uninstrument()
    assert Memory.remember is before
    here.memory.remember("I like tea")
    assert here.spans == []


def test_every_operation_is_one_of_the_conventions() -> None:
    assert {operation for _, operation in _verbs().values()} <= OPERATIONS
