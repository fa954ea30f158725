"""Compare two calls of a tool by their acts: does one contain the act of the other?

Shell scripts are compared by their acts, other inputs by their fields, never by similar words:
`npm install` looks like `npm publish`, and `rm -rf /` like `rm -rf build/`.

`might_match` finds calls that may turn out to be a denied act: `dropdb $DB` may be `dropdb ledger`.
That is a reason to ask, never to deny. Comparing takes bounded time; after it, every call might
match.
"""

from __future__ import annotations

import json
import posixpath
import re
import shlex
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any

from erstwhile.core.policies import SAME_ACT
from erstwhile.decisions.act_kinds import places
from erstwhile.decisions.match_acts import might_match
from erstwhile.decisions.match_statements import split_word
from erstwhile.decisions.match_targets import overlaps
from erstwhile.decisions.program_table import (
    canonical,
    families,
    listed,
    normalised_target,
    words_of,
)
from erstwhile.decisions.shell_acts import ShellAct
from erstwhile.decisions.shell_effects import OPAQUE, Script
from erstwhile.decisions.shell_expansion import HOLE
from erstwhile.decisions.shell_scripts import read_script
from erstwhile.decisions.tool_acts import field_names, read_tool_call

MAX_COMPARISON = 0.6
"""How many seconds of CPU time a call is compared with denials."""
_BELOW_EXACT = 0.99
_COMMAND = "command"
"""The name under which a script is compared, whatever the tool calls it."""
_DISGUISED = re.compile(r"['\\$`]")
"""What can hide the name of a program in JSON, where a quote follows a backslash."""
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_DIGITS = re.compile(r"\d")
_SPECIFIC = re.compile(r"[\d@/#:._-]")
_TOKEN = re.compile(r"[\w.]{2,}|/(?=\W)")


class AskedCall:
    """A call of a tool that is asked about. It is read once, and compared with many others.

    `inputs` is the same input in several forms, such as with and without its secrets masked: what
    a mask hides in one of them is seen in the other. The first one is the input as it was.
    """

    def __init__(self, tool: str, *inputs: Any) -> None:
        self._tool = tool
        self._forms = [_fields(tool, each) for each in inputs]
        self._scripts: dict[str, Script] = {}
        self._ends_at = time.thread_time() + MAX_COMPARISON
        self._tokens = {token for each in inputs for token in _tokens(json.dumps(each))}
        self._tokens = self._tokens.union(_tokens(tool)) - field_names("script")
        asked = [self._parsed_script(script) for script in self._asked_scripts()]
        self._computed = any(HOLE.search(script.text) for script in asked)
        self._tokens |= {token for script in asked for token in _tokens(script.text)}
        self.unread = any(script.opaque for script in asked)
        """Whether a part of it may run any words, or was not read."""

    def contains(self, denied: str) -> float:
        """Return how much of it was denied: from `SAME_ACT` to 1, or 0 for another act.

        `denied` is the input of the other call as JSON.
        """
        if not self._is_near(denied) or self._is_late():
            return 0.0
        fields = _fields(self._tool, json.loads(denied))
        share = max(self._denied_share(fields, form) for form in self._forms)
        return share and min(SAME_ACT + (1 - SAME_ACT) * share, _BELOW_EXACT)

    def might_match(self, denied: str, tool: str = "") -> bool:
        """Return whether it may turn out to do what was denied; `denied` is the input as JSON.

        `tool` is the denied tool if it is another one.
        """
        if self.unread or self._is_late():
            return True
        if not self._is_near(f"{tool} {denied}"):
            return False
        fields = _fields(tool or self._tool, json.loads(denied))
        wanted = _acts_of(tool or self._tool, fields, self._parsed_script)
        if any(might_match(one, other) for one in self._acts for other in wanted):
            return True
        known = tool or _is_shell(self._tool, fields)
        if known or all(each.requests for each in (*wanted, *self._acts)):
            return False
        return any(_fields_might_match(form, fields) for form in self._forms)

    @cached_property
    def _acts(self) -> list[Script]:
        return [
            part
            for form in self._forms
            for moved in _with_folder(form)
            for part in _acts_of(self._tool, moved, self._parsed_script)
        ]

    def _asked_scripts(self) -> Iterator[Any]:
        """Yield what the call may run: every text of a shell's input, but for remarks."""
        for form in self._forms:
            names = _script_names(form)
            shell = _last_name(self._tool) in field_names("shell_tools") or names
            for name, value in form.items():
                if name in names or (shell and name not in field_names("remarks")):
                    yield from _texts(value)

    def _is_near(self, denied: str) -> bool:
        """Return whether a denied call shares a word with it. An agent waits for thousands."""
        return (
            self._computed
            or bool(_DISGUISED.search(denied))
            or not self._tokens.isdisjoint(_tokens(denied))
        )

    def _is_late(self) -> bool:
        return time.thread_time() > self._ends_at

    def _denied_share(self, denied: Mapping[str, Any], asked: Mapping[str, Any]) -> float:
        """Return the share of the asked call that was denied; 0 if it lacks a part of that."""
        if _is_trial(asked) and not _is_trial(denied):
            return 0.0
        names = _deciding_fields(denied)
        shares = [self._compare(name, denied[name], asked[name]) for name in names if name in asked]
        if not names or len(shares) < len(names) or not all(shares):
            return 0.0
        return sum(shares) / max(len(names), len(_deciding_fields(asked)))

    def _compare(self, name: str, denied: Any, asked: Any) -> float:
        if name not in field_names("script"):
            return float(_normalised(denied) == _normalised(asked))
        return _compare_scripts(self._parsed_script(denied), self._parsed_script(asked))

    def _parsed_script(self, script: Any) -> Script:
        text = shlex.join(map(str, script)) if isinstance(script, list) else str(script)
        if text not in self._scripts:
            self._scripts[text] = OPAQUE if self._is_late() else read_script(text)
        return self._scripts[text]


def _acts_of(tool: str, fields: Mapping[str, Any], read: Callable[[Any], Script]) -> list[Script]:
    """Return what a call does: its scripts, or the call itself as an act."""
    name = _last_name(tool)
    names = _script_names(fields)
    if name in field_names("shell_tools") or names:
        remarks = field_names("remarks")
        scripts = [value for key, value in fields.items() if key not in remarks]
        return [read(text) for value in scripts for text in _texts(value)]
    if name in field_names("quiet_tools"):
        return []
    texts = field_names("remarks") | field_names("content") - field_names("run")
    return [read_tool_call(tool, fields, texts, name in field_names("reading_tools"))]


def _with_folder(fields: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the input of a call, and once more with the folder that its script runs in."""
    yield fields
    folder = next((fields[name] for name in field_names("folders") if name in fields), None)
    if folder and isinstance(script := fields.get(_COMMAND), str):
        yield {_COMMAND: f"cd {shlex.quote(str(folder))} && {script}"}


def same_tools(tool: str, given: Any) -> list[str]:
    """Return the names of a tool in lower case; all shells are the same tool."""
    shells = sorted(field_names("shell_tools")) if _is_shell(tool, given) else []
    return list(dict.fromkeys((tool.lower(), _last_name(tool), *shells)))


def _last_name(tool: str) -> str:
    """Return the name of a tool without its server: `bash` for `mcp__host__bash`."""
    return re.split(r"__|[./:]", tool.lower())[-1]


def _is_shell(tool: str, given: Any) -> bool:
    return _last_name(tool) in field_names("shell_tools") or bool(
        _script_names(_fields(tool, given))
    )


def _tokens(text: str) -> Iterator[str]:
    """Yield the words of a text, one name for those that do the same, and kinds of acts."""
    for token in _TOKEN.findall(text):
        yield from _related(token)


@lru_cache(maxsize=20_000)
def _related(token: str) -> frozenset[str]:
    word, parts = token.casefold(), split_word(token)
    verbs, said = families("same_verbs"), {word, *parts}
    kinds = (f"{place}:" for place, words in places().items() if said & words)
    names = (_DIGITS.sub("", word), canonical(word))
    return frozenset((*said, *names, *(verbs.get(each, each) for each in said), *kinds))


def _texts(value: Any) -> Iterator[Any]:
    match value:
        case str():
            yield value
        case list():
            yield value
            inner = (item for item in value if not isinstance(item, str) or " " in item)
            yield from (each for item in inner for each in _texts(item))
        case Mapping():
            yield from (each for item in value.values() for each in _texts(item))


def _fields(tool: str, given: Any) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        return {_COMMAND if _last_name(tool) in field_names("shell_tools") else "input": given}
    fields = {_CAPITAL.sub("_", key).casefold(): value for key, value in given.items()}
    if not fields.keys().isdisjoint(field_names("files")) and "command" in fields:
        fields["action"] = fields.pop("command")  # what an editor does with the file
    scripts = fields.keys() & field_names("script")
    if len(scripts) == 1:
        fields[_COMMAND] = fields.pop(scripts.pop())
    match fields:
        case {"command": str(program), "args": list(words)}:
            del fields["args"]
            fields[_COMMAND] = [program, *words]
    return fields


def _script_names(fields: Mapping[str, Any]) -> set[str]:
    return fields.keys() & field_names("script")


def _deciding_fields(fields: Mapping[str, Any]) -> list[str]:
    """Return the fields that say what is done to what; if there are none, its content."""
    said = [name for name in fields if name not in field_names("remarks")]
    return [name for name in said if name not in field_names("content")] or said


def _is_trial(fields: Mapping[str, Any]) -> bool:
    """Return whether a field says that nothing is done. A script says so itself, by its options."""
    said = {str(fields[name]).lower() for name in field_names("trial") & fields.keys()}
    return not said.isdisjoint(listed("trial_values")) and field_names("script").isdisjoint(fields)


def _fields_might_match(asked: Mapping[str, Any], denied: Mapping[str, Any]) -> bool:
    """Return whether each deciding value may be there, under whatever name."""
    if asked.get("action") in words_of("reading") and asked.get("action") != denied.get("action"):
        return False
    given = [str(_normalised(asked[name])) for name in _deciding_fields(asked)]
    wanted = [_normalised(denied[name]) for name in _deciding_fields(denied)]
    amounts = field_names("amounts")
    names = [name for name in _deciding_fields(denied) if name not in amounts]
    sure = [str(_normalised(denied[name])) for name in names]
    values = [each for each in sure if _SPECIFIC.search(each) and " " not in each]
    values = values or [str(each) for each in wanted]
    return bool(values) and all(
        any(_values_overlap(one, value) for one in given) for value in values
    )


def _values_overlap(asked: str, denied: str) -> bool:
    if " " in denied or " " in asked:
        return asked == denied
    return overlaps(asked, denied) if "/" in asked + denied or len(denied) > 3 else asked == denied


def _compare_scripts(denied: Script, asked: Script) -> float:
    """Return the smallest share of an act that was denied; 0 if one of them is missing."""
    if denied.opaque or not denied.acts:
        return 0.0
    silent = listed("silent")
    wanted = [act for act in denied.acts if act.program not in silent or act.written] or denied.acts
    return min(_best_share(act, asked.acts) for act in wanted)


def _best_share(denied: ShellAct, asked: tuple[ShellAct, ...]) -> float:
    pairs = ((one, other) for act in asked for one in denied.readings for other in act.readings)
    return max((one.size / other.size for one, other in pairs if one.is_in(other)), default=0.0)


def _normalised(value: Any) -> Any:
    """Return a value without the differences in spelling that change nothing."""
    match value:
        case str():
            text = " ".join(value.split()).casefold().rstrip("; ")
            if "://" in text:
                return normalised_target(text)
            return posixpath.normpath(text).replace("//", "/") if "/" in text else text
        case Mapping():
            return {key: _normalised(each) for key, each in value.items()}
        case list():
            return [_normalised(each) for each in value]
    return value
