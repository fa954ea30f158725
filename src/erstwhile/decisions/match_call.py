"""Compare two calls of a tool by their acts: does one contain the act of the other?

Shell scripts are compared by their acts, other inputs by their fields, never by similar words:
`npm install` looks like `npm publish`, and `rm -rf /` like `rm -rf build/`.

`might_match` finds calls that may become a denied act when they run: `dropdb $DB` may be
`dropdb ledger`, and `echo publish | xargs npm` may be `npm publish`. That is a reason to ask, never
to deny.
"""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from erstwhile.core.policies import SAME_ACT
from erstwhile.decisions.program_table import listed
from erstwhile.decisions.shell_acts import Script, ShellAct, act_of, read_script
from erstwhile.rule_files import read_rules

_COMPUTED = re.compile(
    r"\$\(.* | \$\{[^}]*\}? | \$[\w@*\#?!-]+ | [*?]+ | \[[^\]]*\]? | \{[^{}]*\}",
    re.VERBOSE | re.DOTALL,
)
_BORDER = re.compile(r"[;&|(){}\[\]\n]+")
_QUOTE = re.compile(r"[\"'`]+")
_INNER_WORD = re.compile(r"[\w./@:+~*$%-]+")
_MOST_TAILS = 20
"""How many tails or inner texts are read; a longer list is taken for a denied act."""


def might_match(asked: Script, denied: Script) -> bool:
    """Return whether every act of a denied script may be in the asked one."""
    return bool(denied.acts) and all(_might_match_act(act, asked) for act in denied.acts)


def _might_match_act(denied: ShellAct, asked: Script) -> bool:
    if any(_might_be(denied, reading) for act in asked.acts for reading in act.readings):
        return True
    if any(denied.is_in(act) or _might_be(denied, act) for act in asked.moved):
        return True
    inner = {text for call in asked.calls for text in _inner_texts(denied.program, call)}
    if len(inner) > _MOST_TAILS:
        return True
    texts = (["", *_INNER_WORD.findall(text)] for text in inner)
    return any(_is_tail(denied, call) for call in (*asked.calls, *texts))


def _inner_texts(program: str, call: Sequence[str]) -> Iterator[str]:
    """Yield what may be calls of a program inside of words: `script -c 'npm publish'`.

    A word may be a script of the shell, or a program in another language that runs one.
    """
    for before, word in pairwise(["", *call]):
        options = {before, word.partition("=")[0]}
        if program not in word or word == program or options & listed("text_options"):
            continue
        for part in _BORDER.split(word):
            yield from (each for each in (part, *_QUOTE.split(part)) if program in each)


def _is_tail(denied: ShellAct, call: Sequence[str]) -> bool:
    """Return whether the last words of a call are a denied act."""
    places = [
        at for at, word in enumerate(call) if at and posixpath.basename(word) == denied.program
    ]
    if len(places) > _MOST_TAILS:
        return True
    tails = (act_of(call[at:]) for at in places)
    return any(
        denied.is_in(reading) or _might_be(denied, reading)
        for tail in tails
        for reading in tail.readings
    )


def _might_be(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether an act with computed parts may do what was denied."""
    named, there = denied.targets | denied.unsure, asked.targets | asked.unsure
    anything = asked.fed or any(_is_anything(word) for word in (*asked.words, *there))
    short = len(asked.words) < len(denied.words)
    if not _could_become(asked.program, denied.program) or (asked.trial and not denied.trial):
        return False
    if not all(map(_could_become, asked.words, denied.words)) or (short and not anything):
        return False
    if anything:
        return True
    if not (denied.options <= asked.options and denied.values <= asked.values):
        return False
    computed = [word for word in (*asked.words, *there) if _COMPUTED.search(word)]
    if computed or any(map(_COMPUTED.search, named)):
        return all(
            target in there
            or any(_could_become(each, target) for each in computed)
            or any(_could_become(target, each) for each in there)
            for target in named
        )
    if denied.call in listed("own_targets") and there < named:
        return True
    return "r" in asked.options and any(_is_inside(target, there) for target in named)


def _is_inside(target: str, folders: Iterable[str]) -> bool:
    """Return whether a target is in one of the folders, which are changed as a whole."""
    return any(target.startswith(f"{each.rstrip('/')}/") for each in folders) or (
        "." in folders and target[:1] not in "/~" and not target.startswith("..")
    )


def _is_anything(word: str) -> bool:
    """Return whether a word may become any words."""
    return bool(_COMPUTED.fullmatch(word)) and word[0] in "${"


def _could_become(computed: str, text: str) -> bool:
    """Return whether a word may become this text: its fixed parts are there, in their order."""
    first, *rest = _COMPUTED.split(computed)
    if not rest:
        return computed == text
    last, at = rest.pop(), len(first)
    for part in rest:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return text.startswith(first) and text.endswith(last) and at + len(last) <= len(text)


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
            [form[name] for name in form.keys() & _field_names("script")] for form in self._forms
        ]
        self._has_script = all(scripts)
        acts = (
            act for form in scripts for script in form for act in self._parsed_script(script).acts
        )
        self._acts = [reading for act in acts for reading in act.readings]
        self.unread = not all(self._parsed_script(script).whole for script in scripts[0])
        """Whether a part of it was not read: it is computed, too long, or not closed."""

    def contains(self, denied: str) -> float:
        """Return how much of it was denied: from `SAME_ACT` to 1, or 0 for another act.

        `denied` is the input of the other call as JSON.
        """
        if self._has_script and not self._might_match_act(denied):
            return 0.0
        fields = _fields(self._tool, json.loads(denied))
        share = max(self._denied_share(fields, form) for form in self._forms)
        return share and min(SAME_ACT + (1 - SAME_ACT) * share, _BELOW_EXACT)

    def might_match(self, denied: str) -> bool:
        """Return whether it may turn out to do what was denied, when its computed parts are known.

        `denied` is the input of the other call as JSON.
        """
        fields = _fields(self._tool, json.loads(denied))
        return any(
            might_match(self._parsed_script(form[name]), self._parsed_script(fields[name]))
            for form in self._forms
            for name in form.keys() & fields.keys() & _field_names("script")
        )

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
        if name not in _field_names("script"):
            return float(_normalised(denied) == _normalised(asked))
        return _compare_scripts(self._parsed_script(denied), self._parsed_script(asked))

    def _might_match_act(self, denied: str) -> bool:
        """Return whether a call may contain one of the acts, without reading it.

        An agent waits for thousands of comparisons.
        """
        return bool(_DISGUISED.search(denied)) or any(
            act.program in denied and all(word in denied for word in act.words)
            for act in self._acts
        )

    def _parsed_script(self, script: Any) -> Script:
        text = shlex.join(map(str, script)) if isinstance(script, list) else str(script)
        if text not in self._scripts:
            self._scripts[text] = read_script(text)
        return self._scripts[text]


def _fields(tool: str, given: Any) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        return {_COMMAND if tool.casefold() in _field_names("shell_tools") else "input": given}
    fields = {_CAPITAL.sub("_", key).casefold(): value for key, value in given.items()}
    scripts = fields.keys() & _field_names("script")
    if len(scripts) == 1:
        fields[_COMMAND] = fields.pop(scripts.pop())
    match fields:
        case {"command": str(program), "args": list(words)}:
            del fields["args"]
            fields[_COMMAND] = [program, *words]
    return fields


def _deciding_fields(fields: Mapping[str, Any]) -> list[str]:
    """Return the fields that say what is done to what; if there are none, its content."""
    said = [name for name in fields if name not in _field_names("remarks")]
    return [name for name in said if name not in _field_names("content")] or said


def _is_trial(fields: Mapping[str, Any]) -> bool:
    """Return whether a field says that nothing is done. A script says so itself, by its options."""
    said = {str(fields[name]).lower() for name in _field_names("trial") & fields.keys()}
    return not said.isdisjoint(listed("trial_values")) and _field_names("script").isdisjoint(fields)


def _compare_scripts(denied: Script, asked: Script) -> float:
    """Return the smallest share of an act that was denied; 0 if one of them is missing."""
    if not denied.whole or not denied.acts:
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
                return text.rstrip("/")
            return posixpath.normpath(text).replace("//", "/") if "/" in text else text
        case Mapping():
            return {key: _normalised(each) for key, each in value.items()}
        case list():
            return [_normalised(each) for each in value]
    return value


@cache
def _field_names(name: str) -> frozenset[str]:
    return frozenset(read_rules(_FILE).words[name])
