"""`erstwhile eval`: measure how well a memory answers saved questions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from erstwhile.cli import options
from erstwhile.cli.call import Call, counting
from erstwhile.cli.exit_codes import REFUSED
from erstwhile.core.errors import InvalidInputError
from erstwhile.recall.hits import Hit

_REMEDY = 'write one object on each line: {"question": "…", "expect": ["part of a text, or an id"]}'


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredQuestion:
    """A saved question, and the places of the expected records in the answer.

    A question that expects nothing is answered if nothing is found. `problem` is empty if it is
    answered.
    """

    line: int
    question: str
    ranks: tuple[int, ...]
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalResult:
    """The result for all questions. `recall` is the share of expected records that were found."""

    questions: int
    answered: int
    recall: float
    mean_reciprocal_rank: float
    failed: tuple[AnsweredQuestion, ...]


def evaluate(call: Call, *, file: Path, limit: int, least: float) -> int:
    saved = [*_saved_questions(options.read_text(file))]
    if not saved:
        raise InvalidInputError(f"{file} has no question", remedy=_REMEDY)
    if not call.is_remote:
        call.learners = 0
        call.memory.flush()
    answered = list[AnsweredQuestion]()
    with counting("Asking") as show:
        for line, each in saved:
            show(len(answered), len(saved))
            answered.append(_answer_question(call, line, each, limit))
    result = _summarize(answered, [len(each["expect"]) for _, each in saved])
    call.out.record(result)
    return 0 if result.answered >= least * result.questions else REFUSED


def _saved_questions(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            saved = json.loads(line)
            if isinstance(saved["expect"], str):
                saved["expect"] = [saved["expect"]]
            is_known = {*saved} == {"question", "expect"} and isinstance(saved["expect"], list)
            words = [saved["question"], *saved["expect"]]
            valid = is_known and all(isinstance(word, str) and word.strip() for word in words)
        except (ValueError, TypeError, KeyError, RecursionError):
            valid = False
        if not valid:
            raise InvalidInputError(f"line {number} is not a question", remedy=_REMEDY)
        yield number, saved


def _answer_question(
    call: Call, line: int, saved: Mapping[str, Any], limit: int
) -> AnsweredQuestion:
    hits = call.memory.recall(saved["question"], limit)
    ranks, missing = list[int](), list[str]()
    for expected in saved["expect"]:
        found = [rank for rank, hit in enumerate(hits, 1) if _is_expected(hit, expected)]
        ranks += found[:1]
        missing += [] if found else [expected]
    problem = f"not found: {', '.join(missing)}" if missing else ""
    if hits and not saved["expect"]:
        problem = f"found {len(hits)}, expected none"
    return AnsweredQuestion(
        line=line, question=saved["question"], ranks=tuple(ranks), problem=problem
    )


def _is_expected(hit: Hit, expected: str) -> bool:
    """Return whether a hit is the expected record, by its id or a part of its text."""
    return hit.record.id.startswith(expected) or (
        expected.casefold() in hit.record.searched.casefold()
    )


def _summarize(answered: list[AnsweredQuestion], expected: list[int]) -> EvalResult:
    best = [1 / min(each.ranks) if each.ranks else 0.0 for each in answered]
    asked = [rank for rank, count in zip(best, expected, strict=True) if count]
    found = sum(len(each.ranks) for each in answered)
    return EvalResult(
        questions=len(answered),
        answered=sum(not each.problem for each in answered),
        recall=round(found / sum(expected), 3) if sum(expected) else 1.0,
        mean_reciprocal_rank=round(sum(asked) / len(asked), 3) if asked else 1.0,
        failed=tuple(each for each in answered if each.problem),
    )
