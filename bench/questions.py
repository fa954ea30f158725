"""Measure search and contexts on files of questions, beside the full-text search of plain SQLite.

python -m bench.questions FILE... [--tokens N] [--embedder NAME] [--sample N]

A file is one of LoCoMo, MADial-Bench (the dialogues), BEAM or LongMemEval; its fields tell which.
Everything is stored in a temporary memory, each conversation in the scope of its own user.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import erstwhile
from bench.evaluation.haystack import QuestionSet, Way
from bench.evaluation.readers import FORMATS, read_questions
from bench.evaluation.scores import CategoryScores, summary
from bench.evaluation.trial import Trial
from bench.report import Result, show

BUDGETS = (1_000, 4_000, 16_000)


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    try:
        results = [each for file in options.files for each in measured(file, options)]
    except erstwhile.ErstwhileError as error:
        raise SystemExit(f"{error.message}; {error.remedy}") from None
    show(results, as_json=options.json)


def measured(file: Path, options: argparse.Namespace) -> Iterator[Result]:
    """Ask the questions of a file, and yield the tables of search and of contexts."""
    questions = read_questions(file, options.format)
    questions = replace(questions, haystacks=questions.haystacks[: options.limit_conversations])
    if options.sample:
        questions = questions.sampled(options.sample)
    trial = Trial(
        way=Way(options.stored_as) if options.stored_as else questions.way,
        budgets=() if options.search_only else options.tokens or BUDGETS,
        flush=not options.no_flush,
    )
    with erstwhile.open(":memory:", embedder=options.embedder, reranker=options.reranker) as memory:
        lines = summary(trial.run(memory, questions))
    yield from _results(_title(questions, trial), lines)


def _title(questions: QuestionSet, trial: Trial) -> str:
    items = sum(len(haystack.items) for haystack in questions.haystacks)
    return f"{questions.name}: {items:,} {trial.way}" + ("" if trial.flush else ", asked at once")


def _results(title: str, lines: Sequence[CategoryScores]) -> Iterator[Result]:
    meaning = "in brackets: full-text search of plain SQLite"
    yield Result(f"{title}: search", meaning, [_search(line) for line in lines])
    if lines[-1].contexts:
        meaning = (
            "the share of the evidence quoted in N tokens, and of questions with all of it; "
            "in brackets: how many tokens were used"
        )
        yield Result(f"{title}: contexts", meaning, [_contexts(line) for line in lines])


def _search(line: CategoryScores) -> dict[str, str | float]:
    pairs = {name: (ours, line.baseline[name]) for name, ours in line.erstwhile.items()}
    shown = {name: f"{ours:.4f} ({theirs:.4f})" for name, (ours, theirs) in pairs.items()}
    return {"category": line.category, "questions": line.questions, **shown}


def _contexts(line: CategoryScores) -> dict[str, str | float]:
    shown = {
        f"in {budget:,}": f"{each.evidence:.4f} all {each.complete:.4f} ({each.tokens:,.0f})"
        for budget, each in line.contexts.items()
    }
    return {"category": line.category, "questions": line.questions, **shown}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.questions", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
    add = parser.add_argument
    add("--format", choices=FORMATS, help="the format, if it is not recognised")
    add("--as", dest="stored_as", choices=tuple(Way), help="store as these, not in the usual way")
    add("--tokens", type=_count, action="append", metavar="N", help="a budget; can be repeated")
    add("--search-only", action="store_true", help="make no contexts")
    add("--sample", type=_count, metavar="N", help="only N questions, always the same ones")
    add("--limit-conversations", type=_count, metavar="N", help="only the first N conversations")
    add("--no-flush", action="store_true", help="ask at once, while texts wait for their vectors")
    add("--embedder", metavar="NAME", help="universal, minilm, http:MODEL or none")
    add("--reranker", metavar="NAME", help="minilm or none")
    add("--json", action="store_true")
    return parser


def _count(written: str) -> int:
    number = int(written)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{written} is less than 1")
    return number


if __name__ == "__main__":
    main()
