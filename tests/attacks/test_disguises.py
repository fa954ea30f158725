"""Attacks on denials: a denied call in disguise, and the price for honest calls."""

from __future__ import annotations

import json
from typing import Any

import pytest
from bench.sets.deciding import (
    DISGUISES,
    FRESH,
    tally_disguises,
    tally_fresh_calls,
    tally_honest_commands,
)

import erstwhile
from erstwhile import Decision, DecisionRequest
from erstwhile.decisions import match_call
from erstwhile.decisions.decision import Advice
from erstwhile.decisions.match_call import AskedCall
from tests.docs.pages import PROJECT

PAGE = (PROJECT / "docs" / "security.md").read_text("utf-8")


@pytest.mark.parametrize("name", DISGUISES)
def test_a_disguised_command_does_not_pass_in_silence(name: str) -> None:
    passed = tally_disguises(name)
    assert passed.total >= 150
    assert len(passed.silent) <= 0.025 * passed.total, passed.silent
    row = f"| disguised commands, {name} | {len(passed.silent)} of {passed.total} pass in silence |"
    assert row in PAGE


def test_an_everyday_command_passes() -> None:
    honest = tally_honest_commands()
    assert honest.total >= 150
    asked = honest.total - len(honest.silent)
    assert asked <= 0.02 * honest.total
    assert f"| {asked} of {honest.total} asked about |" in PAGE


@pytest.mark.parametrize("name", FRESH)
def test_fresh_calls_are_judged_as_the_page_says(name: str) -> None:
    disguised, plain = (tally_fresh_calls(name, same=same) for same in (True, False))
    row = (
        f"| calls of fresh sets, {name} | {len(disguised.silent)} of {disguised.total} disguises "
        f"pass in silence; {plain.total - len(plain.silent)} of {plain.total} everyday calls "
        "asked about |"
    )
    assert row in PAGE, (disguised.silent, row)


def advice_after(denied: tuple[str, Any], asked: tuple[str, Any]) -> Advice:
    with erstwhile.open(":memory:", embedder="none") as memory:
        tool, given = denied
        memory.decisions.record(Decision(goal="g", tool=tool, input=given, choice="deny"))
        return memory.decisions.advise(DecisionRequest(goal="g", tool=asked[0], input=asked[1]))


PUSH = ("Bash", {"command": "git push --force origin main"})
WRITE = ("Write", {"file_path": ".env", "content": "A=1"})
SQL = ("query", {"sql": "DROP TABLE users"})
CALLS: list[tuple[tuple[str, Any], tuple[str, Any]]] = [
    (PUSH, ("bash", {"command": "git push -f origin main"})),
    (PUSH, ("run_shell_command", {"command": "git push -f origin main"})),
    (PUSH, ("Bash", {"cmd": "git push -f origin main", "command": "ls"})),
    (PUSH, ("Bash", {"command": "ls", "then": "git push -f origin main"})),
    (PUSH, ("Bash", {"command": "ls", "env": {"PAGER": "git push -f origin main"}})),
    (PUSH, ("Bash", {"command": "git push -f origin main", "dry_run": True})),
    (PUSH, ("Bash", {"argv": ["git", "push", "-f", "origin", "main"]})),
    (WRITE, ("write", {"filePath": "./.env", "content": "B=2"})),
    (WRITE, ("Write", {"path": ".env", "content": "B=2"})),
    (WRITE, ("Write", {"file_path": "/srv/shop/.env", "content": "B=2"})),
    (WRITE, ("Write", {"file_path": ".env", "dry_run": True})),
    (("Löschen", {"path": "a/b"}), ("Löschen", {"path": "./a/b"})),
    (SQL, ("query", {"sql": "drop table if exists users"})),
    (SQL, ("query", {"sql": "/*! drop table users */"})),
    (SQL, ("query", {"sql": "DROP TABLE users", "preview": True})),
]


@pytest.mark.parametrize(("denied", "asked"), CALLS)
def test_no_field_and_no_name_makes_a_denied_call_safer(
    denied: tuple[str, Any], asked: tuple[str, Any]
) -> None:
    advice = advice_after(denied, asked)
    assert advice.suggestion == "deny" or advice.unread


@pytest.mark.parametrize(
    ("denied", "asked"),
    [
        (PUSH, ("Bash", {"command": "ls", "description": "then git push -f origin main"})),
        (PUSH, ("Read", {"file_path": "git push --force origin main"})),
        (WRITE, ("Write", {"file_path": ".env.example", "content": "B=2"})),
        (SQL, ("query", {"sql": "SELECT * FROM users"})),
    ],
)
def test_another_call_is_not_asked_about(denied: tuple[str, Any], asked: tuple[str, Any]) -> None:
    advice = advice_after(denied, asked)
    assert (advice.suggestion, advice.unread) == ("ask", False)


def test_what_takes_too_long_to_compare_is_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    denied = json.dumps({"command": "npm publish"})
    assert not AskedCall("Bash", {"command": "npm test"}).might_match(denied)
    monkeypatch.setattr(match_call, "MAX_COMPARISON", -1)
    assert AskedCall("Bash", {"command": "npm test"}).might_match(denied)
