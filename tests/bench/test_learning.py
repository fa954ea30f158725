"""Bundled sets for learning: turns, dialogues, sentences, recorded answers; `bench.learning`."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from bench.evaluation.dialogues import (
    FURTHER_DIALOGUES,
    LATER_DIALOGUES,
    Dialogue,
    DialogueTurn,
    Fault,
    play_dialogue,
    read_dialogues,
)
from bench.evaluation.public_turns import is_available
from bench.evaluation.recorded import RecordedStory, figures, play_story, recorded_stories
from bench.evaluation.simulated_model import verifying, was_verified
from bench.evaluation.statements import (
    LabelledSentence,
    own_sentences,
    public_sentences,
    read_sentences,
)
from bench.evaluation.turns import (
    CORRECT,
    FRESH_TURNS,
    LATER_TURNS,
    Aim,
    Fate,
    Judgement,
    KnownFact,
    PlayedTurn,
    SampleTurn,
    play_turn,
    read_turns,
)
from bench.learning import main

from erstwhile import InvalidInputError
from erstwhile.core.ports import Prompt
from erstwhile.types import Kind
from tests.bench.samples import LONGMEMEVAL, beam, written
from tests.docs.pages import PROJECT

TURNS = read_turns()
LATER = read_turns(LATER_TURNS)
DIALOGUES = read_dialogues()
LABELS = {
    CORRECT, "assistant", "hypothetical", "invented", "joke", "misread", "negated", "other person",
    "pasted", "plan", "question", "quotation", "quoted", "story", "temporary", "tool", "wrong",
}  # fmt: skip


def _proposed(turn: SampleTurn) -> Iterator[Mapping[str, Any]]:
    for items in turn.answer.values():
        yield from items


def _named(item: Mapping[str, Any]) -> Iterator[str]:
    for id in [*item.get("ids", ()), *([item["id"]] if "id" in item else [])]:
        if id.startswith("@"):
            yield id.removeprefix("@")


def _letters(text: str) -> str:
    """Return what is left without case, spaces and punctuation."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(each for each in plain if unicodedata.category(each)[0] in "LMN")


@pytest.mark.parametrize(
    ("samples", "number", "languages"),
    [
        (TURNS, 320, 12),
        (DIALOGUES, 100, 6),
        (read_dialogues(FURTHER_DIALOGUES), 60, 10),
        (read_dialogues(LATER_DIALOGUES), 40, 10),
    ],
    ids=["turns", "dialogues", "further dialogues", "later dialogues"],
)
def test_a_set_is_large_and_in_many_languages(
    samples: Sequence[SampleTurn | Dialogue], number: int, languages: int
) -> None:
    assert len({each.id for each in samples}) == len(samples) >= number
    assert len({each.language for each in samples}) >= languages


def test_english_is_a_quarter_of_the_turns() -> None:
    languages = Counter(each.language for each in TURNS)
    assert sum(count >= 10 for count in languages.values()) >= 12
    assert 0.2 <= languages["en"] / len(TURNS) <= 0.3


def test_each_half_has_proposals_of_all_sorts() -> None:
    for half in ("a", "b"):
        own = [each for each in TURNS if each.half == half]
        labels = Counter(item["label"] for each in own for item in _proposed(each))
        fates = Counter(fact.after for each in own for fact in each.known)
        assert {each.language for each in own} == {each.language for each in TURNS}
        assert labels[CORRECT] >= 150
        assert sum(labels.values()) - labels[CORRECT] >= 100
        assert min(fates[fate] for fate in Fate) >= 8


def test_a_label_is_known_and_a_correct_proposal_quotes_the_user() -> None:
    for turn in (*TURNS, *LATER):
        said = _letters(turn.user)
        for item in _proposed(turn):
            assert item["label"] in LABELS, turn.id
            if item["label"] == CORRECT:
                parts = re.split(r"\.\.\.|…", item["quote"])
                assert all(_letters(part) in said for part in parts), turn.id


def test_known_facts_are_named_where_they_end() -> None:
    for turn in (*TURNS, *LATER):
        named = [name for item in _proposed(turn) for name in _named(item)]
        for name in named:
            assert sum(fact.text.startswith(name) for fact in turn.known) == 1, turn.id
        for fact in turn.known:
            ends = fact.after is not Fate.LIVE
            assert not ends or any(fact.text.startswith(name) for name in named), turn.id


def test_most_turns_have_recorded_verifications() -> None:
    for path, rounds in ((None, {"a", "b"}), (LATER_TURNS, {"later"}), (FRESH_TURNS, {"round 3"})):
        turns = read_turns(path) if path else TURNS
        own = [each for each in turns if each.half in rounds]
        assert sum(was_verified(each.id) for each in own) >= 0.8 * len(own)


def test_a_verification_repeats_what_was_recorded_and_is_else_empty() -> None:
    asked = ("The user follows a vegan diet since January 2026", "The user lives on Mars")
    notes = [json.dumps({"n": n, "statement": text}) for n, text in enumerate(asked, start=1)]
    prompt = Prompt(system="", user="\n".join(notes), schema={})
    assert verifying("en-01")(prompt) == {
        "answers": [{"n": 1, "answer": "said"}, {"n": 2, "answer": ""}]
    }


def _told(user: str, *known: KnownFact, **answer: Any) -> SampleTurn:
    return replace(TURNS[0], before=(), known=known, user=user, tools=(), answer=answer)


def _fact(after: Fate, text: str = "The user lives in Lisbon") -> KnownFact:
    return KnownFact(text, Kind.PROFILE, None, None, after)


def _item(text: str, quote: str, label: str = CORRECT, **more: Any) -> dict[str, Any]:
    return {"label": label, "text": text, "quote": quote, "kind": "profile", **more}


HOME = _item("The user lives in Lisbon", "I live in Lisbon")
UNSAID = _item("The user lives in Oslo with Nina", "I live in Lisbon")
SAID = "I moved from Lisbon to Porto."
PORTO = _item("The user lives in Porto", "I moved from Lisbon to Porto", ids=["@The user lives"])


def _verified(prompt: Prompt) -> dict[str, Any]:
    """Verify what was said; known facts are over."""
    notes = [json.loads(line) for line in prompt.user.splitlines() if line.startswith('{"n":')]
    return {"answers": [{"n": each["n"], "answer": _verdict(each)} for each in notes]}


def _verdict(note: Mapping[str, str]) -> str:
    if "statement" not in note:
        return "over"
    return "more than said" if note["statement"] == UNSAID["text"] else "said"


@pytest.mark.parametrize(
    ("turn", "judged"),
    [
        (_told("I live in Lisbon.", add=[HOME]), [(Aim.STORE, True)]),
        (_told("I live in Lisbon.", add=[HOME | {"label": "joke"}]), [(Aim.KEEP_OUT, False)]),
        (_told("I live in Lisbon.", add=[UNSAID]), [(Aim.STORE, False)]),
        (_told("I live in Lisbon.", add=[UNSAID | {"label": "joke"}]), [(Aim.KEEP_OUT, True)]),
        (
            _told(SAID, _fact(Fate.RETIRED), supersede=[PORTO]),
            [(Aim.STORE, True), (Aim.END, True)],
        ),
        (_told(SAID, _fact(Fate.LIVE), supersede=[PORTO]), [(Aim.STORE, True), (Aim.KEEP, False)]),
        (_told(SAID, _fact(Fate.WRONG), supersede=[PORTO]), [(Aim.STORE, True), (Aim.END, False)]),
        (_told(SAID, _fact(Fate.RETIRED)), [(Aim.END, False)]),
        (
            _told("I live in Lisbon.", _fact(Fate.LIVE, "The user has a dog"), add=[HOME]),
            [(Aim.STORE, True), (Aim.KEEP, True)],
        ),
    ],
)
def test_each_aim_is_judged(
    turn: SampleTurn, judged: list[tuple[Aim, bool]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.evaluation.turns.verifying", lambda _: _verified)
    assert [(each.aim, each.is_right) for each in play_turn(turn).judgements] == judged


def test_a_turn_is_played_after_the_exchange_before_it() -> None:
    turn = next(each for each in TURNS if each.before)
    played = play_turn(turn)
    assert len(played.judgements) == len(list(turn.statements)) + len(turn.known)


def test_every_kind_is_played_in_every_language() -> None:
    assert len({(each.kind, each.language) for each in DIALOGUES}) == 12 * 6
    assert set(Counter(each.kind for each in DIALOGUES).values()) == {9}


def _dialogue(*said: str, **expected: Any) -> Dialogue:
    first = datetime(2026, 3, 1, tzinfo=UTC)
    turns = tuple(
        DialogueTurn(user=text, assistant="All right.", said_at=first + timedelta(days=day))
        for day, text in enumerate(said)
    )
    usual: dict[str, Any] = {"live": (), "not_live": (), "wrong": ()}
    return Dialogue(id="told", kind="told", language="en", turns=turns, **{**usual, **expected})


MOVES = ("I live in Lisbon.", "I moved from Lisbon to Porto.")


@pytest.mark.parametrize(
    ("dialogue", "faults"),
    [
        (_dialogue(*MOVES, live=(("Porto",),), not_live=("lives in Lisbon",)), set()),
        (_dialogue(*MOVES, live=(("Oslo", "Porto"),)), set()),
        (_dialogue(*MOVES, live=(("lives in Lisbon",),)), {Fault.WRONGLY_RETIRED}),
        (_dialogue(*MOVES, live=(("Oslo",),)), {Fault.MISSED}),
        (_dialogue(*MOVES, not_live=("lives in Porto",)), {Fault.BELIEVED}),
        (_dialogue(*MOVES, wrong=("lives in Lisbon",)), {Fault.ENDED_OTHERWISE}),
        (_dialogue(MOVES[0], "Thanks!", not_live=("LISBON",)), {Fault.STALE}),
        (
            _dialogue(*MOVES, live=(("Oslo",), ("lives in Lisbon",))),
            {Fault.MISSED, Fault.WRONGLY_RETIRED},
        ),
    ],
)
def test_each_fault_is_told_apart(dialogue: Dialogue, faults: set[Fault]) -> None:
    assert play_dialogue(dialogue).faults == faults


DATA = PROJECT.parent / "shared" / "data"
FILES = [DATA / "beam" / "beam-100k-1to8.json", DATA / "locomo" / "locomo10.json"]


def _label(sentence: str, *said: str, message: str = "") -> LabelledSentence:
    return LabelledSentence(
        set="own en", split="held", message=message or sentence, sentence=sentence, said=said
    )


def test_the_set_has_many_languages_and_sentences_without_a_statement() -> None:
    labels = own_sentences()
    assert len({each.set for each in labels}) >= 8
    assert len(labels) >= 300
    assert sum(not each.said for each in labels) >= len(labels) / 3
    assert not any("[" in each.sentence for each in labels if each.said)


@pytest.mark.parametrize(
    ("label", "learned", "wrong", "missed"),
    [
        (_label("I have two cats.", "I have two cats"), 1, [], []),
        (
            _label("I have two cats.", "My garden burns"),  # a wrong label
            1, ["The user has two cats"], ["My garden burns"],
        ),
        (_label("Hello there.", message="Hello there. I have two cats."), 0, [], []),
    ],
    ids=["learned", "wrong and missed", "said in another sentence"],
)  # fmt: skip
def test_sentences_are_compared_with_their_labels(
    label: LabelledSentence, learned: int, wrong: list[str], missed: list[str]
) -> None:
    [read] = read_sentences([label])
    assert len(read.learned) == learned
    assert ([each.text for each in read.wrong], read.missed) == (wrong, missed)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_public_sentences_are_where_they_were_labelled(file: Path) -> None:
    if not file.exists():
        pytest.skip(f"{file.name} is not here: the data may be used, but not copied")
    labels = public_sentences(file)
    assert len(labels) >= 200
    assert all(span in each.message for each in labels for span in (*each.said, *each.may))


def test_another_file_is_not_measured_with_these_labels(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="not the one that was labelled") as refused:
        public_sentences(written(tmp_path, "beam.json", [beam()]))
    assert refused.value.remedy == "use the published file"
    with pytest.raises(InvalidInputError, match="no labelled statements"):
        public_sentences(LONGMEMEVAL)


def test_turns_are_scored_by_half_and_language(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--set", "turns", "--sample", "3", "--json"])
    turns, labels = json.loads(capsys.readouterr().out)
    groups = {row["group"]: row for row in turns["rows"]}
    assert groups["both halves"]["turns"] == groups["later"]["turns"] == 3
    assert set(Aim) < set(groups["both halves"])
    assert labels["title"] == "unfounded proposals"


def test_other_sets_have_a_table_for_each_part(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--set", "fresh", "--set", "dialogues", "--set", "statements", "--sample", "2"])
    fresh, *dialogues, statements = json.loads(capsys.readouterr().out)
    assert sum(row["turns"] for row in fresh["rows"]) == 2
    assert len(dialogues) == 3
    assert all([row["kind"] for row in each["rows"]].count("all") == 1 for each in dialogues)
    assert sum(row["number"] for row in statements["rows"]) == 2


@pytest.mark.parametrize(("more", "listed"), [([], False), (["--unseal"], True)])
def test_failures_of_held_out_turns_are_listed_only_when_unsealed(
    more: list[str],
    listed: bool,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bench.learning.play_turn", _failed)
    main(["--set", "fresh", "--sample", "1", "--failures", *more])
    assert ("- not correct stored [correct]: Oslo" in capsys.readouterr().out) is listed


def _failed(turn: SampleTurn) -> PlayedTurn:
    wrong = Judgement(Aim.STORE, "correct", "Oslo", is_right=False)
    return PlayedTurn(turn=turn, judgements=(wrong,), changes=())


STORIES = recorded_stories()
OWN = [story for story in STORIES if story.is_own]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.id)
def test_a_story_ends_as_it_was_judged(story: RecordedStory) -> None:
    if not story.is_own and not is_available():
        pytest.skip("the public data are not beside the checkout")
    assert play_story(story) == story.live


def test_own_stories_hold_against_foreign_text() -> None:
    """Twenty of them quote, paste or return what a stranger says."""
    [*_, (name, right, total)] = figures({story.id: story.live for story in OWN})
    assert (name, total) == ("stories right", len(OWN))
    assert right / total > 0.9
