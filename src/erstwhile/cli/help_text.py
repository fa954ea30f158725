"""Help in which long examples are broken between words, as a shell reads them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import click

_EXAMPLE, _FURTHER = "  erstwhile ", " " * 6


class WrappingFormatter(click.HelpFormatter):
    """Breaks examples with a backslash where they do not fit; a terminal would break a word."""

    def write_text(self, text: str) -> None:
        width = self.width - self.current_indent
        lines = (part for line in text.split("\n") for part in _broken(line, width))
        super().write_text("\n".join(lines))


class HelpContext(click.Context):
    """A context whose help breaks examples."""

    formatter_class = WrappingFormatter


def with_wrapped_examples(command: click.Command) -> click.Command:
    """Let a command and all its commands break the examples in their help."""
    command.context_class = HelpContext
    if isinstance(command, click.Group) and isinstance(command.commands, dict):  # none is lazy
        for each in command.commands.values():
            with_wrapped_examples(each)
    return command


def _broken(line: str, width: int) -> Iterator[str]:
    """Yield a line, or the parts of an example that is too long."""
    if len(line) <= width or not line.startswith(_EXAMPLE):
        yield line
        return
    begun = " "
    for word in shlex.split(line, posix=False):
        if len(f"{begun} {word} \\") > width and begun.strip():
            yield f"{begun} \\"
            begun = _FURTHER[1:]
        begun = f"{begun} {word}"
    yield begun
