"""LangGraph: a store for long-term memory, and a saver for checkpoints.

An item of the store is a fact with a key, so `recall` and `context` find it, too. Each prefix of its
namespace is a tag; a search below a prefix filters by that tag, so a namespace never matches its
sibling. A checkpoint is a run of `memory.checkpoints`, named after its thread and namespace.
"""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import islice
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
)
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

from erstwhile.core.errors import NotFoundError
from erstwhile.core.results import MAX_LIMIT, all_items
from erstwhile.facts.fact import Fact
from erstwhile.memory import Memory

_NAME = "langgraph"
_UNINDEXED = "not indexed"
"""The text of an item that no search shall find."""
_GONE = ("retired", "upcoming")


class ErstwhileStore(BaseStore):
    """A LangGraph store in a memory. Pass a scoped memory to keep users apart by more than names.

    A search ranks by words and meaning. Texts that an agent must not add wait in quarantine: `get`
    returns them, a search does not.
    """

    supports_ttl = True

    def __init__(self, memory: Memory, *, ttl: TTLConfig | None = None) -> None:
        self._memory = memory.acting_as(_NAME, person=False)
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations. Reads see the state before the batch; the last write of a key wins."""
        listed = list(ops)
        results = [None if isinstance(op, PutOp) else self._read(op) for op in listed]
        writes = {(op.namespace, op.key): op for op in listed if isinstance(op, PutOp)}
        for op in writes.values():
            self._write(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations on a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
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
        return Item(**_item(fact))

    def _find(self, namespace: tuple[str, ...], key: str) -> Fact | None:
        found = self._memory.facts.list(key=_digest([*namespace, key]), state="any", limit=1)
        return next((fact for fact in found if fact.state not in _GONE), None)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        found = self._hits(op) if op.query else ((fact, None) for fact in self._below(op))
        wanted = (each for each in found if _matches(each[0].metadata["value"], op.filter))
        page = list(islice(wanted, op.offset, op.offset + op.limit))
        self._refresh([fact for fact, _ in page], op.refresh_ttl)
        return [SearchItem(**_item(fact), score=score) for fact, score in page]

    def _hits(self, op: SearchOp) -> Iterator[tuple[Fact, float]]:
        """Yield items by relevance. A filter needs all hits, since it may pass the last one."""
        limit = MAX_LIMIT if op.filter else min(MAX_LIMIT, op.offset + op.limit)
        tag = _digest(op.namespace_prefix)
        for hit in self._memory.recall(str(op.query), limit, tag=tag):
            yield hit.fact, hit.relevance

    def _below(self, op: SearchOp) -> Iterator[Fact]:
        """Yield the items below a prefix, newest first."""
        for fact in all_items(
            self._memory.facts.list, tag=_digest(op.namespace_prefix), state="any"
        ):
            if fact.state not in _GONE:
                yield fact

    def _list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        everything = SearchOp(())
        found = {tuple(fact.metadata["namespace"]) for fact in self._below(everything)}
        conditions = op.match_conditions or ()
        wanted = {name for name in found if all(_fits(name, each) for each in conditions)}
        cut = sorted({name[: op.max_depth] for name in wanted})
        return cut[op.offset : op.offset + op.limit]

    def _write(self, op: PutOp) -> None:
        known = self._find(op.namespace, op.key)
        if op.value is None:
            if known is not None:
                self._memory.facts.delete(known.id)
            return
        minutes = op.ttl if isinstance(op.ttl, (int, float)) else None
        self._set(op.namespace, op.key, op.value, _text(op), minutes, known)

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
            _digest([*namespace, key]),
            text,
            kind="fact",
            origin="agent",
            tags=[_digest(namespace[:depth]) for depth in range(len(namespace) + 1)],
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


def _digest(parts: Sequence[str]) -> str:
    """Return a short label for names of any length, characters and letter case."""
    return f"{_NAME}:{sha256(json.dumps(list(parts)).encode()).hexdigest()[:32]}"


def _text(op: PutOp) -> str:
    """Return the text of an item for searches: its indexed fields, or all its strings."""
    if op.index is False:
        return f"{_UNINDEXED} {_digest([*op.namespace, op.key])}"
    if op.index:
        parts = [text for path in op.index for text in get_text_at_path(op.value, path)]
    else:
        parts = list(_strings(op.value))
    return "\n".join(part for part in parts if part.strip()) or _digest([op.key])


def _strings(value: Any) -> Iterator[str]:
    """Yield the strings in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _strings(each)


def _item(fact: Fact) -> dict[str, Any]:
    data = fact.to_dict()["metadata"]
    return {
        "value": data["value"],
        "key": data["key"],
        "namespace": tuple(data["namespace"]),
        "created_at": datetime.fromisoformat(data["created_at"]),
        "updated_at": datetime.fromisoformat(data["updated_at"]),
    }


def _fits(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    """Return whether a namespace begins or ends as a condition says; "*" is any part."""
    path = condition.path
    if len(namespace) < len(path):
        return False
    start = 0 if condition.match_type == "prefix" else len(namespace) - len(path)
    parts = namespace[start : start + len(path)]
    return all(want in ("*", part) for part, want in zip(parts, path, strict=True))


_COMPARISONS = {
    "$eq": lambda value, other: value == other,
    "$ne": lambda value, other: value != other,
    "$gt": lambda value, other: float(value) > float(other),
    "$gte": lambda value, other: float(value) >= float(other),
    "$lt": lambda value, other: float(value) < float(other),
    "$lte": lambda value, other: float(value) <= float(other),
}


def _matches(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    return all(_holds(value.get(name), other) for name, other in (wanted or {}).items())


def _holds(value: Any, wanted: Any) -> bool:
    """Compare as the stores of LangGraph do: a mapping with operators, a nested value, equality."""
    if not isinstance(wanted, Mapping):
        return bool(value == wanted)
    if any(name.startswith("$") for name in wanted):
        return all(_COMPARISONS[name](value, other) for name, other in wanted.items())
    return isinstance(value, Mapping) and _matches(value, wanted)


_PART = 900_000
"""Characters of one stored part; a phase holds a little more."""


class ErstwhileSaver(BaseCheckpointSaver[str]):
    """A LangGraph checkpointer in a memory, within the scope of that memory.

    A checkpoint is stored whole, with its pending writes beside it. Deleted threads can be restored
    with `memory.checkpoints.restore` until they are purged.
    """

    def __init__(self, memory: Memory, **options: Any) -> None:
        super().__init__(**options)
        self._memory = memory.acting_as(_NAME)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,  # noqa: ARG002 (all channels are stored)
    ) -> RunnableConfig:
        """Store a checkpoint."""
        place = config["configurable"]
        thread, namespace = str(place["thread_id"]), place.get("checkpoint_ns", "")
        data = {
            "thread": thread,
            "namespace": namespace,
            "id": checkpoint["id"],
            "parent": place.get("checkpoint_id"),
            "checkpoint": self._dump(checkpoint),
            "metadata": self._dump(get_checkpoint_metadata(config, metadata)),
        }
        self._store(_run(thread, namespace, checkpoint["id"]), "checkpoint", data)
        return _config(thread, namespace, checkpoint["id"])

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store pending writes of a task. Ordinary writes are stored once, special ones replaced."""
        place = config["configurable"]
        run = _run(str(place["thread_id"]), place.get("checkpoint_ns", ""), place["checkpoint_id"])
        known = self._parts(run)
        for number, (channel, value) in enumerate(writes):
            index = WRITES_IDX_MAP.get(channel, number)
            phase = f"write {_digest([task_id])} {index}"
            if index < 0 or f"{phase} 0" not in known:
                write = {"task": task_id, "index": index, "path": task_path, "channel": channel}
                self._store(run, phase, {**write, "value": self._dump(value)})

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint, by default the last one of a thread."""
        place = config["configurable"]
        thread, namespace = str(place["thread_id"]), place.get("checkpoint_ns", "")
        if wanted := get_checkpoint_id(config):
            return self._tuple(_run(thread, namespace, wanted))
        runs = self._runs(thread, namespace)
        return next((found for run in reversed(runs) if (found := self._tuple(run))), None)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield checkpoints, newest first."""
        place = config["configurable"] if config else {}
        thread = place.get("thread_id")
        runs = self._runs(None if thread is None else str(thread), place.get("checkpoint_ns"))
        wanted, until = config and get_checkpoint_id(config), before and get_checkpoint_id(before)
        newest = sorted(runs, key=_checkpoint_id, reverse=True)
        chosen = (run for run in newest if not wanted or _checkpoint_id(run) == wanted)
        earlier = (run for run in chosen if not until or _checkpoint_id(run) < until)
        found = (each for run in earlier if (each := self._tuple(run)) is not None)
        return islice((each for each in found if _has(each.metadata, filter)), limit)

    def delete_thread(self, thread_id: str) -> None:
        """Delete all checkpoints of a thread."""
        for run in self._runs(str(thread_id), None):
            self._memory.checkpoints.delete(run)

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete all checkpoints of runs."""
        for run in self._runs(None, None):
            found = self._tuple(run)
            if found is not None and found.metadata.get("run_id") in set(run_ids):
                self._memory.checkpoints.delete(run)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints of a thread, with their writes."""
        for run in self._runs(str(source_thread_id), None):
            phases = self._phases(run)
            data = {**phases["checkpoint"], "thread": str(target_thread_id)}
            copy = _run(data["thread"], data["namespace"], data["id"])
            for phase, stored in {**phases, "checkpoint": data}.items():
                self._store(copy, phase, stored)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete the checkpoints of threads: all, or all but the last of each namespace."""
        for thread in thread_ids:
            last: dict[str, str] = {}
            for run in self._runs(str(thread), None):
                namespace, _, _ = run.rpartition("/")
                if old := last.get(namespace) or (strategy == "delete" and run):
                    self._memory.checkpoints.delete(old)
                last[namespace] = run if strategy != "delete" else ""

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint, as `get_tuple`."""
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(
        self, config: RunnableConfig | None, **options: Any
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield checkpoints, as `list`."""
        for each in await asyncio.to_thread(lambda: [*self.list(config, **options)]):
            yield each

    async def aput(self, *arguments: Any) -> RunnableConfig:
        """Store a checkpoint, as `put`."""
        return await asyncio.to_thread(self.put, *arguments)

    async def aput_writes(self, *arguments: Any, **options: Any) -> None:
        """Store pending writes, as `put_writes`."""
        await asyncio.to_thread(self.put_writes, *arguments, **options)

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread, as `delete_thread`."""
        await asyncio.to_thread(self.delete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of runs, as `delete_for_runs`."""
        await asyncio.to_thread(self.delete_for_runs, run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy a thread, as `copy_thread`."""
        await asyncio.to_thread(self.copy_thread, source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete old checkpoints, as `prune`."""
        await asyncio.to_thread(lambda: self.prune(thread_ids, strategy=strategy))

    def get_next_version(self, current: str | None, channel: None) -> str:  # noqa: ARG002
        """Return the next version of a channel."""
        return f"{int(str(current or 0).split('.')[0]) + 1:032}"

    def _dump(self, value: Any) -> tuple[str, str]:
        kind, data = self.serde.dumps_typed(value)
        return kind, b64encode(data).decode()

    def _load(self, stored: Sequence[str]) -> Any:
        return self.serde.loads_typed((stored[0], b64decode(stored[1])))

    def _store(self, run: str, phase: str, data: Mapping[str, Any]) -> None:
        """Store JSON in as many parts as it needs."""
        text = json.dumps(data)
        for number, start in enumerate(range(0, len(text), _PART)):
            part = text[start : start + _PART]
            self._memory.checkpoints.record(run, f"{phase} {number}", part)

    def _parts(self, run: str) -> dict[str, str]:
        try:
            return {each.phase: each.output or "" for each in self._memory.checkpoints.list(run)}
        except NotFoundError:
            return {}

    def _phases(self, run: str) -> dict[str, dict[str, Any]]:
        """Return the stored data of a run by phase."""
        texts: dict[str, list[tuple[int, str]]] = {}
        for phase, part in self._parts(run).items():
            name, _, number = phase.rpartition(" ")
            texts.setdefault(name, []).append((int(number), part))
        return {name: json.loads("".join(t for _, t in sorted(p))) for name, p in texts.items()}

    def _runs(self, thread: str | None, namespace: str | None) -> list[str]:
        """Return the names of the runs, of all threads or of one, oldest first."""
        found = all_items(self._memory.checkpoints.runs, prefix=_prefix(thread, namespace))
        return [each.run for each in found]

    def _tuple(self, run: str) -> CheckpointTuple | None:
        phases = self._phases(run)
        if "checkpoint" not in phases:
            return None
        data = phases.pop("checkpoint")
        thread, namespace = data["thread"], data["namespace"]
        writes = sorted(phases.values(), key=lambda each: (each["path"], each["task"], each["index"]))
        return CheckpointTuple(
            config=_config(thread, namespace, data["id"]),
            checkpoint=self._load(data["checkpoint"]),
            metadata=self._load(data["metadata"]),
            parent_config=_config(thread, namespace, data["parent"]) if data["parent"] else None,
            pending_writes=[(w["task"], w["channel"], self._load(w["value"])) for w in writes],
        )


def _prefix(thread: str | None, namespace: str | None) -> str:
    names = [_NAME]
    if thread is not None:
        names.append(_digest([thread]).partition(":")[2])
        if namespace is not None:
            names.append(_digest([namespace]).partition(":")[2])
    return "/".join((*names, ""))


def _run(thread: str, namespace: str, checkpoint: str) -> str:
    """Return the name of a run. Names of runs sort like the ids of their checkpoints."""
    return f"{_prefix(thread, namespace)}{checkpoint}"


def _checkpoint_id(run: str) -> str:
    return run.rpartition("/")[2]


def _config(thread: str, namespace: str, checkpoint: str) -> RunnableConfig:
    place = {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": checkpoint}
    return {"configurable": place}


def _has(metadata: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    return all(metadata.get(name) == value for name, value in (wanted or {}).items())
