"""The content of a block: edits, the token limit, and the overflow.

Text over the limit is refused, or cut off and archived as facts that recall finds. The newest text
stays: a text that continues the present one loses its beginning, any other text its end. The key
of each fact holds the block, the version and the part number, so that no part repeats another. The
kept text and the archived parts together are the whole text, to the last character.
"""

from __future__ import annotations

from dataclasses import replace

from erstwhile.blocks.block import Block, Overflow, checked_content
from erstwhile.blocks.text_splitting import parts, split, split_end
from erstwhile.core.errors import ConflictError, InvalidInputError, RefusedError, TooLargeError
from erstwhile.core.kinds import Origin
from erstwhile.core.ports import Tokenizer, Tokenizers
from erstwhile.facts.draft import draft
from erstwhile.facts.fact import Fact
from erstwhile.facts.rows import to_fact
from erstwhile.facts.table import FACTS
from erstwhile.secrets.masking import mask_text
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

ARCHIVED_PART_SIZE = 1_500
"""The approximate number of characters of an archived fact; recall works best on short texts."""


def append_text(content: str, text: str) -> str:
    """Add a text at the end, on its own line."""
    at_line_start = not content or content.endswith("\n")
    return f"{content}{text}" if at_line_start else f"{content}\n{text}"


def insert_text(content: str, line: int, text: str) -> str:
    """Insert a text after a line; 0 inserts it before the first. End it with a line break."""
    lines = content.removesuffix("\n").split("\n") if content else []
    if not isinstance(line, int) or isinstance(line, bool) or not 0 <= line <= len(lines):
        raise InvalidInputError(f"line must be between 0 and {len(lines)}, not {line!r}")
    joined = "\n".join([*lines[:line], text.rstrip("\n"), *lines[line:]])
    return joined if joined.endswith("\n") else f"{joined}\n"


def as_stored(content: str, part: str) -> str:
    """Return a part of the content as it is stored: with its secrets masked."""
    return part if part in content else mask_text(part)


def replace_once(block: Block, old: str, new: str) -> str:
    """Return the content with the only occurrence of `old` replaced by `new`."""
    if not isinstance(old, str) or not old:
        raise InvalidInputError("the text to replace is empty", remedy="give a text from the block")
    old = as_stored(block.content, old)
    count = block.content.count(old)
    if count != 1:
        raise ConflictError(
            f"the text to replace occurs {count} times in {block.name!r}, not once",
            remedy="copy it exactly" if not count else "include more of the text around it",
            current=block,
        )
    return block.content.replace(old, new)


def with_content(unit: Unit, block: Block, content: str, tokenizers: Tokenizers) -> Block:
    """Return the block with a new content, or as much of it as its limit allows."""
    # Mask the whole text: an edit can put a secret together from harmless parts.
    content = checked_content(content)
    unit.admit([content], [block.content])
    exact = tokenizers.named(block.counted_by)
    # Without the exact tokenizer, use the estimate: it is never too low.
    tokens = (exact or tokenizers.estimate).count(content)
    if tokens <= block.limit_tokens:
        return replace(block, content=content, tokens=tokens)
    if exact is None:
        raise RefusedError(
            f"{block.name!r} is counted by {block.counted_by}, which is not installed here",
            remedy='pip install "erstwhile[tokens]", or set a new limit with `blocks.set_limit`',
        )
    if block.overflow is Overflow.REFUSE:
        raise _too_large(block, tokens, "shorten it, raise the limit, or use overflow='archive'")
    return _with_overflow_archived(unit, block, content, tokens, exact)


def archived_facts(view: View, block: Block) -> list[Fact]:
    """Return the archived overflow of a block in its order, including deleted facts."""
    keys = {"first": _key(block), "last": _key(block, "~")}
    return [to_fact(row) for row in view.rows("find_archived", keys)]


def is_archived(fact: Fact) -> bool:
    """Return whether a fact holds overflow of a block; its key then names no value."""
    return fact.key is not None and fact.key.startswith(f"{fact.metadata.get('block')}/")


def _with_overflow_archived(
    unit: Unit, block: Block, content: str, tokens: int, tokenizer: Tokenizer
) -> Block:
    def fits(text: str) -> bool:
        return tokenizer.count(text) <= block.limit_tokens

    if _continues(block.content, content):
        rest, kept = split_end(content, fits)
    else:
        kept, rest = split(content, fits)
    if not rest.strip():
        raise _too_large(block, tokens, "remove the blank overflow: it cannot be archived")
    texts = parts(rest, ARCHIVED_PART_SIZE)
    for number, text in enumerate(texts, 1):
        _archive(unit, block, text, number, len(texts))
        unit.tick()
    return replace(block, content=kept, tokens=tokenizer.count(kept))


def _continues(old: str, new: str) -> bool:
    """Return whether a text keeps more than half of the present one at its beginning."""
    return bool(old) and new.startswith(old[: len(old) // 2 + 1])


def _archive(unit: Unit, block: Block, text: str, number: int, of: int) -> None:
    version = block.version + 1
    overflow = draft(
        text,
        key=_key(block, f"{version:06}/{number:03}"),
        origin=Origin.AGENT,
        metadata={"block": block.id, "version": version, "part": number, "parts": of},
        now=unit.now,
    )
    fact = overflow.to_fact(block.scope, unit.now)
    reason = f"overflow of {block.name!r}, version {version}"
    FACTS.add(unit, fact, overflow.fingerprint, action="remember", reason=reason)


def _key(block: Block, part: str = "") -> str:
    """Return the key of a part. It holds no words, so that recall finds the fact by its text."""
    return f"{block.id}/{part}"


def _too_large(block: Block, tokens: int, remedy: str) -> TooLargeError:
    return TooLargeError(
        f"{block.name!r} would have {tokens:,} tokens, {block.limit_tokens:,} are allowed",
        remedy=remedy,
    )
