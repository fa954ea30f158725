"""Records of every kind to erase, and a search of the files for every piece of their texts."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import erstwhile
from erstwhile import Decision, Memory
from erstwhile.core.text import folded
from erstwhile.facts.conflict import note_conflict
from erstwhile.learning import attempts
from erstwhile.learning.attempts import AttemptChange, AttemptOutcome
from erstwhile.learning.candidate import ChangeType
from erstwhile.learning.progress import PendingTurn

WINDOW = 12


Erase = Callable[["Tokens"], Iterable[str]]
"""Erases what was added, and returns the ids. It may write further words before."""
GONE, KEPT = 1, 2


class Tokens:
    """Unique random words of a given size."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._random = random.Random(seed)
        self.made: list[str] = []

    def __call__(self, length: int = 24) -> str:
        letters = self._random.choices(string.ascii_letters + string.digits, k=length)
        self.made.append("".join(letters))
        return self.made[-1]

    def text(self, length: int) -> str:
        """Return random text with letters of several bytes."""
        return f"{self(length)} über 記憶"[:length]


def windows(data: bytes) -> set[bytes]:
    return {data[at : at + WINDOW] for at in range(len(data) - WINDOW + 1)}


def pieces(words: list[str]) -> set[bytes]:
    """Return every run of 12 bytes of the words, as written and folded."""
    return {
        piece for word in words for form in (word, folded(word)) for piece in windows(form.encode())
    }


def bytes_on_disk(file: Path) -> bytes:
    companions = (Path(f"{file}{suffix}") for suffix in ("", "-wal", "-shm"))
    return b"".join(path.read_bytes() for path in companions if path.exists())


def assert_written(file: Path, tokens: Tokens) -> None:
    data = bytes_on_disk(file)
    assert [word for word in tokens.made if not any(each in data for each in pieces([word]))] == []


def assert_gone(file: Path, gone: Tokens, kept: Tokens) -> None:
    data, erased = bytes_on_disk(file), pieces(gone.made)
    places = range(len(data) - WINDOW + 1)
    assert [at for at in places if data[at : at + WINDOW] in erased][:3] == []
    assert_written(file, kept)


def add_facts(memory: Memory, token: Tokens, length: int, *, purge: bool = False) -> Erase:
    """Remember facts that use every field and every change."""
    ana, shop = token(), token()
    first = memory.remember(
        token.text(length),
        key=token(),
        tags=[token(), token()],
        entities=[ana],
        relations=[(ana, token(), shop)],
        metadata={token(): token(), "list": [token()]},
        source={"conversation": token(), "messages": [token()]},
    )
    memory.remember(first.text, key=first.key, tags=[token()], metadata={"more": token()})
    memory.facts.pin(first.id, reason=token())
    memory.entities.add_alias(ana, token(), reason=token())
    second = memory.facts.replace(first.id, token.text(length), reason=token())
    memory.facts.retire(second.id, "wrong", reason=token())
    memory.facts.undo(second.id, reason=token())
    deleted = memory.remember(token.text(length), kind="event")
    memory.facts.delete(deleted.id, reason=token())
    ids = {first.id, second.id, deleted.id}

    def erase(_: Tokens) -> Iterable[str]:
        if purge:
            for fact in memory.facts.list(deleted=True):
                memory.facts.restore(fact.id)
            for id in ids:
                memory.facts.delete(id)
        receipt = memory.facts.purge("0 days") if purge else memory.facts.erase(*ids)
        assert set(receipt.ids) == ids
        assert not any(word in repr(receipt.to_dict()) for word in token.made)
        return receipt.ids

    return erase


def add_records(memory: Memory, token: Tokens, length: int, *, purge: bool = False) -> Erase:
    """Add records with every field, changed, deleted and restored."""
    outcome = memory.outcomes.add(token(), 1, note=token.text(length), source=token())
    rule = token.text(min(length, 2_000))
    lesson = memory.lessons.add(token(), rule)
    memory.lessons.add(lesson.domain, rule)
    observation = memory.observations.add(
        "bugfix", token(200), what=token.text(length), why=token(), where=token(), learned=token()
    )
    title = token(200)
    limitation = memory.limitations.add(title, description=token.text(length))
    memory.limitations.add(title, plan=token())
    memory.limitations.resolve(limitation.id, resolution=token())
    entry = memory.usage.record(token(), input=1, session=token())
    ids = {
        "outcomes": outcome.id, "lessons": lesson.id, "observations": observation.id,
        "limitations": limitation.id, "usage": entry.id,
    }  # fmt: skip
    for name, id in ids.items():
        getattr(memory, name).delete(id, reason=token())
        getattr(memory, name).restore(id, reason=token())

    def erase(_: Tokens) -> Iterable[str]:
        for name, id in ids.items():
            collection = getattr(memory, name)
            if purge:
                collection.delete(id)
            receipt = collection.purge("0 days") if purge else collection.erase(id)
            assert receipt.ids == (id,)
        return ids.values()

    return erase


def add_decision(memory: Memory, token: Tokens, length: int, *, way: str) -> Erase:
    """Record a decision with every field, an outcome and a successor."""
    at = "2020-01-01" if token.seed == GONE else "2026-01-01"
    said = Decision(
        goal=token(), tool=token(), input={"text": token.text(length)}, choice="deny",
        message=token(), rationale=token(), options=(token(),), decided_at=at, key=token(),
    )  # fmt: skip
    id = memory.decisions.record(said).id
    memory.decisions.set_outcome(id, token(), good=False)
    later = Decision(goal=token(), tool=token(), choice="allow", decided_at=at)
    successor = memory.decisions.supersede(id, later, reason=token())

    def erase(more: Tokens) -> Iterable[str]:
        decisions = memory.decisions
        decisions.erase(successor.id)
        if way == "purge":
            decisions.delete(id, reason=more())
            receipt = decisions.purge("0 days")
        else:
            ids = [id] if way == "by id" else []
            receipt = decisions.erase(*ids, older_than=None if ids else "2025-01-01")
        assert receipt.ids == (id,)
        return receipt.ids

    return erase


def add_conversation(memory: Memory, token: Tokens, length: int) -> Erase:
    """Add a conversation that uses every field, a learning attempt included."""
    conversations = memory.conversations
    one = conversations.start(token(), metadata={token(): token()}).id
    first = conversations.add("user", token.text(length), conversation=one, key=token())
    conversations.add(
        "tool", token.text(length), conversation=one, metadata={"said": token(length)}
    )
    conversations.compact(one, token(length), through=first.id)
    conversations.compact(one, token(length))
    conversations.undo(one, reason=token())
    conversations.close(one, token(length), reason=token())
    add_attempt(memory, first, reason=token(3_000))

    def erase(more: Tokens) -> Iterable[str]:
        conversations.close(one, more(length))
        conversations.erase(one)
        return [one]

    return erase


def add_attempt(
    memory: Memory,
    message: erstwhile.Message,
    *changes: AttemptChange,
    reason: str | None = None,
) -> None:
    turn = PendingTurn(conversation=message.conversation, scope=memory.scope, messages=(message,))
    outcome = AttemptOutcome.LEARNED if changes else AttemptOutcome.FAILED
    memory._access.change(
        lambda unit: attempts.add(
            unit, turn, outcome, method="none", reason=reason, changes=list(changes)
        )
    )


def add_message(memory: Memory, token: Tokens, length: int) -> Erase:
    """Add a message of a conversation with a branch, both with summaries."""
    conversations = memory.conversations
    message = conversations.add(
        "user", token(length), metadata={"x": token()}, key=token(), channel=token()
    )
    last = conversations.add("user", "the last word", conversation=message.conversation)
    for one in (message.conversation, conversations.branch(last.id).id):
        conversations.compact(one, token(500))
        conversations.close(one, token(500), reason=token())
    token.made.remove(conversations.get(message.conversation).channel or "")

    def erase(_: Tokens) -> Iterable[str]:
        conversations.erase(message.id)
        return ()

    return erase


def add_conflict(memory: Memory, token: Tokens, length: int) -> Erase:
    one, other = memory.remember(token()), memory.remember(token())
    [conflict] = memory._access.change(
        lambda unit: note_conflict(unit, other, [one], token(length))
    )
    memory.conflicts.settle(conflict.id, other.id, reason=token(2_000))
    return lambda _: memory.facts.erase(one.id, other.id).ids


def add_proposals(memory: Memory, token: Tokens, length: int) -> Erase:
    """Add proposals of learning: one is gone with its message, the other with its fact."""
    fact = memory.remember(token())
    channels = [f"{token.seed} {len(token.made)} {number}" for number in range(2)]
    messages = [memory.conversations.add("user", "said", channel=each) for each in channels]
    for message, about in zip(messages, (None, fact.id), strict=True):
        said = AttemptChange(
            act=ChangeType.ADD, fact=about, text=token(length), quote=token(length)
        )
        add_attempt(memory, message, said)

    def erase(_: Tokens) -> Iterable[str]:
        memory.conversations.erase(messages[0].id)
        return memory.facts.erase(fact.id).ids

    return erase


def add_session(memory: Memory, token: Tokens, _: int) -> Erase:
    user = memory.scoped(user=f"u-{token.seed}")
    user.sessions.set(token(), channel=token())
    alias = token()
    memory.identities.link(alias, token(), reason=token())

    def erase(_: Tokens) -> Iterable[str]:
        user.sessions.erase()
        memory.identities.erase(alias)
        return ()

    return erase


def add_task(memory: Memory, token: Tokens, length: int) -> Erase:
    """Add a task that failed and was done, and a run with its output."""
    tasks = memory.tasks
    first, error = token(), token()
    id = tasks.add(first, reply_to=token(), metadata={"x": token()}, recurrence="daily").task.id
    tasks.fail(id, tasks.claim(id, "w").token, error)
    tasks.complete(id, tasks.claim(id, "w").token, result=token(length))
    tasks.update(id, description=token(), reason=token())
    if token.seed == KEPT:  # no version of a task is kept
        token.made.remove(first)
    run = f"run {len(token.made)} of {token.seed}"
    memory.checkpoints.start(run, "a")
    memory.checkpoints.save(run, "a", token(length))
    memory.checkpoints.complete(run, "a")

    def erase(_: Tokens) -> Iterable[str]:
        memory.checkpoints.erase(run)
        return memory.tasks.erase(id).ids

    return erase


def add_block(memory: Memory, token: Tokens, length: int) -> Erase:
    """Add a block with a name, earlier versions, reasons and archived overflow."""
    first, name = token(), token()
    memory.blocks.add(first, token(), limit_tokens=40, overflow="archive")
    memory.blocks.update(first, token(length), reason=token())
    memory.blocks.append(first, f"{token()}. " * 50)
    memory.blocks.rename(first, name)

    def erase(_: Tokens) -> Iterable[str]:
        receipt = memory.blocks.erase(name)
        assert (receipt.blocks, receipt.facts > 2) == (1, True)
        return receipt.ids

    return erase


CASES: dict[str, tuple[Callable[[Memory, Tokens, int], Erase], tuple[int, ...]]] = {
    "facts": (add_facts, (40, 3_000, 100_000)),
    "purged facts": (partial(add_facts, purge=True), (40, 3_000, 100_000)),
    "records": (add_records, (40, 3_000, 10_000)),
    "purged records": (partial(add_records, purge=True), (40, 3_000, 10_000)),
    "decisions": (partial(add_decision, way="by id"), (40, 3_000, 150_000)),
    "old decisions": (partial(add_decision, way="by age"), (40, 3_000, 150_000)),
    "purged decisions": (partial(add_decision, way="purge"), (40, 3_000, 150_000)),
    "conversations": (add_conversation, (40, 3_000, 12_000)),
    "messages": (add_message, (3_000,)),
    "conflicts": (add_conflict, (3_000,)),
    "proposals": (add_proposals, (250,)),
    "sessions and identities": (add_session, (24,)),
    "tasks and runs": (add_task, (40, 20_000)),
    "blocks": (add_block, (9_000,)),
}
