"""Switch off the rules of ranking and relevance one by one, and measure what is lost.

python -m bench.rules FILE... [--only RULE] [--embedder NAME]

A rule is worth its code if questions that nobody here wrote need it. The files are those of
`bench.questions`. Questions of another conversation should find nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias
from unittest.mock import patch

import erstwhile
from bench.evaluation.haystack import Haystack
from bench.evaluation.readers import read_questions
from bench.evaluation.scores import ndcg_at, recall_at
from bench.evaluation.trial import StoredHaystack, store_haystack
from bench.report import Result, show
from erstwhile.recall import candidates, channels, query, rank, recall, relevance
from erstwhile.search import bm25

Change: TypeAlias = AbstractContextManager[Any]
_FOREIGN = 40
"""The questions of another conversation that a memory is asked."""


def _calibrated(**numbers: tuple[float, float]) -> Change:
    original = relevance.calibration
    return patch.object(recall, "calibration", lambda model: original(model)._replace(**numbers))


def _without_factors() -> Change:
    original = rank.factors
    return patch.object(
        rank, "factors", lambda *each, **more: dict.fromkeys(original(*each, **more), 0.0)
    )


def _all_of_the_topic(terms: Sequence[str], **_more: bool) -> Mapping[str, float]:
    return dict.fromkeys(terms, 1.0)


RULES: Mapping[str, Callable[[], Change]] = {
    "everything on": ExitStack,
    "length": lambda: patch.object(candidates, "length_weight", lambda _: 1.0),
    "short questions": lambda: patch.object(candidates, "telling_weight", lambda _: 1.0),
    "subject": lambda: patch.object(candidates, "subject_weight", lambda *_: 1.0),
    "neighbours": lambda: patch.object(recall, "with_neighbours", lambda _, found, __: found),
    "words of neighbours": lambda: patch.object(bm25, "NEIGHBOUR_WEIGHT", 0.0),
    "cosines of neighbours": lambda: patch.object(candidates, "smoothed", lambda own, _: own),
    "boosts": _without_factors,
    "topic words": lambda: patch.object(recall, "topic_weights", _all_of_the_topic),
    "roles": lambda: patch.object(recall, "others_weight", lambda _: 1.0),
    "common words not embedded": lambda: patch.object(
        channels.TermStatistics, "is_common", lambda *_: False
    ),
    "question mark not embedded": lambda: patch.object(query, "_as_statement", lambda text: text),
    "unknown names": lambda: _calibrated(unknown=(0.0, 0.0)),
    "bias of a subject": lambda: _calibrated(subject=(0.0, 0.0)),
    "nearest meaning": lambda: _calibrated(nearest=(0.0, 0.0)),
}


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    rules = options.only or [*RULES]
    show([_measured(each, rules, options.embedder) for each in options.files], as_json=options.json)


def _measured(file: Path, rules: Sequence[str], embedder: str | None) -> Result:
    questions = read_questions(file)
    flush = embedder != "none"
    with erstwhile.open(":memory:", embedder=embedder) as memory:
        stored = [
            (each, store_haystack(memory.scoped(user=each.name), each, questions.way, flush=flush))
            for each in questions.haystacks
        ]
        rows = [_row(rule, stored) for rule in rules]
    return Result(f"{questions.name} without one rule", "nothing: for foreign questions", rows)


def _row(rule: str, stored: Sequence[tuple[Haystack, StoredHaystack]]) -> dict[str, str | float]:
    with RULES[rule]():
        scores = [*_scores(stored)]
        nothing = [*_silent(stored)]
    found, order = (fmean(column) for column in zip(*scores, strict=True))
    row: dict[str, str | float] = {"without": rule, "recall@10": found, "ndcg@10": order}
    return {**row, "nothing": fmean(nothing)} if nothing else row


def _scores(stored: Sequence[tuple[Haystack, StoredHaystack]]) -> Iterator[tuple[float, float]]:
    for haystack, there in stored:
        for question in haystack.questions:
            ranked = there.search(question, 10)
            yield recall_at(ranked, question.relevant, 10), ndcg_at(ranked, question.relevant, 10)


def _silent(stored: Sequence[tuple[Haystack, StoredHaystack]]) -> Iterator[bool]:
    """Yield whether questions of the haystack after the next one find nothing."""
    for at, (_, there) in enumerate(stored if len(stored) > 2 else ()):
        foreign = stored[(at + 2) % len(stored)][0].questions
        for question in foreign[:: max(len(foreign) // _FOREIGN, 1)]:
            yield not there.search(question, 10)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.rules", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
    parser.add_argument("--only", metavar="RULE", action="append", choices=tuple(RULES))
    parser.add_argument("--embedder", metavar="NAME", help="universal, minilm, http:MODEL or none")
    parser.add_argument("--json", action="store_true")
    return parser


if __name__ == "__main__":
    main()
