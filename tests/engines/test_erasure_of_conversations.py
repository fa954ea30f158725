"""Erased conversations leave no byte of texts, names, channels or reasons."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

import erstwhile
from tests.engines.test_erasure import (
    IMPATIENT,
    Tokens,
    assert_gone,
    bytes_on_disk,
    pieces,
    windows,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def add_conversation(memory: erstwhile.Memory, token: Tokens, length: int) -> str:
    """Add a conversation that uses every field, and return its id."""
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
    return one


@pytest.mark.parametrize("length", [40, 3_000, 12_000])
def test_nothing_of_an_erased_conversation_is_left(file: Path, length: int) -> None:
    """This covers messages, undone ones too, metadata, keys, summaries, channels and reasons."""
    gone, kept = Tokens(1), Tokens(2)
    with erstwhile.open(file, settings=IMPATIENT) as memory:
        ids = [
            (add_conversation(memory, kept, length), add_conversation(memory, gone, length))[1]
            for _ in range(4)
        ]
        others = memory.conversations.list()
        there = windows(bytes_on_disk(file))
        assert all(pieces([word]) & there for word in gone.made)
        for id in ids:
            memory.conversations.close(id, gone(length))
        memory.conversations.erase(*ids)
        assert_gone(file, gone, kept)
        assert list(memory.conversations.list()) == [c for c in others if c.id not in ids]
        assert memory.audit.verify().ok


def test_nothing_of_an_erased_message_is_left(file: Path) -> None:
    """Its copies and the summaries that cover it are erased too."""
    gone, kept = Tokens(1), Tokens(2)
    with erstwhile.open(file, settings=IMPATIENT) as memory:
        conversations = memory.conversations
        message = conversations.add("user", gone(3_000), metadata={"x": gone()}, key=gone())
        last = conversations.add("user", kept(3_000))
        branch = conversations.branch(last.id)
        for one in (message.conversation, branch.id):
            conversations.compact(one, gone(500))
            conversations.close(one, gone(500), reason=gone())
        conversations.erase(message.id)
        assert_gone(file, gone, kept)
        assert memory.audit.verify().ok


def test_nothing_of_erased_sessions_and_identities_is_left(file: Path) -> None:
    """The digests of the audit trail cannot confirm a guess."""
    gone, kept = Tokens(1), Tokens(2)
    with erstwhile.open(file, settings=IMPATIENT) as memory:
        memory.sessions.set(gone(), channel=gone())
        memory.scoped(user="ana").sessions.set(kept(), channel=kept())
        memory.identities.link(alias := gone(), gone(), reason=gone())
        memory.identities.link(kept(), kept())
        memory.sessions.erase()
        memory.identities.erase(alias)
        assert_gone(file, gone, kept)
        assert memory.everything().audit.verify().ok


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
