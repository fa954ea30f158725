"""A block: a named, versioned text that an agent edits itself, within a limit of tokens."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from erstwhile.core.errors import ConflictError, InvalidInputError, RefusedError, TooLargeError
from erstwhile.core.ids import short_id
from erstwhile.core.scope import Scope
from erstwhile.core.text import checked_label, checked_text, encodable
from erstwhile.secrets.masking import mask_text

MAX_CONTENT = 500_000
MAX_DESCRIPTION = 2_000
MAX_LIMIT_TOKENS = 1_000_000
LIMIT_TOKENS = 4_096

_UNSEEN = frozenset(("Cc", "Cf", "Zl", "Zp"))


class Overflow(StrEnum):
    """What happens to a text that is over the limit of its block."""

    REFUSE = "refuse"
    ARCHIVE = "archive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A block as it stood after one of its changes; `version` counts them."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockChange:
    """A step in the life of a block: who did what and why, and the block before and after it."""

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
    """The text with its secrets masked; whatever enters a block passes here. It may be empty."""
    if not isinstance(content, str):
        raise InvalidInputError(f"a block holds text, not {type(content).__name__}")
    if len(content) > MAX_CONTENT:
        raise TooLargeError(
            f"the text has {len(content):,} characters, {MAX_CONTENT:,} are allowed",
            remedy="split it",
        )
    if "\0" in content or not encodable(content):
        raise InvalidInputError(
            "the text holds a NUL or a lone surrogate", remedy="decode it properly, or remove them"
        )
    return mask_text(content)


def checked_name(name: object) -> str:
    """One line, as a label or a path such as `notes/today.md`; two names never look the same."""
    label = unicodedata.normalize("NFC", checked_label(name, name="the name of a block"))
    if any(unicodedata.category(each) in _UNSEEN for each in label):
        raise InvalidInputError(
            f"the name {label!r} holds a character that cannot be seen", remedy="remove it"
        )
    if any(segment in ("", ".", "..") for segment in label.split("/")):
        raise InvalidInputError(
            f"the name {label!r} has an empty part, '.' or '..' between its slashes",
            remedy="write it such as notes/today.md",
        )
    return label


def checked_description(description: str) -> str:
    if description == "":
        return description
    return checked_text(description, name="description", limit=MAX_DESCRIPTION)


def checked_limit_tokens(limit: int) -> int:
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MAX_LIMIT_TOKENS:
        raise InvalidInputError(
            f"a limit lies between 1 and {MAX_LIMIT_TOKENS:,} tokens, not {limit!r}"
        )
    return limit


def check_version(block: Block, expected: int | None) -> None:
    """Refuse an edit that was made for another version than the present one."""
    if expected is not None and expected != block.version:
        raise ConflictError(
            f"{block.name!r} is at version {block.version}, not {expected}",
            remedy="look at what it says now, and edit that",
            current=block,
        )


def check_writable(block: Block) -> None:
    if block.read_only:
        raise RefusedError(
            f"{block.name!r} is read-only", remedy="lift that with `blocks.set_read_only`"
        )


def appended(content: str, text: str) -> str:
    """The text on a line of its own at the end."""
    begins_a_line = not content or content.endswith("\n")
    return f"{content}{text}" if begins_a_line else f"{content}\n{text}"


def inserted(content: str, line: int, text: str) -> str:
    """The text after a line; 0 puts it first. Every line is ended."""
    lines = content.removesuffix("\n").split("\n") if content else []
    if not isinstance(line, int) or isinstance(line, bool) or not 0 <= line <= len(lines):
        raise InvalidInputError(f"line must lie between 0 and {len(lines)}, not {line!r}")
    joined = "\n".join([*lines[:line], text.rstrip("\n"), *lines[line:]])
    return joined if joined.endswith("\n") else f"{joined}\n"


def as_stored(content: str, part: str) -> str:
    """A part of a content as it stands there, if somebody names it with its secrets unmasked."""
    return part if part in content else mask_text(part)


def replaced(block: Block, old: str, new: str) -> str:
    """The content with the one place where `old` stands changed to `new`."""
    if not isinstance(old, str) or not old:
        raise InvalidInputError("the text to replace is empty", remedy="say what stands there now")
    old = as_stored(block.content, old)
    found = block.content.count(old)
    if found != 1:
        raise ConflictError(
            f"the text to replace occurs {found} times in {block.name!r}, not once",
            remedy="copy it exactly" if not found else "give more of what stands around it",
            current=block,
        )
    return block.content.replace(old, new)
