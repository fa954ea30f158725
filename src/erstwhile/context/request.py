"""The request for a context, checked before anything is read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike

from erstwhile.context.model import DEFAULT_NEEDS, HistoryOverflow, Section
from erstwhile.conversations.conversation import resolve_channel
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.kinds import choice
from erstwhile.core.language import checked_language
from erstwhile.core.text import checked_text
from erstwhile.facts.draft import MAX_TEXT

MAX_TOKENS = 10_000_000
_LONGEST_QUERY = 20_000
"""The characters of a query that are read: its beginning and its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRequest:
    """The checked arguments of `Memory.context`."""

    query: str
    """Empty, if there is no query."""
    tokens: int
    needs: frozenset[Section]
    conversation: str | None
    channel: str
    templates: str | PathLike[str] | None
    language: str | None
    overflow: HistoryOverflow


def checked_request(
    query: str,
    tokens: int,
    *,
    needs: Iterable[Section | str] | None = None,
    conversation: str | None = None,
    channel: str | None = None,
    language: str | None = None,
    templates: str | PathLike[str] | None = None,
    overflow: HistoryOverflow | str = HistoryOverflow.DROP,
) -> ContextRequest:
    """Check the arguments of `Memory.context`."""
    chosen = resolve_channel(conversation, channel)
    if not isinstance(query, str):
        raise InvalidInputError(f"query must be a text, not {query!r}", remedy="give a question")
    text = _usable(query)
    return ContextRequest(
        query=checked_text(text, name="query", limit=MAX_TEXT) if text.strip() else "",
        tokens=_checked_tokens(tokens),
        needs=_checked_needs(needs),
        conversation=conversation,
        channel=chosen,
        templates=templates,
        language=None if language is None else checked_language(language),
        overflow=choice(HistoryOverflow, overflow, name="overflow"),
    )


def _usable(query: str) -> str:
    """Return a query without characters that cannot be stored, and the ends of a very long one.

    A whole message of a user may be the query: no text makes a context fail.
    """
    if len(query) > _LONGEST_QUERY:
        query = f"{query[: _LONGEST_QUERY // 2]}\n{query[-_LONGEST_QUERY // 2 :]}"
    return query.replace("\0", " ").encode(errors="replace").decode()


def _checked_tokens(tokens: int) -> int:
    is_whole = isinstance(tokens, int) and not isinstance(tokens, bool)
    if not is_whole or not 0 <= tokens <= MAX_TOKENS:
        raise InvalidInputError(
            f"a budget lies between 0 and {MAX_TOKENS:,} tokens, not {tokens!r}",
            remedy="give it as a whole number, such as 4000",
        )
    return tokens


def _checked_needs(needs: Iterable[Section | str] | None) -> frozenset[Section]:
    """Return the requested sections, or the default ones."""
    if needs is None:
        return DEFAULT_NEEDS
    if isinstance(needs, str) or not isinstance(needs, Iterable):
        raise InvalidInputError(
            f"needs must be a list of sections, not {needs!r}", remedy='write ["facts", "profile"]'
        )
    return frozenset(choice(Section, each, name="section") for each in needs)
