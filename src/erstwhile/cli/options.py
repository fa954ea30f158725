"""Types of options and arguments, and how their values are read."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import click

from erstwhile.cli.command_data import CommandData
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.kinds import State

_TYPES = {
    "int": click.INT,
    "float": click.FLOAT,
    "path": click.Path(path_type=Path),
    "file": click.Path(),
}
_RANGES = {"int": click.IntRange, "float": click.FloatRange}


class WrongOptionError(click.BadParameter):
    """A value that belongs to another option; `remedy` names it."""

    def __init__(self, message: str, remedy: str, ctx: Any, param: Any) -> None:
        super().__init__(message, ctx, param)
        self.remedy = remedy


class _StateChoice(click.Choice[str]):
    """The states or statuses of records. Deleted records have an option of their own."""

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        if str(value).lower() == State.DELETED:
            remedy = f"list deleted records with {ctx.command_path} --deleted"
            raise WrongOptionError("to list the deleted ones, use --deleted", remedy, ctx, param)
        return super().convert(value, param, ctx)


def one_of(choices: type[StrEnum]) -> click.Choice[str]:
    """Return the type of an option with one of these values, in any letter case."""
    return click.Choice([choice.value for choice in choices], case_sensitive=False)


def status_of(choices: type[StrEnum]) -> click.Choice[str]:
    """Return the type of an option that filters records by their state or status."""
    names = [choice.value for choice in choices if choice.value != State.DELETED]
    return _StateChoice(names, case_sensitive=False)


def json_value(_context: click.Context, _param: click.Parameter, value: str | None) -> Any:
    """Parse a value that is written as JSON."""
    try:
        return None if value is None else json.loads(value)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"not JSON ({error})") from None


def json_object(context: click.Context, param: click.Parameter, value: str | None) -> Any:
    """Parse a value that is written as a JSON object."""
    parsed = json_value(context, param, value)
    if parsed is not None and not isinstance(parsed, dict):
        raise click.BadParameter('not a JSON object; write it like {"ticket": 42}')
    return parsed


def triples(
    _context: click.Context, _param: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, ...], ...]:
    """Split relations that are written as "subject|predicate|object"."""
    split = tuple(tuple(value.split("|")) for value in values)
    if any(len(parts) != 3 for parts in split):
        raise click.BadParameter('write "subject|predicate|object"')
    return split


def split_names(_context: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> Any:
    """Split names that are separated by commas."""
    names = [name.strip() for value in values for name in value.split(",")]
    return [name for name in names if name] if values else None


def own_parameters(data: CommandData) -> list[click.Parameter]:
    """Return the parameters of a command that are not those of a verb."""
    arguments = data.arguments or () if data.without_verb else ()
    names = [name for name in data.options if name not in arguments]
    return [
        *(click.Argument([name], **_attributes(data.options.get(name, {}))) for name in arguments),
        *(described_option(name, data.options[name]) for name in names),
    ]


def described_option(name: str, described: Any) -> click.Option:
    """Return an option from its description, in one of the forms of `CommandData.options`."""
    if isinstance(described, str):
        described = {"is_flag": True, "help": described}
    elif isinstance(described, list):
        described = dict(zip(("metavar", "help"), described, strict=True))
    attributes = _attributes(described)
    names = attributes.pop("names", [f"--{name.replace('_', '-')}"])
    return click.Option([*names, name], **attributes)


def _attributes(described: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes of a parameter, with its type as a type of click."""
    attributes = dict(described)
    choices, limits = attributes.pop("choices", None), attributes.pop("range", None)
    name = attributes.pop("type", None)
    if choices:
        found = resolve_name(choices) if isinstance(choices, str) else choices
        attributes["type"] = click.Choice([*map(str, found)], case_sensitive=False)
    elif limits:
        attributes["type"] = _RANGES[name](*limits)
    elif name == "json":
        attributes["callback"] = json_value
    elif name:
        attributes["type"] = _TYPES[name]
    return attributes


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Return only the options that were given, so that the others keep their defaults."""
    return {name: value for name, value in options.items() if value not in (None, ())}


def read_text(file: Path) -> str:
    """Return the text of a file, or of standard input if the file is `-`."""
    name, read = str(file), file.read_bytes
    if name == "-":
        name, read = "standard input", _read_standard_input
    try:
        return read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem, remedy = f"byte {error.start} is not UTF-8", "save it as text in UTF-8"
    except OSError as error:
        problem, remedy = error.strerror or str(error), "check the path and its permissions"
    raise InvalidInputError(f"{name} cannot be read ({problem})", remedy=remedy)


def _read_standard_input() -> bytes:
    return sys.stdin.buffer.read() if sys.stdin else b""


def global_options_first(app: click.Group, words: Sequence[str]) -> list[str]:
    """Return the words with all global options first, as click wants them.

    An option that the command has itself, such as `export --format`, stays with it. Values
    of options stay where they are, and so does everything after `--`. Raise BadOptionUsage if a
    global option has no value: moved before the command, it would take the command for it.
    """
    front, rest, left = list[str](), list[str](), list(words)
    command: click.Command | None = app

    def is_option(word: str) -> bool:
        return word == "--" or bool(named_option(app, word) or named_option(command, word))

    while left and left[0] != "--":
        word = left.pop(0)
        own, general = named_option(command, word), named_option(app, word)
        place = front if general and (command is app or not own) else rest
        place.append(word)
        taking = general if place is front else own
        has_value = "=" in word and word.startswith("--")
        if taking and not (taking.is_flag or taking.count or has_value):
            if place is front and (not left or is_option(left[0])):
                raise click.BadOptionUsage(word, f"Option {word!r} requires an argument.")
            place += left[:1]
            del left[:1]
        elif isinstance(command, click.Group) and not word.startswith("-"):
            command = command.commands.get(word)
    return [*front, *rest, *left]


def named_option(command: click.Command | None, word: str) -> click.Option | None:
    """Return the option of a command that a word such as `--user` or `--user=ana` names."""
    name = word.partition("=")[0] if word.startswith("--") else word
    for each in command.params if command else ():
        if isinstance(each, click.Option) and name in (*each.opts, *each.secondary_opts):
            return each
    return None
