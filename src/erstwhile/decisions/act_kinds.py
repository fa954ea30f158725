"""What an act does, to what, and where, by its words.

A verb is a subcommand, the name of a program, the method of a request or a word of a statement.
`same_verbs` in `programs.toml` has a line for verbs that do about the same, and `places` one for
the words of a place, such as databases.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING

from erstwhile.decisions.match_statements import (
    is_statement,
    names_all,
    split_word,
    statement_targets,
    statement_verbs,
    tells,
)
from erstwhile.decisions.program_table import families, grouped, listed, pairs, runs_words, words_of
from erstwhile.decisions.shell_expansion import COMPUTED, GLOB

if TYPE_CHECKING:
    from erstwhile.decisions.shell_acts import ShellAct

_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[A-Za-z][\w:-]*")
_SETTING = re.compile(r"[A-Z_]+=")
_TELLING = ("list-", "describe", "show", "print-", "info", "status")
_MAKING = frozenset(("send", "create", "change", "grant", "pay"))
_PLAIN = re.compile(r"[\w:@./+-]+")
_SYSTEM = ("/bin/", "/usr/", "/sbin/", "/opt/")
SYSTEM_FILES = ("/etc/", "/var/", "/proc/", "/sys/")
_LONG = 4
CODE = "code"
"""The program of acts in other languages than that of the shell."""


@dataclass(frozen=True, slots=True)
class ActProfile:
    """What is compared of an act, beside its words and options."""

    verbs: frozenset[str]
    """One name for each of its verbs and those that do the same."""
    understood: bool
    """Whether it is known what it does, by its program or its subcommand."""
    places: frozenset[str]
    targets: frozenset[str]
    """What it names, without words that say what it does."""
    whole: bool
    """Whether it names nothing but what is done, or all of a place."""
    harmless: bool
    """Whether it only tells, checks or builds something."""
    changed: frozenset[str]
    """The files that it may change."""

    def is_graver(self, other: ActProfile) -> bool:
        """Return whether it does at least as much as another act to the same target."""
        effects = families("graver")
        this = {effects[each] for each in self.verbs & effects.keys()}
        that = {effects[each] for each in other.verbs & effects.keys()}
        covered = any(pairs("covers").get(each) in other.verbs for each in self.verbs)
        return covered or bool(this & that) or (bool(this) and "change" in that)


def profile_of(act: ShellAct) -> ActProfile:
    """Return what an act does, and where."""
    said, known = frozenset(_parts(_said(act))), families("same_verbs")
    names = {*said, *_parts((act.program, *act.named, *_system_words(act)))}
    if act.words or calls_address(act) or runs_task(act):
        names |= set(_parts(value for _, value in act.values))
    long = _parts(
        each for each in act.option_names if len(each) >= _LONG and each not in listed("mild")
    )
    verbs = frozenset({known[each] for each in {*said, *long} & known.keys()})
    changed = frozenset(_changed_files(act))
    targets = frozenset(each for each in changed if not COMPUTED.search(each)) or _targets(act)
    return ActProfile(
        verbs=verbs,
        understood=_is_understood(act, said),
        places=frozenset(place for place, words in places().items() if words & names),
        targets=targets,
        whole=not (targets or act.greedy) or any(map(names_all, act.statements)),
        harmless=not verbs if act.program == CODE else _is_harmless(act),
        changed=changed,
    )


def _parts(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        yield word.casefold()
        yield from split_word(word)


def _said(act: ShellAct) -> Iterator[str]:
    """Yield the words that say what is done."""
    if calls_address(act):
        methods = {value for name, value in act.values if name in ("X", "method")}
        yield from (*methods, *(["upload"] if "PUT" in {*methods, *act.words, *act.named} else []))
        yield from (part for each in (*act.words, *act.named) for part in _WORD.findall(each))
    elif act.program in listed("with_statements"):
        yield from (verb for each in act.statements for verb in statement_verbs(each))
        files = (value for name, value in act.values if name in ("f", "file"))
        yield from (part for each in (*act.read, *files) for part in _WORD.findall(each))
    elif runs_task(act):
        yield from (*act.words, *(value for _, value in act.values))
        names = [each.rpartition("/")[2] for each in (act.path, *act.named)]
        yield from (each for each in names if _PLAIN.fullmatch(each))
        yield from (part for each in act.named if " " in each for part in _WORD.findall(each))
    else:
        yield act.program
        strong = families("same_verbs").keys() - listed("weak_effects")
        weak = listed("weak_effects") if strong & set(act.words) else frozenset[str]()
        yield from (each for each in act.words if each not in weak)
        yield from _operand_verbs(act)
        yield from _unsaid_verbs(act)
        if {act.program, act.call}.isdisjoint(listed("texts")):
            inner = (value for _, value in act.values if is_statement(value))
            yield from (verb for each in inner for verb in statement_verbs(each))
    if ("replicas", "0") in act.values:
        yield "stop"
    if any(runs_words(act.program, each) for each in act.option_names):
        yield from (value for _, value in act.values)
    if act.program not in listed("writing"):
        yield from (part for each in (*act.texts, *act.read) for part in _WORD.findall(each))


def _unsaid_verbs(act: ShellAct) -> list[str]:
    """Return what a call does without saying so by its name."""
    options = {f"{'-' if len(each) == 1 else '--'}{each}" for each in act.option_names}
    calls = (each.partition(": ")[::2] for each in grouped("acting_calls"))
    if act.call == "git checkout" and "." in act.order:
        return ["delete"]
    return [
        verb
        for verb, call in calls
        if call in (act.program, act.call)
        and (not (wanted := grouped("acting_calls")[f"{verb}: {call}"]) or wanted & options)
    ]


def _operand_verbs(act: ShellAct) -> Iterator[str]:
    """Yield the first operands that say what is done, such as `down` of `ip link set eth0 down`."""
    if act.program not in listed("no_subcommand"):
        known = families("same_verbs").keys() - listed("weak_effects")
        yield from (each for each in act.order[:4] if each in known)
        methods = (each.rpartition(".")[2] for each in act.order[:4] if "." in each)
        parts = (part for each in methods for part in split_word(each))
        yield from known_effects().intersection(parts)


def _is_understood(act: ShellAct, said: frozenset[str]) -> bool:
    if calls_address(act) or act.program == CODE:
        return False
    if act.program in listed("with_statements"):
        seen = bool(act.statements) and not act.computed
        return seen and not known_verbs().isdisjoint(said)
    first = set(_parts(act.words[:2]))
    if "/" in act.path and not act.path.startswith(_SYSTEM):
        return not known_verbs().isdisjoint(first)
    first.add(act.program)
    task = said if runs_task(act) else first
    return act.program in grouped("interpreters") or not known_verbs().isdisjoint(task)


def _system_words(act: ShellAct) -> Iterator[str]:
    """Yield the names of the system's files that an act may change, such as `/etc/passwd`."""
    for each in (*act.named, *act.written):
        if each.startswith(SYSTEM_FILES):
            yield from each.split("/")


def is_verb(word: str) -> bool:
    """Return whether it is known what a subcommand does."""
    return not known_verbs().isdisjoint((word, *split_word(word)))


def calls_address(act: ShellAct) -> bool:
    """Return whether a program calls an address, which says what is done there."""
    return not {act.program, act.call}.isdisjoint(listed("http"))


def runs_task(act: ShellAct) -> bool:
    """Return whether an act runs a task or a script of the project by its name."""
    own = "/" in act.path and not act.path.startswith(_SYSTEM)
    return own or not {act.program, act.call}.isdisjoint(listed("tasks"))


def _is_harmless(act: ShellAct) -> bool:
    if "/" in act.path and not act.path.startswith(_SYSTEM):
        return False
    if act.program == "find":  # what it runs is read, too
        return True
    if any(each.startswith(SYSTEM_FILES) for each in act.written):
        return False
    if calls_address(act):
        return not _changes_address(act)
    acting = not listed("acting_options").isdisjoint(_parts(act.option_names))
    if acting or any(runs_words(act.program, each) for each in act.option_names):
        return False
    return _has_harmless_program(act) or _has_harmless_words(act, act.option_names)


def _has_harmless_program(act: ShellAct) -> bool:
    """Return whether a program only tells, checks or builds something."""
    quiet = listed("texts") - listed("acting_texts") | listed("silent")
    shows = act.program in listed("showing") and not act.written
    if shows or {act.program, act.call} & quiet:
        return True
    if act.program in listed("bare_telling"):
        return not act.named
    if act.program in words_of("builders") - listed("tasks"):
        return bool(act.general) or known_effects().isdisjoint({*act.words, *act.order[:2]})
    if act.program in listed("with_statements"):
        from_file = act.read or any(name in ("f", "file") for name, _ in act.values)
        return all(map(tells, act.statements)) and not from_file
    return act.program in listed("changing_in_place") and not _changed_files(act)


def _has_harmless_words(act: ShellAct, options: Set[str]) -> bool:
    """Return whether a subcommand, or an option, only tells, checks or builds something."""
    told = grouped("telling_by").get(act.call, ()) or grouped("telling_by").get(act.program, ())
    if any(f"-{each}" in told or f"--{each}" in told for each in options):
        return True
    own = listed("with_statements") | listed("changing_in_place") | families("same_verbs").keys()
    first = {families("same_verbs").get(each, "") for each in act.words[:1]}
    if act.program in own or _unsaid_verbs(act) or first & _MAKING:
        return False
    telling = [each for each in options if each.startswith(_TELLING)]
    words = [*act.words, *_first_operands(act), *telling]
    words += [] if act.program in known_programs() else split_word(act.program)[1:]
    reads = {each for each in words if words_of("reading").intersection(_first_words(each))}
    others = _parts((act.program, *words, *_operand_verbs(act), *(options if telling else ())))
    return bool(reads) and known_effects().isdisjoint(set(others) - reads)


def _first_operands(act: ShellAct) -> Iterable[str]:
    alone = act.program in listed("no_subcommand")
    return [] if alone else takewhile(_NAME.fullmatch, act.order[:2])


def _first_words(subcommand: str) -> Iterator[str]:
    """Yield what may say that a subcommand tells something: `status` of `db:migrate:status`."""
    yield from (subcommand, *split_word(subcommand)[:1], subcommand.rpartition(":")[2])


def _changes_address(act: ShellAct) -> bool:
    """Return whether a request may do more than to get something."""
    methods = {value.upper() for name, value in act.values if name in ("X", "method")}
    methods |= {each.upper() for each in (*act.words, *act.named)} & words_of("methods")
    sends = not act.option_names.isdisjoint(listed("request_bodies"))
    return bool(methods - {"GET", "HEAD", "OPTIONS"}) or sends


def _targets(act: ShellAct) -> frozenset[str]:
    if act.program in listed("with_statements"):
        return frozenset(each for text in act.statements for each in statement_targets(text))
    literal = {each for each in act.named if each != GLOB and not COMPUTED.search(each)}
    literal -= (
        listed("remotes")
        | listed("no_targets")
        | {each for each in literal if _SETTING.match(each)}
    )
    if runs_task(act):
        literal -= set(act.order[:1])
    elif act.program in listed("no_subcommand"):
        return frozenset(literal)
    verbs = _operand_verbs(act) if any(map(is_verb, act.words)) else known_verbs()
    return frozenset(literal.difference(verbs))


def _changed_files(act: ShellAct) -> set[str]:
    """Return what an act may change of the files that it names."""
    changed = act.named | set(act.words) if act.program in listed("changing") else set[str]()
    if act.program in listed("copying") and len(act.order) > 1:
        changed = set(act.order if act.program == "mv" else act.order[-1:])
        changed = {each for each in changed if ":" not in each}  # of another host
    if act.program == "dd":
        changed = {each[3:] for each in act.named if each.startswith("of=")}
    if act.call in ("git restore", "git checkout"):
        changed = set(act.order[0 if act.call == "git restore" else 1 :])
    in_place = act.program in listed("changing_in_place")
    if in_place and any(each[:1] == "i" for each in act.option_names):
        changed |= set(act.order[1:] or act.order)
    out = {value for name, value in act.values if name in ("o", "out", "output")}
    changed |= {each for each in out - listed("formats") if "=" not in each}
    return (changed | act.written) - {"."}


@cache
def places() -> dict[str, frozenset[str]]:
    """Return the words of each kind of place."""
    lines = (line.partition(": ")[::2] for line in listed("places"))
    return {place: frozenset(words.split()) for place, words in lines}


@cache
def known_verbs() -> frozenset[str]:
    """Return all words of which it is known what they do."""
    other = words_of("other_verbs") | words_of("reading") | words_of("builders")
    return frozenset(families("same_verbs").keys() | other) | listed("no_subcommand")


@cache
def known_programs() -> frozenset[str]:
    """Return the programs of which the table says anything."""
    names = frozenset[str]().union(*places().values(), *map(words_of, listed("known_by")))
    return names | known_verbs()


@cache
def known_effects() -> frozenset[str]:
    """Return the words for what cannot be undone."""
    known = families("same_verbs").items()
    words = (word for word, verb in known if verb in ("delete", "stop", "publish"))
    return frozenset(words) - listed("weak_effects")
