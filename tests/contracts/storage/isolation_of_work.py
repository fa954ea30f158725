"""Calls of tasks, runs, snapshots, records, usage and profiles for the isolation contract."""

from __future__ import annotations

from erstwhile.memory import Memory
from erstwhile.operations.snapshots import Snapshots
from erstwhile.profile.collection import Onboarding, Profile
from erstwhile.records.lessons import Lessons
from erstwhile.records.limitations import Limitations
from erstwhile.records.observations import Observations
from erstwhile.records.outcomes import Outcomes
from erstwhile.storage.record import Identified
from erstwhile.tasks.checkpoints import Checkpoints
from erstwhile.tasks.collection import Tasks
from erstwhile.usage.collection import Usage
from tests.contracts.storage.probing import Verb, by_id, with_arguments

COLLECTIONS = (
    *(Tasks, Checkpoints, Snapshots, Outcomes, Lessons, Observations, Limitations, Usage),
    *(Profile, Onboarding),
)
RUN, DOMAIN = "dig", "digging"
JAPANESE = "宝物は正午に埋められました。"
RECORDS = ("outcomes", "lessons", "observations", "limitations", "usage")

ASKING: dict[str, Verb] = {
    **by_id("tasks", "get runs"),
    "Tasks.list": lambda memory, _: [
        memory.tasks.list(ended=True), memory.tasks.list(deleted=True),
        memory.tasks.list(status="claimed"), memory.tasks.list(due_by="in 9 days"),
    ],
    "Tasks.claim_due": lambda memory, _: memory.tasks.claim_due("bob", limit=100),
    **with_arguments("checkpoints", get=(RUN, "gold"), list=(RUN,), resume=(RUN,)),
    "Checkpoints.runs": lambda memory, _: [
        memory.checkpoints.runs(), memory.checkpoints.runs(unfinished=True),
        memory.checkpoints.runs(deleted=True),
    ],
    **with_arguments("snapshots", get=(RUN,), diff=(RUN,)),
    "Snapshots.list": lambda memory, _: [
        memory.snapshots.list(), memory.snapshots.list(deleted=True)
    ],
    **{name: verb for kind in RECORDS for name, verb in by_id(kind, "get").items()},
    "Outcomes.list": lambda memory, _: [
        memory.outcomes.list(deleted=deleted, domain=domain)
        for deleted in (False, True) for domain in (None, DOMAIN)
    ],
    "Outcomes.tally": lambda memory, _: memory.outcomes.tally(),
    "Lessons.list": lambda memory, _: [
        memory.lessons.list(deleted=deleted, domain=domain)
        for deleted in (False, True) for domain in (None, DOMAIN)
    ],
    "Lessons.list after another": lambda memory, id: memory.lessons.list(cursor=id),
    "Observations.list": lambda memory, _: [
        memory.observations.list(deleted=deleted) for deleted in (False, True)
    ],
    "Observations.search": lambda memory, _: [
        memory.observations.search(query) for query in ("TREASURE", "everybody and TREASURES")
    ],
    "Limitations.list": lambda memory, _: [
        memory.limitations.list(deleted=deleted, status="any") for deleted in (False, True)
    ],
    "Usage.list": lambda memory, _: [
        memory.usage.list(deleted=deleted) for deleted in (False, True)
    ],
    "Usage.summary": lambda memory, _: [
        memory.usage.summary(by) for by in (None, "day", "model", "session")
    ],
    "Usage.price": lambda memory, _: memory.usage.price("treasure"),
    "Profile.values": lambda memory, _: [
        memory.profile.values(), memory.profile.values(known_at="now"),
    ],
    "Profile.text": lambda memory, _: [
        memory.profile.text(), memory.profile.text(known_at="now"),
    ],
    "Profile.language": lambda memory, _: memory.profile.language(),
    "Profile.detect_language": lambda memory, _: memory.profile.detect_language(JAPANESE),
    "Onboarding.reached": lambda memory, _: memory.onboarding.reached(),
}  # fmt: skip

CHANGING_BY_ID: dict[str, Verb] = {
    **by_id("tasks", "cancel delete restore erase"),
    "Tasks.claim": lambda memory, id: memory.tasks.claim(id, "bob"),
    "Tasks.heartbeat": lambda memory, id: memory.tasks.heartbeat(id, "token"),
    "Tasks.complete": lambda memory, id: memory.tasks.complete(id, "token"),
    "Tasks.fail": lambda memory, id: memory.tasks.fail(id, "token", "no"),
    "Tasks.release": lambda memory, id: memory.tasks.release(id, "token"),
    "Tasks.defer": lambda memory, id: memory.tasks.defer(id, "in 1 day"),
    "Tasks.update": lambda memory, id: memory.tasks.update(id, description="his"),
    **by_id("limitations", "resolve"),
    **{
        name: verb for kind in RECORDS for name, verb in by_id(kind, "delete restore erase").items()
    },
}
CHANGING: dict[str, Verb] = {
    "Tasks.add": lambda memory, _: memory.tasks.add("dig for treasure", due="2026-03-01"),
    **with_arguments(
        "checkpoints",
        record=(RUN, "gold", "none"),
        plan=(RUN, "gold", "home"),
        start=(RUN, "gold"),
        save=(RUN, "gold", "his"),
        complete=(RUN, "gold"),
        fail=(RUN, "gold", "no"),
        delete=(RUN,),
        restore=(RUN,),
        erase=(RUN,),
    ),
    **with_arguments("snapshots", create=(RUN,), restore=(RUN,), delete=(RUN,), erase=(RUN,)),
    **{
        name: verb
        for kind in ("tasks", "checkpoints", "snapshots", *RECORDS)
        for name, verb in with_arguments(kind, purge=("0 days",)).items()
    },
    "Lessons.add": lambda memory, _: [
        memory.lessons.add(DOMAIN, f"treasure {number}") for number in range(12)
    ],
    **with_arguments("outcomes", add=(DOMAIN, 1)),
    **with_arguments("observations", add=("pattern", "treasure")),
    **with_arguments("limitations", add=("treasure 0",)),
    "Usage.record": lambda memory, _: memory.usage.record("treasure 0", session="treasure"),
    **with_arguments("profile", set_language=("ko",), notice_language=(JAPANESE,)),
    **with_arguments("onboarding", next=()),
}


def worked(memory: Memory) -> list[Identified]:
    """Store tasks and records in every state, a run that has begun, a profile, and a stage."""
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
    return [held, waiting, done, deleted, erased, *_recorded(memory)]


def _recorded(memory: Memory) -> list[Identified]:
    """Add three records of each kind, of which one is deleted and one erased."""
    kept: list[Identified] = []
    for number, then in enumerate(("get", "delete", "erase")):
        text = f"treasure {number}"
        made = (
            memory.outcomes.add(DOMAIN, -1, note=text),
            memory.lessons.add(DOMAIN, text),
            memory.observations.add("pattern", text, where="treasure island"),
            memory.limitations.add(text, plan="dig"),
            memory.usage.record(text, input=7, cost=7, session="treasure"),
        )
        for kind, record in zip(RECORDS, made, strict=True):
            getattr(getattr(memory, kind), then)(record.id)
        kept += made
    memory.facts.set("treasure", "buried")
    memory.profile.set_language("ja")
    memory.onboarding.next()
    return kept
