"""Damage in the file of a memory: every failure is a typed error, and a damaged record is named."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

import erstwhile
from erstwhile.core.settings import Settings
from tests.attacks.test_decisions import call, say

PLAIN = Settings(embedder="none")
DEEP = "'" + "[" * 100_000 + "]" * 100_000 + "'"
"""JSON that is nested too deeply to be read."""
DAMAGE = [
    ("facts", "kind", "'rumour'"),
    ("facts", "metadata", "'{\"a\":'"),
    ("facts", "entities", "'[1'"),
    ("messages", "role", "'nobody'"),
    ("messages", "said_at", "-9000000000000000000"),
    ("decisions", "input", "'{'"),
    ("facts", "metadata", DEEP),
    ("facts", "entities", DEEP),
    ("decisions", "input", DEEP),
    ("decisions", "options", DEEP),
    ("lessons", "created_at", "9000000000000000000"),
]


class TestDamage:
    @pytest.mark.parametrize(("table", "column", "value"), DAMAGE)
    def test_a_damaged_row_is_a_typed_error_that_names_the_record(
        self, tmp_path: Path, table: str, column: str, value: str
    ) -> None:
        file = tmp_path / "memory.db"
        with erstwhile.open(file, settings=PLAIN) as memory:
            ids = filled(memory)
        connection = apsw.Connection(str(file))
        connection.execute("PRAGMA ignore_check_constraints=ON")
        connection.execute(f"UPDATE {table} SET {column} = {value}").fetchall()  # noqa: S608
        connection.close()
        with (
            erstwhile.open(file, settings=PLAIN, learners=0) as memory,
            pytest.raises(erstwhile.CorruptError) as told,
        ):
            read(memory, table, ids)
        assert ids[table] in str(told.value)

    @pytest.mark.parametrize("value", ["{", "[" * 100_000])
    def test_advice_names_a_damaged_decision(self, tmp_path: Path, value: str) -> None:
        """A denial that cannot be read is an error, not silence."""
        file = tmp_path / "memory.db"
        with erstwhile.open(file, settings=PLAIN) as memory:
            say(memory, "deny", "npm publish")
        connection = apsw.Connection(str(file))
        connection.execute("UPDATE decisions SET input = ?", (value,)).fetchall()
        connection.close()
        with (
            erstwhile.open(file, settings=PLAIN, learners=0) as memory,
            pytest.raises(erstwhile.CorruptError, match="decision with the number 1 is damaged"),
        ):
            memory.decisions.advise(call("npm publish --tag next"))

    @pytest.mark.parametrize("seed", range(12))
    def test_flipped_bits_are_typed_errors(self, tmp_path: Path, seed: int) -> None:
        file, choose = tmp_path / "memory.db", random.Random(seed)
        with erstwhile.open(file, settings=PLAIN) as memory:
            ids = filled(memory)
        damaged = bytearray(file.read_bytes())
        used = [place for place in range(100, len(damaged)) if damaged[place]]
        for place in choose.sample(used, 24):
            damaged[place] ^= 1 << choose.randrange(8)
        file.write_bytes(damaged)
        with (
            suppress(erstwhile.ErstwhileError),  # it may be impossible to open or to close it
            erstwhile.open(file, settings=PLAIN, learners=0) as memory,
        ):
            for table in ids:
                with suppress(erstwhile.ErstwhileError):
                    read(memory, table, ids)


def filled(memory: erstwhile.Memory) -> dict[str, str]:
    """Fill a memory, and return the id of one record of each table."""
    fact = memory.remember("Ana lives in Lisbon", entities=["Ana"], metadata={"a": [1]})
    conversation = memory.conversations.start()
    message = memory.conversations.add("user", "hello", conversation=conversation.id)
    decision = memory.decisions.record(
        erstwhile.Decision(goal="g", tool="bash", input={"command": "ls"}, choice="allow")
    )
    return {
        "facts": fact.id,
        "messages": message.id,
        "decisions": decision.id,
        "lessons": memory.lessons.add("tests", "Run the tests first").id,
        "conversation": conversation.id,
    }


def read(memory: erstwhile.Memory, table: str, ids: dict[str, str]) -> None:
    match table:
        case "facts":
            memory.facts.list(state="any")
        case "messages":
            memory.conversations.messages(ids["conversation"])
        case "decisions":
            memory.decisions.list()
        case "lessons":
            memory.lessons.list()
        case _:
            memory.recall("where does Ana live?")
            memory.audit.verify()
            memory.remember("one more")
