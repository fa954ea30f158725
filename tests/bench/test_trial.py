"""A trial, from storing to what was found; and `bench.questions`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from bench.evaluation.baseline import rank_by_words
from bench.evaluation.haystack import Haystack, Item, Question, QuestionSet, Way
from bench.evaluation.readers import read_questions
from bench.evaluation.trial import Answer, Shown, Trial, quoted_items
from bench.questions import main

import erstwhile
from erstwhile import Context, InvalidInputError
from tests.bench.samples import LONGMEMEVAL, about, asked, beam, locomo, written

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


def tried(trial: Trial, questions: QuestionSet) -> list[Answer]:
    with erstwhile.open(":memory:", embedder="hashing") as memory:
        return trial.run(memory, questions)


class TestBaseline:
    def test_words_are_stemmed_and_chinese_is_found(self) -> None:
        ranked = rank_by_words(HAYSTACK, 20)
        assert [set(found) for found in ranked] == [{"cow", "cow again"}, {"鸡"}]

    def test_words_survive_any_question(self) -> None:
        odd = ('" OR *', "", "NEAR(x y)")
        questions = [Question(text=text, relevant={"x"}) for text in odd]
        haystack = Haystack(name="odd", items=HAYSTACK.items, questions=questions)
        assert rank_by_words(haystack, 1) == [[], [], []]


class TestTrial:
    @pytest.mark.parametrize("way", Way)
    def test_repeats_count_as_what_they_stand_for(self, way: Way) -> None:
        """Two equal items are one fact, or two messages. A hit of the fact counts for both."""
        answers = tried(Trial(way=way), FARM)
        assert answers[0].found[10][0] in {"cow", "cow again"}
        assert {"cow", "cow again"} <= set(answers[0].found[10])
        assert answers[1].found[10][0] == "鸡"

    def test_contexts_show_evidence(self, tmp_path: Path) -> None:
        trip = about("knowledge_update", "When is my trip to the mountains?", 0, 3)
        read = read_questions(written(tmp_path, "x.json", [beam(trip)]))
        [answer] = tried(Trial(way=read.way, budgets=(1, 1_000)), read)
        assert answer.shown[1_000].evidence == 0.5
        assert answer.shown[1_000].tokens > 0
        assert answer.shown[1] == Shown(evidence=0.0, tokens=0)

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


TRIP = Item(id="trip", text="We drove to the coast in an old van. The engine died near Sagres!")


def context_of(fact: str) -> Context:
    with erstwhile.open(":memory:", embedder="none") as memory:
        memory.remember(fact)
        return memory.context(fact)


class TestQuotedItems:
    def test_an_item_that_is_quoted_itself_counts(self) -> None:
        context = context_of(TRIP.text)
        [shown] = context.items
        assert quoted_items(context, {shown.id: [TRIP]}) == [TRIP]

    def test_a_record_that_quotes_a_whole_sentence_counts(self) -> None:
        context = context_of("we drove to the coast  in an old van.")
        assert quoted_items(context, {"m1": [TRIP]}) == [TRIP]

    @pytest.mark.parametrize("said", ["The engine died", "The engine died in the Nevada desert"])
    def test_a_few_words_of_it_do_not_count(self, said: str) -> None:
        assert quoted_items(context_of(said), {"m1": [TRIP]}) == []


class TestCommandLine:
    @pytest.fixture
    def locomo_file(self, tmp_path: Path) -> str:
        samples = [
            locomo(asked(["D2:1"], question="Who adopted a puppy?")),
            locomo(asked(["D10:1"])),
        ]
        samples[1]["sample_id"] = "conv-2"
        return str(written(tmp_path, "locomo.json", samples))

    def test_it_measures(self, locomo_file: str, capsys: pytest.CaptureFixture[str]) -> None:
        few = ("--limit-conversations", "1", "--tokens", "500")
        main([locomo_file, "--embedder", "hashing", *few])
        search, contexts = json.loads(capsys.readouterr().out)
        assert search["title"] == "LoCoMo: 2 facts: search"
        [line] = search["rows"]
        assert (line["category"], line["questions"]) == ("all", 1)
        assert line["recall@10"] == "1.0000 (1.0000)"
        assert contexts["rows"][0]["in 500"].startswith("1.0000 (")

    def test_it_can_search_messages_at_once(
        self, locomo_file: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        main([locomo_file, "--embedder", "hashing", "--as", "messages", "--no-flush",
              "--search-only", "--sample", "1"])  # fmt: skip
        [search] = json.loads(capsys.readouterr().out)
        assert search["title"] == "LoCoMo: 2 messages, asked at once: search"

    def test_a_missing_file_is_said(self, tmp_path: Path) -> None:
        with pytest.raises(SystemExit, match="cannot be read"):
            main([str(tmp_path / "nowhere.json")])

    def test_a_number_below_one_is_refused(self, locomo_file: str) -> None:
        with pytest.raises(SystemExit):
            main([locomo_file, "--tokens", "0"])
