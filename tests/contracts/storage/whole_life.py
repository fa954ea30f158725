"""A life in one scope: records in every table, each with a word by which it can be found again."""

from __future__ import annotations

from erstwhile.decisions.decision import Decision
from erstwhile.learning import progress
from erstwhile.memory import Memory
from tests.contracts.base import inside
from tests.contracts.facts.conflicts import clash


def live(memory: Memory, word: str) -> None:
    """Store records of every collection in exactly this scope, in every state."""
    _know(memory, word)
    _write(memory, word)
    _talk(memory, word)
    _work(memory, word)
    memory.context(f"what about {word}?")


def _know(memory: Memory, word: str) -> None:
    known = memory.remember(
        f"{word} lives by the sea", key=f"home/{word}", tags=[f"tag {word}"], entities=[word],
        relations=[(word, "knows", f"{word}'s cat")], metadata={word: word},
    )  # fmt: skip
    memory.entities.add_alias(word, f"alias of {word}", reason=word)
    moved = memory.facts.replace(known.id, f"{word} lives in the hills", reason=word)
    memory.feedback(moved.id, "useful", reason=word)
    memory.remember(f"{word} is held, says the web", origin="web")
    rejected = memory.remember(f"{word} is rejected, says the web", origin="web")
    memory.quarantine.reject(rejected.id, reason=word)
    memory.facts.retire(memory.remember(f"{word} has retired").id, "wrong", reason=word)
    memory.facts.delete(memory.remember(f"{word} is deleted").id, reason=word)
    green, black = memory.remember_many([f"{word} drinks {tea} tea" for tea in ("green", "black")])
    clash(memory, black, green, reason=word)


def _write(memory: Memory, word: str) -> None:
    blocks = memory.blocks
    blocks.add(f"notes/{word}", word, description=word, limit_tokens=30, overflow="archive")
    blocks.append(f"notes/{word}", f"{word} wrote this. " * 40, reason=word)
    blocks.add(f"gone/{word}", word)
    blocks.delete(f"gone/{word}", reason=word)
    said = Decision(
        goal=word, tool="Bash", input={"command": f"echo {word}"}, choice="deny", message=word,
        rationale=word, options=(word,), key=word,
    )  # fmt: skip
    made = memory.decisions.record(said)
    memory.decisions.set_outcome(made.id, word, good=False)
    hidden = memory.decisions.record(Decision(goal=word, tool=word, choice="allow"))
    memory.decisions.delete(hidden.id, reason=word)


def _talk(memory: Memory, word: str) -> None:
    talk = memory.conversations
    memory.observe_turn(f"My cat is called {word}.", f"Hello {word}", metadata={word: 1}, wait=True)
    told = talk.add("user", f"{word} came by", channel=f"by {word}", key=word)
    talk.compact(told.conversation, f"a summary of {word}")
    talk.branch(told.id)
    talk.undo(talk.add("user", f"{word} takes it back", channel="undone").conversation)
    closed = talk.add("user", f"{word} leaves", channel="closed")
    talk.close(closed.conversation, f"{word} left", reason=word)
    deleted = talk.add("user", f"{word} deletes this", channel="deleted")
    talk.delete(deleted.conversation, reason=word)
    inside(memory).change(progress.want_all)
    memory.sessions.set(f"session of {word}", channel="cleared")
    memory.sessions.clear(channel="cleared")
    memory.sessions.set(f"session of {word}", channel=f"by {word}")


def _work(memory: Memory, word: str) -> None:
    task = memory.tasks.add(f"call {word}", reply_to=word, metadata={word: word}).task
    memory.tasks.fail(task.id, memory.tasks.claim(task.id, word).token, f"{word} is away")
    memory.tasks.claim(task.id, word)
    memory.tasks.delete(memory.tasks.add(f"forget {word}").task.id, reason=word)
    memory.checkpoints.start(f"run of {word}", word)
    memory.checkpoints.save(f"run of {word}", word, f"the output of {word}")
    memory.snapshots.create(f"before {word}", description=f"{word} was here")
    memory.snapshots.delete(memory.snapshots.create(f"after {word}").name, reason=word)
    memory.outcomes.delete(memory.outcomes.add(word, 1, note=word).id, reason=word)
    memory.lessons.add(word, f"always ask {word}")
    memory.observations.add("discovery", f"{word} works at night", what=word)
    memory.limitations.add(f"cannot call {word}", description=word)
    memory.usage.record(f"model of {word}", input=1, session=word)
    memory.onboarding.next()
