"""What a block may hold: its limit, and where the rest goes.

What is too much is refused, or cut off and archived as facts that recall finds. Each fact has a key
that names the block, the version and its place, so that none is taken for a repeat of another:
what was kept and what was archived, put together again, are the text to its last character.
"""

from __future__ import annotations

from dataclasses import replace

from erstwhile.blocks.block import Block, Overflow, checked_content
from erstwhile.core.errors import RefusedError, TooLargeError
from erstwhile.core.kinds import Origin
from erstwhile.core.ports import Tokenizer, Tokenizers
from erstwhile.core.text_cuts import parts, split
from erstwhile.facts.draft import draft
from erstwhile.facts.fact import Fact
from erstwhile.facts.rows import to_fact
from erstwhile.facts.table import FACTS
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

PART = 1_500
"""About how many characters each archived fact has; recall likes them short."""


def with_content(unit: Unit, block: Block, content: str, tokenizers: Tokenizers) -> Block:
    """The block with another content, or as much of it as its limit allows."""
    # Masked as a whole: an edit may have put a secret together from harmless parts.
    content = checked_content(content)
    exact = tokenizers.named(block.counted_by)
    # Where it is missing, the estimate says what surely fits.
    tokens = (exact or tokenizers.estimate).count(content)
    if tokens <= block.limit_tokens:
        return replace(block, content=content, tokens=tokens)
    if exact is None:
        raise RefusedError(
            f"{block.name!r} is counted by {block.counted_by}, which is not installed here",
            remedy='pip install "erstwhile[tokens]", or set its limit anew with `blocks.set_limit`',
        )
    if block.overflow is Overflow.REFUSE:
        raise _too_large(block, tokens, "shorten it, raise the limit, or let it archive overflow")
    return _with_overflow_archived(unit, block, content, tokens, exact)


def archived(view: View, block: Block) -> list[Fact]:
    """What was cut off a block, in the order in which it was, deleted facts included."""
    keys = {"first": _key(block), "last": _key(block, "~")}
    return [to_fact(row) for row in view.rows("find_archived", keys)]


def is_archived(fact: Fact) -> bool:
    """Whether it holds what was cut off a block: its key is then no name for a value."""
    return fact.key is not None and fact.key.startswith(f"{fact.metadata.get('block')}/")


def _with_overflow_archived(
    unit: Unit, block: Block, content: str, tokens: int, tokenizer: Tokenizer
) -> Block:
    kept, rest = split(content, lambda text: tokenizer.count(text) <= block.limit_tokens)
    if not rest.strip():
        raise _too_large(block, tokens, "it is blank, and cannot be archived")
    texts = parts(rest, PART)
    for number, text in enumerate(texts, 1):
        _archive(unit, block, text, number, len(texts))
        unit.tick()
    return replace(block, content=kept, tokens=tokenizer.count(kept))


def _archive(unit: Unit, block: Block, text: str, number: int, of: int) -> None:
    version = block.version + 1
    said = draft(
        text,
        key=_key(block, f"{version:06}/{number:03}"),
        origin=Origin.AGENT,
        metadata={"block": block.id, "version": version, "part": number, "parts": of},
        now=unit.now,
    )
    fact = said.to_fact(block.scope, unit.now)
    why = f"overflow of {block.name!r}, version {version}"
    FACTS.add(unit, fact, said.fingerprint, action="remember", reason=why)


def _key(block: Block, place: str = "") -> str:
    """No words but the block's id, so that recall finds the fact by what it says alone."""
    return f"{block.id}/{place}"


def _too_large(block: Block, tokens: int, remedy: str) -> TooLargeError:
    return TooLargeError(
        f"{block.name!r} would have {tokens:,} tokens, {block.limit_tokens:,} are allowed",
        remedy=remedy,
    )
