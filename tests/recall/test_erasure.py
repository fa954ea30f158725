"""Erasing leaves no term and no byte of a vector in the file."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

import erstwhile
from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.core.ports import Embedder
from erstwhile.search.vectors import pack
from tests.doubles import TROUBLES, UnreliableEmbedder
from tests.engines.erasures import Tokens, bytes_on_disk, pieces, windows

PATIENT = erstwhile.Settings(busy_timeout=10, embedder="none")


def terms_of(words: list[str]) -> list[str]:
    """Return terms as the index has them: letters only."""
    return [word.lower() for word in words]


def parts(vector: bytes) -> list[bytes]:
    """Return parts of a vector that are long enough not to occur by chance."""
    return [vector[at : at + 64] for at in range(4, len(vector), 64)]


def opened(file: Path, embedder: Embedder) -> erstwhile.Memory:
    return erstwhile.open(file, settings=PATIENT, embedder=embedder)


@pytest.mark.parametrize("how", ["erase", "purge"])
def test_neither_term_nor_vector_is_left(tmp_path: Path, how: str) -> None:
    """Not in rows, full-text segments, log or outbox. Other facts stay."""
    file, embedder = tmp_path / "memory.db", HashingEmbedder(256)
    gone, kept = Tokens(1), Tokens(2)
    with opened(file, embedder) as memory:
        facts = [
            memory.remember(tokens(), tags=[tokens()], key=tokens()) for tokens in (gone, kept) * 20
        ]
        memory.flush()
        vectors = [pack(embedder.embed([f"{fact.key}: {fact.text}"])[0]) for fact in facts]
        assert all(vector in bytes_on_disk(file) for vector in vectors)
        for fact in facts[::4]:
            memory.facts.pin(fact.id)
            memory.facts.retire(fact.id, "wrong")
        ids = [fact.id for fact in facts[::2]]
        if how == "erase":
            memory.facts.erase(*ids)
        else:
            for id in ids:
                memory.facts.delete(id)
            memory.facts.purge("0 days")
        left = bytes_on_disk(file)
        assert not [piece for vector in vectors[::2] for piece in parts(vector) if piece in left]
        assert all(vector in left for vector in vectors[1::2])
        assert not pieces(terms_of(gone.made)) & windows(left)
        assert all(pieces([word]) & windows(left) for word in kept.made)
        assert memory.recall(facts[1].text)[0].fact == facts[1]


def test_what_waits_is_gone_from_the_outbox_too(tmp_path: Path) -> None:
    """Together with its stored error."""
    file = tmp_path / "memory.db"
    with opened(file, UnreliableEmbedder(TROUBLES["down"])) as memory:
        fact = memory.remember("x")
        memory.flush()
        assert b"the server is down" in bytes_on_disk(file)
        memory.facts.erase(fact.id)
        assert b"the server is down" not in bytes_on_disk(file)
        assert memory.flush().texts == 0


def test_what_remains_of_a_vector_is_its_number(tmp_path: Path) -> None:
    """So every process sees that it is gone, and no other fact gets the number."""
    file = tmp_path / "memory.db"
    with opened(file, HashingEmbedder(64)) as memory:
        fact = memory.remember("kettle")
        memory.flush()
        memory.facts.erase(fact.id)
        memory.remember("another")
        memory.flush()
    rows = apsw.Connection(str(file)).execute("SELECT seq, length(vector) FROM vectors").fetchall()
    assert rows == [(1, None), (2, 4 + 64)]
