"""Many clients at once: nothing is lost, and no client sees records of others."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from threading import Barrier
from uuid import uuid4

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from erstwhile import Memory
from erstwhile.bootstrap import assemble
from erstwhile.core.scope import Viewer
from erstwhile.core.time import SystemClock
from erstwhile.engines.postgres.engine import PostgresEngine
from tests.engines.postgres.server import shared_url

CLIENTS = 16
SPACES = ("one", "two")
USERS = ("ana", "bob", "eve")
VERBS = ("say", "repeat", "set", "change", "administer", "look back")


@dataclass(frozen=True)
class Client:
    """A client with its scope and its actions."""

    space: str
    user: str
    deeds: tuple[str, ...]

    @property
    def home(self) -> tuple[str, str]:
        return self.space, self.user


clients = st.lists(
    st.builds(
        Client,
        space=st.sampled_from(SPACES),
        user=st.sampled_from(USERS),
        deeds=st.lists(st.sampled_from(VERBS), min_size=2, max_size=5).map(tuple),
    ),
    min_size=CLIENTS,
    max_size=CLIENTS,
)


def act(memory: Memory, client: Client, number: int, start: Barrier) -> None:
    """Do one random action; every text names its owner."""
    mine, name = memory.scoped(user=client.user), f"{client.space} {client.user}"
    start.wait()
    for step, deed in enumerate(client.deeds):
        text = f"{name} says {number} {step}"
        if deed == "say":
            mine.remember(text, entities=[name, f"{name} {number}"], tags=[name])
        elif deed == "repeat":
            mine.remember(f"{name} again", origin="learned")
        elif deed == "set":
            mine.facts.set("city", text)
        elif deed == "change":
            mine.facts.replace(mine.remember(text).id, f"{text} instead")
        elif deed == "administer":
            memory.everything().facts.pin(mine.remember(text).id)
        else:
            seen = mine.facts.list(known_at=SystemClock().now(), limit=1_000)
            assert all(fact.text.startswith(name) for fact in seen)


# Threads meet differently each time, so there is nothing to be gained from shrinking.
@settings(max_examples=6, phases=[Phase.generate])
@given(clients=clients)
def test_nothing_is_lost_and_nobody_sees_what_is_not_theirs(clients: list[Client]) -> None:
    url, run, start = shared_url(), uuid4().hex, Barrier(CLIENTS, timeout=300)
    with ExitStack() as opened, ThreadPoolExecutor(CLIENTS) as pool:

        def memory(space: str) -> Memory:
            engine = PostgresEngine(url, space=f"{run} {space}", connections=2, busy_timeout=60)
            return opened.enter_context(assemble(engine, SystemClock(), Viewer()))

        memories = [memory(client.space) for client in clients]
        acting = pool.map(act, memories, clients, range(CLIENTS), [start] * CLIENTS)
        assert len(list(acting)) == CLIENTS
        for space in SPACES:
            check(memory(space), space, [client for client in clients if client.space == space])


def check(memory: Memory, space: str, clients: list[Client]) -> None:
    everything = memory.everything()
    assert everything.audit.verify().ok
    for user in USERS:
        done = Counter(deed for each in clients if each.user == user for deed in each.deeds)
        check_user(memory.scoped(user=user), f"{space} {user}", done)


def check_user(memory: Memory, name: str, done: Counter[str]) -> None:
    facts = list(memory.facts.list(state="any", limit=1_000))
    assert all(fact.text.startswith(name) for fact in facts)
    assert all(entity.name.startswith(name) for entity in memory.entities.list(limit=1_000))
    one_each = done["say"] + done["set"] + 2 * done["change"] + done["administer"]
    assert len(facts) == one_each + bool(done["repeat"])
    assert sum(fact.pinned for fact in facts) == done["administer"]
    assert memory.facts.count(key="city") == bool(done["set"])
    assert memory.facts.count(tag=name) == done["say"]
    again = [fact.evidence for fact in facts if fact.text == f"{name} again"]
    assert sum(again) == done["repeat"], "an update was lost"
    ours = [entry.at for entry in memory.audit.list(limit=1_000)]
    assert ours == sorted(ours, reverse=True), "time went back"
    assert len({fact.recorded_at for fact in facts}) == len(facts), "time stood still"
