"""The commands of `erstwhile blocks` that change one."""

from __future__ import annotations

import sys
from typing import Any

import click

from erstwhile.blocks.block import Block, Overflow
from erstwhile.cli import options
from erstwhile.cli.call import Call, is_terminal
from erstwhile.cli.safe_text import safe_line
from erstwhile.core.errors import InvalidInputError, RefusedError

expected = click.option(
    "--expected-version", type=int, metavar="N", help="Only if this is its version still."
)
editing = options.together(options.reason, expected)


def read(text: str) -> str:
    """The text, or what standard input holds."""
    if text != "-":
        return text
    try:
        return (sys.stdin.buffer.read() if sys.stdin else b"").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInputError("the input is not UTF-8", remedy="convert it first") from None


def told(did: str, block: Block) -> str:
    fullness = f"{block.tokens:,} of {block.limit_tokens:,} tokens"
    return f"{did}: {safe_line(block.name)}, version {block.version}, {fullness}"


@click.command()
@click.argument("name")
@click.argument("text")
@editing
@click.pass_obj
def update(call: Call, /, name: str, text: str, **said: Any) -> None:
    """Give a block another text; - reads it from standard input.

    \b
    Example:
      erstwhile --agent coder blocks update persona - < persona.md
    """
    block = call.memory.blocks.update(name, read(text), **said)
    call.out.done(told("Updated", block), block)


@click.command()
@click.argument("name")
@options.reason
@click.pass_obj
def edit(call: Call, /, name: str, reason: str | None) -> None:
    """Open a block in your editor, the one that EDITOR names.

    \b
    Example:
      erstwhile --agent coder blocks edit persona
    """
    if not is_terminal(sys.stdin):
        raise RefusedError("an editor needs a terminal", remedy="use `blocks.update`")
    block = call.memory.blocks.get(name)
    text = click.edit(block.content, extension=".md")
    if text is not None:
        block = call.memory.blocks.update(name, text, reason=reason, expected_version=block.version)
    call.out.done(told("Unchanged" if text is None else "Updated", block), block)


@click.command()
@click.argument("name")
@click.argument("text")
@editing
@click.pass_obj
def append(call: Call, /, name: str, text: str, **said: Any) -> None:
    """Add TEXT at the end, on a line of its own; - reads it.

    Where - stands for the text, it is read from standard input.

    \b
    Example:
      erstwhile --agent coder blocks append notes "The staging server is down on Mondays."
    """
    block = call.memory.blocks.append(name, read(text), **said)
    call.out.done(told("Appended", block), block)


@click.command()
@click.argument("name")
@click.argument("line", type=int)
@click.argument("text")
@editing
@click.pass_obj
def insert(call: Call, /, name: str, line: int, text: str, **said: Any) -> None:
    """Put TEXT after a line; 0 puts it first.

    \b
    Example:
      erstwhile --agent coder blocks insert notes 0 "# Notes"
    """
    block = call.memory.blocks.insert(name, line, read(text), **said)
    call.out.done(told("Inserted", block), block)


@click.command()
@click.argument("name")
@click.argument("old")
@click.argument("new")
@editing
@click.pass_obj
def replace(call: Call, /, name: str, old: str, new: str, **said: Any) -> None:
    """Change the one place where OLD stands to NEW.

    \b
    Example:
      erstwhile --agent coder blocks replace notes "Mondays" "Tuesdays"
    """
    block = call.memory.blocks.replace_text(name, old, new, **said)
    call.out.done(told("Replaced", block), block)


@click.command()
@click.argument("name")
@click.argument("new_name")
@editing
@click.pass_obj
def rename(call: Call, /, name: str, new_name: str, **said: Any) -> None:
    """Give a block another name; its history comes with it.

    \b
    Example:
      erstwhile --agent coder blocks rename notes archive/notes
    """
    block = call.memory.blocks.rename(name, new_name, **said)
    call.out.done(told("Renamed", block), block)


@click.command()
@click.argument("name")
@click.argument("description")
@editing
@click.pass_obj
def describe(call: Call, /, name: str, description: str, **said: Any) -> None:
    """Say what a block is for.

    \b
    Example:
      erstwhile --agent coder blocks describe notes "What I learned about the servers"
    """
    block = call.memory.blocks.describe(name, description, **said)
    call.out.done(told("Described", block), block)


@click.command()
@click.argument("name")
@click.argument("tokens", type=int)
@click.option(
    "--overflow", type=options.one_of(Overflow), help="What happens to what is over the limit."
)
@editing
@click.pass_obj
def limit(call: Call, /, name: str, tokens: int, **said: Any) -> None:
    """Set how many tokens fit in a block.

    \b
    Example:
      erstwhile --agent coder blocks limit notes 2000 --overflow archive
    """
    block = call.memory.blocks.set_limit(name, tokens, **said)
    call.out.done(told("Limited", block), block)


@click.command()
@click.argument("name")
@click.option("--off", is_flag=True, help="Let it be changed again.")
@editing
@click.pass_obj
def protect(call: Call, /, name: str, off: bool, **said: Any) -> None:
    """Make a block read-only.

    \b
    Example:
      erstwhile --agent coder blocks protect persona
    """
    block = call.memory.blocks.set_read_only(name, not off, **said)
    call.out.done(told("Open to changes" if off else "Read-only", block), block)


@click.command()
@click.argument("name")
@click.argument("version", type=int, required=False)
@editing
@click.pass_obj
def restore(call: Call, /, name: str, version: int | None, **said: Any) -> None:
    """Bring back the text of an earlier version, or a deleted block.

    \b
    Example:
      erstwhile --agent coder blocks restore persona 1
    """
    block = call.memory.blocks.restore(name, version, **said)
    call.out.done(told("Restored", block), block)


@click.command()
@click.argument("name")
@editing
@click.pass_obj
def delete(call: Call, /, name: str, **said: Any) -> None:
    """Hide a block; restore brings it back, erase destroys it.

    \b
    Example:
      erstwhile --agent coder blocks delete notes --reason "not needed any more"
    """
    block = call.memory.blocks.delete(name, **said)
    call.out.done(told("Deleted", block), block)


COMMANDS = (
    update, edit, append, insert, replace, rename, describe, limit, protect, restore, delete,
)  # fmt: skip
