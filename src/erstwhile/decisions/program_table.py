"""The table of programs and their options, from `programs.toml`, and normalised arguments."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from erstwhile.rule_files import read_rules

_FILE = Path(__file__).with_name("programs.toml")
Names = frozenset[str]
PatternList = Literal[
    "known_sources", "prints_settings", "run_variables", "safe_values", "safe_settings",
    "running_code", "writing_code", "running_awk", "running_sed", "removing_code",
    "computed_statement",
]  # fmt: skip
"""The lists of the file that are regular expressions."""


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
        options = [word for word in words[1:] if word[:1] in "-+"]
        found[" ".join(word for word in words if word[:1] not in "-+")] = frozenset(options)
    return found


@cache
def pairs(name: str) -> dict[str, str]:
    """Return a list of lines, each of a key and a last word, such as two names of an option."""
    lines = (line.rpartition(" ") for line in read_rules(_FILE).words[name])
    return {key: value for key, _, value in lines}


@cache
def words_of(name: str) -> Names:
    """Return the words of all lines of a list."""
    return frozenset(word for line in read_rules(_FILE).words[name] for word in line.split(" "))


@cache
def families(name: str) -> dict[str, str]:
    """Return the words of all lines, each with the first word of its line."""
    lines = (line.split(" ") for line in read_rules(_FILE).words[name])
    return {word: words[0] for words in lines for word in words}


@cache
def patterns(name: PatternList) -> re.Pattern[str]:
    """Return a list of expressions as one that finds any of them."""
    return re.compile("|".join(f"(?:{each})" for each in read_rules(_FILE).words[name]))


_VERSION = re.compile(r"(\D*[a-z])-?[0-9]+(?:\.[0-9]+)*")


@cache
def canonical(word: str) -> str:
    """Return the name of a program without its folder and its version: `pip` for `pip3`."""
    name = posixpath.basename(word).removesuffix(".exe")
    versioned = _VERSION.fullmatch(name)
    if versioned and versioned[1] in listed("versioned"):
        name = versioned[1]
    return pairs("same_programs").get(name, name)


def words_of_act(program: str, call: str) -> int:
    """Return how many operands name what is done; `call` is the program with its first one."""
    known = pairs("subcommands")
    alone = program in listed("no_subcommand") | listed("with_statements")
    alone = alone or program in families("same_verbs")
    otherwise = 0 if alone else 1
    return int(known.get(call, known.get(program, otherwise)))


def takes_value(program: str, call: str, option: str) -> bool:
    """Return whether an option is followed by a value, as far as it is known."""
    known = grouped("valued_by")
    if option.startswith("--") and (
        option in listed("valued") or option[2:] in listed("where_options")
    ):
        return True
    return option in known.get(program, ()) or option in known.get(call, ())


def runs_words(program: str, option: str) -> bool:
    """Return whether a program runs what follows an option."""
    names = [f"-{option}", f"--{option}"] if option[:1] != "-" else [option]
    return any(
        not listed("running_options").isdisjoint((each, f"{program} {each}")) for each in names
    )


def quiet_options(program: str) -> Names:
    """Return the options of a program that only change what is printed."""
    return listed("quiet") - ({"v"} if program in ("docker", "podman") else set())


FORCE, DELETE = "--force", "--delete"
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{1,20}://", re.IGNORECASE)
_BRANCH, _TAG = "refs/heads/", "refs/tags/"


def normalised_operands(program: str, words: Sequence[str], operand: str) -> list[str]:
    """Return what an operand says: `+HEAD:main` of a push is `--force main`.

    `words` is the subcommand as far as it is read.
    """
    place = 2 if words and words[0] == "rollout" else 1
    if program in listed("with_kinds") and words and (len(words) == place or "/" in operand):
        kind, *name = operand.split("/", 1)
        kind = pairs("same_kinds").get(kind, kind)
        if len(words) == place:
            return [kind, *name]
        return name if kind in words[1:] else [operand]
    if (program, *words) == ("git", "push"):
        branch = operand.lstrip("+").rpartition(":")[2] or operand
        force = {"+": [FORCE], ":": [DELETE]}.get(operand[:1], [])
        is_branch = not _ADDRESS.match(operand) and "@" not in operand[1:]
        return [*force, branch.removeprefix(_BRANCH).removeprefix(_TAG)] if is_branch else [operand]
    if program in ("apt", "apt-get", "aptitude") and words == ["install"] and operand[-1:] == "-":
        return [DELETE, operand[:-1]]
    return [operand]


def normalised_target(target: str) -> str:
    """Return a target without the differences in spelling that change nothing."""
    if _ADDRESS.match(target):
        return normalised_address(target)
    if "/" in target and " " not in target:
        return posixpath.normpath(target).replace("//", "/")
    if " " in target:  # a statement such as SQL
        text = " ".join(target.split()).rstrip("; ")
        return text if "{" in text else text.casefold()
    return target


def normalised_address(address: str) -> str:
    """Return an address without what changes nothing: its user, its usual port, `/./`."""
    scheme, _, rest = address.partition("://")
    place, slash, path = rest.partition("/")
    host = _USUAL_PORT.sub("", place.rpartition("@")[2].casefold())
    path, mark, query = path.partition("?")
    path = posixpath.normpath(f"/{path}").replace("//", "/") if slash else ""
    return f"{scheme.casefold()}://{host}{path.rstrip('/')}{mark}{query}"


_USUAL_PORT = re.compile(r":(?:80|443)?$")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")


def strip_wrappers(words: Sequence[str]) -> tuple[Sequence[str], list[str]]:
    """Return a command without the programs that only run it, and the names of those."""
    wrappers, at, found = grouped("wrappers"), 0, list[str]()
    while at < len(words):
        name = posixpath.basename(words[at])
        if words[at] in listed("before") or (found and _ASSIGNMENT.match(words[at])):
            at += 1
        elif (call := " ".join([name, *words[at + 1 : at + 2]])) in wrappers and at + 2 < len(
            words
        ):
            found.append(call)
            at += 2
            while at < len(words) and words[at].startswith("-"):
                at += 2 if words[at] in wrappers[call] else 1
        elif name in wrappers and at + 1 < len(words):
            found.append(name)
            at += 1
            while at < len(words) and words[at].startswith("-"):
                at += 2 if words[at] in wrappers[name] else 1
            at += name in listed("operands")
        else:
            break
    return words[at:], found
