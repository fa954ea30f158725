"""Changes made directly in the file: the audit trail shows each."""

# ruff: noqa: S608  these statements are the attack

from __future__ import annotations

import shutil
import tracemalloc
from pathlib import Path

import apsw
import pytest

import erstwhile

SETTINGS = erstwhile.Settings(embedder="none", tokenizer="estimate")
PLAIN = ("outcomes", "lessons", "observations", "limitations", "usage", "onboarding")
"""Tables of which only the newest state of a record is stored."""
ONE = "(SELECT MIN(id) FROM facts)"
SWAPPED = ("at", "actor", "action", "subject", "reason", "nonce", "digest", "hash")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Store records of two scopes, with every kind of change."""
    path = tmp_path_factory.mktemp("original") / "memory.db"
    with erstwhile.open(path, settings=SETTINGS) as memory:
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
        one = ana.remember("Ana likes tea", entities=["Ana"], tags=["drink"])
        ana.remember("Ana likes tea")
        ana.facts.replace(one.id, "Ana likes coffee", reason="she said so")
        ana.facts.retire(ana.remember("It rains").id, "expired")
        ana.facts.delete(ana.remember("Never mind").id)
        ana.facts.set("name", "Ana")
        ana.entities.add_alias("Ana", "Anna")
        bob.remember("Bob likes milk")
        bob.remember("Bob likes cheese")
        ana.outcomes.add("deploy", -1, note="rolled back")
        ana.lessons.add("deploy", "Ask first")
        ana.lessons.add("deploy", "ask first")
        ana.observations.add("bugfix", "A race", learned="join threads")
        ana.observations.delete(ana.observations.add("bugfix", "Never mind").id)
        ana.limitations.add("No mail")
        ana.limitations.add("no mail", plan="SMTP")
        ana.usage.record("a", input=5, cost="0.5", session="s")
        ana.usage.record("b", input=5)
        ana.onboarding.next()
        bob.outcomes.add("deploy", 1)
        ana.blocks.add("persona", "be kind")
        ana.blocks.set_read_only("persona")
        ana.feedback(ana.facts.list(contains="coffee")[0].id, "useful")
    return path


@pytest.fixture
def file(tmp_path: Path, original: Path) -> Path:
    return Path(shutil.copy(original, tmp_path))


def verify(file: Path) -> erstwhile.types.Verification:
    with erstwhile.open(file, settings=SETTINGS) as memory:
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
    assert checked.entries == 27
    assert checked.records == 23


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


TAMPERINGS: dict[str, list[str]] = {  # more than those of tests/contracts/storage/audit.py
    "a deletion taken back": ["UPDATE facts SET deleted_at = NULL"],
    "a source added": ["UPDATE facts SET source = '{}' WHERE source IS NULL"],
    "an ending made up": ["UPDATE facts SET ending = 'None' WHERE retired_at IS NULL"],
    "a fact given to another scope": ["UPDATE facts SET scope = 2 WHERE text = 'It rains'"],
    "a scope given to another user": ["UPDATE scopes SET scope_user = 'eve' WHERE id = 1"],
    "two users exchanged": [
        "UPDATE scopes SET scope_user = 'x' WHERE scope_user = 'ana'",
        "UPDATE scopes SET scope_user = 'ana' WHERE scope_user = 'bob'",
        "UPDATE scopes SET scope_user = 'bob' WHERE scope_user = 'x'",
    ],
    "a version known longer": ["UPDATE fact_versions SET known_to = known_to + 5"],
    "a version known earlier": ["UPDATE fact_versions SET known_from = known_from - 5"],
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
    "the tail cut": ["DELETE FROM audit WHERE scope = 1 AND seq > 4"],
    "the first entry removed": ["DELETE FROM audit WHERE scope = 1 AND seq = 1"],
    "a whole chain removed": ["DELETE FROM audit WHERE scope = 2"],
    "a reason made up": ["UPDATE audit SET reason = 'because' WHERE action = 'remember'"],
    "two entries exchanged": _exchange(*SWAPPED),
    "two entries exchanged in part": _exchange("actor", "action", "subject"),
    "an entry renumbered": ["UPDATE audit SET number = 1000 WHERE scope = 1 AND seq = 2"],
    "an entry slipped in": [
        "CREATE TEMP TABLE copied AS SELECT * FROM audit WHERE scope = 1 ORDER BY seq DESC LIMIT 1",
        "UPDATE copied SET number = 1000, seq = seq + 1",
        "INSERT INTO audit SELECT * FROM copied",
    ],
    "a score changed": ["UPDATE outcomes SET score = 1 WHERE score = -1"],
    "a domain changed": ["UPDATE outcomes SET domain = 'cooking'"],
    "a rule changed": ["UPDATE lessons SET rule = 'trust everybody'"],
    "a lesson reinforced": ["UPDATE lessons SET occurrences = 99"],
    "a lesson rejuvenated": ["UPDATE lessons SET learned_at = learned_at + 1000000"],
    "a note rewritten": ["UPDATE observations SET learned = 'nothing' WHERE learned IS NOT NULL"],
    "an observation of another type": ["UPDATE observations SET type = 'decision'"],
    "a deletion of a record taken back": ["UPDATE observations SET deleted_at = NULL"],
    "an observation hidden": ["UPDATE observations SET deleted_at = 1 WHERE deleted_at IS NULL"],
    "a limitation resolved": ["UPDATE limitations SET resolved_at = 1"],
    "a limitation reported more often": ["UPDATE limitations SET reports = 7"],
    "tokens changed": ["UPDATE usage SET input = 0"],
    "money made": ["UPDATE usage SET cost = cost - 1 WHERE cost IS NOT NULL"],
    "an unknown cost made free": ["UPDATE usage SET cost = 0 WHERE cost IS NULL"],
    "a call moved to another day": ["UPDATE usage SET at = at - 86400000000"],
    "a call given to another session": ["UPDATE usage SET session = 'other'"],
    "a stage made up": ["UPDATE onboarding SET stage = 'five_facts'"],
    **{
        f"one of {table} removed": [f"DELETE FROM {table} WHERE id = (SELECT MIN(id) FROM {table})"]
        for table in PLAIN
    },
    **{
        f"one of {table} given to another scope": [f"UPDATE {table} SET scope = 2 WHERE scope = 1"]
        for table in PLAIN
    },
    **{
        f"one of {table} dated back": [f"UPDATE {table} SET created_at = created_at - 1"]
        for table in PLAIN[:-1]
    },
    "feedback made up": ["UPDATE feedback SET useful = 99"],
    "feedback of another kind": ["UPDATE feedback SET irrelevant = 1"],
    "feedback moved in time": ["UPDATE feedback SET changed_at = changed_at + 1"],
    "feedback removed": ["DELETE FROM feedback"],
}


@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_tampering_shows(file: Path, tampering: str) -> None:
    tamper(file, *TAMPERINGS[tampering])
    checked = verify(file)
    assert not checked.ok
    assert checked.problems


ALTERED, GONE = "{} was changed without an entry", "a state of {} has disappeared"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("UPDATE facts SET text = 'gin' WHERE text = 'Bob likes milk'", ALTERED),
        ("UPDATE lessons SET rule = 'trust everybody'", ALTERED),
        ("UPDATE blocks SET content = 'obey'", ALTERED),
        ("UPDATE blocks SET limit_tokens = 9", ALTERED),
        ("UPDATE blocks SET read_only = 0", ALTERED),
        ("UPDATE block_versions SET content = 'obey'", ALTERED),
        ("DELETE FROM block_versions", GONE),
        ("DELETE FROM block_versions; DELETE FROM blocks", GONE),
    ],
)
def test_a_problem_says_where_it_is(file: Path, change: str, problem: str) -> None:
    """The problem names the affected record."""
    with erstwhile.open(file, settings=SETTINGS) as memory:
        ids = {
            "facts": memory.scoped(user="bob").facts.list(contains="milk")[0].id,
            "lessons": memory.scoped(user="ana").lessons.list()[0].id,
            "blocks": memory.scoped(user="ana").blocks.get("persona").id,
        }
    [(table, id)] = [(table, id) for table, id in ids.items() if table[:-1] in change]
    tamper(file, change)
    problems = verify(file).problems
    assert problem.format(f"{table[:-1]} {id}") in problems
    assert table == "blocks" or len(problems) == 1


def test_erasing_keeps_the_trail_whole(file: Path) -> None:
    """Tampering with other records still shows."""
    with erstwhile.open(file, settings=SETTINGS) as memory:
        ana = memory.scoped(user="ana")
        ana.facts.erase(*(fact.id for fact in ana.facts.list(state="any")))
        bob = memory.scoped(user="bob").facts.list()
    assert verify(file).ok
    tamper(file, f"UPDATE facts SET text = 'gin' WHERE id = '{bob[0].id}'")
    assert not verify(file).ok


def test_the_texts_of_a_long_trail_are_not_held_together(tmp_path: Path) -> None:
    """Verifying took 2 KB of memory for each fact, and more for long ones."""
    with erstwhile.open(tmp_path / "long.db", settings=SETTINGS) as memory:
        memory.remember_many([f"{number} {'long ' * 4_000}" for number in range(100)])
        memory.audit.verify()  # loads what it needs
        tracemalloc.start()
        try:
            assert memory.audit.verify().ok
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert most < 1_000_000  # the texts are two megabytes
