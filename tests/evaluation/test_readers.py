"""Read public data, with small files of the same form."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from bench.sets.madial import read_madial
from bench.sets.pairs import read_pairs

from erstwhile.core.errors import InvalidInputError
from erstwhile.evaluation.locomo import read_locomo

PAIRS = Path(__file__).parents[2] / "bench" / "sets" / "pairs.json"


def conversation(*qa: dict[str, Any]) -> dict[str, Any]:
    """Return two sessions, in the wrong order."""
    return {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ana",
            "session_10_date_time": "1:56 pm on 8 May, 2023",
            "session_10": [
                {
                    "speaker": "Bob",
                    "dia_id": "D10:1",
                    "text": "Look!",
                    "blip_caption": "a red kite over the beach",
                }
            ],
            "session_2_date_time": "12:09 am on 13 September, 2022",
            "session_2": [{"speaker": "Ana", "dia_id": "D2:1", "text": "I adopted a puppy."}],
            "session_11_date_time": "1:56 pm on 9 May, 2023",
        },
        "qa": list(qa),
    }


def asked(evidence: list[str], category: int = 4) -> dict[str, Any]:
    return {"question": "What?", "evidence": evidence, "category": category}


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    file = tmp_path / "locomo.json"
    qa = (
        asked(["D2:1; D10:01"], 1),
        asked(["D:10:1"], 2),
        asked(["D"], 4),
        asked(["D99:1"], 4),
        asked(["D2:1"], 5),
    )
    file.write_text(json.dumps([conversation(*qa)]), "utf-8")
    return file


def test_locomo_turns_have_their_speaker_session_and_date(locomo: Path) -> None:
    [haystack] = read_locomo(locomo)
    assert [(item.id, item.text) for item in haystack.items] == [
        ("D2:1", "Ana: I adopted a puppy."),
        ("D10:1", "Bob: Look! [shares a red kite over the beach]"),
    ]
    assert haystack.items[0].details == {
        "entities": ["Ana"],
        "source": "session_2",
        "valid_from": datetime(2022, 9, 13, 0, 9, tzinfo=UTC),
    }


def test_locomo_questions_have_evidence_that_exists(locomo: Path) -> None:
    """Ids in one string are split. Adversarial questions are left out."""
    [haystack] = read_locomo(locomo)
    read = [(question.category, set(question.relevant)) for question in haystack.questions]
    assert read == [("multi-hop", {"D2:1", "D10:1"}), ("temporal", {"D10:1"})]


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"sample_id": "x"}]'])
def test_another_file_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text(text, "utf-8")
    with pytest.raises(InvalidInputError, match=r"other\.json cannot be read as LoCoMo"):
        read_locomo(file)


def test_madial_asks_with_what_was_said_before(tmp_path: Path) -> None:
    memory = {"7": {"time": "2023-12-25", "event": "Bart在晚会上跳舞。"}}
    said = ["<BOD>\n", '<Bart>:"我要表演！"\n', '<Assistant>: "好。"\n', '<Bart>:"记得吗？"\n']
    dialogue = {"dialogue": said, "test-turn": [3], "relevant-id": [7]}
    for name, line in (("memory", memory), ("dialogue", dialogue)):
        (tmp_path / f"MADial-Bench-zh-{name}.json").write_text(json.dumps(line) + "\n", "utf-8")
    haystack = read_madial(tmp_path, "zh")
    assert [(item.id, item.text) for item in haystack.items] == [("7", "Bart在晚会上跳舞。")]
    [question] = haystack.questions
    assert (question.text, set(question.relevant)) == ("我要表演！ 好。", {"7"})


def test_the_pairs_cover_forty_facts_in_nine_languages() -> None:
    haystack = read_pairs(PAIRS)
    assert len({item.text for item in haystack.items}) == 40
    languages = [question.category for question in haystack.questions]
    assert set(languages) == {"en", "zh", "ja", "es", "ko", "fr", "ru", "de", "ar"}
    assert min(languages.count(each) for each in languages) >= 10
    assert len({question.text for question in haystack.questions}) == len(languages)
