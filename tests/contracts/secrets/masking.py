"""Every verb masks a secret before it is stored, indexed or embedded."""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any

import pytest

from erstwhile.core.ports import Engine
from erstwhile.decisions.decision import Decision, DecisionRequest
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, contents, embedding_memory, told
from tests.contracts.facts.conflicts import clash
from tests.doubles import UnreliableEmbedder
from tests.surface import collections_of

CANARY = "cAn4ryB1rdS1ngs0fM1n3s"
"""A part of each secret below, and of nothing else."""
SECRETS = {
    "of AI": f"sk-ant-api03-{CANARY}xYz",
    "of a cloud": f"GOCSPX-{CANARY}xYz",
    "of version control": f"glpat-{CANARY}",
    "of a chat": f"xoxb-1234567890-{CANARY}",
    "of payment": f"sk_live_{CANARY}",
    "of a database": f"postgresql://ana:{CANARY}@db.example/shop",
    "by its name": f"export DB_PASSWORD={CANARY}",
    "in a sentence": f"my password is {CANARY}",
    "a key": f"-----BEGIN PRIVATE KEY-----\n{CANARY}\n-----END PRIVATE KEY-----",
}
FREE = frozenset((
    "aliases", "assistant", "channel", "content", "decision", "description", "details", "domain",
    "error", "filters", "folder", "items", "learned", "metadata", "new", "new_folder", "new_name",
    "new_text", "note", "old", "output", "phase", "phases", "plan", "query", "reason", "request",
    "resolution", "result", "rule", "run", "summary", "text", "title", "value", "what", "where",
    "why", "worker",
))  # fmt: skip
"""Parameters in which a caller says something, and by which nothing is told apart."""
NAMES_OF_PEOPLE = {"identities.erase"}
"""Its aliases are names of users: they tell people apart, and are kept as they are."""


def remembered(memory: Memory, said: str, label: str) -> None:
    facts, links = memory.facts, [(label, label, label)]
    details: Any = {
        "key": label, "tags": [label], "entities": [label], "relations": links,
        "metadata": {"note": said, label: [said], "password": CANARY},
    }  # fmt: skip
    first = memory.remember(said, **details)
    memory.remember_many([{"text": f"again {said}", "tags": [label]}])
    memory.recall(said, tag=label, contains=label, limit=3)
    memory.why_not(said, first.id, contains=label)
    memory.context(said, channel=label)
    memory.feedback(first.id, "useful", reason=said)
    memory.facts.list(contains=label, key=label)
    memory.facts.count(contains=label)
    memory.facts.set(label, f"a value: {said}", tags=[label])
    fact = memory.facts.replace(memory.remember("old").id, f"new {said}", reason=said)
    for verb in (facts.confirm, facts.pin, facts.unpin, facts.delete, facts.restore):
        verb(fact.id, reason=said)
    memory.facts.retire(fact.id, "wrong", reason=said)
    memory.facts.undo(fact.id, reason=said)
    memory.facts.update(fact.id, tags=[label], metadata={"password": CANARY}, reason=said)
    memory.scoped(session="s").facts.move(memory.remember("moved").id, to="session", reason=said)
    memory.remember(f"told once: {said}")
    assert memory.facts.find(f"told once: {said}")
    memory.facts.replace_text(f"told once: {said}", f"told twice: {said}", reason=said)
    memory.facts.forget(f"told twice: {said}", reason=said)
    memory.facts.purge_retired(contains=label, preview=True)
    gone = memory.facts.delete_all(user="ana", reason=said)
    memory.facts.restore_all(gone.at or "now", user="ana", reason=said)
    memory.entities.add_alias(label, f"also {label}", reason=said)
    memory.entities.remove_alias(label, f"also {label}", reason=said)


def noted(memory: Memory, said: str, label: str) -> None:
    blocks, name = memory.blocks, "a/notes"
    memory.blocks.add(name, said, description=said, overflow="archive", reason=said)
    memory.blocks.update(name, f"1 {said}", reason=said)
    memory.blocks.append(name, said, reason=said)
    memory.blocks.insert(name, 0, said, reason=said)
    memory.blocks.update(name, f"only here: {said}", reason=said)
    memory.blocks.replace_text(name, f"here: {said}", f"there: {said}", reason=said)
    memory.blocks.describe(name, f"for {said}", reason=said)
    memory.blocks.append(name, f"{said}\n" * 9)
    memory.blocks.set_limit(name, 60, reason=said)
    memory.blocks.set_read_only(name, reason=said)
    memory.blocks.set_read_only(name, False, reason=said)
    memory.blocks.rename(name, "a/plain" if "/" in label else f"a/{label}", reason=said)
    memory.blocks.rename_folder("a", "b", reason=said)
    memory.blocks.delete_folder("b", reason=said)
    memory.blocks.add(name, said)
    memory.blocks.prune(name, 1, reason=said)
    memory.blocks.delete(name, reason=said)
    memory.blocks.restore(name, reason=said)
    assert blocks.get(name)


def decided(memory: Memory, said: str, label: str) -> None:
    call: Any = {"goal": label, "tool": label, "input": {"command": said, "token": CANARY}}
    made = Decision(**call, choice="deny", message=said, rationale=said, options=(said,))
    kept = memory.decisions.record(made)
    memory.decisions.set_outcome(kept.id, said)
    memory.decisions.recall(DecisionRequest(**call), 3, floor=0)
    memory.decisions.advise(DecisionRequest(**call))
    for ask in (memory.decisions.list, memory.decisions.count, memory.decisions.export):
        ask(goal=label)
    memory.decisions.supersede(kept.id, Decision(**call, choice="allow"), reason=said)
    memory.decisions.trust(kept.id, reason=said)
    memory.decisions.delete(kept.id, reason=said)
    memory.decisions.restore(kept.id, reason=said)


def talked(memory: Memory, said: str, label: str) -> None:
    chats, extra = memory.conversations, {"tool_calls": [{"arguments": said}], "token": CANARY}
    memory.conversations.start(label, metadata=extra)
    first = memory.conversations.add("tool", said, channel=label, metadata=extra)
    memory.conversations.add_exchange(said, said, channel=label, metadata=extra)
    here = memory.conversations.current(label).id
    memory.conversations.compact(here, said, through=first.id)
    memory.conversations.expand(here, reason=said)
    memory.conversations.search(said, channel=label)
    memory.conversations.list(channel=label)
    memory.conversations.summaries(channel=label)
    memory.conversations.undo(here, reason=said)
    memory.conversations.close(here, said, reason=said)
    for verb in (chats.reopen, chats.expand, chats.delete, chats.restore):
        verb(here, reason=said)
    memory.sessions.set("7", channel=label)
    memory.sessions.get(channel=label)
    memory.sessions.clear(channel=label)
    memory.sessions.erase(channel=label)
    memory.identities.link("robin", "ana", reason=said)
    memory.identities.unlink("robin", reason=said)
    memory.profile.notice_language(said)
    memory.profile.detect_language(said)


def worked(memory: Memory, said: str, label: str) -> None:
    tasks, extra = memory.tasks, {"note": said}
    task = memory.tasks.add(said, metadata=extra).task
    memory.tasks.update(task.id, description=f"more {said}", reason=said)
    memory.tasks.defer(task.id, "now", reason=said)
    memory.tasks.fail(task.id, memory.tasks.claim(task.id, label).token, said)
    memory.tasks.claim_due(label)
    for verb in (tasks.cancel, tasks.delete, tasks.restore):
        verb(task.id, reason=said)
    done = memory.tasks.add("done soon").task
    memory.tasks.complete(done.id, memory.tasks.claim(done.id, label).token, result=said)
    memory.checkpoints.plan(label, label, f"2 {label}")
    memory.checkpoints.start(label, label)
    memory.checkpoints.save(label, label, said)
    memory.checkpoints.get(label, label)
    memory.checkpoints.fail(label, label, said)
    memory.checkpoints.start(label, label)
    memory.checkpoints.complete(label, label, said)
    memory.checkpoints.record(label, f"3 {label}", said)
    for ask in (memory.checkpoints.list, memory.checkpoints.resume):
        ask(label)
    memory.checkpoints.delete(label, reason=said)
    memory.checkpoints.restore(label, reason=said)
    memory.checkpoints.plan(f"2 {label}", label)
    memory.checkpoints.erase(f"2 {label}")
    memory.snapshots.create(label, description=said)
    memory.snapshots.get(label)
    memory.snapshots.diff(label)
    memory.snapshots.restore(label, reason=said)
    memory.snapshots.delete(label, reason=said)
    memory.snapshots.create(label)
    memory.snapshots.erase(label)


def recorded(memory: Memory, said: str, label: str) -> None:
    memory.outcomes.list(domain=label)
    memory.outcomes.tally(domain=label)
    memory.lessons.list(domain=label)
    memory.observations.search(said)
    records = {
        "outcomes": memory.outcomes.add(label, 1, note=said, source=label),
        "lessons": memory.lessons.add(label, said),
        "observations": memory.observations.add(
            "pattern", label, what=said, why=said, where=said, learned=said
        ),
        "limitations": memory.limitations.add(label, description=said, plan=said),
        "usage": memory.usage.record("m", input=1),
    }
    memory.limitations.resolve(records["limitations"].id, resolution=said)
    for name, record in records.items():
        getattr(memory, name).delete(record.id, reason=said)
        getattr(memory, name).restore(record.id, reason=said)


def learned(memory: Memory, said: str, label: str) -> None:
    extra = {"note": said}
    memory.observe_turn(
        f"My name is Ana. {said}", said, tools=[said], channel=label, metadata=extra, wait=True
    )
    memory.observe([{"role": "user", "content": said}], channel=label, wait=True)
    message = {"role": "user", "content": f"Remember that {said}", "metadata": extra}
    memory.conversations.add_many([message], channel=label)
    memory.learn()
    # Nobody deleted anything there that a page may not say again.
    quarantined(memory.scoped(user="ana"), said)
    one, other = memory.remember_many(["it is here", "it is there"])
    conflict = clash(memory, one, other, reason="one place")
    memory.conflicts.settle(conflict.id, reason=said)
    memory.conflicts.undo(conflict.id, reason=said)
    memory.conflicts.settle(conflict.id)
    bikes = ("The user has a red bike", "The user has the red bike.")
    memory.remember_many([{"text": bike, "origin": "learned"} for bike in bikes])
    memory.consolidations.undo(memory.consolidate().id or "", reason=said)


def quarantined(memory: Memory, said: str) -> None:
    for verb in (memory.quarantine.approve, memory.quarantine.reject):
        held = memory.remember(f"{verb.__name__} {said}", origin="web")
        verb(held.id, reason=said)
        memory.quarantine.undo(held.id, reason=said)


LIVES = (remembered, noted, decided, talked, worked, recorded, learned)


def live(memory: Memory, said: str) -> None:
    """Call every verb that takes text with this secret, in a sentence and as a name."""
    label = said.replace("\n", " ")
    for part in LIVES:
        part(memory, f"Ana said {said} again", label)


class SecretsContract(Contract):
    def test_no_verb_is_forgotten(self, memory: Memory) -> None:
        """A new public method that takes text must be called here."""
        source = inspect.getsource(sys.modules[__name__])
        called = set(re.findall(r"\bmemory\.(\w+\.\w+)\b", source))
        called |= {f"memory.{name}" for name in re.findall(r"\bmemory\.(\w+)\(", source)}
        short = {"facts": "facts", "chats": "conversations", "tasks": "tasks"}
        for name, collection in short.items():
            called |= {f"{collection}.{verb}" for verb in re.findall(rf"\b{name}\.(\w+)\b", source)}
        for name in ("outcomes", "lessons", "observations", "limitations", "usage"):
            called |= {f"{name}.delete", f"{name}.restore"}
        assert _speaking(memory) - called == NAMES_OF_PEOPLE

    @pytest.mark.parametrize("secret", SECRETS.values(), ids=list(SECRETS))
    def test_no_secret_is_stored_or_embedded(
        self, engine: Engine, clock: FakeClock, secret: str
    ) -> None:
        """Neither in a record, nor in the audit trail, nor in the input of an embedder."""
        embedder = UnreliableEmbedder()
        memory = embedding_memory(engine, clock, embedder)
        live(memory.scoped(agent="coder"), secret)
        memory.flush()
        everything = told(contents(memory.everything()))
        assert "[masked:" in everything
        assert "[masked:" in repr(embedder.embedded)
        assert CANARY not in everything
        assert CANARY not in repr(embedder.embedded)
        assert memory.everything().audit.verify().ok

    def test_what_was_masked_is_what_comes_back(self, memory: Memory) -> None:
        """The caller sees the mask, and the same secret again is a repeat."""
        ana = memory.scoped(user="ana")
        fact = ana.remember(f"The key is {SECRETS['of AI']}")
        assert fact.text == "The key is [masked:anthropic-key]"
        assert ana.remember(f"The key is {SECRETS['of AI']}").evidence == 2

    def test_every_hit_is_masked(self, memory: Memory) -> None:
        keys = " ".join((SECRETS["of AI"], SECRETS["of AI"], SECRETS["of a chat"]))
        text = memory.scoped(user="ana").remember(keys).text
        assert (text.count("[masked:"), CANARY in text) == (3, False)

    def test_a_masked_text_can_be_edited_by_its_first_words(self, memory: Memory) -> None:
        """An edit that quotes the secret finds the masked text."""
        blocks = memory.scoped(user="ana").blocks
        blocks.add("notes", f"a\n{SECRETS['of AI']}\nb")
        edited = blocks.replace_text("notes", f"{SECRETS['of AI']}\nb", "c")
        assert edited.content == "a\nc"

    def test_a_secret_made_of_harmless_parts_is_found(self, memory: Memory) -> None:
        """The block after an edit is checked."""
        blocks = memory.scoped(user="ana").blocks
        blocks.add("notes", "sk-ant-api03-HERE")
        assert CANARY not in blocks.replace_text("notes", "HERE", f"{CANARY}xYz").content

    def test_names_that_tell_users_apart_are_kept(self, memory: Memory) -> None:
        """With masks, two users could become one."""
        one, two = (memory.scoped(user=f"sk-ant-api03-{CANARY}{n}") for n in "12")
        one.remember("hers")
        assert (one.facts.count(), two.facts.count()) == (1, 0)


def _speaking(memory: Memory) -> set[str]:
    """Return the verbs that take text."""
    return {
        f"{name}.{verb}"
        for name, part in {"memory": memory, **collections_of(memory)}.items()
        for verb, function in inspect.getmembers(type(part), inspect.isfunction)
        if not verb.startswith("_") and not FREE.isdisjoint(inspect.signature(function).parameters)
    }
