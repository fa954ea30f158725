"""Arguments and options of commands, from the parameters and type hints of verbs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from pkgutil import resolve_name
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import click

from erstwhile.cli import options
from erstwhile.cli.command_data import CommandData, parameter_words
from erstwhile.rpc.verbs import Verb, VerbParameter, describe_parameter

_LAST = ("as_of", "known_at", "deleted", "reason", "expected_version", "limit", "cursor")
"""The options at the end of the help."""


def command_parameters(verb: Verb, data: CommandData) -> list[click.Parameter]:
    """Return the arguments and the options of the command of a verb."""
    named = {n: each for n, each in verb.parameters.items() if n not in data.without}
    positional = data.arguments
    if positional is None:
        positional = [n for n, p in named.items() if p.many or (p.required and not p.keyword)]
    rest = sorted(named.keys() - set(positional), key=[*named].index)
    ordered = sorted(rest, key=lambda name: _LAST.index(name) if name in _LAST else -1)
    return [
        *(_argument(named[name], data) for name in positional),
        *(_option(verb, named[name], data) for name in ordered),
        *options.own_parameters(data),
    ]


def _argument(parameter: VerbParameter, data: CommandData) -> click.Argument:
    name, value = parameter.name, _attributes(parameter, data)
    several = parameter.many or "multiple" in value
    optional = name in (*data.optional, *data.defaults)
    spelled = _spelled(name, data)
    metavar = None if not spelled or spelled.startswith("-") else spelled
    required = (parameter.required or several) and not optional
    if metavar and not required:
        metavar = f"[{metavar}]"
    default = {"default": data.defaults[name]} if name in data.defaults else {}
    shape: dict[str, Any] = {"type": value.get("type"), "nargs": -1 if several else 1}
    shape |= _completing(name, data)
    return click.Argument([name], required=required, metavar=metavar, **shape, **default)


def _option(verb: Verb, parameter: VerbParameter, data: CommandData) -> click.Option:
    name, attributes = parameter.name, _attributes(parameter, data)
    spelled = _spelled(name, data)
    is_name = spelled.startswith("-")
    names = spelled if is_name else f"--{name.replace('_', '-')}"
    if spelled and not is_name:
        attributes["metavar"] = spelled
    if name in data.defaults:
        attributes["default"] = data.defaults[name]
    required = parameter.required and name not in (*data.optional, *data.defaults)
    text = describe_parameter(verb.name, name)
    default = data.defaults.get(name, parameter.default)
    is_shown = isinstance(default, str | int | float) and not isinstance(default, bool) and default
    if is_shown and "by default" not in text:
        text = f"{text.removesuffix('.')}; {default} by default."
    if "multiple" in attributes:
        text = f"{text} Repeatable."
    attributes |= _completing(name, data)
    return click.Option([names, name], required=required, help=text, **attributes)


def _spelled(name: str, data: CommandData) -> str:
    return data.spelling.get(name) or parameter_words()["spelling"].get(name, "")


def _completing(name: str, data: CommandData) -> dict[str, Any]:
    """Return how a shell completes a parameter: by the ids or the names of records."""
    by_name = name == "name" and data.group in ("blocks", "snapshots")
    is_record = name in ("id", "ids", "conversation", "exclude") or by_name
    return {"shell_complete": _complete_records} if is_record else {}


def _complete_records(*asked: Any) -> Any:
    return resolve_name("erstwhile.cli.completion:complete_records")(*asked)  # few calls complete


def _attributes(parameter: VerbParameter, data: CommandData) -> dict[str, Any]:
    """Return the attributes of an option by the type of a parameter."""
    name, members = parameter.name, [*_members(parameter.hint)]
    metavars = parameter_words()["metavars"]
    for each in members:
        if get_origin(each) in (Sequence, Iterable):
            return {"multiple": True, **_list_attributes(each, data.choices.get(name))}
    if bool in members:
        return {"is_flag": True, "default": None}
    for each in members:
        if isinstance(each, type) and issubclass(each, StrEnum):
            choice = options.status_of if name in ("state", "status") else options.one_of
            return {"type": choice(each)}
    if str in members:
        return {"metavar": metavars.get(name, "TIME" if datetime in members else None)}
    if any(get_origin(each) is Mapping for each in members):
        return {"metavar": "JSON", "callback": options.json_object}
    plain = next(each for each in (int, float) if each in members)
    return {"type": plain, "metavar": metavars.get(name)}


def _list_attributes(hint: Any, choices: Sequence[str] | None) -> dict[str, Any]:
    (element,) = get_args(hint)
    if get_origin(element) is tuple:
        return {"metavar": "A|B|C", "callback": options.triples}
    if get_origin(hint) is Iterable:
        return {"metavar": "A,B", "callback": options.split_names}
    enums = [each for each in _members(element) if issubclass(each, StrEnum)]
    if enums:
        return {"type": options.one_of(enums[0])}
    return {"type": click.Choice(choices)} if choices else {}


def _members(hint: Any) -> Iterator[Any]:
    """Yield the types of a union but None, or the type itself."""
    for each in get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,):
        if each is not NoneType:
            yield each
