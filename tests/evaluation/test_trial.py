"""A trial, from remembering to the metrics."""

from __future__ import annotations

import json
from pathlib import Path

import erstwhile
from erstwhile.evaluation.baseline import rank_by_words
from erstwhile.evaluation.haystack import Haystack, Item, Question
from erstwhile.evaluation.trial import Answer, run_trial, summary
from tests.cli.shell import Ended, at_terminal, run
from tests.evaluation.test_readers import asked, conversation

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


def test_the_baseline_stems_and_finds_chinese() -> None:
    ranked = rank_by_words(HAYSTACK, 20)
    assert [set(found) for found in ranked] == [{"cow", "cow again"}, {"鸡"}]


def test_the_baseline_survives_any_question() -> None:
    odd = ('" OR *', "", "NEAR(x y)")
    haystack = Haystack(
        name="odd", items=HAYSTACK.items, questions=[Question(text=q, relevant={"x"}) for q in odd]
    )
    assert rank_by_words(haystack, 1) == [[], [], []]


def test_a_trial_counts_repeats_as_what_they_stand_for() -> None:
    """Two equal items are one fact. A hit of the fact counts for both."""
    told: list[tuple[int, int]] = []
    with erstwhile.open(":memory:", embedder="hashing") as memory:
        answers = run_trial(memory, [HAYSTACK], lambda done, total: told.append((done, total)))
    assert told == [(0, 2), (1, 2), (2, 2)]
    assert answers[0].found[:2] == ["cow", "cow again"]
    assert answers[1].found == ["鸡"]


def test_figures_come_by_category_and_overall() -> None:
    one, two = HAYSTACK.questions
    lines = summary([Answer(one, ["cow"], []), Answer(two, ["鸡"], ["鸡"])])
    assert [line.category for line in lines] == ["one", "two", "all"]
    assert [line.questions for line in lines] == [1, 1, 2]
    assert [line.erstwhile["recall@5"] for line in lines] == [0.5, 1.0, 0.75]
    assert [line.baseline["recall@5"] for line in lines] == [0.0, 1.0, 0.5]
    assert [line.ratio["recall@5"] for line in lines] == [None, 1.0, 1.5]
    assert str(lines[1]).startswith("recall@5 ×1.00 1.000 (1.000)   recall@10")
    assert lines[0].formatted("recall@5") == "0.500 (0.000)"


def _locomo(tmp_path: Path) -> str:
    file = tmp_path / "locomo.json"
    samples = [conversation(asked(["D2:1"], 4)), conversation(asked(["D10:1"], 4))]
    samples[0]["qa"][0]["question"] = "Who adopted a puppy?"
    samples[1]["sample_id"] = "conv-2"
    file.write_text(json.dumps(samples), "utf-8")
    return str(file)


def test_the_command_line_measures(tmp_path: Path) -> None:
    words = ("eval", "locomo", _locomo(tmp_path), "--embedder", "hashing")
    ended: Ended = run(*words, "--limit-conversations", "1")
    report = ended.data
    assert (report["data"], report["embedder"], report["items"]) == ("LoCoMo", "hashing", 2)
    [line] = report["lines"]
    assert (line["category"], line["questions"]) == ("all", 1)
    assert set(line["erstwhile"]) == {"recall@5", "recall@10", "recall@20", "ndcg@10"}
    assert line["erstwhile"]["recall@5"] == line["ratio"]["recall@5"] == 1.0
    shown = at_terminal(*words)
    assert shown.code == 0
    assert "recall@10" in shown.words
    assert "×1.00 0.500 (0.500)" in shown.words


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    ended = run("eval", "locomo", str(tmp_path / "nowhere.json"))
    assert (ended.code, ended.error["error"]) == (2, "invalid_input")
