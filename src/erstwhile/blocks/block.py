"""The Block record and the checks of its fields."""

from __future__ import annotations

import unicodedata
from datetime import datetime
from difflib import unified_diff
from enum import StrEnum
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING

from erstwhile.core.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    RefusedError,
    TooLargeError,
)
from erstwhile.core.public_record import PublicRecord, public_record
from erstwhile.core.results import Page, checked_int, cut_page
from erstwhile.core.scope import Scope
from erstwhile.core.text import check_characters, checked_label, checked_text
from erstwhile.core.time import from_micros
from erstwhile.secrets.masking import mask_text
from erstwhile.storage.columns import RowType
from erstwhile.storage.record import IdRecord
from erstwhile.storage.view import View

if TYPE_CHECKING:
    from erstwhile.facts.fact import Fact

MAX_CONTENT = 500_000
MAX_DESCRIPTION = 2_000
MAX_LIMIT_TOKENS = 1_000_000
LIMIT_TOKENS = 4_096

_INVISIBLE_CATEGORIES = frozenset(("Cc", "Cf", "Zl", "Zp"))


class Overflow(StrEnum):
    """The treatment of a text that exceeds the token limit of its block."""

    REFUSE = "refuse"
    ARCHIVE = "archive"


class Place(StrEnum):
    """The place of archived text: before or after the text that stayed."""

    BEFORE = "before"
    AFTER = "after"


@public_record
class Block(IdRecord):
    """A named text in one of its versions; `version` counts the changes."""

    _shown = ("short_id", "name", "version", "content")
    id: str
    scope: Scope
    name: str
    description: str
    content: str = ""
    version: int = 0
    tokens: int = 0
    limit_tokens: int
    counted_by: str
    overflow: Overflow
    moved: int = 0
    """The number of characters that this version moved to the archive."""
    archived: int = 0
    """The number of parts in the archive; `blocks.overflow` returns them in their order."""
    read_only: bool
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None = None

    @property
    def archive_note(self) -> str | None:
        """A sentence about the archive: what this version moved there, and how to read it."""
        if not self.archived:
            return None
        parts = "1 part" if self.archived == 1 else f"{self.archived:,} parts"
        held = f"the archive has {parts}: see `blocks.overflow`"
        return f"{self.moved:,} characters moved to the archive; {held}" if self.moved else held


@public_record
class BlockChange(PublicRecord):
    """A change of a block: time, action, actor and reason, and the block before and after."""

    _shown = ("at", "action", "actor", "version")
    at: datetime
    action: str
    actor: str
    reason: str | None
    old: Block | None
    new: Block

    @property
    def version(self) -> int:
        return self.new.version

    @property
    def moved(self) -> int:
        """The number of characters that this change moved to the archive."""
        return self.new.moved


def checked_content(content: object) -> str:
    """Return a valid text with masked secrets. Every text of a block is checked here."""
    if not isinstance(content, str):
        raise InvalidInputError(
            f"the content of a block must be text, not {type(content).__name__}"
        )
    if len(content) > MAX_CONTENT:
        raise TooLargeError(
            f"the text has {len(content):,} characters, {MAX_CONTENT:,} are allowed",
            remedy="split it",
        )
    return mask_text(check_characters(content, "the text"))


def checked_name(name: object) -> str:
    """Return a valid name: one line, a label or a path such as `notes/today.md`.

    Normalising it makes sure that two different names never look the same.
    """
    label = unicodedata.normalize("NFC", checked_label(name, name="the name of a block"))
    if any(unicodedata.category(each) in _INVISIBLE_CATEGORIES for each in label):
        raise InvalidInputError(
            f"the name {label!r} contains an invisible character", remedy="remove it"
        )
    if any(segment in ("", ".", "..") for segment in label.split("/")):
        raise InvalidInputError(
            f"the name {label!r} has an empty part, '.' or '..' between its slashes",
            remedy="use a name such as notes/today.md",
        )
    return label


def checked_description(description: str) -> str:
    if description == "":
        return description
    return checked_text(description, name="description", limit=MAX_DESCRIPTION)


def checked_limit_tokens(limit: int) -> int:
    return checked_int(limit, "limit_tokens", 1, MAX_LIMIT_TOKENS)


def check_version(block: Block, expected: int | None) -> None:
    """Raise ConflictError if an edit expects another version than the present one."""
    if expected is not None and expected != block.version:
        raise ConflictError(
            f"{block.name!r} is at version {block.version}, not {expected}",
            remedy="read the current version, and edit it",
            current=block,
        )


def check_writable(
    block: Block, remedy: str = "make it writable with `blocks.set_read_only`"
) -> None:
    if block.read_only:
        raise RefusedError(f"{block.name!r} is read-only", remedy=remedy)


state_of = itemgetter(
    "created_at", "version", "name", "description", "content", "tokens", "limit_tokens",
    "counted_by", "overflow", "moved", "archived", "read_only", "deleted_at",
)  # fmt: skip
"""The columns that an audit entry covers, in the order of the statement `stored_blocks`."""


BLOCK_ROW = RowType(Block, "block", names={"updated_at": "known_from"})
"""The fragment `block_columns`."""
to_block = BLOCK_ROW.decode


def at_version(view: View, block: Block, version: int | None) -> Block:
    """Return an earlier version of a block; None returns the block itself."""
    if version is None:
        return block
    if not isinstance(version, int) or isinstance(version, bool):
        raise InvalidInputError(f"{version!r} is not a version", remedy="give its number")
    if version == block.version:
        return block
    if 1 <= version < block.version:
        if rows := view.rows("find_version", {"id": block.id, "version": version}):
            return to_block(rows[0])
        problem = f"version {version} of {block.name!r} was pruned"
    else:
        problem = f"{block.name!r} has no version {version}"
    raise NotFoundError(problem, remedy="see `blocks.history`")


def version_history(view: View, block: Block, limit: int, before: int) -> Page[BlockChange]:
    end = min(before, block.version + 1)
    # One version more than the limit: it is the `old` of the last change.
    rows = view.rows("block_changes", {"id": block.id, "first": end - limit - 1, "before": end})
    blocks = [*(to_block(row[4:]) for row in rows), None]
    changes = [
        BlockChange(
            at=from_micros(at),
            action=action.removeprefix("block."),
            actor=actor,
            reason=reason,
            old=old,
            new=new,
        )
        for (at, action, actor, reason, *_), (new, old) in zip(rows, pairwise(blocks), strict=True)
        if new
    ]
    return cut_page(changes, limit, lambda last: str(last.version))


def version_diff(old: Block, new: Block) -> str:
    """Return the difference of two versions as a unified diff."""
    before, after = (f"{each.name} (version {each.version})" for each in (old, new))
    lines, new_lines = old.content.split("\n"), new.content.split("\n")
    return "\n".join(unified_diff(lines, new_lines, before, after, lineterm=""))


def is_archived(fact: Fact) -> bool:
    """Return whether a fact holds overflow of a block; its key then names no value."""
    return fact.key is not None and fact.key.startswith(f"{fact.metadata.get('block')}/")


def archive_order(fact: Fact) -> tuple[bool, int, int]:
    """Return the sort key of archived text: text from the beginning first, in its order.

    Text from the end follows. What was cut off later was nearer to the text that stayed.
    """
    version, part = fact.metadata["version"], fact.metadata["part"]
    is_end = fact.metadata.get("place") == Place.AFTER
    return is_end, -version if is_end else version, part


def archive_key(block: Block, part: str = "") -> str:
    """Return the key of a part. It holds no words, so that recall finds the fact by its text."""
    return f"{block.id}/{part}"
