"""The edits of a model on blocks: every text that it adds passes the guard."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from erstwhile.blocks.block import Block, checked_content
from erstwhile.blocks.content import append_text, insert_text, replace_once
from erstwhile.learning.guard.notes import objection
from erstwhile.learning.own_writing import refused

if TYPE_CHECKING:
    from erstwhile.blocks.collection import Blocks


class GuardedBlocks:
    """The verbs of `Blocks` that add text, for a model. RefusedError says what is not stored."""

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks

    def add(self, name: str, content: str, **options: Any) -> Block:
        """Add a block."""
        for text in (name, content, options.get("description", "")):
            check_text("", text)
        return self._blocks.add(name, content, **options)

    def update(self, name: str, content: str, **options: Any) -> Block:
        """Replace the content of a block."""
        self._check_edit(name, lambda _: content)
        return self._blocks.update(name, content, **options)

    def append(self, name: str, text: str, **options: Any) -> Block:
        """Add a text at the end."""
        self._check_edit(name, lambda block: append_text(block.content, checked_content(text)))
        return self._blocks.append(name, text, **options)

    def insert(self, name: str, line: int, text: str, **options: Any) -> Block:
        """Insert a text after a line."""
        added = checked_content(text)
        self._check_edit(name, lambda block: insert_text(block.content, line, added))
        return self._blocks.insert(name, line, text, **options)

    def replace_text(self, name: str, old: str, new: str, **options: Any) -> Block:
        """Replace the only occurrence of a text."""
        self._check_edit(name, lambda block: replace_once(block, old, checked_content(new)))
        return self._blocks.replace_text(name, old, new, **options)

    def check_name(self, name: str) -> None:
        """Raise RefusedError if the guard objects to the name of a block or a folder."""
        check_text("", name)

    def _check_edit(self, name: str, edited: Callable[[Block], str]) -> None:
        block = self._blocks.get(name)
        check_text(block.content, edited(block))


def check_text(old: str, new: str) -> None:
    """Raise RefusedError if the guard objects to what a model adds to a text."""
    verdict = objection(old, new)
    if verdict is not None:
        raise refused(verdict)
