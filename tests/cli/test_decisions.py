"""`erstwhile decisions`."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Cli
from tests.cli.shell import at_terminal

INPUT = '{"command": "npm publish"}'
CALL = ("Bash", INPUT, "--goal", "ship")


@pytest.fixture(autouse=True)
def _by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERSTWHILE_EMBEDDER", "none")


def record(cli: Cli, choice: str, *more: str) -> str:
    by = () if "--by" in more else ("--by", "rule")
    said = ("decisions", "record", "Bash", INPUT, choice, "--goal", "ship", *by, *more)
    return str(cli(*said).data["id"])


def test_a_recorded_decision_is_shown_with_all_fields(cli: Cli) -> None:
    said = (
        "--message", "no", "--rationale", "policy", "--option", "ask", "--option", "allow",
        "--by", "rule", "--at", "2026-01-02", "--turn", "4", "--lasts", "goal", "--transient",
        "--covers", "input", "--key", "release-7",
    )  # fmt: skip
    id = record(cli, "deny", *said)
    shown = cli("decisions", "show", id[:8]).data
    assert shown["input"] == json.loads(INPUT)
    told = [shown[name] for name in ("choice", "message", "decided_by", "turn", "lasts")]
    assert told == ["deny", "no", "rule", 4, "goal"]
    assert shown["decided_at"] == "2026-01-02T00:00:00.000000Z"
    assert (shown["options"], shown["transient"], shown["key"]) == (
        ["ask", "allow"],
        True,
        said[-1],
    )


def test_recalling_and_advising(cli: Cli) -> None:
    for _ in range(3):
        record(cli, "deny")
    hits = cli("decisions", "recall", *CALL, "--limit", "2").data["hits"]
    assert [(hit["score"], hit["found_by"]) for hit in hits] == [(1.0, "same")] * 2
    assert cli("decisions", "advise", *CALL).data["suggestion"] == "deny"
    careful = ("--denials", "4", "--share", "1", "--floor", "0.9")
    assert cli("decisions", "advise", *CALL, *careful).data["suggestion"] == "ask"
    other = ("Bash", INPUT, "--goal", "other")
    assert cli("decisions", "advise", *other).data["suggestion"] == "ask"
    anywhere = cli("decisions", "advise", *other, "--namespace", "global").data
    assert anywhere["suggestion"] == "deny"
    unlike = cli("decisions", "recall", "Bash", '"ls"', "--goal", "ship", "--floor", "0.1")
    assert unlike.data["hits"] == []


def test_listing_ending_and_exporting(cli: Cli) -> None:
    first, second = record(cli, "deny"), record(cli, "allow")
    assert [each["id"] for each in cli("decisions", "list").items] == [second, first]
    assert [each["id"] for each in cli("decisions", "list", "--choice", "deny").items] == [first]
    noted = cli("decisions", "set-outcome", second, "it broke", "--bad").data
    assert (noted["outcome"]["text"], noted["outcome"]["good"]) == ("it broke", False)
    words = (
        "decisions",
        "supersede",
        second,
        "Bash",
        INPUT,
        "deny",
        "--goal",
        "ship",
        "--by",
        "rule",
    )
    new = cli(*words, "--reason", "it broke").data
    exported = [json.loads(line) for line in cli("decisions", "export").out.splitlines()]
    assert [each["id"] for each in exported] == [first, second, new["id"]]
    assert exported[1]["superseded_because"] == "it broke"
    assert cli("decisions", "delete", first).data["deleted_at"]
    assert [each["id"] for each in cli("decisions", "list", "--deleted").items] == [first]
    assert cli("decisions", "restore", first).data["deleted_at"] is None
    assert cli("decisions", "erase", first, "--yes").data["decisions"] == 1
    assert cli("decisions", "delete", second).code == 0
    assert cli("decisions", "purge", "--older-than", "0 days", "--yes").data["decisions"] == 1
    old = ("decisions", "erase", "--older-than", "0 days", "--yes")
    assert cli(*old, "--by", "agent").data["decisions"] == 0
    assert cli(*old).data["decisions"] == 1
    assert cli("decisions", "list").items == []


def test_wrong_decisions_are_reported(cli: Cli) -> None:
    for wrong in (("{", "deny", "--by", "rule"), ("{}", "deny")):
        ended = cli("decisions", "record", "Bash", *wrong, "--goal", "x")
        assert ended.error["error"] == "usage"
    person = ("decisions", "record", "Bash", "{}", "deny", "--goal", "x", "--by", "person")
    assert "terminal" in cli(*person, typed=b"y\n").error["message"]
    assert cli("decisions", "show", "0190").code == 3
    assert cli("decisions", "erase", "0190").code == 4
    assert cli("decisions", "erase", "--yes").code == 2
    assert "erstwhile decisions list" in cli("decisions", "show", "0190").error["remedy"]


def test_people_can_read_decisions(cli: Cli) -> None:
    id = record(cli, "deny", "--message", "never\x1b[31m")
    for words in (("list",), ("show", id), ("recall", *CALL), ("advise", *CALL)):
        ended = at_terminal("decisions", *words)
        assert ended.code == 0
        assert "deny" in ended.words
        assert "publish" in ended.words
        assert "\x1b[31mnever" not in ended.out
    assert "No matching decisions" in at_terminal("decisions", "list", "--goal", "x").words
    recording = ("decisions", "record", "B", "1", "allow", "--goal", "g", "--by")
    assert "Recorded" in at_terminal(*recording, "rule").words
