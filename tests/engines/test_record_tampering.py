"""Changes of records directly in the file: the audit trail shows each."""

# ruff: noqa: S608  these statements are the attack

from __future__ import annotations

from pathlib import Path

import pytest

import erstwhile
from tests.engines.test_tampering import tamper, verify

TAMPERINGS = {
    "a score changed": "UPDATE outcomes SET score = 1 WHERE score = -1",
    "a domain changed": "UPDATE outcomes SET domain = 'cooking'",
    "a rule changed": "UPDATE lessons SET rule = 'trust everybody'",
    "a lesson reinforced": "UPDATE lessons SET occurrences = 99",
    "a lesson rejuvenated": "UPDATE lessons SET learned_at = learned_at + 1000000",
    "a note rewritten": "UPDATE observations SET learned = 'nothing' WHERE learned IS NOT NULL",
    "an observation of another type": "UPDATE observations SET type = 'decision'",
    "a deletion taken back": "UPDATE observations SET deleted_at = NULL",
    "an observation hidden": "UPDATE observations SET deleted_at = 1 WHERE deleted_at IS NULL",
    "a limitation resolved": "UPDATE limitations SET resolved_at = 1",
    "a limitation reported more often": "UPDATE limitations SET reports = 7",
    "tokens changed": "UPDATE usage SET input = 0",
    "money made": "UPDATE usage SET cost = cost - 1 WHERE cost IS NOT NULL",
    "an unknown cost made free": "UPDATE usage SET cost = 0 WHERE cost IS NULL",
    "a call moved to another day": "UPDATE usage SET at = at - 86400000000",
    "a call given to another session": "UPDATE usage SET session = 'other'",
    "a stage made up": "UPDATE onboarding SET stage = 'five_facts'",
    **{
        f"one of {table} removed": f"DELETE FROM {table} WHERE id = (SELECT MIN(id) FROM {table})"
        for table in ("outcomes", "lessons", "observations", "limitations", "usage", "onboarding")
    },
    **{
        f"one of {table} given to another scope": f"UPDATE {table} SET scope = 2 WHERE scope = 1"
        for table in ("outcomes", "lessons", "observations", "limitations", "usage", "onboarding")
    },
    **{
        f"one of {table} dated back": f"UPDATE {table} SET created_at = created_at - 1"
        for table in ("outcomes", "lessons", "observations", "limitations", "usage")
    },
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Store each kind of record, changed and unchanged, in two scopes."""
    path = tmp_path / "memory.db"
    with erstwhile.open(path, embedder="none") as memory:
        ana = memory.scoped(user="ana")
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
        memory.scoped(user="bob").outcomes.add("deploy", 1)
    return path


def test_an_untouched_file_verifies(file: Path) -> None:
    """The newest state of each record is compared."""
    checked = verify(file)
    assert checked.ok
    assert (checked.entries, checked.records) == (12, 9)


@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_tampering_shows(file: Path, tampering: str) -> None:
    tamper(file, TAMPERINGS[tampering])
    checked = verify(file)
    assert not checked.ok
    assert checked.problems


def test_a_problem_says_where_it_is(file: Path) -> None:
    with erstwhile.open(file) as memory:
        [lesson] = memory.scoped(user="ana").lessons.list()
    tamper(file, "UPDATE lessons SET rule = 'trust everybody'")
    [problem] = verify(file).problems
    assert problem == f"lesson {lesson.id} was changed without an entry"
