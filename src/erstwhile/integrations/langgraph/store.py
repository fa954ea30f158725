"""A LangGraph store for long-term memory.

An item of the store is a fact with a key, so `recall` and `context` find it, too. Each prefix of
its namespace is a tag; a search below a prefix filters by that tag, so a namespace never matches
its sibling.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import islice
from operator import eq, ne
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    get_text_at_path,
)

from erstwhile.core.results import MAX_LIMIT, all_items
from erstwhile.facts.fact import ITEM, Fact
from erstwhile.memory import Memory

NAME = "langgraph"
"""The name of the actor, and of all that is stored here."""
_UNINDEXED = "not indexed"
"""The text of an item that no search shall find."""
_GONE = ("retired", "upcoming")


def digest(parts: Sequence[str]) -> str:
    """Return a short label for names of any length, characters and letter case."""
    return f"{NAME}:{sha256(json.dumps(list(parts)).encode()).hexdigest()[:32]}"


class ErstwhileStore(BaseStore):
    """A LangGraph store in a memory. Pass a scoped memory to keep users apart by more than names.

    A search ranks by words and meaning. Texts that an agent must not add wait in quarantine: `get`
    returns them, a search does not.
    """

    supports_ttl = True

    def __init__(self, memory: Memory, *, ttl: TTLConfig | None = None) -> None:
        self._memory = memory.acting_as(NAME, person=False)
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations. Reads see the state before the batch; the last write of a key wins."""
        listed = list(ops)
        results = [None if isinstance(op, PutOp) else self._run_read(op) for op in listed]
        writes = {(op.namespace, op.key): op for op in listed if isinstance(op, PutOp)}
        for op in writes.values():
            self._run_put(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations on a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _run_read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._list_namespaces(op)
        raise ValueError(f"Unknown operation type: {type(op)}")

    def _get(self, op: GetOp) -> Item | None:
        fact = self._find(op.namespace, op.key)
        if fact is None:
            return None
        self._refresh([fact], op.refresh_ttl)
        return Item(**_item_fields(fact))

    def _find(self, namespace: tuple[str, ...], key: str) -> Fact | None:
        found = self._memory.facts.list(key=ITEM + digest([*namespace, key]), state="any", limit=1)
        return next((fact for fact in found if fact.state not in _GONE), None)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        found = self._hits(op) if op.query else ((fact, None) for fact in self._items_under(op))
        wanted = (each for each in found if _matches(each[0].metadata["value"], op.filter))
        page = list(islice(wanted, op.offset, op.offset + op.limit))
        self._refresh([fact for fact, _ in page], op.refresh_ttl)
        return [SearchItem(**_item_fields(fact), score=score) for fact, score in page]

    def _hits(self, op: SearchOp) -> Iterator[tuple[Fact, float]]:
        """Yield items by relevance. A filter needs all hits, since it may pass the last one."""
        limit = MAX_LIMIT if op.filter else min(MAX_LIMIT, op.offset + op.limit)
        tag = digest(op.namespace_prefix)
        for hit in self._memory.recall(str(op.query), limit, tag=tag):
            yield hit.fact, hit.relevance

    def _items_under(self, op: SearchOp) -> Iterator[Fact]:
        """Yield the items below a prefix, newest first."""
        for fact in all_items(
            self._memory.facts.list, tag=digest(op.namespace_prefix), state="any"
        ):
            if fact.state not in _GONE:
                yield fact

    def _list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        everything = SearchOp(())
        found = {tuple(fact.metadata["namespace"]) for fact in self._items_under(everything)}
        conditions = op.match_conditions or ()
        wanted = {
            name for name in found if all(_meets_condition(name, each) for each in conditions)
        }
        cut = sorted({name[: op.max_depth] for name in wanted})
        return cut[op.offset : op.offset + op.limit]

    def _run_put(self, op: PutOp) -> None:
        known = self._find(op.namespace, op.key)
        if op.value is None:
            if known is not None:
                self._memory.facts.delete(known.id)
            return
        minutes = op.ttl if isinstance(op.ttl, (int, float)) else None
        self._set(op.namespace, op.key, op.value, _indexed_text(op), minutes, known)

    def _set(
        self,
        namespace: Sequence[str],
        key: str,
        value: Mapping[str, Any],
        text: str,
        minutes: float | None,
        known: Fact | None,
    ) -> None:
        now = datetime.now().astimezone()
        created = known.metadata["created_at"] if known else now.isoformat()
        self._memory.facts.set(
            ITEM + digest([*namespace, key]),
            text,
            kind="fact",
            origin="agent",
            tags=[digest(namespace[:depth]) for depth in range(len(namespace) + 1)],
            expires_at=None if minutes is None else now + timedelta(minutes=minutes),
            metadata={
                "namespace": list(namespace),
                "key": key,
                "value": dict(value),
                "created_at": created,
                "updated_at": now.isoformat(),
                "ttl": minutes,
            },
        )

    def _refresh(self, facts: Sequence[Fact], wanted: bool | None) -> None:
        """Let items live for their whole time again, as TTLConfig asks for reads."""
        if not (wanted and (self.ttl_config or {}).get("refresh_on_read", True)):
            return
        for fact in facts:
            data = fact.metadata
            if data["ttl"] is not None:
                place = data["namespace"], data["key"], data["value"]
                self._set(*place, fact.text, data["ttl"], fact)


def _indexed_text(op: PutOp) -> str:
    """Return the text of an item for searches: its indexed fields, or all its strings."""
    if op.index is False:
        return f"{_UNINDEXED} {digest([*op.namespace, op.key])}"
    if op.index:
        parts = [text for path in op.index for text in get_text_at_path(op.value, path)]
    else:
        parts = list(_strings(op.value))
    return "\n".join(part for part in parts if part.strip()) or digest([op.key])


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _strings(each)


def _item_fields(fact: Fact) -> dict[str, Any]:
    data = fact.to_dict()["metadata"]
    return {
        "value": data["value"],
        "key": data["key"],
        "namespace": tuple(data["namespace"]),
        "created_at": datetime.fromisoformat(data["created_at"]),
        "updated_at": datetime.fromisoformat(data["updated_at"]),
    }


def _meets_condition(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    """Return whether a namespace begins or ends as a condition says; "*" is any part."""
    path = condition.path
    if len(namespace) < len(path):
        return False
    start = 0 if condition.match_type == "prefix" else len(namespace) - len(path)
    parts = namespace[start : start + len(path)]
    return all(want in ("*", part) for part, want in zip(parts, path, strict=True))


_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": eq,
    "$ne": ne,
    "$gt": lambda value, other: float(value) > float(other),
    "$gte": lambda value, other: float(value) >= float(other),
    "$lt": lambda value, other: float(value) < float(other),
    "$lte": lambda value, other: float(value) <= float(other),
}


def _matches(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    return all(_meets_filter(value.get(name), other) for name, other in (wanted or {}).items())


def _meets_filter(value: Any, wanted: Any) -> bool:
    """Compare as the stores of LangGraph do: a mapping with operators, a nested value, equality."""
    if not isinstance(wanted, Mapping):
        return bool(value == wanted)
    if any(name.startswith("$") for name in wanted):
        return all(_COMPARISONS[name](value, other) for name, other in wanted.items())
    return isinstance(value, Mapping) and _matches(value, wanted)
