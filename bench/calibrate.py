"""Fit the numbers of `recall/relevance.toml` for an embedder, and measure them.

python -m bench.calibrate FILE... [--embedder NAME]

Questions of a conversation are asked in its own memory, where they have an answer, and in that of
another conversation, where they have none; so are everyday questions. Each memory is asked whole
and as a small one of forty texts. The numbers are fitted on every second memory and measured on the
others, with the threshold of the code: which share of the unanswerable questions finds nothing, and
which share of the answerable ones loses its evidence.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

import erstwhile
from bench.evaluation.haystack import Haystack, Question, Way
from bench.evaluation.readers import read_questions
from bench.evaluation.trial import store_haystack
from bench.report import Result, show
from erstwhile.recall.relevance import MemorySize
from erstwhile.search.topic import proper_names

_EVERYDAY = Path(__file__).parent / "sets" / "everyday.txt"
_SMALL = 40
_DEPTH = 10
_MAX_ASKED = 80
_STEPS = 100
_NAMES = ("slope", "nearest", "bias", "unknown", "subject")
_NUMBERS = "\n".join(f"{name} = [{{:.2f}}, {{:.2f}}]" for name in _NAMES)


class Asked(NamedTuple):
    """The best hits of a question: their evidence, and which are right; no question has both."""

    group: str
    tuning: bool
    answerable: bool
    memory: MemorySize
    evidence: float
    """Of the best hit."""
    found: bool
    """Whether the right records are found with the present numbers, or nothing for no answer."""


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    asked = [each for file in options.files for each in _asked_in(file, options.embedder)]
    fitted = fit([each for each in asked if each.tuning])
    print(_NUMBERS.format(*fitted))
    groups = dict.fromkeys(each.group for each in asked)
    rows = [_row(name, [each for each in asked if each.group == name]) for name in groups]
    meaning = "with the present numbers; the half that is fitted / the other half"
    show([Result("relevance", meaning, rows)], as_json=options.json)


def fit(asked: Sequence[Asked]) -> list[float]:
    """Return the pairs of numbers in their order, from a logistic regression.

    Groups have equal weights, and an answer that is lost counts three times.
    """
    memories = [each.memory for each in asked]
    sizes = np.array([(1 - memory.size, memory.size) for memory in memories])
    accidents = np.array([(1 - memory.accident, memory.accident) for memory in memories])
    evidence = np.array([[each.evidence] for each in asked])
    known = np.array([(each.nearest, each.unknown, each.has_subject) for each in memories], float)
    nearest, unknown, subject = (sizes * column[:, None] for column in known.T)
    rows = np.hstack([sizes * evidence, nearest, -accidents, -unknown, subject])
    right = np.array([each.answerable for each in asked], float)
    counts = Counter(each.group for each in asked)
    weights = np.array([(3 if each.answerable else 1) / counts[each.group] for each in asked])
    fitted = np.array([1.0, 0.4, 0.0, 0.8, 2.0, 4.0, 1.0, 1.0, 0.0, 0.0])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-rows @ fitted))
        gradient = rows.T @ (weights * (right - chance))
        curvature = (rows * (weights * chance * (1 - chance))[:, None]).T @ rows
        fitted = fitted + np.linalg.solve(curvature + 1e-3 * np.eye(len(fitted)), gradient)
    return [float(each) for each in fitted]


def _asked_in(file: Path, embedder: str | None) -> Iterator[Asked]:
    questions = read_questions(file)
    everyday = [
        Question(text=line, relevant=()) for line in _EVERYDAY.read_text("utf-8").splitlines()
    ]
    whole, small = questions.haystacks, [_thinned(each) for each in questions.haystacks]
    for size, haystacks in (("large", whole), ("small", small)):
        with erstwhile.open(":memory:", embedder=embedder) as memory:
            for at, haystack in enumerate(haystacks):
                scoped = memory.scoped(user=f"{haystack.name} {size}")
                asking = _Asking(
                    scoped, haystack, questions.way, tuning=at % 2 == 0, flush=embedder != "none"
                )
                name = f"{questions.name}, {size}"
                foreign = haystacks[(at + 2) % len(haystacks)].questions
                yield from asking.ask(f"{name}: own", haystack.questions)
                if len(haystacks) > 1:
                    others = [replace(each, relevant=()) for each in foreign]
                    yield from asking.ask(f"{name}: of another memory", others)
                yield from asking.ask(f"{name}: everyday", everyday)


def _thinned(haystack: Haystack) -> Haystack:
    """Return forty texts of a haystack with the evidence of as many questions as possible."""
    random, kept, asked = Random(haystack.name), set[str](), list[Question]()
    for question in random.sample(list(haystack.questions), len(haystack.questions)):
        if len(kept.union(question.relevant)) <= _SMALL // 2:
            kept.update(question.relevant)
            asked.append(question)
    others = [item.id for item in haystack.items if item.id not in kept]
    kept.update(random.sample(others, min(_SMALL - len(kept), len(others))))
    items = [item for item in haystack.items if item.id in kept]
    return replace(haystack, items=items, questions=asked)


class _Asking:
    """A stored haystack that is asked questions."""

    def __init__(
        self,
        memory: erstwhile.Memory,
        haystack: Haystack,
        way: Way,
        *,
        tuning: bool,
        flush: bool,
    ) -> None:
        self._stored = store_haystack(memory, haystack, way, flush=flush)
        self._memory, self._way, self._tuning = memory, way, tuning

    def ask(self, group: str, questions: Sequence[Question]) -> Iterator[Asked]:
        for question in questions[:: max(len(questions) // _MAX_ASKED, 1)]:
            hits = self._search(question.text, floor=0.0)
            right = [hit for hit in hits if self._is_right(hit.record.id, question)]
            if not hits or (question.relevant and not right):
                continue
            default = self._search(question.text)
            yield Asked(
                group=group,
                tuning=self._tuning,
                answerable=bool(right),
                memory=_memory(question.text, hits),
                evidence=max(hit.why.score for hit in hits),
                found=len([h for h in default if self._is_right(h.record.id, question)])
                == len(right)
                if right
                else not default,
            )

    def _search(self, query: str, floor: float | None = None) -> erstwhile.types.RecallHits:
        if self._way is Way.FACTS:
            return self._memory.recall(query, _DEPTH, floor=floor)
        return self._memory.conversations.search(query, limit=_DEPTH, floor=floor)

    def _is_right(self, id: str, question: Question) -> bool:
        return any(item.id in question.relevant for item in self._stored.items[id])


def _memory(query: str, hits: erstwhile.types.RecallHits) -> MemorySize:
    """Return what is known of the memory: known names that are not embedded are its subject."""
    trace = hits.trace
    names = proper_names(query)
    embedded = (trace.embedded or query).split()
    has_subject = any(name not in (*embedded, *trace.unknown) for name in names)
    unknown = len(trace.unknown) / max(len(names), 1)
    memory = MemorySize.of(trace.passages, unknown, has_subject=has_subject)
    return memory._replace(nearest=max((hit.why.meaning or 0.0) for hit in hits))


def _row(name: str, asked: Sequence[Asked]) -> dict[str, str | float]:
    shares = []
    for tuning in (True, False):
        found = [each.found for each in asked if each.tuning is tuning]
        shares.append(sum(found) / len(found) if found else 0.0)
    kind = "evidence kept" if asked[0].answerable else "found nothing"
    return {"questions": name, "count": len(asked), kind: "{:.3f} / {:.3f}".format(*shares)}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.calibrate", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
    parser.add_argument("--embedder", metavar="NAME", help="universal, minilm, http:MODEL or none")
    parser.add_argument("--json", action="store_true")
    return parser


if __name__ == "__main__":
    main()
