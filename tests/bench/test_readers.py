"""Read public data, with small files of the same form."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from bench.evaluation.haystack import Way
from bench.evaluation.readers import FORMATS, read_questions

from erstwhile.core.errors import InvalidInputError
from tests.bench.samples import LONGMEMEVAL, about, asked, beam, locomo, written


@pytest.fixture
def locomo_file(tmp_path: Path) -> Path:
    qa = (
        asked(["D2:1; D10:01"], 1),
        asked(["D:10:1"], 2),
        asked(["D"], 4),
        asked(["D99:1"], 4),
        asked(["D2:1"], 5),
    )
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

    def test_the_memories_alone_are_refused_with_the_other_file(self, tmp_path: Path) -> None:
        file = written(tmp_path, "zh-memory.json", {"7": {"time": "2023-12-25", "event": "x"}})
        with pytest.raises(InvalidInputError) as refused:
            read_questions(file)
        assert "…-dialogue.json" in refused.value.remedy


class TestWrongFiles:
    @pytest.mark.parametrize("text", ["{}", "[]", "[1]", '[{"sample_id": "x"}]', "1\n2"])
    def test_an_unknown_format_is_refused_with_the_known_ones(
        self, text: str, tmp_path: Path
    ) -> None:
        file = tmp_path / "other.json"
        file.write_text(text, "utf-8")
        with pytest.raises(InvalidInputError, match=r"other\.json has no questions") as refused:
            read_questions(file)
        assert all(name in refused.value.remedy for name in FORMATS)

    @pytest.mark.parametrize("text", ["", "no JSON", "[1", "{}\n{"])
    def test_what_is_not_json_is_said(self, text: str, tmp_path: Path) -> None:
        file = tmp_path / "other.json"
        file.write_text(text, "utf-8")
        with pytest.raises(InvalidInputError, match="is not JSON"):
            read_questions(file)

    @pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
    def test_a_file_that_cannot_be_read_is_said(
        self, content: bytes | None, tmp_path: Path
    ) -> None:
        file = tmp_path / "other.json"
        if content is not None:
            file.write_bytes(content)
        with pytest.raises(InvalidInputError, match="cannot be read"):
            read_questions(file)

    @pytest.mark.parametrize("format", FORMATS)
    @pytest.mark.parametrize("samples", [[{"a": 1}], [1], [{"conversation": [], "qa": 1}]])
    def test_another_format_than_the_given_one_is_refused(
        self, samples: object, format: str, tmp_path: Path
    ) -> None:
        with pytest.raises(InvalidInputError) as refused:
            read_questions(written(tmp_path, "other.json", samples), format)
        assert refused.value.remedy

    def test_a_file_without_questions_is_refused(self, tmp_path: Path) -> None:
        file = written(tmp_path, "other.json", [beam()])
        with pytest.raises(InvalidInputError, match=r"as BEAM \(it has no questions\)"):
            read_questions(file)
