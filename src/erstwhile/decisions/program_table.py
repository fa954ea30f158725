"""The table of programs and their options, from `programs.toml`, and normalised arguments."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from erstwhile.rule_files import read_rules

_FILE = Path(__file__).with_name("programs.toml")
Names = frozenset[str]


@cache
def listed(name: str) -> Names:
    """Return a list of the file as a set."""
    return frozenset(read_rules(_FILE).words[name])


@cache
def grouped(name: str) -> dict[str, Names]:
    """Return a list of programs, each with the options that follow its name."""
    found = dict[str, Names]()
    for line in read_rules(_FILE).words[name]:
        words = line.split(" ")
        options = [word for word in words[1:] if word.startswith("-")]
        found[" ".join(word for word in words if not word.startswith("-"))] = frozenset(options)
    return found


@cache
def pairs(name: str) -> dict[str, str]:
    """Return a list of lines, each of a key and a last word, such as two names of an option."""
    lines = (line.rpartition(" ") for line in read_rules(_FILE).words[name])
    return {key: value for key, _, value in lines}


def words_of_act(program: str, call: str) -> int:
    """Return how many operands name what is done; `call` is the program with its first one."""
    known = pairs("subcommands")
    otherwise = 0 if program in listed("no_subcommand") else 1
    return int(known.get(call, known.get(program, otherwise)))


def takes_value(program: str, call: str, option: str) -> bool:
    """Return whether an option is followed by a value, as far as it is known."""
    known = grouped("valued_by")
    if option.startswith("--") and option in listed("valued"):
        return True
    return option in known.get(program, ()) or option in known.get(call, ())


FORCE = "--force"
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{1,20}://")
_BRANCH = "refs/heads/"


def normalised_operands(program: str, words: Sequence[str], operand: str) -> list[str]:
    """Return what an operand says: `+HEAD:main` of a push is `--force main`.

    `words` is the subcommand as far as it is read.
    """
    if program in listed("with_kinds") and len(words) == 1:
        kind, *name = operand.split("/", 1)
        return [pairs("same_kinds").get(kind, kind), *name]
    if (program, *words) == ("git", "push"):
        branch = operand.lstrip("+").rpartition(":")[2] or operand
        force = [FORCE] if operand.startswith("+") else []
        is_branch = not _ADDRESS.match(operand) and "@" not in operand
        return [*force, branch.removeprefix(_BRANCH)] if is_branch else [operand]
    return [operand]


def normalised_target(target: str) -> str:
    """Return a target without the differences in spelling that change nothing."""
    if _ADDRESS.match(target):
        return target.rstrip("/")
    if "/" in target:
        return posixpath.normpath(target).replace("//", "/")
    if " " in target:  # a statement such as SQL
        return " ".join(target.split()).casefold().rstrip("; ")
    return target


ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")


def strip_wrappers(words: Sequence[str]) -> Sequence[str]:
    """Return a command without assignments, and without programs that only run it."""
    wrappers, at = grouped("wrappers"), 0
    while at < len(words):
        name = posixpath.basename(words[at])
        if words[at] in listed("before") or ASSIGNMENT.match(words[at]):
            at += 1
        elif name in wrappers and at + 1 < len(words):
            at += 1
            while at < len(words) and words[at].startswith("-"):
                at += 2 if words[at] in wrappers[name] else 1
            at += name in listed("operands")
        else:
            break
    return words[at:]
