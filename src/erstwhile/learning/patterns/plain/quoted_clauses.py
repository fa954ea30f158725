"""Cut a sentence of any language into clauses, and give the wordings in which rules may read them.

A clause may begin with a greeting, with a time ("Seit April bin ich …"), or go on without a subject
("… und habe zwei Katzen"). The rules know only the plain order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from erstwhile.rule_files import read_rules

MOST_CLAUSES = 12


class QuotedWording(NamedTuple):
    """A clause as it is quoted, and as rules read it."""

    quoted: str
    read: str


class QuotedClause(NamedTuple):
    """A clause of a sentence: its place, and its wordings, the plainest first."""

    start: int
    end: int
    wordings: tuple[QuotedWording, ...]


def quoted_clauses(sentence: str) -> Iterator[QuotedClause]:
    """Yield the clauses of a sentence."""
    start, goes_on = 0, False
    for border in islice((*_part("border").finditer(sentence), None), MOST_CLAUSES):
        end = border.start() if border else len(sentence)
        if end < start:
            continue
        if apposed := _part("apposed").match(sentence, end):
            end = apposed.end()
        said = sentence[start:end].strip(" .¡¿")
        wordings = (
            (QuotedWording(f"(ich) {said}", f"ich {said}"),) if goes_on else tuple(_read(said))
        )
        yield QuotedClause(start, end, wordings)
        start = max(end, border.end() if border else end)
        goes_on = border is not None and bool(border["goes_on"])


def _read(said: str) -> Iterator[QuotedWording]:
    yield QuotedWording(said, said)
    yield from _without_front(said)
    opening = _part("opening").match(said)
    if opening and opening[0]:
        said = said[opening.end() :]
        yield QuotedWording(said, said)
        yield from _without_front(said)


def _without_front(said: str) -> Iterator[QuotedWording]:
    """Yield a clause in its plain order, without the time in front of it."""
    if found := _part("inverted").match(said):
        told = f"{found['who']} {found['verb']} {found['front']} {found['rest']}"
        yield QuotedWording(said, told)
    elif (front := _part("front").match(said)) and front[0]:
        yield QuotedWording(said, said[front.end() :])


@cache
def _part(name: str) -> re.Pattern[str]:
    file = read_rules(Path(__file__).with_name("quoted_clauses.toml"))
    return re.compile(file.parts[name], re.IGNORECASE)
