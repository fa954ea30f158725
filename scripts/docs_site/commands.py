"""Reference page of the command line, from the commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from textwrap import fill

import click
from scripts.docs_site.markdown import cell

from erstwhile.cli.app import app

COMMON = 3
"""Options of at least this many commands are described once, in a table of their own."""


def page() -> str:
    """Return the page."""
    shared = _shared_rows()
    parts = ["# Commands\n", "## Common options\n", _table("option", "meaning", shared)]
    for name, command in app.commands.items():
        parts += [f"## {name}\n", _wrapped(_summary(command))]
        leaves = list(_leaves(name, command))
        if isinstance(command, click.Group):
            parts.append(_table("command", "effect", map(_command_row, leaves), "options"))
        elif common := _names(each for each in _options(command) if _row(each) in shared):
            parts.append(_wrapped(f"Common options: {common}."))
        rows = dict.fromkeys(row for _, leaf in leaves for row in _rows(leaf))
        if own := [row for row in rows if row not in shared]:
            parts.append(_table("option", "meaning", own))
    return "\n".join(parts)


def _wrapped(text: str) -> str:
    return fill(text, 100, break_on_hyphens=False, break_long_words=False) + "\n"


def _leaves(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for word, below in command.commands.items():
            yield from _leaves(f"{name} {word}", below)
    else:
        yield name, command


def _shared_rows() -> list[str]:
    leaves = [leaf for name, top in app.commands.items() for _, leaf in _leaves(name, top)]
    counts = Counter(row for leaf in leaves for row in set(_rows(leaf)))
    return sorted(row for row, count in counts.items() if count >= COMMON)


def _table(first: str, second: str, rows: Iterable[str], third: str = "") -> str:
    head = f"| {first} | {second} |" + (f" {third} |" if third else "")
    return "\n".join([head, "|---" * head.count(" |") + "|", *rows]) + "\n"


def _command_row(named: tuple[str, click.Command]) -> str:
    name, command = named
    arguments = [_argument(each) for each in command.params if isinstance(each, click.Argument)]
    usage = " ".join([name, *arguments])
    return f"| `{usage}` | {cell(_first_line(command))} | {_names(_options(command))} |"


def _argument(argument: click.Argument) -> str:
    return argument.make_metavar(click.Context(click.Command("erstwhile")))


def _summary(command: click.Command) -> str:
    """Return the help text without its examples."""
    text = (command.help or command.short_help or "").partition("\b")[0]
    return " ".join(text.split())


def _first_line(command: click.Command) -> str:
    return " ".join((command.help or "").strip().partition("\n\n")[0].split())


def _names(options: Iterable[click.Option]) -> str:
    return ", ".join(f"`{each.opts[0]}`" for each in options)


def _rows(command: click.Command) -> list[str]:
    return [_row(option) for option in _options(command)]


def _row(option: click.Option) -> str:
    return f"| {_spelling(option)} | {cell(_meaning(option))} |"


def _options(command: click.Command) -> list[click.Option]:
    return [each for each in command.params if isinstance(each, click.Option) and not each.hidden]


def _spelling(option: click.Option) -> str:
    context = click.Context(click.Command("erstwhile"))
    is_choice = isinstance(option.type, click.Choice)
    metavar = (option.name or "").upper() if is_choice else option.make_metavar(context)
    value = "" if option.is_flag else f" {metavar}"
    return ", ".join(f"`{each}{value}`" for each in (*option.opts, *option.secondary_opts))


def _meaning(option: click.Option) -> str:
    text = (option.help or "").rstrip(".")
    if isinstance(option.type, click.Choice):
        text += ": " + ", ".join(map(str, option.type.choices))
    return text + (". Required" if option.required else "")
