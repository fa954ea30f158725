"""Reading a shell script: which programs it calls, and that no text makes it slow or fail."""

from __future__ import annotations

import gc
import json
import sys
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile.core.errors import InvalidInputError
from erstwhile.decisions import shell_parser
from erstwhile.decisions.match_call import AskedCall
from erstwhile.decisions.shell_expansion import GLOB, MANY, ONE
from erstwhile.decisions.shell_parser import parse_script
from erstwhile.decisions.shell_scripts import read_script


def words(script: str) -> list[list[str]]:
    return [command.words for command in parse_script(script).commands]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("a b;c", [["a", "b"], ["c"]]),
        ("a && b || c | d & e", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("a 'b c' \"d e\" f\\ g", [["a", "b c", "d e", "f g"]]),
        ("a $(b c)", [["b", "c"], ["a", MANY]]),
        ('a "x `b` y"', [["b"], ["a", f"x {ONE} y"]]),
        ("a # b\nc d", [["a"], ["c", "d"]]),
        ("a > out 2>&1 < in", [["a"]]),
        ("cat <<X\nrm -rf /\nX\nls", [["cat"], ["ls"]]),
        ("$'\\x61\\142' c", [["ab", "c"]]),
        ("a${IFS}b$IFS'c'", [["a", "b", "c"]]),
        ("x=a; $x b", [[], ["a", "b"]]),
        ("a 2>&- b > c d", [["a", "b", "d"]]),
        ("a {b,c}d", [["a", "bd", "cd"]]),
        ("a b[[:alpha:]x]c d[]-e]f", [["a", f"b{GLOB}c", f"d{GLOB}f"]]),
        ("if a; then b; else c; fi; f() { d; }", [["a"], ["b"], ["c"], ["d"]]),
    ],
)
def test_a_script_is_split_into_commands(script: str, expected: list[list[str]]) -> None:
    assert words(script) == expected


@pytest.mark.parametrize("script", ["a 'b", 'a "b', "a `b", "a $(b", "$(" * 50 + ")" * 50])
def test_a_script_that_is_not_closed_may_do_anything(script: str) -> None:
    assert read_script(script).opaque


def test_without_the_parser_a_command_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_bash", None)
    monkeypatch.delitem(sys.modules, "erstwhile.decisions.shell_grammar", raising=False)
    with pytest.raises(InvalidInputError, match="pip install tree-sitter"):
        read_script("ls")


def test_files_that_are_written_belong_to_the_act() -> None:
    [act] = read_script("echo hi 2> /dev/null > /etc//motd").acts
    assert (act.program, act.targets, act.written) == ("echo", {"hi"}, {"/etc/motd"})


def test_a_program_whose_name_is_computed_is_no_act() -> None:
    found = read_script("$RUN -rf /; ls")
    assert [act.program for act in found.acts] == ["ls"]
    assert found.opaque


@pytest.mark.parametrize(
    ("script", "tries"),
    [
        ("npm publish --dry-run", True),
        ("kubectl delete pod web --dry-run=client", True),
        ("rsync -an a b", True),
        ("git clean -n", True),
        ("kubectl delete pod web --dry-run=none", False),
        ("npm publish --dry-run=false", False),
        ("npm publish --dry-run=", False),
        ("npm publish --dry-run --no-dry-run", False),
        ("kubectl delete pod web -n prod", False),
        ("ssh -n prod1 reboot", False),
        ("git commit -n", False),
    ],
)
def test_only_an_option_that_says_so_makes_an_act_a_trial(script: str, tries: bool) -> None:
    [act] = read_script(script).acts
    assert act.trial is tries


@pytest.mark.parametrize(
    ("tool", "fields", "denied"),
    [
        ("Bash", {"command": "dropdb ledger", "dry_run": True}, True),
        ("sql", {"statement": "DROP TABLE a", "dry_run": "false"}, True),
        ("sql", {"statement": "DROP TABLE a", "dry_run": True}, False),
    ],
)
def test_only_a_field_that_says_yes_makes_a_call_a_trial(
    tool: str, fields: dict[str, Any], denied: bool
) -> None:
    was = {name: value for name, value in fields.items() if name != "dry_run"}
    assert bool(AskedCall(tool, fields).contains(json.dumps(was))) is denied


@given(st.text(st.sampled_from("ab -='\"\\$`(){}<>|&;#\n/*~"), max_size=60) | st.text())
def test_any_text_can_be_compared(script: str) -> None:
    call = AskedCall("Bash", {"command": script})
    assert 0 <= call.contains('{"command": "rm -rf /"}') <= 1


@pytest.mark.parametrize(
    "piece",
    ["$(", '"', "`", "'", "a", "((", "<<a\n", "\\", "$'", '"$(', "#", "a#", ";", "a ", "-a ", "=",
     "sudo ", "if ", "x=1 ", "{", "<(", "bash -c ", "eval ", "{ ", "env A=b ", "xargs ", "a=b ",
     "sudo -u x ", "timeout 1 ", "bash -x ", "! ", "> a ", "<<<a ", "a;", "a -- ", "\t", "1",
     "<<-a "],
)  # fmt: skip
def test_hostile_scripts_take_linear_time(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell_parser, "MAX_SCRIPT", 1_000_000)

    def took(length: int) -> float:
        script = (piece * length)[:length]
        gc.disable()  # its own cost grows with the number of objects
        try:
            started = time.process_time()
            read_script(script)
            return time.process_time() - started
        finally:
            gc.enable()

    part = min(took(10_000) for _ in range(2))
    whole = min(took(40_000) for _ in range(2))
    assert whole < 8 * part + 0.01
