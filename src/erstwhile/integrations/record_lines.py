"""Facts, blocks and errors as lines of text for a language model."""

from __future__ import annotations

from collections.abc import Callable

from erstwhile.blocks.block import Block
from erstwhile.blocks.content import is_archived
from erstwhile.core.errors import AmbiguousTextError, ConflictError, ErstwhileError
from erstwhile.facts.fact import Fact
from erstwhile.integrations.file_listing import number_lines
from erstwhile.memory import Memory


def explained(
    memory: Memory, error: ErstwhileError, *, line: Callable[[Fact], str] | None = None
) -> str:
    """Return an error with what a model needs to call again: the block, or the facts it may mean.

    `line` writes each of these facts.
    """
    if isinstance(error, ConflictError) and error.current is not None:
        return f"{error}\n{block_with_content(error.current)}"
    if isinstance(error, AmbiguousTextError):
        facts = [memory.facts.get(id) for id in error.candidates]
        return "\n".join([error.message, *map(line or fact_line, facts)])
    return str(error)


def fact_line(fact: Fact) -> str:
    """Return a fact on one line; the archived text of a block is marked."""
    text = " ".join(fact.text.split())
    origin = " (from the archive of a block)" if is_archived(fact) else ""
    return f"- {text} [{fact.recorded_at:%Y-%m-%d}]{origin}"


def block_line(block: Block) -> str:
    """Return a block on one line, without its content."""
    line = f"{block.name} (version {block.version}, {block_usage(block)})"
    return f"{line}: {block.description}" if block.description else line


def block_with_content(block: Block) -> str:
    """Return a block with its content, in numbered lines."""
    return f"{block_line(block)}\n{number_lines(None, block.content)}"


def block_usage(block: Block) -> str:
    """Return how full a block is."""
    read_only = ", read-only" if block.read_only else ""
    return f"{block.tokens:,} of {block.limit_tokens:,} tokens{read_only}"
