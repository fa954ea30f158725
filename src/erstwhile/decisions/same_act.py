"""Compare two calls of a tool by what they do: does one contain the act of the other?

Scripts of the shell are compared by their acts, other inputs by their fields. It is not about the
likeness of words: `npm install` looks like `npm publish`, and `rm -rf /` like `rm -rf build/`.
"""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from erstwhile.core.denial_policy import SAME_ACT
from erstwhile.decisions.possible_acts import may_contain
from erstwhile.decisions.program_facts import listed
from erstwhile.decisions.shell_acts import Script, ShellAct, read_script
from erstwhile.rule_files import read_rules

_BELOW_EXACT = 0.99
_COMMAND = "command"
"""The name under which a script is compared, whatever the tool calls it."""
_FILE = Path(__file__).with_name("fields.toml")
_DISGUISED = re.compile(r"['\\$`]")
"""What can hide the name of a program in JSON, where a quote follows a backslash."""
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class AskedCall:
    """A call of a tool that is asked about. It is read once, and compared with many others.

    `inputs` is the same input in several forms, such as with and without its secrets masked: what
    a mask hides in one of them is seen in the other. The first one is the input as it was.
    """

    def __init__(self, tool: str, *inputs: Any) -> None:
        self._tool = tool
        self._forms = [_fields(tool, each) for each in inputs]
        self._scripts: dict[str, Script] = {}
        scripts = [
            [_text(form[name]) for name in form.keys() & _named("script")] for form in self._forms
        ]
        self._has_script = all(scripts)
        acts = (act for texts in scripts for text in texts for act in self._read(text).acts)
        self._acts = [reading for act in acts for reading in act.readings]
        self.unread = not all(self._read(text).whole for text in scripts[0])
        """Whether a part of it was not read: it is computed, too long, or not closed."""

    def contains(self, denied: str) -> float:
        """Return how much of it was denied: from `SAME_ACT` to 1, or 0 for another act.

        `denied` is the input of the other call as JSON.
        """
        if self._has_script and not self._may_be_in(denied):
            return 0.0
        fields = _fields(self._tool, json.loads(denied))
        share = max(self._share(fields, form) for form in self._forms)
        return share and min(SAME_ACT + (1 - SAME_ACT) * share, _BELOW_EXACT)

    def may_contain(self, denied: str) -> bool:
        """Return whether it may turn out to do what was denied, when its computed parts are known.

        `denied` is the input of the other call as JSON.
        """
        fields = _fields(self._tool, json.loads(denied))
        return any(
            may_contain(self._read(_text(form[name])), self._read(_text(fields[name])))
            for form in self._forms
            for name in form.keys() & fields.keys() & _named("script")
        )

    def _share(self, denied: Mapping[str, Any], asked: Mapping[str, Any]) -> float:
        """Return the share of the asked call that was denied; 0 if it lacks a part of that."""
        if _is_trial(asked) and not _is_trial(denied):
            return 0.0
        names = _deciding(denied)
        shares = [self._compare(name, denied[name], asked[name]) for name in names if name in asked]
        if not names or len(shares) < len(names) or not all(shares):
            return 0.0
        return sum(shares) / max(len(names), len(_deciding(asked)))

    def _compare(self, name: str, denied: Any, asked: Any) -> float:
        if name not in _named("script"):
            return float(_plain(denied) == _plain(asked))
        return _compare_scripts(self._read(_text(denied)), self._read(_text(asked)))

    def _may_be_in(self, denied: str) -> bool:
        """Return whether a call may contain one of the acts, without reading it.

        An agent waits for thousands of comparisons.
        """
        return bool(_DISGUISED.search(denied)) or any(
            act.program in denied and all(word in denied for word in act.words)
            for act in self._acts
        )

    def _read(self, text: str) -> Script:
        if text not in self._scripts:
            self._scripts[text] = read_script(text)
        return self._scripts[text]


def _fields(tool: str, given: Any) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        return {_COMMAND if tool.casefold() in _named("shell_tools") else "input": given}
    fields = {_CAPITAL.sub("_", key).casefold(): value for key, value in given.items()}
    scripts = fields.keys() & _named("script")
    if len(scripts) == 1:
        fields[_COMMAND] = fields.pop(scripts.pop())
    match fields:
        case {"command": str(program), "args": list(words)}:
            return {**_without(fields, "args"), _COMMAND: [program, *words]}
    return fields


def _without(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key != name}


def _deciding(fields: Mapping[str, Any]) -> list[str]:
    """Return the fields that say what is done to what; if there are none, its content."""
    said = [name for name in fields if name not in _named("remarks")]
    return [name for name in said if name not in _named("content")] or said


def _is_trial(fields: Mapping[str, Any]) -> bool:
    """Return whether a field says that nothing is done. A script says so itself, by its options."""
    said = {str(fields[name]).lower() for name in _named("trial") & fields.keys()}
    return not said.isdisjoint(listed("trial_values")) and _named("script").isdisjoint(fields)


def _text(script: Any) -> str:
    return shlex.join(map(str, script)) if isinstance(script, list) else str(script)


def _compare_scripts(denied: Script, asked: Script) -> float:
    """Return the smallest share of an act that was denied; 0 if one of them is missing."""
    if not denied.whole or not denied.acts:
        return 0.0
    wanted = [act for act in denied.acts if not _is_silent(act)] or denied.acts
    return min(_found(act, asked.acts) for act in wanted)


def _found(denied: ShellAct, asked: tuple[ShellAct, ...]) -> float:
    pairs = ((one, other) for act in asked for one in denied.readings for other in act.readings)
    return max((one.size / other.size for one, other in pairs if one.is_in(other)), default=0.0)


def _is_silent(act: ShellAct) -> bool:
    return act.program in listed("silent") and not act.written


def _plain(value: Any) -> Any:
    """Return a value without the differences in spelling that change nothing."""
    match value:
        case str():
            text = " ".join(value.split()).casefold().rstrip("; ")
            return _plain_path(text) if "/" in text else text
        case Mapping():
            return {key: _plain(each) for key, each in value.items()}
        case list():
            return [_plain(each) for each in value]
    return value


def _plain_path(text: str) -> str:
    if "://" in text:
        return text.rstrip("/")
    return posixpath.normpath(text).replace("//", "/")


@cache
def _named(name: str) -> frozenset[str]:
    return frozenset(read_rules(_FILE).words[name])
