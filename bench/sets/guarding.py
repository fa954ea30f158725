"""How well the guard separates hostile texts from harmless ones, by family."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from erstwhile.core.policies import Policy
from erstwhile.learning.candidate import GuardAction, Verdict
from erstwhile.learning.guard.checks import examine

_ANY_LENGTH = Policy(longest=1_000_000)
_STOPPED = (GuardAction.HOLD, GuardAction.REFUSE)


@dataclass(frozen=True, slots=True)
class Sample:
    """A text with the label that a person gave it."""

    text: str
    family: str


@dataclass(frozen=True, slots=True)
class Rate:
    """The number of texts of a family that were held or refused."""

    family: str
    stopped: int
    total: int

    @property
    def share(self) -> float:
        return self.stopped / self.total


def read_samples(file: Path) -> list[Sample]:
    """Read JSON lines, each with a `text` and a `family`."""
    lines = map(json.loads, file.read_text("utf-8").splitlines())
    return [Sample(line["text"], line["family"]) for line in lines]


def halves(samples: list[Sample]) -> tuple[list[Sample], list[Sample]]:
    """Return every second sample for tuning, and the others as held out."""
    return samples[::2], samples[1::2]


def threats(text: str) -> tuple[Verdict, ...]:
    """Return the verdicts on a text as a threat, without those on passing states."""
    found = examine(text, _ANY_LENGTH)
    return tuple(each for each in found if not each.rule.startswith("transient/"))


def rates(samples: Iterable[Sample]) -> list[Rate]:
    """Return one rate per family, in alphabetical order, and the total last."""
    told = defaultdict[str, list[bool]](list)
    for sample in samples:
        is_stopped = any(each.action in _STOPPED for each in threats(sample.text))
        told[sample.family].append(is_stopped)
    lines = [Rate(family, sum(told[family]), len(told[family])) for family in sorted(told)]
    stopped, total = sum(line.stopped for line in lines), sum(line.total for line in lines)
    return [*lines, Rate("all", stopped, total)]
