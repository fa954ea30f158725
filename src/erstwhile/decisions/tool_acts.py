"""Read a call of a tool that is no shell as an act: its name says what is done, its input to what.

`mcp__github__merge_pull_request` with `pull_number: 42` is compared with `gh pr merge 42`. Texts
that a tool may run are read as scripts and as code.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from erstwhile.decisions.match_statements import (
    may_be_statement,
    split_word,
    statement_targets,
    tells,
)
from erstwhile.decisions.program_table import (
    families,
    listed,
    normalised_target,
    patterns,
    words_of,
)
from erstwhile.decisions.shell_acts import ShellAct
from erstwhile.decisions.shell_effects import Script, guess, merge
from erstwhile.decisions.shell_scripts import read_script
from erstwhile.rule_files import read_rules

_FILE = Path(__file__).with_name("fields.toml")
_SEPARATOR = re.compile(r"__|[./:]")
_MAGIC = re.compile(r"^[^\S\n]*[!%]+", re.MULTILINE)
"""What a notebook runs a line by a shell by."""
_PATCHED = re.compile(
    r"^(?:\*{3} (?:Update|Add|Delete|Move)[^:\n]*: |(?:\+{3}|-{3}) (?:[ab]/)?)(?!/dev/null)(\S+)",
    re.MULTILINE,
)
"""The files that a patch changes."""
_MAX_NAME = 200


def read_tool_call(
    tool: str, fields: Mapping[str, Any], texts: Collection[str], reading: bool
) -> Script:
    """Return a call of a tool as a script; `texts` are the fields that are neither done nor named.

    A tool that is `reading` shows what is in a file.
    """
    names = [each for each in _SEPARATOR.split(tool) if each]
    words = split_word(names[-1]) if names else []
    named = {name: value for name, value in fields.items() if name not in texts}
    values = list(_values(named, texts))
    inner = (value for value in named.values() if isinstance(value, Mapping))
    words += [key for each in inner for key in each if key in families("same_verbs")]
    act = ShellAct("".join(names[-2:-1]) or tool, words, path=tool)
    reading = reading or fields.get("action") in words_of("reading")
    act.targets = {str(each) for each in values if len(str(each)) <= _MAX_NAME}
    act.values = {("replicas", "0")} if fields.get("replicas") == 0 else set()
    if reading:
        act.program, act.words = "cat", ["view"]
    act.options = {name for name, value in named.items() if value is True}
    if listed("request_tools").intersection(words) and any("://" in each for each in act.targets):
        _read_request(act, fields)
    elif not reading and (files := _file_names(fields)) and words[:1]:
        verb = families("same_verbs").get(words[0])
        about_files = not {"file", "files"}.isdisjoint(words[1:])
        if verb == "delete":
            act.program, act.words = "rm", []
        elif names[-1].casefold() in field_names("file_tools") or (
            about_files and verb in ("create", "change", "publish")
        ):
            act.program, act.words, act.targets, act.written = "tee", [], set(), files
    lists = [each for each in named.values() if isinstance(each, list) and each]
    runs = [shlex.join(map(str, each)) for each in lists]
    runs += [each for each in values if isinstance(each, str) and " " in each]
    reading = reading or not listed("searching").isdisjoint(words[:1])
    if any(may_be_statement(each) and (statement_targets(each) or tells(each)) for each in runs):
        act.targets, act.words = set(), ["query"]
    runs = [each for each in runs if not tells(each)]
    return merge([Script((act,)), *(_read_text(each) for each in runs if not reading)])


def _file_names(fields: Mapping[str, Any]) -> set[str]:
    items = [(name, str(value)) for name, value in _items(fields) if isinstance(value, str)]
    named = (value for name, value in items if name in field_names("files") and "\n" not in value)
    patched = (each for _, value in items for each in _PATCHED.findall(value))
    return {normalised_target(each) for each in (*named, *patched)}


def _read_request(act: ShellAct, fields: Mapping[str, Any]) -> None:
    """Read a call of an address as a call of `curl`."""
    act.program, act.words = "curl", []
    said = dict(_items(fields))
    method = next((str(value) for name, value in said.items() if name in _METHOD_FIELDS), "")
    sends = not said.keys().isdisjoint(_BODY_FIELDS)
    method = method.upper() or ("POST" if sends else "GET")
    act.values = {("X", method)} - {("X", "GET")}
    roots = [each for each in act.targets if "://" in each]
    paths = [each for each in act.targets if each.startswith("/")]
    act.targets = {normalised_target(root + path) for root in roots for path in paths or [""]}


_METHOD_FIELDS = frozenset(("method", "verb", "http_method", "type"))
_BODY_FIELDS = frozenset(("body", "json", "data", "form", "payload"))


def _items(given: Any) -> Iterator[tuple[str, Any]]:
    match given:
        case Mapping():
            yield from given.items()
            yield from (each for value in given.values() for each in _items(value))
        case list():
            yield from (each for part in given for each in _items(part))


def _read_text(text: str) -> Script:
    """Read a text that a tool may run by a shell, as code or as a statement."""
    runs = patterns("running_code").search(text) is not None
    if may_be_statement(text) and statement_targets(text):
        return Script((ShellAct("sql", values={("query", text)}),))
    script = guess(read_script(_MAGIC.sub("", text)))
    return merge([script, Script(codes=(text,), opaque=runs)])


def _values(given: Any, texts: Collection[str]) -> Iterator[Any]:
    match given:
        case Mapping():
            parts = [value for name, value in given.items() if name not in texts]
            yield from (each for part in parts for each in _values(part, texts))
        case list():
            yield from (each for part in given for each in _values(part, texts))
        case str() | int():
            yield given


@cache
def field_names(name: str) -> frozenset[str]:
    """Return a list of `fields.toml` as a set."""
    return frozenset(read_rules(_FILE).words[name])
