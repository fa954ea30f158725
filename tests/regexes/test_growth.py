"""No regular expression takes more than linear time: four times the text, about four times as long.

Each pattern of each rule file and of the code is tried on texts made from itself. The slowest of
these are tried again at four times the length: quadratic time would be sixteen times as long.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import cache
from math import inf
from typing import Any

import pytest

from erstwhile.learning.patterns.language import LANGUAGES, StatementRule, language
from erstwhile.rule_files import TextRule
from tests.regexes.collected import SOURCE, Use, is_searched
from tests.regexes.hostile import Seed, seeds
from tests.test_rule_files import RULES

SHORT, MAX_GROWTH = 1_500, 9
NOISE = 1e-4
"""Seconds that a machine may be late with anything."""
LIMIT = 0.5
"""Seconds after which a try is given up. Texts are short: it would not end for a long one."""
ANCHORED = (StatementRule,)
"""Rules that are matched where a clause begins, and nowhere else."""
ELSEWHERE = {"letter_case.py:__init__", "rule_files.py:regex"}
"""Places that compile what others give them: the first counts for its callers, and the rules of all
files are tried themselves.
"""


@cache
def uses() -> list[Use]:
    """Return the patterns of the code, and those of the rule files."""
    command = [sys.executable, "-m", "tests.regexes.collected"]
    told = subprocess.run(command, capture_output=True, check=True, timeout=300).stdout
    in_code, anchored = [Use(**each) for each in json.loads(told)], _anchored_parts()
    in_code = [
        replace(each, searched=each.searched and each.pattern not in anchored) for each in in_code
    ]
    return list(dict.fromkeys([*in_code, *map(_use, RULES)]))


def _anchored_parts() -> set[str]:
    """Return the patterns in fields that are matched where a clause begins, and nowhere else."""
    source = "".join(file.read_text("utf-8") for file in SOURCE.rglob("*.py"))
    owners: list[Any] = [*map(language, LANGUAGES)]
    parts = [
        (field.name, getattr(owner, field.name)) for owner in owners for field in fields(owner)
    ]
    return {
        part.pattern for name, part in parts
        if isinstance(part, re.Pattern) and not is_searched(name, source)
    }  # fmt: skip


def _use(rule: TextRule) -> Use:
    name = f"{type(rule).__name__}:{rule.name}"
    searched = isinstance(rule, StatementRule) and rule.meaning.anywhere
    return Use(rule.pattern, int(rule.flags), name, searched or not isinstance(rule, ANCHORED))


def test_every_pattern_of_the_code_is_known() -> None:
    assert {use.place for use in uses() if not use.pattern} <= ELSEWHERE
    assert len(uses()) > 400


def slow_patterns(patterns: list[Use]) -> list[str]:
    """Tell a text for each pattern that some text makes slow."""
    with _given_up():
        return [told for use in patterns for told in _growth(use)]


def test_no_text_makes_a_pattern_slow() -> None:
    assert slow_patterns([use for use in uses() if use.pattern]) == []


@pytest.mark.parametrize("pattern", [r"\s*x", r"a+b", r"(?:a|aa)*b", r"(?:\d{1,7}){0,8}x"])
def test_a_slow_pattern_is_noticed(pattern: str) -> None:
    """A busy machine may blur one measurement, and hardly all of several."""
    assert any(slow_patterns([Use(pattern, 0, "here", searched=True)]) for _ in range(5))


def _growth(use: Use) -> Iterator[str]:
    """Tell the first text that makes a pattern slow, if there is one."""
    regex, timed = re.compile(use.pattern, use.flags), list[tuple[float, Seed]]()
    for seed in seeds(use.pattern, use.flags):
        timed.append((_seconds(regex, use, seed.text(SHORT // 4), 1), seed))
        if timed[-1][0] == inf:
            break
    for _, seed in sorted(timed)[-3:]:
        if grown := _grows(regex, use, seed):
            yield f"{grown:.0f} times: {use.place} {use.pattern[:80]!r} {seed}"
            return


def _grows(regex: re.Pattern[str], use: Use, seed: Seed) -> float:
    """Return the growth if it is too much, else 0. What looks too much is measured again."""
    for runs in (1, 5):
        short, long = (_seconds(regex, use, seed.text(size), runs) for size in (SHORT, 4 * SHORT))
        growth = inf if long == inf else long / max(short, NOISE)
        if growth <= MAX_GROWTH:
            return 0
    return growth


def _seconds(regex: re.Pattern[str], use: Use, text: str, runs: int) -> float:
    """Return the processor time, the best of several runs."""
    taken = list[float]()
    for _ in range(runs):
        began = time.thread_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
        try:
            _try(regex, use, text)
        except _TooSlowError:
            return inf
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        taken.append(time.thread_time() - began)
    return min(taken)


def _try(regex: re.Pattern[str], use: Use, text: str) -> None:
    if use.searched:
        for _ in regex.finditer(text):
            pass
    else:
        regex.match(text)
        regex.fullmatch(text)


class _TooSlowError(Exception):
    """A try took too long."""


@contextmanager
def _given_up() -> Iterator[None]:
    """Give up a try that takes too long; `re` looks for signals while it searches."""

    def give_up(*_: Any) -> None:
        raise _TooSlowError

    before = signal.signal(signal.SIGVTALRM, give_up)
    yield
    signal.signal(signal.SIGVTALRM, before)
