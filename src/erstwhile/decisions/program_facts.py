"""What is known about programs and their options, from `programs.toml`."""

from __future__ import annotations

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
def other_names() -> dict[str, str]:
    """Return the name under which an option with several names is compared."""
    return dict(line.split(" ") for line in read_rules(_FILE).words["same"])


@cache
def other_kinds() -> dict[str, str]:
    """Return the name under which a kind of resource with several names is compared."""
    return dict(line.split(" ") for line in read_rules(_FILE).words["same_kinds"])


@cache
def _subcommands() -> dict[str, int]:
    lines = (line.rpartition(" ") for line in read_rules(_FILE).words["subcommands"])
    return {program: int(count) for program, _, count in lines}


def words_of_act(program: str, call: str) -> int:
    """Return how many operands name what is done; `call` is the program with its first one."""
    known = _subcommands()
    otherwise = 0 if program in listed("no_subcommand") else 1
    return known.get(call, known.get(program, otherwise))


def takes_value(program: str, call: str, option: str) -> bool:
    """Return whether an option is followed by a value, as far as it is known."""
    known = grouped("valued_by")
    if option.startswith("--") and option in listed("valued"):
        return True
    return option in known.get(program, ()) or option in known.get(call, ())
