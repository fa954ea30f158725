"""Measure how often a damaged file answers differently without an error.

python -m bench.damage [COPIES]    print the row for docs/security.md

Each copy has 1 to 16 flipped bits in one page. It is asked for all its records, for searches, for a
context, and for its audit trail. `doctor` should find what these do not notice.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import erstwhile
from erstwhile import Decision, ErstwhileError, Memory
from erstwhile.core.public_record import to_json
from erstwhile.engines.sqlite.connection import PAGE

_COPIES, _FACTS, _MESSAGES, _OTHERS, _MOST_BITS = 150, 150, 60, 15, 16
_SETTINGS = erstwhile.Settings(embedder="none")
_WORDS = [f"word{number}" for number in range(400)]


def fill(memory: Memory, choose: random.Random) -> None:
    """Store facts, some replaced ones, messages, decisions, tasks, lessons and blocks."""
    texts = [" ".join(choose.choices(_WORDS, k=12)) for _ in range(_FACTS)]
    for fact in memory.remember_many(texts)[:8]:
        memory.facts.replace(fact.id, " ".join(choose.choices(_WORDS, k=12)))
    conversation = memory.conversations.start().id
    for _ in range(_MESSAGES):
        text = " ".join(choose.choices(_WORDS, k=15))
        memory.conversations.add("user", text, conversation=conversation)
    for number in range(_OTHERS):
        given = {"command": f"ls {number}"}
        memory.decisions.record(Decision(goal="g", tool="Bash", input=given, choice="allow"))
        memory.tasks.add(f"task {number}")
        memory.lessons.add("tests", f"lesson {number}")
        memory.blocks.add(f"block {number}", "text " * 30)


def answers(memory: Memory) -> Iterator[object]:
    """Yield the answers to all questions, as JSON."""
    yield to_json(memory.facts.list(state="any", limit=1_000))
    for conversation in memory.conversations.list():
        yield to_json(memory.conversations.messages(conversation.id, limit=1_000))
    for records in (memory.decisions, memory.tasks, memory.lessons, memory.blocks, memory.audit):
        yield to_json(records.list(limit=1_000))
    for word in _WORDS[:60:3]:
        yield [hit.record.id for hit in memory.recall(word, limit=20)]
        yield [hit.record.id for hit in memory.conversations.search(word, limit=20)]
    yield memory.context("word5 word6 word7", 2_000).text


def asked(file: Path) -> list[object] | None:
    """Return the answers of a file, or None if it notices the damage."""
    try:
        with erstwhile.open(f"file:{file}?mode=ro", settings=_SETTINGS, learners=0) as memory:
            return list(answers(memory))
    except ErstwhileError:
        return None


def outcome(file: Path, expected: list[object]) -> str:
    """Return what a damaged file does."""
    found = asked(file)
    if found is None:
        return "refused"
    if found == expected:
        return "answered as before"
    told = not erstwhile.doctor(file, models=False, settings=_SETTINGS).ok
    return f"answered differently ({'seen' if told else 'not seen'} by `doctor`)"


def damaged(content: bytes, choose: random.Random) -> bytes:
    """Return a copy with some flipped bits in one page."""
    copy, page = bytearray(content), choose.randrange(len(content) // PAGE)
    for _ in range(choose.randint(1, _MOST_BITS)):
        copy[page * PAGE + choose.randrange(PAGE)] ^= 1 << choose.randrange(8)
    return bytes(copy)


def measure(copies: int) -> Counter[str]:
    """Return how many copies do what."""
    choose, counted = random.Random(5), Counter[str]()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "memory.db"
        with erstwhile.open(file, settings=_SETTINGS, learners=0) as memory:
            fill(memory, choose)
        content, expected = file.read_bytes(), asked(file)
        assert expected is not None
        for number in range(copies):
            copy = Path(folder) / f"{number}.db"
            copy.write_bytes(damaged(content, choose))
            copy.chmod(0o600)
            counted[outcome(copy, expected)] += 1
    return counted


def main() -> None:
    copies = int(sys.argv[1]) if len(sys.argv) > 1 else _COPIES
    found = ", ".join(f"{count} {what}" for what, count in measure(copies).most_common())
    print(f"| {copies} copies with flipped bits in one page | {found} |")


if __name__ == "__main__":
    main()
