"""Changes made directly in the file: the audit trail shows each."""

# ruff: noqa: S608  these statements are the attack

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

import erstwhile

LAST = "(SELECT MAX(number) FROM audit)"
ONE = "(SELECT MIN(id) FROM facts)"
SWAPPED = ("at", "actor", "action", "subject", "reason", "nonce", "digest", "hash")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Store facts in two scopes, with every kind of change."""
    path = tmp_path / "memory.db"
    with erstwhile.open(path) as memory:
        ana = memory.scoped(user="ana")
        one = ana.remember("Ana likes tea", entities=["Ana"], tags=["drink"])
        ana.remember("Ana likes tea")
        ana.facts.replace(one.id, "Ana likes coffee", reason="she said so")
        ana.facts.retire(ana.remember("It rains").id, "expired")
        ana.facts.delete(ana.remember("Never mind").id)
        ana.facts.set("name", "Ana")
        ana.entities.add_alias("Ana", "Anna")
        memory.scoped(user="bob").remember("Bob likes milk")
        memory.scoped(user="bob").remember("Bob likes cheese")
    return path


def verify(file: Path) -> erstwhile.types.Verification:
    with erstwhile.open(file) as memory:
        return memory.everything().audit.verify()


def tamper(file: Path, *statements: str) -> None:
    """Run a statement directly in the file, without foreign keys."""
    connection = apsw.Connection(str(file))
    connection.pragma("foreign_keys", False)
    for statement in statements:
        connection.execute(statement)
    assert connection.total_changes() > 0
    connection.close()


def test_an_untouched_file_verifies(file: Path) -> None:
    checked = verify(file)
    assert checked.ok
    assert checked.entries == 12
    assert checked.records == 11


def _exchange(*columns: str) -> list[str]:
    """Swap two neighbouring entries of one chain, in these columns."""
    pair = "(SELECT number FROM audit WHERE scope = 1 AND seq = {})"
    first, second = pair.format(2), pair.format(3)
    return [
        f"CREATE TEMP TABLE kept AS SELECT * FROM audit WHERE number IN ({first}, {second})",
        *(
            f"UPDATE audit SET {column} = (SELECT {column} FROM kept "
            f"WHERE kept.number <> audit.number) WHERE number IN (SELECT number FROM kept)"
            for column in columns
        ),
    ]


TAMPERINGS: dict[str, list[str]] = {
    "a text changed": ["UPDATE facts SET text = 'Ana likes gin' WHERE text = 'Ana likes coffee'"],
    "a fact hidden": ["UPDATE facts SET deleted_at = 1 WHERE text = 'Ana likes coffee'"],
    "a deletion taken back": ["UPDATE facts SET deleted_at = NULL"],
    "a confidence raised": ["UPDATE facts SET confidence = 0.123 WHERE text = 'It rains'"],
    "a source added": ["UPDATE facts SET source = '{}' WHERE source IS NULL"],
    "an ending made up": ["UPDATE facts SET ending = 'None' WHERE retired_at IS NULL"],
    "a fact given to another scope": ["UPDATE facts SET scope = 2 WHERE text = 'It rains'"],
    "a scope given to another user": ["UPDATE scopes SET scope_user = 'eve' WHERE id = 1"],
    "two users exchanged": [
        "UPDATE scopes SET scope_user = 'x' WHERE scope_user = 'ana'",
        "UPDATE scopes SET scope_user = 'ana' WHERE scope_user = 'bob'",
        "UPDATE scopes SET scope_user = 'bob' WHERE scope_user = 'x'",
    ],
    "a version changed": ["UPDATE fact_versions SET evidence = 9"],
    "a version known longer": ["UPDATE fact_versions SET known_to = known_to + 5"],
    "a version known earlier": ["UPDATE fact_versions SET known_from = known_from - 5"],
    "a version removed": [f"DELETE FROM fact_versions WHERE id = {ONE}"],
    "a fact removed": ["DELETE FROM facts WHERE text = 'Bob likes milk'"],
    "a fact removed with its versions": [
        f"DELETE FROM fact_versions WHERE id = {ONE}",
        f"DELETE FROM facts WHERE id = {ONE}",
    ],
    "a fact slipped in": [
        f"CREATE TEMP TABLE slipped AS SELECT * FROM facts WHERE id = {ONE}",
        "UPDATE slipped SET id = 'ffffffff', fingerprint = x'00', retired_at = NULL",
        "INSERT INTO facts SELECT * FROM slipped",
    ],
    "the last entry removed": [f"DELETE FROM audit WHERE number = {LAST}"],
    "the tail cut": ["DELETE FROM audit WHERE scope = 1 AND seq > 4"],
    "an entry in the middle removed": ["DELETE FROM audit WHERE scope = 1 AND seq = 3"],
    "the first entry removed": ["DELETE FROM audit WHERE scope = 1 AND seq = 1"],
    "a whole chain removed": ["DELETE FROM audit WHERE scope = 2"],
    "an actor changed": ["UPDATE audit SET actor = 'mallory' WHERE scope = 1 AND seq = 2"],
    "a reason changed": ["UPDATE audit SET reason = 'no reason' WHERE reason IS NOT NULL"],
    "a reason made up": ["UPDATE audit SET reason = 'because' WHERE action = 'remember'"],
    "a time changed": ["UPDATE audit SET at = at + 1 WHERE scope = 1 AND seq = 2"],
    "an action changed": ["UPDATE audit SET action = 'erase' WHERE scope = 1 AND seq = 2"],
    "a nonce removed": ["UPDATE audit SET nonce = NULL WHERE scope = 1 AND seq = 2"],
    "two entries exchanged": _exchange(*SWAPPED),
    "two entries exchanged in part": _exchange("actor", "action", "subject"),
    "an entry renumbered": ["UPDATE audit SET number = 1000 WHERE scope = 1 AND seq = 2"],
    "an entry slipped in": [
        "CREATE TEMP TABLE copied AS SELECT * FROM audit WHERE scope = 1 ORDER BY seq DESC LIMIT 1",
        "UPDATE copied SET number = 1000, seq = seq + 1",
        "INSERT INTO audit SELECT * FROM copied",
    ],
    "the head moved": ["UPDATE scopes SET head_seq = head_seq - 1 WHERE id = 1"],
}


@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_tampering_shows(file: Path, tampering: str) -> None:
    tamper(file, *TAMPERINGS[tampering])
    checked = verify(file)
    assert not checked.ok
    assert checked.problems


def test_a_problem_says_where_it_is(file: Path) -> None:
    """The problem names the affected fact."""
    with erstwhile.open(file) as memory:
        [fact] = memory.scoped(user="bob").facts.list(contains="milk")
    tamper(file, f"UPDATE facts SET text = 'Bob likes gin' WHERE id = '{fact.id}'")
    [problem] = verify(file).problems
    assert fact.id in problem


def test_tampering_in_another_scope_is_not_shown(file: Path) -> None:
    """A viewer learns only about visible chains."""
    tamper(file, "UPDATE facts SET text = 'Bob likes gin' WHERE text = 'Bob likes milk'")
    with erstwhile.open(file) as memory:
        assert memory.scoped(user="ana").audit.verify().ok
        assert not memory.scoped(user="bob").audit.verify().ok


def test_erasing_keeps_the_trail_whole(file: Path) -> None:
    """Tampering with other records still shows."""
    with erstwhile.open(file) as memory:
        ana = memory.scoped(user="ana")
        ana.facts.erase(*(fact.id for fact in ana.facts.list(state="any")))
        bob = memory.scoped(user="bob").facts.list()
    assert verify(file).ok
    tamper(file, f"UPDATE facts SET text = 'gin' WHERE id = '{bob[0].id}'")
    assert not verify(file).ok
