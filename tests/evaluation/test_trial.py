"""A trial, from storing to the report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import erstwhile
from erstwhile.core.errors import InvalidInputError
from erstwhile.evaluation.baseline import rank_by_meaning, rank_by_words
from erstwhile.evaluation.formats import read_questions
from erstwhile.evaluation.haystack import Haystack, Item, Question, QuestionSet, Way
from erstwhile.evaluation.metrics import HITS
from erstwhile.evaluation.report import report, summary
from erstwhile.evaluation.trial import Answer, Shown, Trial
from tests.cli.shell import at_terminal, run
from tests.evaluation.samples import LONGMEMEVAL, TABS, about, asked, beam, locomo, written

HAYSTACK = Haystack(
    name="farm",
    items=[
        Item(id="cow", text="The cows are milked at dawn"),
        Item(id="cow again", text="the cows are   milked at dawn"),
        Item(id="tractor", text="A tractor costs a fortune"),
        Item(id="鸡", text="母鸡每天早上下蛋"),
    ],
    questions=[
        Question(text="When was the cow milked?", relevant={"cow", "cow again"}, category="one"),
        Question(text="母鸡什么时候下蛋？", relevant={"鸡"}, category="two"),
    ],
)
FARM = QuestionSet(name="farm", haystacks=[HAYSTACK], way=Way.FACTS)


def tried(trial: Trial, questions: QuestionSet, embedder: str = "hashing") -> list[Answer]:
    with erstwhile.open(":memory:", embedder=embedder) as memory:
        return trial.run(memory, questions)


class TestBaselines:
    def test_words_are_stemmed_and_chinese_is_found(self) -> None:
        ranked = rank_by_words(HAYSTACK, 20)
        assert [set(found) for found in ranked] == [{"cow", "cow again"}, {"鸡"}]

    def test_words_survive_any_question(self) -> None:
        odd = ('" OR *', "", "NEAR(x y)")
        questions = [Question(text=text, relevant={"x"}) for text in odd]
        haystack = Haystack(name="odd", items=HAYSTACK.items, questions=questions)
        assert rank_by_words(haystack, 1) == [[], [], []]

    def test_meaning_is_the_nearest_vector(self) -> None:
        class ByLength:
            model, dimensions = "length", 2

            def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:  # noqa: ARG002
                angles = np.array([len(text) / 30 for text in texts], np.float32)
                return np.stack([np.cos(angles), np.sin(angles)], axis=1)

        haystack = Haystack(
            name="x",
            items=[Item(id=text, text=text) for text in ("a", "a" * 20, "a" * 10)],
            questions=[Question(text="b" * 11, relevant={"x"})],
        )
        assert [len(id) for id in rank_by_meaning(haystack, 2, ByLength())[0]] == [10, 20]


class TestTrial:
    @pytest.mark.parametrize("way", Way)
    def test_repeats_count_as_what_they_stand_for(self, way: Way) -> None:
        """Two equal items are one fact, or two messages. A hit of the fact counts for both."""
        told: list[str] = []
        answers = tried(Trial(way=way, tell=told.append), FARM)
        assert answers[0].found[10][0] in {"cow", "cow again"}
        assert {"cow", "cow again"} <= set(answers[0].found[10])
        assert answers[1].found[10][0] == "鸡"
        assert told[0] == "Storing farm: 4 texts…"
        assert told[-2:] == ["Asking 1 of 2: farm", "Asking 2 of 2: farm"]

    def test_contexts_show_evidence_and_wishes(self, tmp_path: Path) -> None:
        questions = (
            about("knowledge_update", "When is my trip to the mountains?", 0, 3),
            about("instruction_following", "Show me tabs for Python indentation", 2, wish=TABS),
        )
        read = read_questions(written(tmp_path, "x.json", [beam(*questions)]))
        trip, tabs = tried(Trial(way=read.way, budgets=(1, 1_000)), read)
        assert trip.shown[1_000].evidence == 0.5
        assert trip.shown[1_000].tokens > 0
        assert not trip.shown[1_000].wish
        assert (tabs.shown[1_000].evidence, tabs.shown[1_000].wish) == (1.0, True)
        assert trip.shown[1] == tabs.shown[1] == Shown(evidence=0.0, tokens=0, wish=False)

    def test_sessions_are_evidence_where_no_turn_is_marked(self) -> None:
        read = read_questions(LONGMEMEVAL)
        bike, bread = tried(Trial(way=read.way, budgets=(1_000,)), read)
        assert bike.found[10][0] == bike.baseline[0] == "s2#0"
        assert bread.found[10] == bread.baseline == ["s1"]
        assert bread.shown[1_000].evidence == 1.0

    def test_an_embedder_that_embeds_nothing_is_said(self) -> None:
        class Broken:
            model, dimensions = "broken", 2

            def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:  # noqa: ARG002
                raise erstwhile.EmbedderError("no")

        with (
            erstwhile.open(":memory:", embedder=Broken()) as memory,
            pytest.raises(InvalidInputError, match="without a vector") as refused,
        ):
            Trial(way=Way.FACTS).run(memory, FARM)
        assert "--no-flush" in refused.value.remedy

    def test_a_sample_is_always_the_same(self) -> None:
        many = [Question(text=f"{number}?", relevant={"cow"}) for number in range(50)]
        hay = Haystack(name="many", items=HAYSTACK.items, questions=many)
        few = QuestionSet(name="x", haystacks=[hay, HAYSTACK], way=Way.FACTS)
        first, again = (few.sampled(9).haystacks for _ in "ab")
        assert [each.questions for each in first] == [each.questions for each in again]
        assert sum(len(each.questions) for each in first) == 9
        assert len(few.sampled(1).haystacks) == 1
        assert few.sampled(999) == few


class TestReport:
    def test_figures_come_by_category_and_overall(self) -> None:
        one, two = HAYSTACK.questions
        shown = [Shown(evidence=share, tokens=10, wish=False) for share in (0.5, 1.0)]
        answers = [
            Answer(question=one, found={10: ["cow"], 50: []}, baseline=[], shown={7: shown[0]}),
            Answer(question=two, found={10: ["鸡"], 50: []}, baseline=["鸡"], shown={7: shown[1]}),
        ]
        lines = summary(answers)
        assert [line.category for line in lines] == ["one", "two", "all"]
        assert [line.questions for line in lines] == [1, 1, 2]
        assert [line.erstwhile["recall@10"] for line in lines] == [0.5, 1.0, 0.75]
        assert lines[-1].erstwhile["recall@50"] == 0.0
        assert [line.baseline["recall@10"] for line in lines] == [0.0, 1.0, 0.5]
        assert [line.ratio["recall@10"] for line in lines] == [None, 1.0, 1.5]
        assert [line.contexts[0].evidence for line in lines] == [0.5, 1.0, 0.75]
        assert lines[-1].contexts[0].wishes is None

    def test_wishes_are_a_share_of_the_questions_that_have_one(self) -> None:
        wished = Question(text="x", relevant={"cow"}, wish=TABS)
        shown = [{7: Shown(evidence=0, tokens=10, wish=wish)} for wish in (True, False, False)]
        answers = [
            Answer(question=question, found={10: [], 50: []}, baseline=[], shown=each)
            for question, each in zip((wished, wished, HAYSTACK.questions[0]), shown, strict=True)
        ]
        last = summary(answers)[-1]
        assert (last.wishes, last.contexts[0].wishes) == (2, 0.5)

    def test_the_first_hit_counts_for_paraphrases(self) -> None:
        pairs = QuestionSet(name="x", haystacks=[HAYSTACK], way=Way.FACTS, is_paraphrased=True)
        answers = [Answer(question=q, found={10: ["x", "cow"]}, baseline=["cow"]) for q in
                   HAYSTACK.questions[:1]]  # fmt: skip
        found = report(Trial(way=Way.FACTS), pairs, answers, "hashing")
        assert set(found.lines[0].erstwhile) == set(HITS)
        assert (found.lines[0].erstwhile["hit@1"], found.lines[0].erstwhile["hit@3"]) == (0, 1)
        assert found.lines[0].baseline["hit@1"] == 1


class TestCommandLine:
    @pytest.fixture
    def locomo_file(self, tmp_path: Path) -> str:
        samples = [
            locomo(asked(["D2:1"], question="Who adopted a puppy?")),
            locomo(asked(["D10:1"])),
        ]
        samples[1]["sample_id"] = "conv-2"
        return str(written(tmp_path, "locomo.json", samples))

    def test_it_measures(self, locomo_file: str) -> None:
        words = ("eval", locomo_file, "--embedder", "hashing")
        [found] = run(*words, "--limit-conversations", "1", "--tokens", "500").data["reports"]
        assert (found["data"], found["embedder"], found["items"]) == ("LoCoMo", "hashing", 2)
        assert (found["stored_as"], found["flushed"]) == ("facts", True)
        [line] = found["lines"]
        assert (line["category"], line["questions"]) == ("all", 1)
        assert set(line["erstwhile"]) == {"recall@10", "recall@50", "ndcg@10"}
        assert line["erstwhile"]["recall@10"] == line["ratio"]["recall@10"] == 1.0
        [context] = line["contexts"]
        assert (context["budget"], context["evidence"]) == (500, 1.0)

    def test_it_shows_a_table(self, locomo_file: str) -> None:
        shown = at_terminal("eval", locomo_file, "--embedder", "hashing", "--as", "messages")
        assert shown.code == 0
        assert "LoCoMo: 4 messages, embedder hashing" in shown.words
        assert "SQLite's FTS5 alone" in shown.words
        for name in ("recall@10", "ndcg@10", "in 1,000", "in 4,000", "in 16,000"):
            assert name in shown.words.replace("\n", " ")

    def test_paraphrases_are_asked_twice(self) -> None:
        words = ("eval", "--set", "paraphrases", "--embedder", "hashing", "--sample", "5")
        at_once, flushed = run(*words, "--search-only").data["reports"]
        assert (at_once["flushed"], flushed["flushed"]) == (False, True)
        assert at_once["baseline"] == "the embedder alone"
        assert flushed["lines"][-1]["questions"] == 5
        assert flushed["lines"][-1]["contexts"] == []

    def test_a_missing_file_is_said(self, tmp_path: Path) -> None:
        ended = run("eval", str(tmp_path / "nowhere.json"))
        assert (ended.code, ended.error["error"]) == (2, "invalid_input")

    def test_nothing_to_ask_is_said(self) -> None:
        ended = run("eval")
        assert ended.code == 2
        assert "--set paraphrases" in ended.error["message"]
