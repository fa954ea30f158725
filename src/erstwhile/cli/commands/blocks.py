"""`erstwhile blocks`: named texts that an agent edits itself, and their versions."""

from __future__ import annotations

import sys
from typing import Any

import click

from erstwhile.blocks.block import Block, Overflow
from erstwhile.cli import options
from erstwhile.cli.call import Call, is_terminal
from erstwhile.cli.groups import Group, Parameter
from erstwhile.cli.input_text import InputText
from erstwhile.cli.safe_text import safe_line
from erstwhile.core.errors import RefusedError

NONE_HERE = (
    'No block is visible here.\nAdd one: erstwhile blocks add persona "I am a careful engineer."'
)
name = click.argument("name")
text = click.argument("text", type=InputText())
known_at = click.option("--known-at", metavar="TIME", help="The state at an earlier time.")
overflow = click.option(
    "--overflow", type=options.one_of(Overflow), help="The treatment of text over the limit."
)
expected = click.option(
    "--expected-version", type=int, metavar="N", help="Only if the block is still at this version."
)


def _summary(done: str, block: Block) -> str:
    """Return a line with the action on a block, its version and its size."""
    fullness = f"{block.tokens:,} of {block.limit_tokens:,} tokens"
    return f"{done}: {safe_line(block.name)}, version {block.version}, {fullness}"


blocks = Group(
    "blocks",
    "Keep named texts that an agent edits itself.\n\nEvery change of a block is a version of it.",
    '--agent coder blocks add persona "I am a careful engineer."',
    '--agent coder blocks append persona "I ask before I delete."',
    "--agent coder blocks history persona",
)
blocks.method(
    "list",
    "List blocks by name, with their size and limit.",
    "--agent coder blocks list",
    options.deleted,
    known_at,
    options.paging,
    empty=NONE_HERE,
)
blocks.method(
    "show",
    "Show one block.",
    "--agent coder blocks show persona --version 1",
    name,
    click.option("--version", type=int, help="Show an earlier version."),
    known_at,
    calls="get",
)
blocks.method(
    "add",
    "Add a block; - reads TEXT from standard input.",
    (
        '--agent coder blocks add persona "I am a careful engineer." --limit 500',
        "--agent coder blocks add notes --overflow archive < /dev/null",
    ),
    name,
    click.argument("text", type=InputText(), default=""),
    click.option("--limit", "limit_tokens", type=int, metavar="TOKENS", help="The token limit."),
    click.option("--description", metavar="TEXT", help="The purpose of the block."),
    overflow,
    click.option("--read-only", is_flag=True, default=None, help="Protect the block from changes."),
    options.reason,
    done=lambda block: _summary("Added", block),
)
blocks.method(
    "history",
    "List every change of a block, newest first.\n\nThe block may be a deleted one.",
    "--agent coder blocks history persona",
    name,
    options.paging,
    empty="No older change is known.",
)
blocks.method(
    "diff",
    "Show what changed between two versions, or since one.",
    "--agent coder blocks diff persona 1",
    name,
    click.argument("from_version", metavar="FROM", type=int),
    click.argument("to_version", metavar="[TO]", type=int, required=False),
    field="diff",
)
blocks.method(
    "overflow",
    "List the facts with the text that did not fit into a block.",
    "--agent coder blocks overflow notes",
    name,
    empty="This block has no overflow.",
)


def _edit(
    command: str, help: str, example: str, done: str, *parameters: Parameter, calls: str = ""
) -> None:
    """Add a command that makes a new version of a block."""
    blocks.method(
        command,
        help,
        f"--agent coder blocks {command} {example}",
        name,
        *parameters,
        options.reason,
        expected,
        calls=calls or command,
        done=lambda block: _summary(done, block),
    )


_edit(
    "update",
    "Replace the text of a block; - reads it from standard input.",
    "persona - < persona.md",
    "Updated",
    text,
)


@blocks.command()
@name
@options.reason
@click.pass_obj
def edit(call: Call, /, name: str, reason: str | None) -> None:
    """Open a block in your editor (the variable EDITOR names it).

    \b
    Examples:
      erstwhile --agent coder blocks edit persona
    """
    if not is_terminal(sys.stdin):
        raise RefusedError("an editor needs a terminal", remedy="use `blocks.update`")
    block = call.memory.blocks.get(name)
    text = click.edit(block.content, extension=".md")
    if text is not None:
        block = call.memory.blocks.update(name, text, reason=reason, expected_version=block.version)
    call.out.done(_summary("Unchanged" if text is None else "Updated", block), block)


_edit(
    "append",
    "Append TEXT as a new line; - reads it from standard input.",
    'notes "The staging server is down on Mondays."',
    "Appended",
    text,
)
_edit(
    "insert",
    "Insert TEXT after a line; 0 inserts it at the beginning.",
    'notes 0 "# Notes"',
    "Inserted",
    click.argument("line", type=int),
    text,
)
_edit(
    "replace",
    "Replace OLD by NEW; OLD must occur exactly once.",
    'notes "Mondays" "Tuesdays"',
    "Replaced",
    click.argument("old"),
    click.argument("new"),
    calls="replace_text",
)
_edit(
    "rename",
    "Rename a block; its history stays with it.",
    "notes archive/notes",
    "Renamed",
    click.argument("new_name"),
)
_edit(
    "describe",
    "Set the description of a block.",
    'notes "What I learned about the servers"',
    "Described",
    click.argument("description"),
)
_edit(
    "limit",
    "Set the token limit of a block.",
    "notes 2000 --overflow archive",
    "Limited",
    click.argument("tokens", type=int),
    overflow,
    calls="set_limit",
)


@blocks.command()
@name
@click.option("--off", is_flag=True, help="Allow changes again.")
@options.reason
@expected
@click.pass_obj
def protect(call: Call, /, name: str, off: bool, **given: Any) -> None:
    """Make a block read-only.

    \b
    Examples:
      erstwhile --agent coder blocks protect persona
    """
    block = call.memory.blocks.set_read_only(name, not off, **given)
    call.out.done(_summary("Open to changes" if off else "Read-only", block), block)


_edit(
    "delete",
    "Hide a block; restore brings it back, erase destroys it.",
    'notes --reason "not needed any more"',
    "Deleted",
)
_edit(
    "restore",
    "Restore the text of an earlier version, or a deleted block.",
    "persona 1",
    "Restored",
    click.argument("version", type=int, required=False),
)
blocks.destroy(
    "prune",
    "Destroy the old versions of a block.",
    "--agent coder blocks prune notes --keep 50",
    name,
    click.option(
        "--keep", type=int, metavar="N", help="How many of the newest versions; 20 by default."
    ),
    options.reason,
    question=lambda _call, name, keep=20, **_: (
        f"Destroy all versions of {safe_line(name)!r} but the newest {keep:,}?"
    ),
)
blocks.purge()
blocks.destroy(
    "erase",
    "Destroy a block with all its versions, to the last byte.\n\n"
    "The facts that hold its overflow are destroyed, too.",
    "--agent coder blocks erase persona",
    name,
    click.option("--read-only", is_flag=True, default=None, help="Also if it is read-only."),
    question=lambda _call, name, **_: (
        f"Destroy {safe_line(name)!r} and its history, without any undo?"
    ),
)
