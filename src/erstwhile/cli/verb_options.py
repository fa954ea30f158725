"""Arguments and options of commands, from the parameters and type hints of verbs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import click

from erstwhile.cli import options
from erstwhile.cli.command_data import CommandData
from erstwhile.rpc.verbs import Verb, VerbParameter, describe_parameter

_SPELLING = {
    "aliases": "ALIAS...",
    "decided_by": "--by",
    "entities": "--entity",
    "expires_at": "--expires",
    "good": "--good/--bad",
    "ids": "ID...",
    "limit_tokens": "--limit",
    "names": "NAME...",
    "phases": "PHASE...",
    "pinned": "--pin/--no-pin",
    "relations": "--relation",
    "tags": "--tag",
}
"""Names of options that differ from their parameters, and metavars of arguments and options."""
_METAVARS = {
    "channel": "NAME",
    "contains": "TEXT",
    "conversation": "ID",
    "cost": "DOLLARS",
    "cursor": "NEXT",
    "domain": "NAME",
    "exclude": "ID",
    "expected_version": "N",
    "keep": "N",
    "language": "CODE",
    "limit_tokens": "TOKENS",
    "model": "NAME",
    "older_than": "AGE",
    "recurrence": "RULE",
    "reply_to": "PLACE",
    "session": "NAME",
    "source": "ID",
    "subject": "ID",
    "through": "ID",
    "time_zone": "NAME",
    "tokens": "TOKENS",
    "worker": "NAME",
}
_LAST = ("as_of", "known_at", "deleted", "reason", "expected_version", "limit", "cursor")
"""The options at the end of the help."""
_PLAIN_TYPES = ((int, click.INT), (float, click.FLOAT))


@dataclass(frozen=True, slots=True)
class ValueType:
    """How a shell writes the values of a type."""

    type: click.ParamType[Any] = click.STRING
    flag: bool = False
    multiple: bool = False
    metavar: str | None = None
    callback: Callable[[click.Context, click.Parameter, Any], Any] | None = None


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
    name, value = parameter.name, _value_type(parameter, data)
    several = parameter.many or value.multiple
    optional = name in (*data.optional, *data.defaults)
    spelled = data.spelling.get(name, _SPELLING.get(name, ""))
    metavar = None if not spelled or spelled.startswith("-") else spelled
    required = (parameter.required or several) and not optional
    if metavar and not required:
        metavar = f"[{metavar}]"
    default = {"default": data.defaults[name]} if name in data.defaults else {}
    return click.Argument(
        [name], type=value.type, nargs=-1 if several else 1, required=required, metavar=metavar,
        **default,
    )  # fmt: skip


def _option(verb: Verb, parameter: VerbParameter, data: CommandData) -> click.Option:
    name, value = parameter.name, _value_type(parameter, data)
    spelled = data.spelling.get(name) or _SPELLING.get(name, "")
    is_name = spelled.startswith("-")
    names = spelled if is_name else f"--{name.replace('_', '-')}"
    more: dict[str, Any] = (
        {"is_flag": True, "default": None} if value.flag else {"type": value.type}
    )
    if name in data.defaults:
        more["default"] = data.defaults[name]
    return click.Option(
        [names, name],
        **more,
        multiple=value.multiple,
        required=parameter.required and name not in (*data.optional, *data.defaults),
        metavar=value.metavar if is_name else spelled or value.metavar,
        callback=value.callback,
        help=_help(describe_parameter(verb.name, name), parameter, value, data),
    )


def _help(text: str, parameter: VerbParameter, value: ValueType, data: CommandData) -> str:
    """Return a description with the default value, and whether the option may be repeated."""
    default = data.defaults.get(parameter.name, parameter.default)
    is_shown = isinstance(default, str | int | float) and not isinstance(default, bool) and default
    if is_shown and "by default" not in text:
        text = f"{text.removesuffix('.')}; {default} by default."
    return f"{text} Repeatable." if value.multiple else text


def _value_type(parameter: VerbParameter, data: CommandData) -> ValueType:
    """Return how a shell writes the values of a parameter."""
    name, members = parameter.name, [*_members(parameter.hint)]
    for each in members:
        if get_origin(each) in (Sequence, Iterable):
            return _list_type(each, data.choices.get(name))
    if bool in members:
        return ValueType(flag=True)
    for each in members:
        if isinstance(each, type) and issubclass(each, StrEnum):
            choice = options.status_of if name in ("state", "status") else options.one_of
            return ValueType(choice(each))
    if str in members:
        return ValueType(metavar=_METAVARS.get(name, "TIME" if datetime in members else None))
    if any(get_origin(each) is Mapping for each in members):
        return ValueType(metavar="JSON", callback=options.json_object)
    plain = next(click_type for python, click_type in _PLAIN_TYPES if python in members)
    return ValueType(plain, metavar=_METAVARS.get(name))


def _list_type(hint: Any, choices: Sequence[str] | None) -> ValueType:
    (element,) = get_args(hint)
    if get_origin(element) is tuple:
        return ValueType(multiple=True, metavar="A|B|C", callback=options.triples)
    if get_origin(hint) is Iterable:
        return ValueType(multiple=True, metavar="A,B", callback=options.split_names)
    enums = [each for each in _members(element) if issubclass(each, StrEnum)]
    if enums:
        return ValueType(options.one_of(enums[0]), multiple=True)
    return ValueType(click.Choice(choices) if choices else click.STRING, multiple=True)


def _members(hint: Any) -> Iterator[Any]:
    """Yield the types of a union but None, or the type itself."""
    for each in get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,):
        if each is not NoneType:
            yield each
