"""Blocks as people like to read them."""

from __future__ import annotations

from datetime import datetime

from rich.console import Group, RenderableType
from rich.text import Text

from erstwhile.blocks.block import Block, BlockChange
from erstwhile.cli.safe_text import safe_line, safe_lines
from erstwhile.cli.views.layout import ROWS, Rows, grid, second, view


@view.register
def _block_view(block: Block, _at: datetime | None) -> RenderableType:
    rows: Rows = (
        ("version", str(block.version)),
        ("tokens", f"{_fullness(block)} (counted by {block.counted_by})"),
        ("overflow", block.overflow),
        ("scope", str(block.scope)),
        ("created", second(block.created_at)),
        ("changed", second(block.updated_at)),
        ("read-only", "yes" if block.read_only else None),
    )
    head = Text(safe_line(block.name), "bold")
    if block.description:
        head.append(f"  {safe_line(block.description)}", "dim")
    return Group(head, grid(rows), "", Text(safe_lines(block.content)))


def _fullness(block: Block) -> str:
    return f"{block.tokens:,} of {block.limit_tokens:,}"


def _block_row(block: Block, _at: datetime | None) -> dict[str, Text]:
    return {
        "block": Text(safe_line(block.name), "bold"),
        "version": Text(str(block.version)),
        "tokens": Text(_fullness(block)),
        "for": Text(safe_line(block.description)),
        "begins": Text(safe_line(block.content, 60), "dim"),
        "read-only": Text("yes" if block.read_only else ""),
        "scope": Text(safe_line(str(block.scope)), "dim"),
    }


def _change_row(change: BlockChange, _at: datetime | None) -> dict[str, Text]:
    return {
        "version": Text(str(change.version), "dim"),
        "when": Text(second(change.at)),
        "who": Text(safe_line(change.actor), "cyan"),
        "did": Text(change.action, "bold"),
        "text": Text(safe_line(change.new.content, 60)),
        "why": Text(safe_line(change.reason or ""), "italic"),
    }


ROWS[Block] = _block_row
ROWS[BlockChange] = _change_row
