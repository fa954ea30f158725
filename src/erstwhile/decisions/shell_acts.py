"""The acts of a shell script: programs, what they do, with which options, on which targets.

Two spellings of one act are equal: the order of options, their short names, quotes, the folder of
a program, and programs that only run another one, such as `sudo` and `bash -c`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from erstwhile.decisions.program_table import (
    ASSIGNMENT,
    FORCE,
    listed,
    normalised_operands,
    normalised_target,
    pairs,
    strip_wrappers,
    takes_value,
    words_of_act,
)
from erstwhile.decisions.shell_commands import (
    SimpleCommand,
    UnreadableScriptError,
    split_script,
)

_PYTHON = re.compile(r"(?:python|pypy)[0-9.]*")
_PROGRAM = re.compile(r"[\w.+@:-]+")
_HERE = {"."}
"""The folder that a program works on if it is given none."""
_SCRIPT_FOLLOWS = re.compile(r"-[a-z]{0,9}c|--command")


@dataclass(slots=True)
class ShellAct:
    """One call of a program."""

    program: str
    words: list[str] = field(default_factory=list)
    """The subcommand."""
    options: set[str] = field(default_factory=set)
    values: set[tuple[str, str]] = field(default_factory=set)
    targets: set[str] = field(default_factory=set)
    unsure: set[str] = field(default_factory=set)
    """Targets that follow an unknown option, so that they may be its value."""
    written: set[str] = field(default_factory=set)
    trial: bool = False
    fed: bool = False
    """Whether it gets more words when it runs, as from `xargs`."""
    otherwise: ShellAct | None = None
    """The same call if each unknown option takes the word after it as its value."""

    @property
    def call(self) -> str:
        return " ".join([self.program, *self.words[:1]])

    @property
    def readings(self) -> tuple[ShellAct, ...]:
        return (self,) if self.otherwise is None else (self, self.otherwise)

    @property
    def size(self) -> int:
        parts = (self.words, self.options, self.values, self.targets, self.unsure, self.written)
        return 1 + sum(map(len, parts))

    def is_in(self, other: ShellAct) -> bool:
        """Return whether the other act does the same to the same targets, and perhaps more."""
        if (self.program, self.words) != (other.program, other.words):
            return False
        if other.trial and not self.trial:
            return False
        named = self.targets | self.unsure
        if other.targets - _HERE and not (named or self.written or self.values):
            return False  # it says nothing about such a target
        return (
            self.options <= other.options | listed("quiet")
            and self.values <= other.values
            and self.written <= other.written
            and named <= other.targets | other.unsure
        )


@dataclass(frozen=True, slots=True)
class Script:
    """The acts of a script, and whether these are all: a part may be computed or unreadable."""

    acts: tuple[ShellAct, ...] = ()
    whole: bool = True
    calls: tuple[Sequence[str], ...] = ()
    """The words of each call: a program of which we know nothing may run the rest of them."""
    moved: tuple[ShellAct, ...] = ()
    """The acts after `cd`, with their targets in that folder. They may be in another one."""


def read_script(text: str, depth: int = 0) -> Script:
    """Return the acts of a script, and of the scripts in it."""
    try:
        commands = split_script(text, depth)
        parts = [_read_command(each, depth) for each in commands]
    except UnreadableScriptError:
        return Script(whole=False)
    return replace(_merge_scripts(parts), moved=tuple(_acts_after_cd(commands, parts)))


def _acts_after_cd(
    commands: Sequence[SimpleCommand], parts: Sequence[Script]
) -> Iterator[ShellAct]:
    folder = ""
    for command, part in zip(commands, parts, strict=True):
        if command.words[0] in listed("moving"):
            folder = posixpath.join(folder, *command.words[1:2])
        elif folder:
            for act in part.acts:
                targets = {normalised_target(posixpath.join(folder, each)) for each in act.targets}
                yield replace(act, targets=targets)


def _merge_scripts(parts: Sequence[Script]) -> Script:
    return Script(
        tuple(act for part in parts for act in part.acts),
        all(part.whole for part in parts),
        tuple(call for part in parts for call in part.calls),
    )


def _read_command(command: SimpleCommand, depth: int) -> Script:
    words = strip_wrappers(command.words)
    if not words:
        return Script(calls=() if all(map(ASSIGNMENT.match, command.words)) else (command.words,))
    if words[0] in listed("no_call"):
        return Script()
    program = posixpath.basename(words[0]).removesuffix(".exe")
    if program in listed("shells"):
        return _read_shell([program, *words[1:]], command, depth)
    if (scripts := _scripts_of(program, words)) is not None:
        return _merge_scripts([read_script(script, depth + 1) for script in scripts])
    if program == "find":
        return replace(_read_find(words, command.written), calls=(words,))
    if _PYTHON.fullmatch(program) and words[1:2] == ["-m"] and len(words) > 2:
        program, words = words[2], words[2:]
    if not _PROGRAM.fullmatch(program):  # the name of the program is computed
        return Script(whole=False)
    fed = not listed("feeding").isdisjoint(map(posixpath.basename, command.words))
    fixed = takewhile(lambda word: not word.startswith(":::"), words[1:]) if fed else words[1:]
    act = _parse_act(program, list(fixed), command.written, fed=fed)
    runnable = [*command.words, *(() if program in listed("writing") else command.scripts)]
    # If all words are texts for people, it runs none of them.
    runs = program not in listed("silent") and _call_names(act).isdisjoint(listed("texts"))
    return Script((act,), program not in listed("sourcing"), (runnable,) if runs else ())


def _scripts_of(program: str, words: Sequence[str]) -> list[str] | None:
    """Return the scripts in the words of a command of the shell itself; None for other programs."""
    match program:
        case "eval":
            return [" ".join(words[1:])]
        case "trap":
            return [word for word in words[1:2] if not word.startswith("-")]
        case "alias":
            return [word.partition("=")[2] for word in words[1:]]
    return None


def _read_find(words: Sequence[str], written: Sequence[str]) -> Script:
    """Read a call of `find`, and the commands that it runs for each file."""
    acts, at = [_parse_act("find", words[1:], written)], 1
    while at < len(words):
        if words[at] in listed("find_runs") and at + 1 < len(words):
            rest = range(at + 1, len(words))
            end = next((each for each in rest if words[each] in (";", "+")), len(words))
            run = strip_wrappers(words[at + 1 : end])
            acts += [_parse_act(posixpath.basename(run[0]), run[1:], (), fed=True)] if run else []
            at = end
        at += 1
    return Script(tuple(acts))


def _read_shell(words: Sequence[str], command: SimpleCommand, depth: int) -> Script:
    """Read the script of `bash -c SCRIPT`, or of its standard input. A file of it is a target."""
    for place, word in enumerate(words[1:], start=1):
        if _SCRIPT_FOLLOWS.fullmatch(word):
            rest = (words[each] for each in range(place + 1, len(words)))
            return read_script(next((each for each in rest if each[:1] != "-"), ""), depth + 1)
    act = _parse_act(words[0], words[1:], command.written)
    files = act.targets.union(act.words, act.unsure) - listed("standard_input")
    if files and "s" not in act.options:
        return Script((act,))
    parts = [read_script(script, depth + 1) for script in command.scripts]
    return replace(_merge_scripts(parts), whole=False)


def _parse_act(
    program: str, words: Sequence[str], written: Sequence[str], *, fed: bool = False
) -> ShellAct:
    act = _parse_call(program, words, written, greedy=False)
    act.fed = fed
    if any(word[:1] == "-" and "=" not in word for word in words[:-1]):
        otherwise = _parse_call(program, words, written, greedy=True)
        otherwise.fed = fed
        act.otherwise = None if otherwise == act else otherwise
    return act


def act_of(words: Sequence[str]) -> ShellAct:
    """Return the act of a call by its words, the first of which is the program."""
    return _parse_act(posixpath.basename(words[0]), words[1:], ())


def _parse_call(
    program: str, words: Sequence[str], written: Sequence[str], *, greedy: bool
) -> ShellAct:
    """Read a call. If `greedy`, an unknown option takes the next word as its value."""
    act = ShellAct(program, written={normalised_target(each) for each in written})
    rest = list(reversed(words))
    unsure = False
    while rest:
        word = rest.pop()
        if word == "--":
            for each in reversed(rest):
                _add_operand(act, each, unsure=False)
            break
        if word[:1] in ("-", "" if act.call == "git push" else "+") and len(word) > 1:
            unsure = not _add_option(act, word, rest, greedy=greedy)
        else:
            _add_operand(act, word, unsure=unsure)
            unsure = False
    return act


def _add_operand(act: ShellAct, word: str, *, unsure: bool) -> None:
    for each in normalised_operands(act.program, act.words, word):
        if each == FORCE:
            _add_named(act, each)
        elif len(act.words) < words_of_act(act.program, act.call) and each[:1] not in "./~":
            act.words.append(each)
        else:
            (act.unsure if unsure else act.targets).add(normalised_target(each))


def _add_option(act: ShellAct, word: str, rest: list[str], *, greedy: bool) -> bool:
    """Add an option; return whether it is known that the next word does not belong to it."""
    name, given, value = word.partition("=")
    if len(word) > 2 and not given and takes_value(act.program, act.call, word[:2]):
        name, given, value = word[:2], "=", word[2:]
    unknown = word.startswith("--") or len(word) == 2 or act.program in listed("one_dash")
    takes = greedy and unknown and bool(rest) and rest[-1][:1] not in ("-", "+", "")
    if given:
        _add_named(act, name, value)
    elif rest and (takes or takes_value(act.program, act.call, word)):
        _add_named(act, name, rest.pop())
    elif word.startswith("--") or word[0] == "+" or act.program in listed("one_dash"):
        _add_named(act, name)
        return not rest
    else:
        for letter in word[1:]:
            _add_named(act, letter)
        return len(word) > 2 or not rest
    return True


def _add_named(act: ShellAct, option: str, value: str | None = None) -> None:
    name = option.lstrip("-")
    name = pairs("same").get(name, name)
    if name.removeprefix("no-") in listed("trial"):
        said = "yes" if value is None else value.lower()
        act.trial = name in listed("trial") and said in listed("trial_values")
    elif name == "n" and value is None:
        act.trial = act.trial or not _call_names(act).isdisjoint(listed("trial_by_n"))
    if value is None:
        act.options.add(name)
    else:
        act.values.add((name, normalised_target(value)))


def _call_names(act: ShellAct) -> set[str]:
    return {act.program, act.call}
