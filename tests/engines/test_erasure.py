"""Erasing leaves no byte: the files are searched for every piece of erased texts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

import erstwhile
from erstwhile import Memory
from erstwhile.core.text import fingerprint
from tests.contracts.storage.erasing import lives
from tests.engines.erasures import (
    CASES,
    GONE,
    KEPT,
    Tokens,
    assert_gone,
    assert_written,
    bytes_on_disk,
    pieces,
    windows,
)
from tests.engines.processes import finish, start

IMPATIENT = erstwhile.Settings(busy_timeout=0.1, embedder="none", tokenizer="estimate")

CHANGING_OTHERS = {
    "purged facts": "all deleted facts are restored before",
    "messages": "the conversation has one message less",
    "proposals": "the same",
}
"""The kinds whose erasure here changes records that stay, with the reasons."""


@pytest.fixture
def memory(file: Path) -> Iterator[Memory]:
    with erstwhile.open(file, settings=IMPATIENT) as opened:
        yield opened


@pytest.mark.parametrize(
    ("kind", "length"), [(kind, length) for kind, (_, some) in CASES.items() for length in some]
)
def test_nothing_of_the_erased_is_left_and_everything_of_the_others(
    memory: Memory, file: Path, kind: str, length: int
) -> None:
    """They are added in turns, so that they share pages of the file."""
    add, gone, kept = CASES[kind][0], Tokens(GONE), Tokens(KEPT)
    add(memory, kept, length)
    erasures = [
        (add(memory, gone, length), add(memory, kept, length))[0]
        for _ in range(1 if length > 10_000 or kind == "old decisions" else 3)
    ]
    assert_written(file, gone)
    before, ids = everything(memory), set[str]()
    for erase in erasures:
        ids |= set(erase(gone))
    assert_gone(file, gone, kept)
    left = everything(memory)
    assert left.keys() == before.keys() - ids
    if kind not in CHANGING_OTHERS:
        assert left == {id: before[id] for id in left}
    assert memory.everything().audit.verify().ok


def everything(memory: Memory) -> dict[str, object]:
    facts = (
        memory.facts.list(state="any", limit=1_000),
        memory.facts.list(deleted=True, limit=1_000),
    )
    conversations = memory.conversations.list(limit=1_000)
    return {fact.id: fact for some in facts for fact in some} | {c.id: c for c in conversations}


def test_erasing_gives_the_room_back(memory: Memory, file: Path) -> None:
    """The file is rewritten, so it becomes smaller."""
    small = memory._access.engine.size()
    facts = memory.remember_many(Tokens(GONE)(100_000) for _ in range(10))
    memory.facts.erase(*(fact.id for fact in facts))
    assert file.stat().st_size < small + 100_000


def test_not_even_a_guess_can_be_checked(memory: Memory, file: Path) -> None:
    """The fingerprint is gone, and the digests of the audit trail are salted."""
    fact = memory.remember("Ana has the flu")
    guess = fingerprint(fact.text, None)
    assert guess in bytes_on_disk(file)
    memory.facts.erase(fact.id)
    assert guess not in bytes_on_disk(file)
    rows = apsw.Connection(str(file)).execute(
        "SELECT reason, nonce FROM audit WHERE subject = ? AND action <> 'erase'", (fact.id,)
    )
    assert set(rows) == {(None, None)}


def test_an_erased_part_of_a_chain_takes_only_itself(memory: Memory, file: Path) -> None:
    """The replacement of an erased fact stays complete."""
    gone, kept = Tokens(GONE), Tokens(KEPT)
    first = memory.remember(gone(200), metadata={"note": gone()})
    second = memory.facts.replace(first.id, kept(200), metadata={"note": kept()})
    memory.facts.erase(first.id)
    assert_gone(file, gone, kept)
    assert memory.facts.get(second.id) == second
    assert [step.fact.id for step in memory.facts.history(second.id)] == [second.id]
    assert memory.audit.verify().ok


def test_a_name_that_another_fact_mentions_stays(memory: Memory, file: Path) -> None:
    name, gone = Tokens(3)(), Tokens(GONE)
    one = memory.remember(gone(), entities=[name, gone()])
    memory.remember("Another", entities=[name])
    memory.facts.erase(one.id)
    assert_gone(file, gone, Tokens(KEPT))
    assert memory.entities.get(name).entity.mentions == 1


@pytest.mark.parametrize("how", ["erase", "purge"])
def test_a_reader_in_another_process_delays_it_and_the_same_call_again_finishes_it(
    memory: Memory, file: Path, how: str
) -> None:
    """The log cannot be emptied during a read: the error says so, and it is done later."""
    gone, kept = Tokens(GONE), Tokens(KEPT)
    memory.remember(kept(500))
    fact = memory.remember(gone(500), tags=[gone()])
    if how == "purge":
        memory.facts.delete(fact.id)

    def call() -> erstwhile.Receipt:
        return memory.facts.purge("0 days") if how == "purge" else memory.facts.erase(fact.id)

    holder = start("hold", file, "read")
    assert holder.stdout is not None
    assert holder.stdout.readline() == "ready\n"
    with pytest.raises(erstwhile.BusyError, match=r"still reads.*call it again") as refused:
        call()
    assert refused.value.retryable
    with pytest.raises(erstwhile.NotFoundError):
        memory.facts.get(fact.id)
    finish(holder)
    assert isinstance(call(), erstwhile.Receipt)
    assert_gone(file, gone, kept)
    assert memory.audit.verify().ok


def test_an_erasure_that_was_cut_short_is_finished_by_the_next(
    memory: Memory, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A purge without a find completes it, as after a crash between the two steps."""
    gone, kept = Tokens(GONE), Tokens(KEPT)
    memory.remember(kept(500))
    fact = memory.remember(gone(500))
    with monkeypatch.context() as patch:
        patch.setattr(type(memory._access.engine), "compact", lambda _: sys.exit(1))
        with pytest.raises(SystemExit):
            memory.facts.erase(fact.id)
    assert pieces(gone.made) & windows(bytes_on_disk(file))
    assert memory.facts.purge().facts == 0
    assert_gone(file, gone, kept)


def test_a_purge_that_finds_nothing_does_not_rewrite_the_file(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large file is not rewritten for each scope."""
    memory.facts.erase(memory.remember("gone").id)
    rewrites: list[None] = []
    monkeypatch.setattr(type(memory._access.engine), "compact", lambda _: rewrites.append(None))
    memory.facts.purge()
    assert not rewrites


def test_the_history_of_a_block_does_not_depend_on_foreign_keys(memory: Memory, file: Path) -> None:
    """Deleting keeps the history with any setting of foreign keys; erasing removes it."""

    def versions() -> object:
        with closing(apsw.Connection(str(file))) as other:
            return other.execute("SELECT COUNT(*) FROM block_versions").get

    memory.blocks.add("temp", "one")
    memory.blocks.update("temp", "two")
    memory.blocks.delete("temp")
    assert versions() == 2
    memory.blocks.erase("temp")
    assert versions() == 0


def test_erasing_what_never_was_is_not_found(memory: Memory) -> None:
    """Only erased ids may be erased again."""
    other = memory.scoped(user="bob").remember("Bob's")
    memory.scoped(user="bob").facts.erase(other.id)
    for unknown in ("01234567-89ab-7000-8000-000000000000", other.id):
        with pytest.raises(erstwhile.NotFoundError):
            memory.facts.erase(unknown)


def test_the_full_text_index_stays_intact(file: Path) -> None:
    """SQLite's own check finds no error after delete, restore, undo and erase."""
    with erstwhile.open(file, settings=IMPATIENT) as memory:
        conversations = memory.conversations
        ids = [
            conversations.add("user", f"tea number {n}", channel=str(n)).conversation
            for n in range(9)
        ]
        for _ in range(3):
            for id in ids[:6]:
                conversations.delete(id)
            for id in ids[:6]:
                conversations.restore(id)
        conversations.undo(ids[0])
        conversations.erase(ids[1])
        conversations.delete(ids[2])
        conversations.purge("0 days")
        assert len(conversations.search("tea", limit=20)) == 6
    connection = apsw.Connection(str(file))
    connection.execute("INSERT INTO passage_terms (passage_terms) VALUES ('integrity-check')")
    assert connection.pragma("integrity_check") == "ok"
    connection.close()


def test_nothing_of_an_erased_person_is_in_the_files(file: Path) -> None:
    """Not in a table, an index, a free page, the audit trail or the log; all of the other is."""
    gone, kept = Tokens(1), Tokens(2)
    with erstwhile.open(file, settings=IMPATIENT, embedder="hashing") as memory:
        for token, user in ((kept, "u-1"), (gone, "u-2")):
            lives(memory, user, token())
            memory.flush()
            memory.scoped(user=user).remember(f"{token()} waits for a vector")
        there = bytes_on_disk(file)
        assert all(word.encode() in there for word in gone.made)
        memory.erase_user("u-2")
        assert_gone(file, gone, kept)
        assert memory.everything().audit.verify().ok


def test_an_erasure_that_a_reader_cut_short_is_finished_by_the_next(file: Path) -> None:
    gone = Tokens(1)
    with erstwhile.open(file, settings=IMPATIENT) as memory:
        memory.scoped(user="u-2").blocks.add("notes", gone())
        reader = apsw.Connection(str(file))
        reader.execute("BEGIN; SELECT COUNT(*) FROM facts").fetchall()
        with pytest.raises(erstwhile.BusyError):
            memory.erase_user("u-2")
        reader.close()
        assert dict(memory.erase_user("u-2").collections) == {}
        assert_gone(file, gone, Tokens(2))
