"""Tools for a language model to use its memory, for any function-calling framework.

The descriptions for the model are in `memory_tools.json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from importlib.resources import files
from typing import Any

from erstwhile.blocks.block import Block
from erstwhile.core.errors import ErstwhileError, InvalidInputError, RefusedError
from erstwhile.core.kinds import Origin, Trust
from erstwhile.integrations.tool_calls import (
    ToolDefinition,
    ToolResult,
    block_line,
    block_usage,
    block_with_content,
    check_arguments,
    explained,
    fact_line,
    in_style,
)
from erstwhile.memory import Memory

_PARAMETERS = {"block": "name", "old_text": "old", "new_text": "new"}
"""Arguments of the tools that have another name in the methods of `Blocks`."""
_LISTED = 1_000
_RECALLED = 10
_ARCHIVE_PAGE = 20
"""Parts of an archive that one answer shows: about 30,000 characters."""


class MemoryTools:
    """Tools to read, create and edit blocks, and to remember, recall and forget facts.

    The guard judges what the model adds, as it judges what is learned. The model forgets only what
    it remembered itself: a text that it obeys could make it hide what a person said. Pass
    `forgets_all=True` if a person confirms each call.
    """

    def __init__(self, memory: Memory, *, forgets_all: bool = False) -> None:
        self._memory = memory.acting_as(person=False)
        self._forgetting = memory if forgets_all else self._memory
        self._forgets_all = forgets_all
        self._blocks = self._memory.blocks
        self._edits: dict[str, Callable[..., Block]] = {
            "memory_create": partial(self._blocks.add, overflow="archive"),
            "memory_append": self._blocks.append,
            "memory_replace": self._blocks.replace_text,
            "memory_insert": self._blocks.insert,
            "memory_rethink": self._blocks.update,
        }
        self._others: dict[str, Callable[..., str]] = {
            "memory_view": self._view,
            "memory_archive": self._archive,
            "memory_remember": self._remember,
            "memory_recall": self._recall,
            "memory_forget": self._forget,
        }

    @staticmethod
    def definitions(style: str = "anthropic") -> list[ToolDefinition]:
        """Return the tools as JSON, in the form of a provider: "anthropic" or "openai"."""
        return in_style(
            json.loads(files(__package__).joinpath("memory_tools.json").read_text("utf-8")), style
        )

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run a tool call of the model. An invalid call returns an error text, not an exception."""
        try:
            schemas = {tool["name"]: tool["input_schema"] for tool in self.definitions()}
            if name not in schemas:
                raise InvalidInputError(
                    f"unknown tool {name!r}", remedy=f"use {', '.join(schemas)}"
                )
            check_arguments(name, schemas[name], arguments)
            if name in self._others:
                return ToolResult(self._others[name](**arguments))
            given = {_PARAMETERS.get(field, field): each for field, each in arguments.items()}
            return ToolResult(self._edited(self._edits[name](**given)))
        except ErstwhileError as error:
            return ToolResult(explained(self._memory, error), failed=True)

    def _view(self, block: str | None = None) -> str:
        if block is None:
            lines = [block_line(each) for each in self._blocks.list(limit=_LISTED)]
            return "\n".join(lines) or "There are no memory blocks yet."
        found = self._blocks.get(block)
        more = f"\nParts of its text in its archive: {found.archived:,}." if found.archived else ""
        return f"{block_with_content(found)}{more}"

    def _archive(self, block: str, page: int = 1) -> str:
        """Show a page of the older text of a block, oldest first."""
        parts = self._blocks.overflow(block)
        start = max(page - 1, 0) * _ARCHIVE_PAGE
        shown = [part.text for part in parts[start : start + _ARCHIVE_PAGE]]
        if not shown:
            return f"The archive of {block} has {len(parts):,} parts, and none on page {page}."
        more = f"\nMore is on page {page + 1}." if len(parts) > start + _ARCHIVE_PAGE else ""
        return "\n".join(shown) + more

    def _remember(self, text: str) -> str:
        fact = self._memory.remember(text, origin=Origin.AGENT)
        if fact.trust is Trust.QUARANTINED:
            return "It is held back until a person approves it."
        return f"Remembered: {fact.text}"

    def _recall(self, query: str) -> str:
        hits = self._memory.recall(query, _RECALLED)
        return "\n".join(fact_line(hit.fact) for hit in hits) or "Nothing in memory fits."

    def _forget(self, text: str, reason: str | None = None) -> str:
        fact = self._memory.facts.find(text)
        if fact.origin is not Origin.AGENT and not self._forgets_all:
            raise RefusedError(
                f"this fact is not yours to forget: {fact.text}",
                remedy="ask the person to delete it, or tell them that it may be wrong",
            )
        return f"Forgotten: {self._forgetting.facts.delete(fact.id, reason=reason).text}"

    def _edited(self, block: Block) -> str:
        done = f"{block.name} is now at version {block.version}, {block_usage(block)}."
        if not block.moved:
            return done
        return (
            f"{done} It was full: {block.moved:,} characters of its "
            "text moved to its archive. memory_archive shows them, memory_recall finds them."
        )
