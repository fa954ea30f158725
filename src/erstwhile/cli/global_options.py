"""Global options may also stand after the command: they are moved before it."""

from __future__ import annotations

from collections.abc import Sequence

import click


def global_options_first(app: click.Group, words: Sequence[str]) -> list[str]:
    """Return the words with all global options first, as click wants them.

    An option that the command has itself, such as `export --format`, stays with it. Values
    of options stay where they are, and so does everything after `--`. Raise BadOptionUsage if a
    global option has no value: moved before the command, it would take the command for it.
    """
    front, rest, left = list[str](), list[str](), list(words)
    command: click.Command | None = app
    while left and left[0] != "--":
        word = left.pop(0)
        own, general = _option(command, word), _option(app, word)
        place = front if general and (command is app or not own) else rest
        place.append(word)
        taking = general if place is front else own
        if taking and _takes_next(taking, word):
            if place is front and (not left or _is_option(app, command, left[0])):
                raise click.BadOptionUsage(word, f"Option {word!r} requires an argument.")
            place += left[:1]
            del left[:1]
        elif isinstance(command, click.Group) and not word.startswith("-"):
            command = command.commands.get(word)
    return [*front, *rest, *left]


def _option(command: click.Command | None, word: str) -> click.Option | None:
    """Return the option of a command that a word such as `--user` or `--user=ana` names."""
    name = word.partition("=")[0] if word.startswith("--") else word
    for each in command.params if command else ():
        if isinstance(each, click.Option) and name in (*each.opts, *each.secondary_opts):
            return each
    return None


def _is_option(app: click.Group, command: click.Command | None, word: str) -> bool:
    return word == "--" or bool(_option(app, word) or _option(command, word))


def _takes_next(option: click.Option, word: str) -> bool:
    return not (option.is_flag or option.count or ("=" in word and word.startswith("--")))
