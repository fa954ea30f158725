"""Records leave Python: what every verb returns can be copied, pickled and written as JSON."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields, is_dataclass
from datetime import timedelta
from typing import Any, cast

import pytest

from erstwhile.core.errors import ErstwhileError
from erstwhile.core.json_values import FrozenDict
from erstwhile.core.kinds import State
from erstwhile.core.public_record import PublicRecord, optional_in, to_json
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract
from tests.contracts.storage.isolation import ASKING, live


def results(memory: Memory) -> Iterator[tuple[str, Any]]:
    """Yield what each reading verb returns about a memory with records of every kind."""
    ana = memory.scoped(user="ana")
    ids = [each.id for each in live(ana)]
    for name, ask in ASKING.items():
        for id in ids:
            try:
                yield name, ask(ana, id)
                break
            except ErstwhileError:
                continue  # the id of another kind of record


def records_in(value: Any) -> Iterator[Any]:
    """Yield every record in a value, as far down as there are any."""
    if is_dataclass(value) and not isinstance(value, type):
        yield value
        value = [getattr(value, each.name) for each in fields(value)]
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for each in value:
            yield from records_in(each)


class LeavingPythonContract(Contract):
    def test_every_result_can_be_copied_pickled_and_written_as_json(self, memory: Memory) -> None:
        seen = set()
        for name, result in results(memory):
            for record in records_in(result):
                if (kind := type(record)) in seen:
                    continue
                seen.add(kind)
                assert isinstance(record, PublicRecord), name
                assert pickle.loads(pickle.dumps(record)) == record  # noqa: S301
                assert copy.deepcopy(record) == record
                assert asdict(cast(Any, record))
                written = record.to_dict()
                assert json.loads(json.dumps(written, allow_nan=False)) == written
                named = {each.name for each in fields(cast(Any, record))}
                assert named - optional_in(type(record)) <= set(written)
                assert "\n" not in repr(record), name
                assert len(repr(record)) < 600
        assert len(seen) > 40

    def test_a_fact_tells_its_state_its_ids_and_its_end_everywhere(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """`fact.state == "live"` is what people write."""
        fact = memory.remember("Ana prefers pnpm", expires_at="in 3650 days", tags=["a"])
        assert fact.state == "live"
        assert fact.state_at(clock.now() + timedelta(days=4000)) is State.RETIRED
        [told] = memory.facts.list().to_dicts()
        assert told == fact.to_dict() == to_json(fact)
        assert told["state"] == "live"
        assert told["short_id"] == fact.short_id
        assert told["ends_at"] == told["expires_at"]
        assert fact.to_dict(clock.now() + timedelta(days=4000))["state"] == "retired"
        [hit] = memory.recall("pnpm").to_dicts()
        assert hit["record"] == told

    def test_metadata_cannot_be_changed(self, memory: Memory) -> None:
        fact = memory.remember("a", metadata={"n": [1, None]})
        assert isinstance(fact.metadata, FrozenDict)
        assert fact.metadata == memory.facts.get(fact.id).metadata == {"n": [1, None]}
        with pytest.raises(TypeError, match="cannot be changed"):
            fact.metadata["n"] = 2
