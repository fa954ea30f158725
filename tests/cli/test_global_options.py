"""Global options before and after the command."""

from __future__ import annotations

import click
import pytest

from erstwhile.cli.app import app, global_options_first
from tests.cli.conftest import Cli
from tests.cli.shell import run


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("recall tea --user ana", "--user ana recall tea"),
        ("recall tea --user=ana --json", "--user=ana --json recall tea"),
        ("facts --user ana list --limit 2", "--user ana facts list --limit 2"),
        ("--user ana facts list --user bo", "--user ana --user bo facts list"),
        ("remember -- --json", "remember -- --json"),
        ("remember --key --json tea", "remember --key --json tea"),
        ("--db recall facts list", "--db recall facts list"),
        ("export x.jsonl --format jsonl", "export x.jsonl --format jsonl"),
        ("facts list --format csv", "--format csv facts list"),
        ("unknown --user ana", "--user ana unknown"),
        ("", ""),
    ],
)
def test_global_options_are_moved_before_the_command(typed: str, meant: str) -> None:
    assert global_options_first(app, typed.split()) == meant.split()


@pytest.mark.parametrize(
    "typed",
    ["facts list --user", "facts list --user --json", "facts --db list --db",
     "recall tea --user --", "--user --json facts list", "facts list --deleted --user --limit 2"],
)  # fmt: skip
def test_a_global_option_without_a_value_takes_no_other_word(typed: str) -> None:
    with pytest.raises(click.BadOptionUsage, match="requires an argument"):
        global_options_first(app, typed.split())
    ended = run(*typed.split())
    assert ended.code == 2
    assert "requires an argument" in ended.err


def test_a_scope_may_follow_the_command(cli: Cli) -> None:
    cli("remember", "Ana likes tea", "--user", "ana")
    assert [each["text"] for each in cli("facts", "list", "--user", "ana").items] == [
        "Ana likes tea"
    ]
    assert cli("facts", "list", "--user", "bo").items == []
    assert cli("facts", "list").items == []
