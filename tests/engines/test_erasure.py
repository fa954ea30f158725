"""Erasing leaves no byte: the files are searched for every piece of erased texts."""

from __future__ import annotations

import random
import string
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

import erstwhile
from erstwhile.core.text import fingerprint, folded
from tests.engines.processes import finish, start

WINDOW = 12
IMPATIENT = erstwhile.Settings(busy_timeout=0.1, embedder="none")


class Tokens:
    """Unique random words of a given size."""

    def __init__(self, seed: int) -> None:
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


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def memory(file: Path) -> Iterator[erstwhile.Memory]:
    with erstwhile.open(file, settings=IMPATIENT) as opened:
        yield opened


def remember_fully(memory: erstwhile.Memory, token: Tokens, length: int) -> list[str]:
    """Remember facts that use every field and every change; return their ids."""
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
    return [first.id, second.id, deleted.id]


def fill(
    memory: erstwhile.Memory, file: Path, lengths: list[int]
) -> tuple[Tokens, Tokens, list[str]]:
    """Remember facts to erase and to keep in turns, so that they share pages of the file."""
    gone, kept = Tokens(1), Tokens(2)
    ids: list[str] = []
    for length in lengths:
        remember_fully(memory, kept, length)
        ids += remember_fully(memory, gone, length)
    there = windows(bytes_on_disk(file))
    assert all(pieces([word]) & there for word in gone.made)
    return gone, kept, ids


def everything_but(memory: erstwhile.Memory, ids: list[str]) -> list[erstwhile.Fact]:
    present = memory.facts.list(state="any", limit=1_000)
    deleted = memory.facts.list(deleted=True, limit=1_000)
    return [fact for fact in (*present, *deleted) if fact.id not in ids]


def assert_gone(file: Path, gone: Tokens, kept: Tokens) -> None:
    there = windows(bytes_on_disk(file))
    left = sorted(pieces(gone.made) & there)
    lost = [word for word in kept.made if not pieces([word]) & there]
    assert not left[:3]
    assert not lost[:3]


@pytest.mark.parametrize(
    "lengths", [[40] * 12, [3_000] * 6, [100_000, 50]], ids=["short", "pages", "long"]
)
def test_nothing_of_the_erased_is_left_and_everything_of_the_others(
    memory: erstwhile.Memory, file: Path, lengths: list[int]
) -> None:
    """Text, key, tags, entities, relations, metadata, source, reasons, versions, aliases."""
    gone, kept, ids = fill(memory, file, lengths)
    others = everything_but(memory, ids)
    receipt = memory.facts.erase(*ids)
    assert_gone(file, gone, kept)
    assert everything_but(memory, []) == others
    assert set(receipt.ids) == set(ids)
    assert not any(word in repr(receipt) for word in gone.made)
    assert memory.audit.verify().ok


def test_purging_what_was_deleted_leaves_nothing_either(
    memory: erstwhile.Memory, file: Path
) -> None:
    gone, kept, ids = fill(memory, file, [40, 3_000, 100_000])
    for fact in memory.facts.list(deleted=True):
        memory.facts.restore(fact.id)
    for id in ids:
        memory.facts.delete(id)
    assert set(memory.facts.purge("0 days").ids) == set(ids)
    assert_gone(file, gone, kept)
    assert memory.audit.verify().ok


def test_erasing_gives_the_room_back(memory: erstwhile.Memory, file: Path) -> None:
    """The file is rewritten, so it becomes smaller."""
    small = memory._access.engine.size()
    facts = memory.remember_many(Tokens(1)(100_000) for _ in range(10))
    memory.facts.erase(*(fact.id for fact in facts))
    assert file.stat().st_size < small + 100_000


def test_not_even_a_guess_can_be_checked(memory: erstwhile.Memory, file: Path) -> None:
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


def test_an_erased_part_of_a_chain_takes_only_itself(memory: erstwhile.Memory, file: Path) -> None:
    """The replacement of an erased fact stays complete."""
    gone, kept = Tokens(1), Tokens(2)
    first = memory.remember(gone(200), metadata={"note": gone()})
    second = memory.facts.replace(first.id, kept(200), metadata={"note": kept()})
    memory.facts.erase(first.id)
    assert_gone(file, gone, kept)
    assert memory.facts.get(second.id) == second
    assert [step.fact.id for step in memory.facts.history(second.id)] == [second.id]
    assert memory.audit.verify().ok


def test_a_name_that_another_fact_mentions_stays(memory: erstwhile.Memory, file: Path) -> None:
    name, gone = Tokens(3)(), Tokens(1)
    one = memory.remember(gone(), entities=[name, gone()])
    memory.remember("Another", entities=[name])
    memory.facts.erase(one.id)
    assert_gone(file, gone, Tokens(2))
    assert memory.entities.get(name).entity.mentions == 1


@pytest.mark.parametrize("how", ["erase", "purge"])
def test_a_reader_in_another_process_delays_it_and_the_same_call_again_finishes_it(
    memory: erstwhile.Memory, file: Path, how: str
) -> None:
    """The log cannot be emptied during a read: the error says so, and it is done later."""
    gone, kept = Tokens(1), Tokens(2)
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
    memory: erstwhile.Memory, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A purge without a find completes it, as after a crash between the two steps."""
    gone, kept = Tokens(1), Tokens(2)
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
    memory: erstwhile.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large file is not rewritten for each scope."""
    memory.facts.erase(memory.remember("gone").id)
    rewrites: list[None] = []
    monkeypatch.setattr(type(memory._access.engine), "compact", lambda _: rewrites.append(None))
    memory.facts.purge()
    assert not rewrites


def test_erasing_what_never_was_is_not_found(memory: erstwhile.Memory) -> None:
    """Only erased ids may be erased again."""
    other = memory.scoped(user="bob").remember("Bob's")
    memory.scoped(user="bob").facts.erase(other.id)
    for unknown in ("01234567-89ab-7000-8000-000000000000", other.id):
        with pytest.raises(erstwhile.NotFoundError):
            memory.facts.erase(unknown)
