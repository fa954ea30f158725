"""Groups of commands with their help. Commands are built on first use: help must be fast."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pkgutil import resolve_name
from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.command_data import CommandData, group_data, is_group, top_command

_EXAMPLE, _CONTINUED = "  erstwhile ", " " * 6
_SHOW_VERB = "get"
"""The name of the verb of `show`; as a command it means the same, and is not listed."""


class WrappingFormatter(click.HelpFormatter):
    """A formatter that breaks long examples with a backslash; a terminal would break a word."""

    def write_text(self, text: str) -> None:
        width = self.width - self.current_indent
        lines = (part for line in text.split("\n") for part in _wrapped(line, width))
        super().write_text("\n".join(lines))


class HelpContext(click.Context):
    """A context whose help breaks examples."""

    formatter_class = WrappingFormatter


def help_with_examples(text: str, examples: Sequence[str]) -> str:
    lines = "\n".join(f"{_EXAMPLE}{example}" for example in examples)
    return f"{text}\n\n\b\nExamples:\n{lines}"


def _wrapped(line: str, width: int) -> Iterator[str]:
    """Yield a line, or the parts of an example that is too long."""
    if len(line) <= width or not line.startswith(_EXAMPLE):
        yield line
        return
    begun = " "
    for word in shlex.split(line, posix=False):
        if len(f"{begun} {word} \\") > width and begun.strip():
            yield f"{begun} \\"
            begun = _CONTINUED[1:]
        begun = f"{begun} {word}"
    yield begun


class LazyCommands(Mapping[str, click.Command]):
    """Commands by name, each built on first use."""

    def __init__(self, names: Sequence[str], build: Callable[[str], click.Command]) -> None:
        self._names = names
        self._build = build
        self._built: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._built:
            self._built[name] = self._build(name)
            self._built[name].context_class = HelpContext
        return self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class CommandGroup(click.Group):
    """A group that lists its commands in the order of its data."""

    commands: Mapping[str, click.Command]  # type: ignore[assignment]  # click only reads it

    help_texts: Mapping[str, str] = {}
    """The help of commands that are listed without being built."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self.commands)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command; `get`, as the verb is called, is `show`."""
        is_verb = name == _SHOW_VERB and name not in self.commands
        return super().get_command(ctx, "show" if is_verb else name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of a call. For a name close to `get`, suggest that."""
        name = args[0]
        if "show" in self.commands and self.get_command(ctx, name) is None:
            known = (*self.commands, _SHOW_VERB)
            if get_close_matches(name, known)[:1] == [_SHOW_VERB]:
                message = f"No such command {name!r}. Did you mean {_SHOW_VERB!r}?"
                raise click.UsageError(message, ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        width = formatter.width - 6 - max(map(len, self.commands))
        rows = list[tuple[str, str]]()
        for name in self.commands:
            known = self.help_texts.get(name)
            command = click.Command(name, help=known) if known else self.commands[name]
            rows.append((name, command.get_short_help_str(width)))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def build_top_command(name: str) -> click.Command:
    """Return a command or a group of the root command."""
    if not is_group(name):
        return _build_command(top_command(name))
    text, examples, commands = group_data(name)
    group = CommandGroup(name, help=help_with_examples(text, examples))
    group.commands = LazyCommands([*commands], lambda command: _build_command(commands[command]))
    group.help_texts = {name: each.help for name, each in commands.items()}
    return group


def _build_command(data: CommandData) -> click.Command:
    if not data.without_verb:
        # Loaded now: help does without the table of verbs.
        command: click.Command = resolve_name("erstwhile.cli.verb_commands:verb_command")(data)
        return command

    @click.pass_obj
    def callback(call: Call, /, **given: Any) -> Any:
        call.creates = data.creates
        arguments = {name: given.pop(name) for name in data.arguments or ()}
        return run_function(data, call, arguments | options.given(given))

    return click.Command(
        data.name,
        params=options.own_parameters(data),
        callback=callback,
        help=help_with_examples(data.help, data.examples),
    )


def run_function(data: CommandData, call: Call, given: dict[str, Any]) -> Any:
    """Run the function of a command and return its exit code."""
    return resolve_name(f"erstwhile.cli.commands.{data.run}")(call, **given)
