"""Views of blocks and their versions."""

from __future__ import annotations

from datetime import datetime

from rich.console import Group, RenderableType
from rich.text import Text

from erstwhile.blocks.block import Block, BlockChange
from erstwhile.cli.safe_text import safe_line, safe_lines
from erstwhile.cli.views.layout import Fields, Row, cell, grid, row, scope_cell, second, view


@view.register
def _block_view(block: Block, _at: datetime | None) -> RenderableType:
    fields: Fields = (
        ("version", str(block.version)),
        ("tokens", f"{_fullness(block)} (counted by {block.counted_by})"),
        ("overflow", block.overflow),
        ("scope", str(block.scope)),
        ("created", second(block.created_at)),
        ("changed", second(block.updated_at)),
        ("read-only", "yes" if block.read_only else None),
    )
    head = cell(block.name, "bold")
    if block.description:
        head.append(f"  {safe_line(block.description)}", "dim")
    return Group(head, grid(fields), "", Text(safe_lines(block.content)))


@row.register
def _block_row(block: Block, _at: datetime | None) -> Row:
    return {
        "block": cell(block.name, "bold"),
        "version": cell(str(block.version)),
        "tokens": cell(_fullness(block)),
        "for": cell(block.description),
        "begins": cell(block.content, "dim", 60),
        "read-only": cell("yes" if block.read_only else ""),
        "scope": scope_cell(block.scope),
    }


@row.register
def _change_row(change: BlockChange, _at: datetime | None) -> Row:
    return {
        "version": cell(str(change.version), "dim"),
        "when": cell(second(change.at)),
        "who": cell(change.actor, "cyan"),
        "did": cell(change.action, "bold"),
        "text": cell(change.new.content, limit=60),
        "why": cell(change.reason, "italic"),
    }


def _fullness(block: Block) -> str:
    return f"{block.tokens:,} of {block.limit_tokens:,}"
