"""Calls of tasks, checkpoints and snapshots for the contract on isolation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from erstwhile.memory import Memory
from erstwhile.snapshots.collection import Snapshots
from erstwhile.storage.lookup import Identified
from erstwhile.tasks.checkpoints import Checkpoints
from erstwhile.tasks.collection import Tasks

Verb = Callable[[Memory, str], Any]
COLLECTIONS = (Tasks, Checkpoints, Snapshots)
RUN = "dig"

ASKING: dict[str, Verb] = {
    "Tasks.get": lambda memory, id: memory.tasks.get(id),
    "Tasks.runs": lambda memory, id: memory.tasks.runs(id),
    "Tasks.list": lambda memory, _: [
        memory.tasks.list(ended=True), memory.tasks.list(deleted=True),
        memory.tasks.list(status="claimed"), memory.tasks.list(due_by="in 9 days"),
    ],
    "Tasks.claim_due": lambda memory, _: memory.tasks.claim_due("bob", limit=100),
    "Checkpoints.get": lambda memory, _: memory.checkpoints.get(RUN, "gold"),
    "Checkpoints.list": lambda memory, _: memory.checkpoints.list(RUN),
    "Checkpoints.resume": lambda memory, _: memory.checkpoints.resume(RUN),
    "Checkpoints.runs": lambda memory, _: [
        memory.checkpoints.runs(), memory.checkpoints.runs(unfinished=True),
        memory.checkpoints.runs(deleted=True),
    ],
    "Snapshots.get": lambda memory, _: memory.snapshots.get(RUN),
    "Snapshots.list": lambda memory, _: [
        memory.snapshots.list(), memory.snapshots.list(deleted=True)
    ],
    "Snapshots.diff": lambda memory, _: memory.snapshots.diff(RUN),
}  # fmt: skip

CHANGING_BY_ID: dict[str, Verb] = {
    "Tasks.claim": lambda memory, id: memory.tasks.claim(id, "bob"),
    "Tasks.heartbeat": lambda memory, id: memory.tasks.heartbeat(id, "token"),
    "Tasks.complete": lambda memory, id: memory.tasks.complete(id, "token"),
    "Tasks.fail": lambda memory, id: memory.tasks.fail(id, "token", "no"),
    "Tasks.release": lambda memory, id: memory.tasks.release(id, "token"),
    "Tasks.defer": lambda memory, id: memory.tasks.defer(id, "in 1 day"),
    "Tasks.cancel": lambda memory, id: memory.tasks.cancel(id),
    "Tasks.update": lambda memory, id: memory.tasks.update(id, description="his"),
    "Tasks.delete": lambda memory, id: memory.tasks.delete(id),
    "Tasks.restore": lambda memory, id: memory.tasks.restore(id),
    "Tasks.erase": lambda memory, id: memory.tasks.erase(id),
}
CHANGING: dict[str, Verb] = {
    "Tasks.add": lambda memory, _: memory.tasks.add("dig for treasure", due="2026-03-01"),
    "Tasks.purge": lambda memory, _: memory.tasks.purge("0 days"),
    "Checkpoints.plan": lambda memory, _: memory.checkpoints.plan(RUN, "gold", "home"),
    "Checkpoints.start": lambda memory, _: memory.checkpoints.start(RUN, "gold"),
    "Checkpoints.save": lambda memory, _: memory.checkpoints.save(RUN, "gold", "his"),
    "Checkpoints.complete": lambda memory, _: memory.checkpoints.complete(RUN, "gold"),
    "Checkpoints.fail": lambda memory, _: memory.checkpoints.fail(RUN, "gold", "no"),
    "Checkpoints.delete": lambda memory, _: memory.checkpoints.delete(RUN),
    "Checkpoints.restore": lambda memory, _: memory.checkpoints.restore(RUN),
    "Checkpoints.purge": lambda memory, _: memory.checkpoints.purge("0 days"),
    "Checkpoints.erase": lambda memory, _: memory.checkpoints.erase(RUN),
    "Snapshots.create": lambda memory, _: memory.snapshots.create(RUN),
    "Snapshots.restore": lambda memory, _: memory.snapshots.restore(RUN),
    "Snapshots.delete": lambda memory, _: memory.snapshots.delete(RUN),
    "Snapshots.purge": lambda memory, _: memory.snapshots.purge("0 days"),
    "Snapshots.erase": lambda memory, _: memory.snapshots.erase(RUN),
}


def worked(memory: Memory) -> list[Identified]:
    """Store tasks in every state and a run that has begun."""
    dig, waiting, deleted, erased = (
        memory.tasks.add(f"{how} for treasure", due="2026-03-01").task
        for how in ("dig", "wait", "look", "pray")
    )
    held = memory.tasks.claim(dig.id, "treasurer").task
    done = memory.tasks.add("find the treasure").task
    token = memory.tasks.claim(done.id, "treasurer").token
    memory.tasks.complete(done.id, token, result="a treasure")
    memory.tasks.delete(deleted.id)
    memory.tasks.erase(erased.id)
    memory.checkpoints.start(RUN, "gold")
    memory.checkpoints.save(RUN, "gold", "half a treasure")
    memory.snapshots.create(RUN, description="where the treasure is")
    memory.blocks.add("map of the treasure", "here")
    return [held, waiting, done, deleted, erased]
