"""One act of a shell script: a program, what it does, with which options, on which targets.

Two spellings of one act are equal: the order of options, their short names, and other names of the
same branch, kind or folder.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from erstwhile.decisions.act_kinds import (
    ActProfile,
    is_verb,
    profile_of,
)
from erstwhile.decisions.program_table import (
    DELETE,
    FORCE,
    families,
    listed,
    normalised_operands,
    normalised_target,
    pairs,
    patterns,
    quiet_options,
    takes_value,
    words_of_act,
)
from erstwhile.decisions.shell_expansion import COMPUTED, MANY

_HERE = {"."}
"""The folder that a program works on if it is given none."""


@dataclass
class ShellAct:
    """One call of a program."""

    program: str
    words: list[str] = field(default_factory=list)
    """The subcommand."""
    options: set[str] = field(default_factory=set)
    general: set[str] = field(default_factory=set)
    """Those before the subcommand."""
    values: set[tuple[str, str]] = field(default_factory=set)
    targets: set[str] = field(default_factory=set)
    order: list[str] = field(default_factory=list)
    """Its targets as they stand."""
    unsure: set[str] = field(default_factory=set)
    """Targets that follow an unknown option, so that they may be its value."""
    written: set[str] = field(default_factory=set)
    read: list[str] = field(default_factory=list)
    """The files that it reads by a redirect."""
    texts: list[str] = field(default_factory=list)
    """What it reads from its standard input and its own variables."""
    variables: set[str] = field(default_factory=set)
    """The names of the variables that are set only for it."""
    expanded: set[str] = field(default_factory=set)
    """The names of the variables in its words, and the values of those."""
    path: str = ""
    """The program as it was written, with its folder."""
    trial: bool = False
    sure_trial: bool = False
    """Whether the option that makes it a trial cannot be the value of another one."""
    greedy: bool = False
    """Whether each unknown option takes the word after it as its value."""
    guessed: bool = False
    """Whether it was read in a word that may be no script at all."""
    otherwise: ShellAct | None = None
    """The same call if each unknown option takes the word after it as its value."""

    @property
    def call(self) -> str:
        return " ".join([self.program, *self.words[:1]])

    @property
    def readings(self) -> tuple[ShellAct, ...]:
        return (self,) if self.otherwise is None else (self, self.otherwise)

    @property
    def named(self) -> set[str]:
        return self.targets | self.unsure

    @property
    def option_names(self) -> set[str]:
        return self.options | {name for name, _ in self.values}

    @property
    def statements(self) -> list[str]:
        """What a program such as `psql` is told to run; a file of statements is not read."""
        names = listed("statement_options")
        given = [value for name, value in self.values if name in names]
        return [
            *self.texts,
            *given,
            *(each for each in self.named if re.search(r"[ (]|^[.\\]", each)),
        ]

    @cached_property
    def without_options(self) -> ShellAct:
        return replace(self, options=set(), values=set(), otherwise=None)

    @cached_property
    def profile(self) -> ActProfile:
        return profile_of(self)

    @property
    def size(self) -> int:
        parts = (self.words, self.options, self.values, self.named, self.written)
        return 1 + sum(map(len, parts))

    @property
    def computed(self) -> bool:
        values = () if self.program in listed("tasks") else (value for _, value in self.values)
        named = [each for each in self.named if "=" not in each] if values == () else self.named
        parts = (self.words, named, self.options, values)
        hidden = self.program in listed("with_statements") and any(
            MANY in each or patterns("computed_statement").search(each.casefold())
            for each in self.statements
        )
        return hidden or any(COMPUTED.search(word) for part in parts for word in part)

    def is_in(self, other: ShellAct) -> bool:
        """Return whether the other act does the same to the same targets, and perhaps more."""
        if (self.program, self.words) != (other.program, other.words) or self.computed:
            return False
        if other.trial and not self.trial:
            return False
        if other.targets - _HERE and not (self.named or self.written or self.values):
            return False  # it says nothing about such a target
        return (
            self.options <= other.options | quiet_options(self.program)
            and self.values <= other.values
            and self.written <= other.written
            and self.named <= other.named
        )


def parse_act(program: str, words: Sequence[str], written: Sequence[str]) -> ShellAct:
    """Return the act of a call of a program."""
    act = _parse_call(program, words, written, greedy=False)
    if any(word[:1] == "-" and "=" not in word for word in words[:-1]):
        otherwise = _parse_call(program, words, written, greedy=True)
        act.otherwise = None if replace(otherwise, greedy=False) == act else otherwise
    return act


def _parse_call(
    program: str, words: Sequence[str], written: Sequence[str], *, greedy: bool
) -> ShellAct:
    """Read a call. If `greedy`, an unknown option takes the next word as its value."""
    act = ShellAct(program, written={normalised_target(each) for each in written}, greedy=greedy)
    rest = list(reversed(words))
    unsure = False
    before = ""
    while rest:
        word = rest.pop()
        left = len(rest)
        if word == "--":
            for each in reversed(rest):
                _add_operand(act, each, unsure=False)
            break
        if word[:1] in ("-", "" if act.call == "git push" else "+") and len(word) > 1:
            tried = act.trial
            before_it = {*act.options}
            unsure = not _add_option(act, word, rest, greedy=greedy)
            if not act.words and program not in listed("no_subcommand"):
                act.general |= act.options - before_it
            if act.trial and rest and rest[-1] in listed("no_trial_values"):
                act.trial = False  # npm publish --dry-run false
            if act.trial and not tried:
                flag = before[:2] == "--" and before[2:] in families("same_verbs")
                act.sure_trial = flag or before[:1] != "-" or "=" in before
        else:
            _add_operand(act, word, unsure=unsure)
            unsure = False
        before = word if len(rest) == left else ""
    return act


def _add_operand(act: ShellAct, word: str, *, unsure: bool) -> None:
    for each in normalised_operands(act.program, act.words, word):
        if each in (FORCE, DELETE):
            _add_named(act, each)
        elif len(act.words) < words_of_act(act.program, act.call) and not re.search(r"[./~]", each):
            act.words.append(each)
        else:
            act.order.append(normalised_target(each))
            (act.unsure if unsure else act.targets).add(act.order[-1])


def _add_option(act: ShellAct, word: str, rest: list[str], *, greedy: bool) -> bool:
    """Add an option; return whether it is known that the next word does not belong to it."""
    name, given, value = word.partition("=")
    if len(word) > 2 and not given and takes_value(act.program, act.call, word[:2]):
        name, given, value = word[:2], "=", word[2:]
    unknown = word.startswith("--") or len(word) == 2 or act.program in listed("one_dash")
    takes = greedy and unknown and bool(rest) and rest[-1][:1] not in ("-", "+", "")
    takes = takes and not _says_what(act, name.lstrip("-"), rest[-1])
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


def _says_what(act: ShellAct, option: str, following: str) -> bool:
    """Return whether the word after an option is surely no value of it."""
    if option == "n" and not {act.program, act.call}.isdisjoint(listed("trial_by_n")):
        return True
    if _is_trial(act.program, option):
        return following.lower() not in listed("trial_values") | listed("no_trial_values")
    return not act.words and words_of_act(act.program, act.program) > 0 and is_verb(following)


def _add_named(act: ShellAct, option: str, value: str | None = None) -> None:
    name = option.lstrip("-")
    name = pairs("same").get(name, name)
    if _is_trial(act.program, name.removeprefix("no-")):
        said = "yes" if value is None else value.lower()
        act.trial = not name.startswith("no-") and said in listed("trial_values")
    elif name == "n" and value is None:
        act.trial = act.trial or not {act.program, act.call}.isdisjoint(listed("trial_by_n"))
    if value is None:
        act.options.add(name)
    else:
        act.values.add((name, normalised_target(value)))


def _is_trial(program: str, option: str) -> bool:
    return option in listed("trial") or f"{program} {option}" in listed("trial_of")
