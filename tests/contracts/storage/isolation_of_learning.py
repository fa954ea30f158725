"""Calls of learning, quarantine and conflicts for the contract on isolation."""

from __future__ import annotations

from threading import Event

from erstwhile.facts.conflicts import Conflicts
from erstwhile.facts.quarantine import Quarantine
from erstwhile.learning.collection import Learning
from erstwhile.learning.consolidation.collection import Consolidations
from erstwhile.memory import Memory
from erstwhile.storage.record import Identified
from tests.contracts.facts.conflicts import clash
from tests.contracts.storage.probing import Verb, by_id

COLLECTIONS = (Learning, Consolidations, Quarantine, Conflicts)
SAID = "My treasure is called Rex."

ASKING: dict[str, Verb] = {
    "Learning.attempts": lambda memory, _: [
        memory.learning.attempts(), memory.learning.attempts(outcome="learned"),
    ],
    "Learning.attempts of one": lambda memory, id: memory.learning.attempts(conversation=id),
    "Learning.pending": lambda memory, _: memory.learning.pending(),
    "Learning.status": lambda memory, _: memory.learning.status(),
    "Quarantine.list": lambda memory, _: memory.quarantine.list(),
    "Conflicts.get": lambda memory, id: memory.conflicts.get(id),
    "Conflicts.list": lambda memory, _: [
        memory.conflicts.list(), memory.conflicts.list(settled=True),
    ],
}  # fmt: skip
CHANGING_BY_ID: dict[str, Verb] = {
    "Learning.retry": lambda memory, id: memory.learning.retry(id),
    "Memory.learn from one": lambda memory, id: memory.learn(id),
    **by_id("consolidations", "undo"),
    **by_id("quarantine", "approve reject undo"),
    **by_id("conflicts", "settle undo"),
}
CHANGING: dict[str, Verb] = {
    "Memory.learn": lambda memory, _: memory.learn(),
    "Memory.consolidate": lambda memory, _: memory.consolidate(),
    "Learning.watch": lambda memory, _: memory.learning.watch(_ended()),
    "Memory.observe_turn": lambda memory, _: memory.observe_turn(
        SAID, "the treasure", channel="sea", key="turn", wait=True
    ),
    "Memory.observe": lambda memory, _: memory.observe(
        [{"role": "user", "content": SAID}], channel="sea", wait=True
    ),
    "Memory.remember from outside": lambda memory, _: memory.remember(
        "no treasure, they say", origin="web"
    ),
}


def _ended() -> Event:
    """Return an event that is set: what is watched ends at once."""
    event = Event()
    event.set()
    return event


def doubted(memory: Memory) -> list[Identified]:
    """Store learned, waiting, held and rejected facts, and open and settled conflicts."""
    seen = memory.observe_turn(SAID, "the treasure", channel="sea", key="turn", wait=True)
    memory.conversations.add("user", "My second treasure is called Max.", channel="sea")
    held = memory.remember("a treasure, somebody says", origin="web")
    rejected = memory.remember("no treasure, they say", origin="web")
    memory.quarantine.reject(rejected.id, reason="there is a treasure")
    here, there, nowhere = memory.remember_many(
        [f"the treasure is {where}" for where in ("here", "there", "nowhere")]
    )
    open_one = clash(memory, there, here, reason="one treasure")
    settled = memory.conflicts.settle(clash(memory, nowhere, here).id, here.id)
    return [held, rejected, open_one, settled, *seen.attempts]
