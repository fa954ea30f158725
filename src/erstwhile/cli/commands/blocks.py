"""`erstwhile blocks`: named texts that an agent edits itself, and their versions."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.blocks.block import Overflow
from erstwhile.cli import options
from erstwhile.cli.call import Call, confirm, working
from erstwhile.cli.commands import block_edits
from erstwhile.cli.safe_text import safe_line
from erstwhile.core.page import Page

NONE_HERE = (
    'No block is visible here.\nAdd one: erstwhile blocks add persona "I am a careful engineer."'
)


@click.group(cls=options.Commands)
def blocks() -> None:
    """Keep named texts that an agent edits itself.

    Every change of a block is a version of it.

    \b
    Example:
      erstwhile --agent coder blocks add persona "I am a careful engineer."
      erstwhile --agent coder blocks append persona "I ask before I delete."
      erstwhile --agent coder blocks history persona
    """


@blocks.command(name="list")
@click.option("--known-at", metavar="TIME", help="As they were known at an earlier time.")
@options.paging
@click.pass_obj
def list_blocks(call: Call, /, **asked: Any) -> None:
    """List blocks by name, with how full they are.

    \b
    Example:
      erstwhile --agent coder blocks list
    """
    call.out.page(call.memory.blocks.list(**options.said(asked)), NONE_HERE)


@blocks.command()
@click.argument("name")
@click.option("--version", type=int, help="In an earlier version.")
@click.option("--known-at", metavar="TIME", help="As it was known at an earlier time.")
@click.pass_obj
def show(call: Call, /, name: str, **asked: Any) -> None:
    """Show one block.

    \b
    Example:
      erstwhile --agent coder blocks show persona --version 1
    """
    call.out.record(call.memory.blocks.get(name, **options.said(asked)))


@blocks.command()
@click.argument("name")
@click.argument("text", default="")
@click.option("--limit", "limit_tokens", type=int, metavar="TOKENS", help="How much fits in.")
@click.option("--description", metavar="TEXT", help="What it is for.")
@click.option(
    "--overflow", type=options.one_of(Overflow), help="What happens to what is over the limit."
)
@click.option("--read-only", is_flag=True, default=None, help="Nothing changes it then.")
@options.reason
@click.pass_obj
def add(call: Call, /, name: str, text: str, **details: Any) -> None:
    """Add a block; - reads TEXT from standard input.

    \b
    Example:
      erstwhile --agent coder blocks add persona "I am a careful engineer." --limit 500
      erstwhile --agent coder blocks add notes --overflow archive < /dev/null
    """
    content = block_edits.read(text)
    block = call.memory.blocks.add(name, content, **options.said(details))
    call.out.done(block_edits.told("Added", block), block)


@blocks.command()
@click.argument("name")
@options.paging
@click.pass_obj
def history(call: Call, /, name: str, **asked: Any) -> None:
    """List every change of a block, newest first.

    Also of one that was deleted.

    \b
    Example:
      erstwhile --agent coder blocks history persona
    """
    page = call.memory.blocks.history(name, **options.said(asked))
    call.out.page(page, "No older change is known.")


@blocks.command()
@click.argument("name")
@click.argument("from_version", metavar="FROM", type=int)
@click.argument("to_version", metavar="[TO]", type=int, required=False)
@click.pass_obj
def diff(call: Call, /, name: str, from_version: int, to_version: int | None) -> None:
    """Show what changed between two versions, or up to the present.

    \b
    Example:
      erstwhile --agent coder blocks diff persona 1
    """
    changed = call.memory.blocks.diff(name, from_version, to_version)
    call.out.record({"diff": changed})


@blocks.command()
@click.argument("name")
@click.pass_obj
def overflow(call: Call, /, name: str) -> None:
    """List the facts that hold what was cut off a block.

    \b
    Example:
      erstwhile --agent coder blocks overflow notes
    """
    facts = call.memory.blocks.overflow(name)
    call.out.page(Page(tuple(facts)), "Nothing was cut off this block.")


@blocks.command()
@click.argument("name")
@options.yes
@click.pass_obj
def erase(call: Call, /, name: str, yes: bool) -> None:
    """Destroy a block with all its versions, to the last byte.

    What was archived of it goes, too, and cannot be brought back either.

    \b
    Example:
      erstwhile --agent coder blocks erase persona --yes
    """
    confirm(lambda: f"Destroy {safe_line(name)!r} and its history, without any undo?", yes=yes)
    with working("Rewriting the file, so that no byte is left…"):
        receipt = call.memory.blocks.erase(name)
    told = f"Destroyed for good: blocks {receipt.blocks:,}, earlier versions {receipt.versions:,}"
    call.out.done(f"{told}, archived facts {receipt.facts:,}", receipt)


for command in block_edits.COMMANDS:
    blocks.add_command(command)
