"""`erstwhile context`."""

from __future__ import annotations

from pathlib import Path

import pytest

from erstwhile.context.escaping import parse
from tests.cli.conftest import Cli
from tests.cli.shell import at_terminal

ANA = ("--user", "ana", "--embedder", "none")
QUESTION = "on which day do we deploy?"


@pytest.fixture
def ana(cli: Cli) -> Cli:
    cli(*ANA, "remember", "We deploy on Friday", "--kind", "decision")
    cli(*ANA, "remember", "Never deploy without a backup", "--pin")
    cli(*ANA, "lessons", "add", "deploy", "Warm the cache\x1b[2J first")
    cli(*ANA, "conversations", "exchange", "hello", "hi, Ana")
    return cli


def test_it_prints_the_text_and_nothing_else(ana: Cli) -> None:
    ended = ana(*ANA, "context", QUESTION)
    assert (ended.code, ended.err) == (0, "")
    assert [each.text for each in parse(ended.out)] == [
        "Never deploy without a backup", "We deploy on Friday",
        "deploy: Warm the cache\x1b[2J first", "hello", "hi, Ana",
    ]  # fmt: skip
    assert ana(*ANA, "context", QUESTION, "--tokens", "5").out == ""


def test_it_prints_the_same_on_a_terminal(ana: Cli) -> None:
    """No stored text is obeyed by the terminal."""
    shown = at_terminal(*ANA, "context", QUESTION)
    assert shown.words.endswith(ana(*ANA, "context", QUESTION).out)
    assert "\x1b[2J" not in shown.out


def test_json_has_the_parts_of_a_context(ana: Cli) -> None:
    data = ana("--json", *ANA, "context", QUESTION).data
    assert data["text"] == data["prefix"] + data["tail"]
    assert data["items"][0]["section"] == "rules"
    assert data["items"][0]["source"]["pinned"]
    assert data["report"]["tokens"] <= data["report"]["budget"] == 4000


def test_a_report_shows_how_the_budget_was_spent(ana: Cli) -> None:
    words = (*ANA, "context", QUESTION, "--tokens", "90", "--report")
    report = ana(*words).data
    assert report["budget"] == 90
    assert "budget" in {each["reason"] for each in report["left_out"]}
    shown = at_terminal(*words).words
    assert "of 90, by" in shown
    assert report["left_out"][0]["text"][:16] in shown


def test_options_are_passed_on(ana: Cli, tmp_path: Path) -> None:
    (tmp_path / "facts.md").write_text("# MINE\n{items}\n", "utf-8")
    words = ("context", QUESTION, "--needs", "facts, lessons", "--templates", str(tmp_path))
    text = ana(*ANA, *words, "--language", "zh").out
    assert "# MINE\n[" in text
    assert "经验教训" in text
    assert "hello" not in text
    chat = ana(*ANA, "conversations", "current").data["id"]
    told = ana(*ANA, "context", "--needs", "history", "--conversation", chat[:18]).out
    assert [each.text for each in parse(told)] == ["hello", "hi, Ana"]
    assert ana(*ANA, "context", "--needs", "history", "--channel", "mail").out == ""
    twice = ana(
        *ANA, "context", QUESTION, "--needs", "rules", "--needs", "lessons", "--report"
    ).data
    assert list(twice["sections"]) == ["rules", "lessons"]


def test_people_get_a_notice_if_nothing_fits() -> None:
    ended = at_terminal("--user", "nobody", "--embedder", "none", "context", QUESTION)
    assert ended.code == 0
    assert "Searched only user=nobody" in ended.words


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (("--needs", "fact"), 2, "invalid_input"),
        (("--tokens", "-1"), 2, "invalid_input"),
        (("--templates", "nowhere"), 2, "invalid_input"),
        (("--overflow", "forget"), 2, "usage"),
        (("--conversation", "0198c0de"), 3, "not_found"),
    ],
)
def test_wrong_options_fail(ana: Cli, words: tuple[str, ...], code: int, error: str) -> None:
    ended = ana(*ANA, "context", QUESTION, *words)
    assert (ended.code, ended.error["error"]) == (code, error)
