"""`erstwhile learn`, `erstwhile learning` and `erstwhile import`."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from erstwhile.cli.views import operations  # noqa: F401  # registers the view
from erstwhile.cli.views.records import view
from erstwhile.core.background import BackgroundFailure
from erstwhile.core.public_record import to_json
from erstwhile.learning.progress import LearningStatus
from erstwhile.usage.prices import UsageSummary
from tests.cli.conftest import Cli
from tests.cli.shell import at_terminal

TALK = ("--from", "conversations")
ANA = ("--user", "ana")


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    file = tmp_path / "family.jsonl"
    lines = [
        {"role": "user", "content": "My dog is called Rex.", "at": "2026-01-01T09:00:00Z"},
        {"role": "assistant", "content": "What a name."},
        {"role": "user", "content": "Thanks!"},
        {"role": "user", "content": "My cat is called Miso.", "conversation": "other"},
    ]
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return file


def test_a_chat_is_imported_and_learned_from(cli: Cli, chat: Path) -> None:
    done = cli(*ANA, "import", str(chat), *TALK).data
    assert (len(done["conversations"]), done["messages"], done["known"]) == (2, 4, 0)
    made = cli(*ANA, "learn").items
    assert [each["outcome"] for each in made] == ["learned", "not_salient", "learned"]
    again = cli(*ANA, "import", str(chat), *TALK, "--learn").data
    assert (again["messages"], again["known"]) == (0, 4)
    assert cli(*ANA, "learn").items == []
    facts = {each["text"]: each for each in cli(*ANA, "facts", "list").items}
    assert set(facts) == {"The user's dog is called Rex", "The user's cat is called Miso"}
    assert facts["The user's dog is called Rex"]["valid_from"].startswith("2026-01-01")


def test_a_dry_run_imports_nothing(cli: Cli, chat: Path) -> None:
    rows = cli(*ANA, "import", str(chat), *TALK, "--dry-run").items
    assert [row["count"] for row in rows] == [2, 4]
    assert cli(*ANA, "conversations", "list").items == []


def test_importing_can_learn_at_once(cli: Cli, chat: Path) -> None:
    assert cli(*ANA, "import", str(chat), *TALK, "--learn").data["learned"] == 3
    assert len(cli(*ANA, "learning", "attempts").items) == 3


def test_one_conversation_is_learned_from(cli: Cli, chat: Path) -> None:
    assert cli("learn", "--learners", "8").items == []
    first, second = cli(*ANA, "import", str(chat), *TALK).data["conversations"]
    assert len(cli(*ANA, "learn", second[:18]).items) == 1
    [attempt] = cli(*ANA, "learning", "attempts", "--conversation", second).items
    assert attempt["method"] == "patterns"
    assert cli(*ANA, "learning", "attempts", "--conversation", first).items == []
    assert cli(*ANA, "learning", "attempts", "--outcome", "given_up").items == []
    assert cli(*ANA, "learn", "0199").code == 3


def test_a_bad_line_is_reported_with_its_number(cli: Cli, chat: Path) -> None:
    chat.write_text(chat.read_text("utf-8") + '\n{"role": "user"}', "utf-8")
    done = cli(*ANA, "import", str(chat), *TALK).data
    assert [each["place"] for each in done["left_out"]] == ["line 5"]
    assert len(done["conversations"]) == 1
    chat.write_text("hello\n", "utf-8")
    ended = cli(*ANA, "import", str(chat), *TALK)
    assert (ended.code, ended.error["error"]) == (2, "invalid_input")
    assert "line 1" in ended.error["message"]
    assert cli(*ANA, "import", "nowhere.json", *TALK).code == 2
    chat.write_bytes(b"\xff\xfe\x00")
    assert cli(*ANA, "import", str(chat), *TALK).code == 2


def test_pending_conversations_and_status_are_shown(cli: Cli, chat: Path) -> None:
    cli(*ANA, "import", str(chat), *TALK)
    assert cli(*ANA, "learning", "pending").items == []
    status = cli(*ANA, "learning", "status").data
    assert (status["model"], status["limit"]) == (None, "1000000 tokens")
    cli(*ANA, "learn")
    [newest, *_] = cli(*ANA, "learning", "attempts").items
    ended = cli(*ANA, "learning", "retry", newest["id"])
    assert (ended.code, ended.error["error"]) == (4, "conflict")


def test_the_status_shows_limits_and_failures() -> None:
    then = datetime(2026, 3, 1, 12, 5, tzinfo=UTC)
    spent = UsageSummary(
        of=None, calls=3, input=900, output=100, cache_read=0, cache_write=0,
        cost=Decimal("0.25"), unpriced=2,
    )  # fmt: skip
    failure = BackgroundFailure(
        stage="embedding", error="StorageError", message="the disk is full", since=then, times=3,
        next_try=then,
    )  # fmt: skip
    status = LearningStatus(
        model="tiny", spent=spent, limit="1000 tokens", waiting=0, put_off=2, next_try=then,
        reached="today's limit of 1,000 tokens is reached", failing="503",
        left_alone_until=then, background=(failure,),
    )  # fmt: skip
    console = Console(width=160, file=StringIO())
    console.print(view(status, None))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    for told in (
        "3 calls",
        "$0.25",
        "today's limit of 1,000 tokens is reached",
        "503",
        "embedding: StorageError",
        "the disk is full; failed 3 times since",
    ):
        assert told in shown
    assert shown.count("2026-03-01 12:05:00") == 4
    assert to_json(status)["background"][0]["stage"] == "embedding"
    assert to_json(status)["left_alone_until"] == "2026-03-01T12:05:00.000000Z"


def test_a_failing_model_is_not_shown_as_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ERSTWHILE_LLM", "openai:gpt-4o-mini")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    shown = at_terminal(*ANA, "learning", "status").words
    assert "none available" in shown
    assert "set OPENAI_API_KEY" in shown


def test_people_get_tables(chat: Path) -> None:
    shown = at_terminal("--user", "bob", "import", str(chat), *TALK, "--learn").words
    assert "turns learned from: 3" in shown
    shown = at_terminal(*ANA, "import", str(chat), *TALK).words
    assert "messages: 4. Learn from them: erstwhile learn" in shown
    assert "learned" in at_terminal(*ANA, "learn").words
    assert "No conversation is waiting" in at_terminal(*ANA, "learn").words
    assert "patterns" in at_terminal(*ANA, "learning", "attempts").words
    assert "patterns alone" in at_terminal(*ANA, "learning", "status").words
    assert "No conversation is waiting" in at_terminal(*ANA, "learning", "pending").words


def test_standard_input_is_imported(cli: Cli, chat: Path) -> None:
    assert cli(*ANA, "import", "-", *TALK, typed=chat.read_bytes()).data["messages"] == 4


def test_another_conversation_of_the_same_name_stays_separate(cli: Cli, chat: Path) -> None:
    cli(*ANA, "import", str(chat), *TALK)
    chat.write_text('{"role": "user", "content": "My dog is called Bello."}', "utf-8")
    ended = cli(*ANA, "import", str(chat), *TALK)
    assert (ended.code, "rename the file" in ended.out) == (4, True)
    assert json.loads(ended.out)["messages"] == 0


@pytest.mark.parametrize("columns", [40, 80])
def test_attempts_are_readable_on_narrow_terminals(cli: Cli, chat: Path, columns: int) -> None:
    """Below each attempt is a line for each proposal; a narrow terminal gets a list of fields."""
    cli(*ANA, "import", str(chat), *TALK, "--learn")
    lines = at_terminal(*ANA, "learning", "attempts", columns=columns).words.splitlines()
    assert max(map(len, lines)) <= columns
    told = " ".join(" ".join(lines).split())
    for name in ("dog is called Rex", "cat is called Miso"):
        assert f'added "The user\'s {name}"' in told
    assert told.count("not salient") == 1
    assert "small talk" in told
    assert (lines[0].split()[:3] == ["id", "when", "outcome"]) is (columns == 80)
    whole = any('added  "The user\'s dog is called Rex"  new' in line for line in lines)
    assert whole is (columns == 80)
