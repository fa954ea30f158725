"""The conversion between blocks and rows."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from erstwhile.blocks.block import Block, Overflow
from erstwhile.core.ports import Row
from erstwhile.core.time import from_micros, to_micros
from erstwhile.storage import columns

state_of = itemgetter(
    "created_at", "version", "name", "description", "content", "tokens", "limit_tokens",
    "counted_by", "overflow", "read_only", "deleted_at",
)  # fmt: skip
"""The columns that an audit entry covers, in the order of the statement `stored_blocks`."""


def to_row(block: Block, scope: int) -> dict[str, Any]:
    """Return a block as parameters of the statements that write it."""
    return {
        "id": block.id,
        "scope": scope,
        "created_at": to_micros(block.created_at),
        "known_from": to_micros(block.updated_at),
        "version": block.version,
        "name": block.name,
        "description": block.description,
        "content": block.content,
        "tokens": block.tokens,
        "limit_tokens": block.limit_tokens,
        "counted_by": block.counted_by,
        "overflow": block.overflow,
        "read_only": int(block.read_only),
        "deleted_at": columns.micros(block.deleted_at),
    }


@columns.decodes("block")
def to_block(row: Row) -> Block:
    """Return the block of a row of the fragment `block_columns`."""
    return Block(
        id=row[0],
        scope=columns.to_scope(*row[1:5]),
        name=row[5],
        description=row[6],
        content=row[7],
        version=row[8],
        tokens=row[9],
        limit_tokens=row[10],
        counted_by=row[11],
        overflow=Overflow(row[12]),
        read_only=bool(row[13]),
        created_at=from_micros(row[14]),
        updated_at=from_micros(row[15]),
        deleted_at=columns.moment(row[16]),
    )
