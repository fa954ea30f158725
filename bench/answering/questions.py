"""A fixed sample of the questions of a public set, with prompts and the answers of the set.

Flawed questions of LoCoMo are left out if `audit_errors.json` lies beside the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import click

import erstwhile
from bench.evaluation.haystack import Haystack, QuestionSet, Way
from bench.evaluation.readers import read_questions, read_samples
from bench.evaluation.trial import store_haystack
from erstwhile import Context, Memory

CONTEXTS = ("memory", "everything", "nothing")
"""What a prompt has beside the question."""


class Asked(NamedTuple):
    """A question with its context and the answer of the set."""

    set: str
    category: str
    question: str
    gold: str
    context: str

    @property
    def prompt(self) -> str:
        return f"{self.context}\nQuestion: {self.question}\n"


def asked(file: Path, count: int, tokens: int, given: str, embedder: str) -> Iterator[Asked]:
    """Store the conversations of a file, and yield a sample of its questions with contexts."""
    golds, questions = _golds(file), read_questions(file, unanswerable=True)
    chosen = _with_gold(questions, golds).sampled(count)
    with erstwhile.open(":memory:", embedder=embedder) as memory:
        memory.recall("Is the model loaded?")
        for haystack in chosen.haystacks:
            context = _context(memory.scoped(user=haystack.name), haystack, questions.way, given)
            for each in haystack.questions:
                gold, text = golds[haystack.name, each.text], context(each.text, tokens)
                yield Asked(questions.name, each.category, each.text, gold, text)


def _context(memory: Memory, haystack: Haystack, way: Way, given: str) -> Callable[[str, int], str]:
    if given == "memory":
        store_haystack(memory, haystack, way)
        day = haystack.asked_at
        return lambda question, tokens: _numbered(memory.context(question, tokens, now=day))
    dated = (f"[{item.said_at or ''}] {item.role}: {item.text}" for item in haystack.items)
    everything = "\n".join(dated) if given == "everything" else ""
    return lambda question, tokens: everything  # noqa: ARG005


def _numbered(context: Context) -> str:
    """Cite the items as 1, 2, …: their own numbers follow from random ids."""
    numbers = {f"[{each.citation}": f"[{at}" for at, each in enumerate(context.items, start=1)}
    return re.sub(r"\[\d+\b", lambda found: numbers.get(found[0], found[0]), context.text)


def _with_gold(questions: QuestionSet, golds: Mapping[tuple[str, str], str]) -> QuestionSet:
    def answerable(haystack: Haystack) -> Haystack:
        kept = [each for each in haystack.questions if (haystack.name, each.text) in golds]
        return replace(haystack, questions=kept)

    return replace(questions, haystacks=list(map(answerable, questions.haystacks)))


def _golds(file: Path) -> dict[tuple[str, str], str]:
    """Return the answers of a file by the conversation and the question."""
    format, samples = read_samples(file)
    if format == "beam":
        return {
            (f"beam-{sample['id']}", each["question"]): _beam_gold(each)
            for sample in samples
            for each in sample["questions"]
        }
    if format == "longmemeval":
        return {(each["question_id"], each["question"]): str(each["answer"]) for each in samples}
    if format != "locomo":
        raise click.UsageError(f"{file} has no answers: give LoCoMo, LongMemEval or BEAM")
    flawed = _flawed(file.with_name("audit_errors.json"))
    return {
        (sample["sample_id"], each["question"]): str(each["answer"])
        for number, sample in enumerate(samples)
        for at, each in enumerate(sample["qa"])
        if "answer" in each and f"locomo_{number}_qa{at}" not in flawed
    }


def _beam_gold(question: Mapping[str, Any]) -> str:
    wish = question.get("instruction")
    return f"{question['answer']} (wish: {wish})" if wish else str(question["answer"])


def _flawed(file: Path) -> frozenset[str]:
    if not file.is_file():
        return frozenset()
    return frozenset(each["question_id"] for each in json.loads(file.read_text("utf-8")))
