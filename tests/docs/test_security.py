"""Tests of docs/security.md: figures are measured. And all attack tests are listed."""

from __future__ import annotations

import re
import tomllib

from bench.security import HEAD, SUMMARY, SUMMARY_HEAD, quick_rows, summary_rows

from tests.attacks.attack import ATTACKS
from tests.docs.pages import PROJECT, name_of

PAGE = (PROJECT / "docs" / "security.md").read_text("utf-8")
TABLE = PAGE.partition(HEAD)[2].partition("\n\n")[0].splitlines()


def test_the_quick_figures_are_measured() -> None:
    found = list(quick_rows())
    assert TABLE[: len(found)] == found


def test_the_summary_has_the_figures_of_the_suites() -> None:
    told = PAGE.partition(SUMMARY_HEAD)[2].partition("\n\n")[0].splitlines()
    assert told == list(summary_rows(TABLE))
    assert len(told) == len(SUMMARY)


def test_the_figures_of_slow_suites_are_those_that_their_tests_demand() -> None:
    [played] = [row for row in TABLE if "a model that obeys the attacker" in row]
    succeed = sum(len(attack.succeeding) for attack in ATTACKS)
    ways = rf"\| {succeed} of \d{{3,}} ways through \d{{2,}} conversations succeed"
    assert re.search(ways, played)
    [patterns] = [row for row in TABLE if "more than linear time" in row]
    assert re.search(r"\| 0 of \d{3,} \|", patterns)


def test_every_file_of_attacks_is_listed() -> None:
    page = (PROJECT / "tests" / "attacks" / "README.md").read_text("utf-8")
    listed = set(re.findall(r"\| `(tests/[\w/]+\.py)` \|", page))
    assert set(map(name_of, PROJECT.glob("tests/attacks/test_*.py"))) <= listed
    assert all((PROJECT / each).exists() for each in listed)


def test_every_finding_names_a_test_that_is_there() -> None:
    findings = tomllib.loads((PROJECT / "tests/attacks/findings.toml").read_text("utf-8"))
    for test in (test for group in findings.values() for test in group.values()):
        file, _, name = test.partition("::")
        assert f"def {name or 'test_'}" in (PROJECT / file).read_text("utf-8"), test
