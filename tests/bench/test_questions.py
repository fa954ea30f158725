"""Questions of public sets: reading them, a trial with them, and its scores."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from math import log2
from pathlib import Path
from typing import Any

import pytest
from bench.evaluation.baseline import rank_by_words
from bench.evaluation.haystack import Haystack, Item, Question, QuestionSet, Way
from bench.evaluation.readers import read_questions
from bench.evaluation.scores import METRICS, ndcg_at, recall_at, summary
from bench.evaluation.trial import LIMITS, Answer, Shown, Trial, quoted_items
from bench.questions import main

import erstwhile
from erstwhile import Context, InvalidInputError
from tests.bench.samples import LONGMEMEVAL, about, asked, beam, locomo, written


@pytest.fixture
def locomo_file(tmp_path: Path) -> Path:
    evidence = {"D2:1; D10:01": 1, "D:10:1": 2, "D": 4, "D99:1": 4, "D2:1": 5}
    qa = [asked([each], category) for each, category in evidence.items()]
    return written(tmp_path, "locomo.json", [locomo(*qa)])


class TestLoCoMo:
    def test_turns_have_their_speaker_session_and_date(self, locomo_file: Path) -> None:
        [haystack] = read_questions(locomo_file).haystacks
        assert [(item.id, item.text, item.session) for item in haystack.items] == [
            ("D2:1", "Ana: I adopted a puppy.", "session_2"),
            ("D10:1", "Bob: Look! [shares a red kite over the beach]", "session_10"),
        ]
        said_at = datetime(2022, 9, 13, 0, 9, tzinfo=UTC)
        first = haystack.items[0]
        assert first.said_at == said_at
        assert first.details == {"entities": ["Ana"], "source": "session_2", "valid_from": said_at}

    def test_questions_have_evidence_that_exists(self, locomo_file: Path) -> None:
        """Ids in one string are split. Adversarial questions are left out."""
        [haystack] = read_questions(locomo_file).haystacks
        read = [(question.category, set(question.relevant)) for question in haystack.questions]
        assert read == [("multi-hop", {"D2:1", "D10:1"}), ("temporal", {"D10:1"})]


class TestBeam:
    def test_messages_keep_their_role_session_and_date(self, tmp_path: Path) -> None:
        questions = about("knowledge_update", "Where do I go?", 0)
        read = read_questions(written(tmp_path, "x.json", [beam(questions)]))
        assert (read.name, read.way) == ("BEAM", Way.MESSAGES)
        items = read.haystacks[0].items
        assert [(item.id, item.role, item.session) for item in items] == [
            ("0", "user", "session 1"),
            ("1", "assistant", "session 1"),
            ("2", "user", "session 2"),
            ("3", "assistant", "session 2"),
        ]
        assert items[0].said_at == datetime(2024, 3, 15, tzinfo=UTC)

    def test_questions_without_evidence_or_with_all_of_it_are_left_out(
        self, tmp_path: Path
    ) -> None:
        questions = (
            about("abstention", "Which boat?", 0),
            about("summarization", "What did we say?", 0, 2),
            about("event_ordering", "In which order?"),
            about("instruction_following", "Show me a class", 2),
        )
        [haystack] = read_questions(written(tmp_path, "x.json", [beam(*questions)])).haystacks
        [question] = haystack.questions
        assert (question.text, set(question.relevant)) == ("Show me a class", {"2"})


class TestLongMemEval:
    def test_each_question_has_its_sessions_in_the_order_of_time(self) -> None:
        read = read_questions(LONGMEMEVAL)
        assert (read.name, read.way) == ("LongMemEval", Way.MESSAGES)
        first, second = read.haystacks
        assert [item.id for item in first.items] == ["s1#0", "s1#1", "s2#0", "s2#1"]
        assert first.items[0].said_at == datetime(2023, 5, 20, 2, 21, tzinfo=UTC)
        assert [item.role for item in second.items] == ["user", "assistant", "user"]

    def test_evidence_are_the_marked_turns_else_sessions(self) -> None:
        [first], [second] = (each.questions for each in read_questions(LONGMEMEVAL).haystacks)
        assert (set(first.relevant), first.by_session) == ({"s2#0"}, False)
        assert (set(second.relevant), second.by_session) == ({"s1"}, True)
        assert first.category == "single-session-user"

    def test_a_question_without_an_answer_is_read_on_demand(self) -> None:
        everything = read_questions(LONGMEMEVAL, unanswerable=True)
        [last] = everything.haystacks[-1].questions
        assert (set(last.relevant), last.category) == (set(), "abstention")
        assert len(everything.haystacks) == len(read_questions(LONGMEMEVAL).haystacks) + 1

    def test_a_marked_turn_without_text_is_no_evidence(self, tmp_path: Path) -> None:
        [sample, *_] = json.loads(LONGMEMEVAL.read_text("utf-8"))
        sample["haystack_sessions"][0].append({"role": "user", "content": " ", "has_answer": True})
        [haystack] = read_questions(written(tmp_path, "x.json", [sample])).haystacks
        assert set(haystack.questions[0].relevant) == {"s2#0"}


class TestMADial:
    def test_it_asks_with_what_was_said_before(self, tmp_path: Path) -> None:
        memory = {"7": {"time": "2023-12-25", "event": "Bart在晚会上跳舞。"}}
        said = ["<BOD>\n", '<Bart>:"我要表演！"\n', '<Assistant>: "好。"\n', '<Bart>:"记得吗？"\n']
        dialogue = {"dialogue": said, "test-turn": [3], "relevant-id": [7]}
        written(tmp_path, "zh-memory.json", memory)
        file = tmp_path / "zh-dialogue.json"
        file.write_text("\n".join(json.dumps(dialogue) for _ in "ab") + "\n", "utf-8")
        [haystack] = read_questions(file).haystacks
        assert [(item.id, item.text) for item in haystack.items] == [("7", "Bart在晚会上跳舞。")]
        question = haystack.questions[1]
        assert (question.text, set(question.relevant)) == ("我要表演！ 好。", {"7"})


@pytest.mark.parametrize(
    ("content", "message"),
    [(b'[{"sample_id": "x"}]', "has no questions"), (b"[1", "is not JSON"), (b"\xff", "be read")],
)
def test_a_file_of_no_known_set_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_bytes(content)
    with pytest.raises(InvalidInputError, match=message):
        read_questions(file)


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


def test_the_baseline_stems_words_and_finds_chinese() -> None:
    ranked = rank_by_words(HAYSTACK, 20)
    assert [set(found) for found in ranked] == [{"cow", "cow again"}, {"鸡"}]


class TestTrial:
    @pytest.mark.parametrize("way", Way)
    def test_repeats_count_as_what_they_stand_for(self, way: Way) -> None:
        """Two equal items are one fact, or two messages. A hit of the fact counts for both."""
        answers = tried(Trial(way=way), FARM)
        assert answers[0].found[10][0] in {"cow", "cow again"}
        assert {"cow", "cow again"} <= set(answers[0].found[10])
        assert answers[1].found[10][0] == "鸡"

    def test_contexts_show_evidence(self, tmp_path: Path) -> None:
        trip = about("knowledge_update", "When is my trip to the mountains?", 0)
        read = read_questions(written(tmp_path, "x.json", [beam(trip)]))
        [answer] = tried(Trial(way=read.way, budgets=(1, 1_000)), read)
        assert answer.shown[1_000].evidence == 1.0
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


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ("we drove to the coast  in an old van.", [TRIP]),
        ("The engine died", []),
        ("The engine died in the Nevada desert", []),
    ],
)
def test_a_record_counts_if_it_quotes_a_whole_sentence(said: str, quoted: list[Item]) -> None:
    assert quoted_items(context_of(said), {"m1": [TRIP]}) == quoted


def test_an_item_that_is_quoted_itself_counts() -> None:
    context = context_of(TRIP.text)
    assert quoted_items(context, {context.items[0].id: [TRIP]}) == [TRIP]


def test_the_command_measures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    samples = [locomo(asked(["D2:1"], question="Who adopted a puppy?")), locomo(asked(["D10:1"]))]
    file = str(written(tmp_path, "locomo.json", samples))
    main([file, "--embedder", "hashing", "--limit-conversations", "1", "--tokens", "500"])
    search, contexts = json.loads(capsys.readouterr().out)
    assert search["title"] == "LoCoMo: 2 facts: search"
    [line] = search["rows"]
    assert (line["category"], line["questions"]) == ("all", 1)
    assert line["recall@10"] == "1.0000 (1.0000)"
    assert contexts["rows"][0]["in 500"].startswith("1.0000 all 1.0000 (")


RANKED = ["a", "x", "b", "y", "z", "c"]


@pytest.mark.parametrize(("depth", "recall"), [(1, 1 / 3), (3, 2 / 3), (5, 2 / 3), (6, 1.0)])
def test_recall_counts_what_is_near_the_top(depth: int, recall: float) -> None:
    assert recall_at(RANKED, {"a", "b", "c"}, depth) == pytest.approx(recall)


def test_ndcg_counts_less_further_down() -> None:
    found = 1 / log2(2) + 1 / log2(4)
    best = 1 / log2(2) + 1 / log2(3) + 1 / log2(4)
    assert ndcg_at(RANKED, {"a", "b", "c"}, 5) == pytest.approx(found / best)
    assert ndcg_at(["a", "b", "c"], {"a", "b", "c"}, 10) == pytest.approx(1.0)
    assert ndcg_at(["x"], {"a"}, 10) == 0.0
    assert ndcg_at(["a", "b"], {"a", "b", "c"}, 2) == pytest.approx(1.0), "limited by the depth"


def test_each_metric_has_hits_to_look_at() -> None:
    assert {metric.depth for metric in METRICS.values()} == set(LIMITS)


def test_figures_come_by_category_and_overall() -> None:
    one = Question(text="Which animals?", relevant={"cow", "hen"}, category="one")
    two = Question(text="Which bird?", relevant={"hen"}, category="two")
    shown = [{7: Shown(evidence=share, tokens=10)} for share in (0.5, 1.0)]
    lines = summary(
        [
            Answer(question=one, found={10: ["cow"], 50: []}, baseline=[], shown=shown[0]),
            Answer(question=two, found={10: ["hen"], 50: []}, baseline=["hen"], shown=shown[1]),
        ]
    )
    assert [line.category for line in lines] == ["one", "two", "all"]
    assert [line.questions for line in lines] == [1, 1, 2]
    assert [line.erstwhile["recall@10"] for line in lines] == [0.5, 1.0, 0.75]
    assert lines[-1].erstwhile["recall@50"] == 0.0
    assert [line.baseline["recall@10"] for line in lines] == [0.0, 1.0, 0.5]
    assert [line.contexts[7].evidence for line in lines] == [0.5, 1.0, 0.75]
    assert lines[-1].contexts[7].tokens == 10
