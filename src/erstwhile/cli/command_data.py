"""The data of the commands.

`panels.toml` lists the commands with a line of help each: `erstwhile --help` reads no command.
`commands/NAME.toml` has the commands of a group, `commands/memory.toml` all other commands, and
`commands/common.toml` the commands that many groups share. `parameters.toml` has the global
options, and how parameters are written.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandData:
    """A command: the verb that it calls, and how it is written and shown in a shell.

    Without `run`, the command calls its verb and shows the result.
    """

    name: str
    group: str = ""
    verb: str = ""
    """The name of the verb, if it is not the name of the command."""
    without_verb: bool = False
    """Whether the command takes no parameters from a verb, but only those in `options`."""
    run: str = ""
    """`module:name` of a function of the call and the parameters, in `erstwhile.cli.commands`."""
    creates: bool = False
    """Whether it stores something new, and so may create the memory. All other commands need a
    store that exists: a missing file is a mistyped name."""
    help: str = ""
    """The help; the first paragraph of the verb's docstring by default."""
    examples: Sequence[str] = ()
    arguments: Sequence[str] | None = None
    """The positional parameters; by default those that the verb requires."""
    optional: Sequence[str] = ()
    """Parameters that the command does not require."""
    without: Sequence[str] = ()
    """Parameters of the verb that the command does not have."""
    spelling: Mapping[str, str] = field(default_factory=dict)
    """Names of options such as `--pin/--no-pin`, and of arguments such as `TEXT`."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    """Parameters that the verb has not: the help of a flag, the metavar and the help of a text, or
    a table for click. `true` means the parameter of this name in `[options]` of the file."""
    stdin: str = ""
    """The parameter whose value `-` means standard input."""
    strip: bool = False
    """Whether the last line break of standard input is removed."""
    negative: bool = False
    """Whether a word such as -1 is an argument."""
    question: str = ""
    """The question before records are destroyed."""
    protects: bool = False
    """Whether only a person at a terminal may change what a person decided."""
    working: str = ""
    """The text that is shown while the verb runs."""
    done: str = ""
    """The message afterwards, as a format of `result`, `count` and the arguments."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """The fields of the output, each with the name of an argument, or `result`."""
    empty: str = ""
    """The text for an empty list."""
    none: str = ""
    """The text for no result."""
    missing: Sequence[str] = ()
    """The error if there is no result, and its remedy."""

    @property
    def verb_name(self) -> str:
        """The name of the verb in the table of verbs."""
        name = self.verb or ("get" if self.name == "show" else self.name.replace("-", "_"))
        return f"{self.group}.{name}" if self.group else name


class GroupData(NamedTuple):
    """A group of commands, in the order of its help."""

    help: str
    examples: Sequence[str]
    commands: Mapping[str, CommandData]


@cache
def panels() -> dict[str, dict[str, str]]:
    """Return the summary of each command by panel, in the order of the help."""
    return _load("panels.toml")


@cache
def parameter_words() -> dict[str, dict[str, Any]]:
    """Return the global options, and the spelling and the metavars of parameters."""
    return _load("parameters.toml")


def global_options() -> dict[str, Any]:
    """Return the description of each option before the command, by its name."""
    return parameter_words()["global"]


def summaries() -> dict[str, str]:
    """Return the summary of each command outside of groups."""
    return {name: text for panel in panels().values() for name, text in panel.items()}


def is_group(name: str) -> bool:
    """Return whether a command has commands of its own."""
    return (_FOLDER / "commands" / f"{name}.toml").exists()


def top_command(name: str) -> CommandData:
    """Return the data of a command that is in no group."""
    values = _load("commands/memory.toml")
    each = values[name]
    return _command(name, {**each, "help": _join_help(name, each.get("help", ""))}, values)


def group_data(name: str) -> GroupData:
    values = _load(f"commands/{name}.toml")
    noun, shared = values.get("noun", ""), values.get("common", ())
    common = _load("commands/common.toml") if shared else {}
    tables = {key: each for key, each in values.items() if isinstance(each, dict)}
    for each in shared:
        examples = [example.format(group=name) for example in common[each]["examples"]]
        help = common[each]["help"].format(noun=noun)
        tables[each] = {**common[each], "help": help, "examples": examples}
    commands = {
        command: _command(command, each, values, group=name)
        for command, each in tables.items()
        if command not in ("spelling", "options")
    }
    return GroupData(_join_help(name, values.get("about", "")), values["examples"], commands)


def _command(
    name: str, values: Mapping[str, Any], shared: Mapping[str, Any], group: str = ""
) -> CommandData:
    """Return the data of a command; options and spellings may be shared in its file."""
    known = shared.get("options", {})
    options = {each: known[each] for each in values.get("arguments", ()) if each in known}
    for option, described in values.get("options", {}).items():
        options[option] = known[option] if described is True else described
    spelling = shared.get("spelling", {}) | values.get("spelling", {})
    return CommandData(
        name=name, group=group, **{**values, "options": options, "spelling": spelling}
    )


def _join_help(name: str, more: str) -> str:
    return "\n\n".join(filter(None, (summaries()[name], more)))


def _load(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / name).read_text("utf-8"))
