"""What a caller wants of a context, checked before anything is read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike

from erstwhile.context.model import HistoryOverflow, Section, checked_needs, checked_tokens
from erstwhile.conversations.conversation import chosen_channel
from erstwhile.core.kinds import choice
from erstwhile.core.language import checked_language
from erstwhile.core.text import checked_text
from erstwhile.facts.draft import MAX_TEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    query: str
    """Empty, if there is no question."""
    tokens: int
    needs: frozenset[Section]
    conversation: str | None
    channel: str
    templates: str | PathLike[str] | None
    language: str | None
    overflow: HistoryOverflow


def asked(
    query: str,
    tokens: int,
    *,
    needs: Iterable[Section | str] | None = None,
    conversation: str | None = None,
    channel: str | None = None,
    language: str | None = None,
    templates: str | PathLike[str] | None = None,
    overflow: HistoryOverflow | str = HistoryOverflow.DROP,
) -> Asked:
    place = chosen_channel(conversation, channel)
    blank = isinstance(query, str) and not query.strip()
    return Asked(
        query="" if blank else checked_text(query, name="query", limit=MAX_TEXT),
        tokens=checked_tokens(tokens),
        needs=checked_needs(needs),
        conversation=conversation,
        channel=place,
        templates=templates,
        language=None if language is None else checked_language(language),
        overflow=choice(HistoryOverflow, overflow, name="overflow"),
    )
