"""The Block record and the checks of its fields."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from erstwhile.core.errors import ConflictError, InvalidInputError, RefusedError, TooLargeError
from erstwhile.core.ids import short_id
from erstwhile.core.scope import Scope
from erstwhile.core.text import checked_label, checked_text, encodable
from erstwhile.secrets.masking import mask_text, masked_repr

MAX_CONTENT = 500_000
MAX_DESCRIPTION = 2_000
MAX_LIMIT_TOKENS = 1_000_000
LIMIT_TOKENS = 4_096

_INVISIBLE_CATEGORIES = frozenset(("Cc", "Cf", "Zl", "Zp"))


class Overflow(StrEnum):
    """The treatment of a text that exceeds the token limit of its block."""

    REFUSE = "refuse"
    ARCHIVE = "archive"


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A named text in one of its versions; `version` counts the changes."""

    id: str
    scope: Scope
    name: str
    description: str
    content: str
    version: int
    tokens: int
    limit_tokens: int
    counted_by: str
    overflow: Overflow
    read_only: bool
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None

    @property
    def short_id(self) -> str:
        return short_id(self.id)


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class BlockChange:
    """A change of a block: time, action, actor and reason, and the block before and after."""

    at: datetime
    action: str
    actor: str
    reason: str | None
    old: Block | None
    new: Block

    @property
    def version(self) -> int:
        return self.new.version


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
    if "\0" in content or not encodable(content):
        raise InvalidInputError(
            "the text contains a NUL or a lone surrogate",
            remedy="decode the text properly, or remove these characters",
        )
    return mask_text(content)


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
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MAX_LIMIT_TOKENS:
        raise InvalidInputError(
            f"limit_tokens must be between 1 and {MAX_LIMIT_TOKENS:,}, not {limit!r}"
        )
    return limit


def check_version(block: Block, expected: int | None) -> None:
    """Raise ConflictError if an edit expects another version than the present one."""
    if expected is not None and expected != block.version:
        raise ConflictError(
            f"{block.name!r} is at version {block.version}, not {expected}",
            remedy="read the present version, and edit it",
            current=block,
        )


def check_writable(
    block: Block, remedy: str = "make it writable with `blocks.set_read_only`"
) -> None:
    if block.read_only:
        raise RefusedError(f"{block.name!r} is read-only", remedy=remedy)
