"""A LangGraph checkpointer: each checkpoint is a run, named after its thread and namespace."""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
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

from erstwhile.core.errors import NotFoundError
from erstwhile.core.results import all_items
from erstwhile.integrations.langgraph.store import NAME, digest
from erstwhile.integrations.run_memory import on_thread
from erstwhile.memory import Memory

_PART = 900_000
"""Characters of one stored part; a phase holds a little more."""


class ErstwhileSaver(BaseCheckpointSaver[str]):
    """A LangGraph checkpointer in a memory, within the scope of that memory.

    A checkpoint is stored whole, with its pending writes beside it. Deleted threads can be restored
    with `memory.checkpoints.restore` until they are purged.
    """

    def __init__(self, memory: Memory, **options: Any) -> None:
        super().__init__(**options)
        self._memory = memory.acting_as(NAME)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,  # noqa: ARG002 (all channels are stored)
    ) -> RunnableConfig:
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
        self._store_in_parts(_run(thread, namespace, checkpoint["id"]), "checkpoint", data)
        return _config(thread, namespace, checkpoint["id"])

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store pending writes of a task, each once; errors and interrupts are replaced."""
        place = config["configurable"]
        run = _run(str(place["thread_id"]), place.get("checkpoint_ns", ""), place["checkpoint_id"])
        known = self._stored_parts(run)
        for number, (channel, value) in enumerate(writes):
            index = WRITES_IDX_MAP.get(channel, number)
            phase = f"write {digest([task_id])} {index}"
            if index < 0 or f"{phase} 0" not in known:
                write = {"task": task_id, "index": index, "path": task_path, "channel": channel}
                self._store_in_parts(run, phase, {**write, "value": self._dump(value)})

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
        conditions = (filter or {}).items()
        return islice(
            (each for each in found if all(each.metadata.get(k) == v for k, v in conditions)), limit
        )

    def delete_thread(self, thread_id: str) -> None:
        for run in self._runs(str(thread_id), None):
            self._memory.checkpoints.delete(run)

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
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
                self._store_in_parts(copy, phase, stored)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete the checkpoints of threads: all, or all but the last of each namespace."""
        for thread in thread_ids:
            last: dict[str, str] = {}
            for run in self._runs(str(thread), None):
                namespace, _, _ = run.rpartition("/")
                if old := last.get(namespace) or (strategy == "delete" and run):
                    self._memory.checkpoints.delete(old)
                last[namespace] = run if strategy != "delete" else ""

    async def alist(
        self, config: RunnableConfig | None, **options: Any
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield checkpoints, as `list`."""
        for each in await asyncio.to_thread(lambda: [*self.list(config, **options)]):
            yield each

    aget_tuple, aput, aput_writes = on_thread(get_tuple), on_thread(put), on_thread(put_writes)
    adelete_thread, adelete_for_runs = on_thread(delete_thread), on_thread(delete_for_runs)
    acopy_thread, aprune = on_thread(copy_thread), on_thread(prune)

    def get_next_version(self, current: str | None, channel: None) -> str:  # noqa: ARG002
        return f"{int(str(current or 0).split('.')[0]) + 1:032}"

    def _dump(self, value: Any) -> tuple[str, str]:
        kind, data = self.serde.dumps_typed(value)
        return kind, b64encode(data).decode()

    def _load(self, stored: Sequence[str]) -> Any:
        return self.serde.loads_typed((stored[0], b64decode(stored[1])))

    def _store_in_parts(self, run: str, phase: str, data: Mapping[str, Any]) -> None:
        """Store JSON in as many parts as it needs."""
        text = json.dumps(data)
        for number, start in enumerate(range(0, len(text), _PART)):
            part = text[start : start + _PART]
            self._memory.checkpoints.record(run, f"{phase} {number}", part)

    def _stored_parts(self, run: str) -> dict[str, str]:
        try:
            return {each.phase: each.output or "" for each in self._memory.checkpoints.list(run)}
        except NotFoundError:
            return {}

    def _phases(self, run: str) -> dict[str, dict[str, Any]]:
        """Return the stored data of a run by phase."""
        texts: dict[str, list[tuple[int, str]]] = {}
        for phase, part in self._stored_parts(run).items():
            name, _, number = phase.rpartition(" ")
            texts.setdefault(name, []).append((int(number), part))
        return {name: json.loads("".join(t for _, t in sorted(p))) for name, p in texts.items()}

    def _runs(self, thread: str | None, namespace: str | None) -> Sequence[str]:
        """Return the names of the runs, of all threads or of one, oldest first."""
        found = all_items(self._memory.checkpoints.runs, prefix=_prefix(thread, namespace))
        return [each.run for each in found]

    def _tuple(self, run: str) -> CheckpointTuple | None:
        phases = self._phases(run)
        if "checkpoint" not in phases:
            return None
        data = phases.pop("checkpoint")
        thread, namespace = data["thread"], data["namespace"]
        writes = sorted(phases.values(), key=lambda w: (w["path"], w["task"], w["index"]))
        return CheckpointTuple(
            config=_config(thread, namespace, data["id"]),
            checkpoint=self._load(data["checkpoint"]),
            metadata=self._load(data["metadata"]),
            parent_config=_config(thread, namespace, data["parent"]) if data["parent"] else None,
            pending_writes=[(w["task"], w["channel"], self._load(w["value"])) for w in writes],
        )


def _prefix(thread: str | None, namespace: str | None) -> str:
    names = [NAME]
    if thread is not None:
        names.append(digest([thread]).partition(":")[2])
        if namespace is not None:
            names.append(digest([namespace]).partition(":")[2])
    return "/".join((*names, ""))


def _run(thread: str, namespace: str, checkpoint: str) -> str:
    """Return the name of a run. Names of runs sort like the ids of their checkpoints."""
    return f"{_prefix(thread, namespace)}{checkpoint}"


def _checkpoint_id(run: str) -> str:
    return run.rpartition("/")[2]


def _config(thread: str, namespace: str, checkpoint: str) -> RunnableConfig:
    place = {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": checkpoint}
    return {"configurable": place}
