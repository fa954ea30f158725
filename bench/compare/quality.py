"""Quality on public sets, every system with the vectors of our embedder."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from bench.compare.measures import Comparison
from bench.compare.systems.erstwhile import System
from bench.compare.vectors import write_table
from bench.evaluation.haystack import Haystack
from bench.evaluation.readers import read_questions
from bench.evaluation.scores import ndcg_at, recall_at
from erstwhile.adapters.embedders.universal import UniversalEmbedder
from erstwhile.core.ports import Embedder

DEPTH = 10
_FOREIGN = 40
_WITHOUT_TABLE = ("fts5", "erstwhile")


def quality(
    all: Comparison, file: Path, title: str, limit: int | None, table: Path, embedder: Embedder
) -> None:
    """Store each conversation apart, ask its questions, and some of another conversation.

    FTS5 has no vectors. Erstwhile makes those of its default embedder itself, and is asked in this
    process with another one, because it embeds other words than those of the question.
    """
    haystacks = read_questions(file).haystacks[:limit]
    table.mkdir(exist_ok=True)
    texts = [item.text for haystack in haystacks for item in haystack.items]
    texts += [question.text for haystack in haystacks for question in haystack.questions]
    write_table(table, [*texts, "one"], embedder.embed)
    trials = [_Trial(haystack, haystacks[at - 1]) for at, haystack in enumerate(haystacks)]

    def measure(name: str) -> dict[str, float]:
        given = {} if name in _WITHOUT_TABLE else {"table": str(table)}
        opened = [{**all.opened(name, f"{title} {n}", 0), **given} for n in range(len(trials))]
        commands = [
            each
            for trial, first in zip(trials, opened, strict=True)
            for each in trial.commands(first)
        ]
        if given or isinstance(embedder, UniversalEmbedder):
            answers = [each["result"] for each in all.run(name, commands).answers][2::4]
        elif name == "erstwhile":
            answers = [trial.answers_here(embedder) for trial in trials]
        else:
            return {}
        scored = [trial.scores(found) for trial, found in zip(trials, answers, strict=True)]
        means = {
            f"{title}_{key}": fmean(chain.from_iterable(each[key] for each in scored))
            for key in scored[0]
        }
        return means if len(trials) > 1 else {key: means[key] for key in list(means)[:2]}

    all.each(measure, f"{title}_recall@10")


class _Trial:
    """A conversation, and the questions of another one, to which it has no answer."""

    def __init__(self, haystack: Haystack, foreign: Haystack) -> None:
        self._questions = haystack.questions
        self._foreign = [each.text for each in foreign.questions[:_FOREIGN]]
        self._ids = dict[str, list[str]]()
        for item in haystack.items:
            self._ids.setdefault(item.text.strip(), []).append(item.id)

    def commands(self, opened: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Return four commands; the third asks. A repeated text is stored once."""
        texts = {own[0]: text for text, own in self._ids.items()}
        asked = [*(each.text for each in self._questions), *self._foreign]
        return [
            opened,
            {"do": "add_many", "texts": texts},
            {"do": "recall", "questions": asked, "limit": DEPTH},
            {"do": "close"},
        ]

    def answers_here(self, embedder: Embedder) -> list[list[str]]:
        """Return the answers of Erstwhile with an embedder of this process."""
        _, added, asked, _ = self.commands({})
        with TemporaryDirectory() as folder:
            system = System(Path(folder), embedder.embed)
            system.add_many(added["texts"])
            answers = [system.recall(each, asked["limit"]) for each in asked["questions"]]
            system.close()
        return answers

    def scores(self, answers: list[list[str]]) -> dict[str, list[float]]:
        same = {own[0]: own for own in self._ids.values()}
        ranked = [[id for key in found for id in same[key]][:DEPTH] for found in answers]
        pairs = list(zip(ranked, self._questions, strict=False))
        return {
            "recall@10": [recall_at(found, each.relevant, DEPTH) for found, each in pairs],
            "ndcg@10": [ndcg_at(found, each.relevant, DEPTH) for found, each in pairs],
            "empty_answerable": [float(not found) for found, _ in pairs],
            "empty_unanswerable": [float(not found) for found in ranked[len(pairs) :]],
        }
