"""Output on a terminal."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest

from erstwhile.cli.safe_text import safe, safe_line, safe_lines
from erstwhile.cli.terminal import console
from tests.cli.conftest import Cli
from tests.cli.shell import COLUMNS, AtTerminal, at_terminal, run

HOSTILE = (
    "\x1b]0;owned\x07\x1b[31mred\x1b[0m \x9b31m [red]loud[/red] \u202eback\u2069 \x08\x7f :smile:"
)
SHOWN = (
    "\\x1b]0;owned\\x07\\x1b[31mred\\x1b[0m \\x9b31m [red]loud[/red] \\u202eback\\u2069 "
    "\\x08\\x7f :smile:"
)


@pytest.fixture
def fact(cli: Cli) -> Any:
    return cli(
        "--user", "ana", "remember", "Ana prefers pnpm", "--kind", "preference", "--tag", "tools",
        "--entity", "Ana", "--relation", "Ana|uses|pnpm", "--pin", "--metadata", '{"ticket": 42}',
    ).data  # fmt: skip


def test_a_change_is_reported_in_one_line() -> None:
    ended = at_terminal("remember", "Ana prefers pnpm")
    assert ended.code == 0
    assert ended.words.startswith("✓ Remembered  ")
    assert ended.words.endswith("  Ana prefers pnpm\n")
    assert "\x1b[" in ended.out
    assert at_terminal("remember", "Ana prefers pnpm").words.startswith("✓ Known already")


def test_a_list_is_a_table_that_fits(fact: Any) -> None:
    ended = at_terminal("--user", "ana", "facts", "list")
    head, row = ended.words.splitlines()
    assert head.split() == ["id", "since", "kind", "fact"]
    assert row.split()[:3] == [fact["short_id"], fact["valid_from"][:10], "preference"]
    assert row.rstrip().endswith("★ Ana prefers pnpm #tools")


def test_a_long_list_fits_the_width_and_names_the_next_page(cli: Cli) -> None:
    for number in range(3):
        cli("--user", "ana", "--project", f"p{number}", "remember", f"{number} " + "word " * 500)
    ended = at_terminal("--everything", "facts", "list", "--limit", "2")
    lines = ended.words.splitlines()
    assert max(map(len, lines)) <= COLUMNS
    assert len(lines) < 40
    assert "user=ana project=p2" in " ".join(ended.words.split())
    cursor = lines[-1].split()[-1]
    assert lines[-1] == f"There is more: repeat the command with --cursor {cursor}"
    rest = at_terminal("--everything", "facts", "list", "--cursor", cursor)
    assert "0 word" in rest.words


def test_an_empty_list_says_what_to_do() -> None:
    assert "erstwhile remember" in at_terminal("facts", "list").words
    assert "--entity" in at_terminal("entities", "list").words
    assert "No matching changes" in at_terminal("audit", "list").words


def test_one_fact_is_shown_with_all_that_is_set(fact: Any) -> None:
    words = at_terminal("--user", "ana", "facts", "show", fact["id"]).words
    told = dict(line.split(maxsplit=1) for line in words.splitlines()[2:])
    assert words.splitlines()[0] == "Ana prefers pnpm"
    assert {name: told[name].strip() for name in ("id", "state", "scope", "about", "links")} == {
        "id": fact["id"],
        "state": "live",
        "scope": "user=ana",
        "about": "Ana, pnpm",
        "links": "Ana uses pnpm",
    }
    assert told["metadata"].strip() == '{"ticket": 42}'
    assert "expires" not in told


def test_history_is_a_table(fact: Any, cli: Cli) -> None:
    words = ("facts", "replace", fact["id"], "Ana prefers yarn", "--reason", "she said")
    cli("--user", "ana", *words)
    lines = at_terminal("--user", "ana", "facts", "history", fact["id"]).words.splitlines()
    story = " ".join(" ".join(lines).split())
    assert "user:ana remember" in story
    assert "(superseded) — she said" in story
    assert story.endswith("★ Ana prefers yarn #tools — she said")


def test_an_entity_is_shown_with_its_links(fact: Any, cli: Cli) -> None:
    cli("--user", "ana", "entities", "add-alias", "Ana", "Anita")
    words = at_terminal("--user", "ana", "entities", "show", "ana").words
    assert words.startswith("Ana\nalso  Anita\n")
    assert fact["short_id"] in words
    assert "uses  pnpm" in words
    assert "← uses" in at_terminal("--user", "ana", "entities", "show", "pnpm").words
    assert "Anita" in at_terminal("--user", "ana", "entities", "list").words


@pytest.mark.usefixtures("fact")
def test_the_audit_trail_and_the_statistics_are_shown() -> None:
    assert "user:ana  remember" in at_terminal("--user", "ana", "audit", "list").words
    assert "Everything fits the trail." in at_terminal("audit", "verify").words
    stats = at_terminal("--everything", "stats").words
    assert stats.split()[:5] == ["live", "1", "(1", "preference)", "quarantined"]
    assert "bytes" in stats


def test_the_value_of_a_key_is_shown(cli: Cli) -> None:
    cli("facts", "set", "timezone", "Europe/Berlin")
    assert "value  Europe/Berlin" in at_terminal("facts", "value", "timezone").words


def test_an_error_is_one_message_with_its_remedy() -> None:
    ended = at_terminal("facts", "show", "0199")
    assert ended.code == 3
    assert ended.words == (
        "✗ no fact '0199' is visible here\n→ see what is there with `erstwhile facts list`\n"
    )


def test_a_missing_command_shows_the_help() -> None:
    ended = at_terminal("facts")
    assert ended.code == 2
    assert ended.words.startswith("Usage: erstwhile facts")


def test_json_can_be_asked_for_at_a_terminal(fact: Any) -> None:
    ended = at_terminal("--json", "--user", "ana", "facts", "show", fact["id"])
    assert json.loads(ended.out) == fact
    assert "\x1b" not in ended.out
    failed = at_terminal("--json", "facts", "show", "0199")
    assert json.loads(failed.out)["error"] == "not_found"


@pytest.mark.parametrize("answer", ["y", "n"])
def test_erase_shows_what_it_will_destroy_and_asks(answer: str, fact: Any, cli: Cli) -> None:
    with AtTerminal("--user", "ana", "facts", "erase", fact["id"][:18]) as call:
        call.wait_for("[y/N]")
        call.type(f"{answer}\n")
        ended = call.finish()
    assert f"{fact['short_id']}  Ana prefers pnpm" in ended.words
    assert ended.code == (0 if answer == "y" else 4)
    assert ("Rewriting the file" in ended.words) is (answer == "y")
    assert cli("--user", "ana", "facts", "show", fact["id"]).code == (3 if answer == "y" else 0)


def test_a_deleted_fact_can_be_erased_too(fact: Any, cli: Cli) -> None:
    cli("--user", "ana", "facts", "delete", fact["id"])
    with AtTerminal("--user", "ana", "facts", "erase", fact["id"]) as call:
        call.wait_for("[y/N]")
        call.type("y\n")
        assert call.finish().code == 0


def test_many_lines_are_counted_while_they_are_read(cli: Cli) -> None:
    with AtTerminal("remember", "-") as call:
        call.wait_for("Reading")
        call.type("Ana prefers pnpm\nana prefers pnpm\nBob likes tea\n\x04")
        ended = call.finish()
    assert ended.code == 0
    assert "New facts: 2, known already: 1" in ended.words
    assert len(cli("facts", "list").items) == 2


def test_hostile_text_is_shown_and_not_obeyed(cli: Cli) -> None:
    fact = cli("--user", "ana", "remember", HOSTILE, "--entity", "\u202eevil").data
    assert fact["text"] == HOSTILE
    cli("--user", "ana", "facts", "retire", fact["id"], "--ending", "wrong", "--reason", HOSTILE)
    cli("--user", "ana", "facts", "undo", fact["id"])
    for words in (
        ("facts", "list"),
        ("facts", "show", fact["id"]),
        ("facts", "history", fact["id"]),
        ("facts", "pin", fact["id"]),
        ("entities", "list"),
        ("audit", "list"),
    ):
        ended = at_terminal("--user", "ana", *words)
        assert ended.code == 0
        assert not set("\x07\x08\x7f\x9b\u202e\u2069") & set(ended.out)
        assert "\x1b]" not in ended.out
        assert "\x1b" not in ended.words
    shown = at_terminal("--user", "ana", "facts", "show", fact["id"])
    assert SHOWN in "".join(shown.words.splitlines()[:2])


def test_hostile_text_is_data_in_json_too() -> None:
    """Dangerous characters are escaped, and parse to the same text."""
    ended = at_terminal("--json", "remember", HOSTILE)
    assert not set("\x1b\x07\x08\x7f\x9b\u202e\u2069") & set(ended.out)
    assert json.loads(ended.out)["text"] == HOSTILE


def test_tables_show_states_and_short_ids(cli: Cli) -> None:
    fact = cli("remember", "Ana likes tea").data
    cli("snapshots", "create", "monday")
    newer = cli("facts", "replace", fact["id"], "Ana likes coffee").data
    diff = at_terminal("snapshots", "diff", "monday").words
    assert f"Ana likes tea → Ana likes coffee ({newer['short_id']})" in diff
    limitation = cli("limitations", "add", "Cannot send mail").data
    shown = at_terminal("limitations", "show", limitation["id"]).words
    assert "Cannot send mail (open)" in shown
    assert ("created at" in shown, "created " in shown) == (False, True)
    details = ("Bash", '{"command": "ls"}')
    old = cli("decisions", "record", *details, "allow", "--goal", "x", "--by", "agent").data
    new = (*details, "deny", "--goal", "x", "--by", "agent")
    cli("decisions", "supersede", old["id"], *new, "--reason", "it broke")
    listed = at_terminal("decisions", "list").words
    assert ("allow (superseded)" in listed, "deny (superseded)" in listed) == (True, False)


def test_counts_have_a_row_each_and_zeros_none(cli: Cli) -> None:
    cli("--user", "ana", "remember", "Ana likes tea")
    cli("--user", "ana", "tasks", "add", "Call mom", "--due", "in 2 hours")
    seen = at_terminal("erase-user", "ana", "--preview").words.splitlines()
    rows = [line.split() for line in seen if "Counting" not in line and line.strip()]
    assert rows == [["scopes", "user=ana"], ["facts", "1"], ["tasks", "1"]]
    repaired = at_terminal("repair").words
    assert ("0" in repaired.replace("m.db", "").split(), "problems" in repaired) == (False, False)


def test_a_hostile_id_is_refused_and_not_shown() -> None:
    ended = at_terminal("facts", "show", "\x1b[35m")
    assert ended.code == 2
    assert "the id has control characters" in ended.words
    assert "[35m" not in ended.out


def test_output_that_is_no_terminal_has_no_colour() -> None:
    assert "\x1b" not in run("remember", "Ana prefers pnpm").out


@pytest.mark.parametrize("variable", ["NO_COLOR", "PYTHONIOENCODING"])
def test_output_works_on_a_dumb_terminal(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "ascii")
    ended = at_terminal("remember", "数据库")
    assert ended.code == 0
    assert ("数据库" in ended.words) is (variable == "NO_COLOR")
    assert ("\x1b[1;32m" in ended.out) is (variable != "NO_COLOR")


def test_a_console_ignores_markup() -> None:
    stream = StringIO()
    console(stream).print("[red]loud[/red] :smile:")
    assert stream.getvalue() == "[red]loud[/red] :smile:\n"


def test_safe_keeps_harmless_characters() -> None:
    family = "👨\u200d👩\u200d👧 می\u200cخواهم 数据库 café"
    assert safe(family) == family
    assert safe_lines("one\r\n\ttwo\x85") == "one\n\ttwo\\x85"
    assert safe_line(" one\n\n two\t") == "one two"
    assert safe_line("word " * 100, 20) == "word word word word…"
    assert safe("\ud800\x00\u2028") == "\\ud800\\x00\\u2028"
