"""A piece: a record that may go into a context, with its quoted lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from erstwhile.context.model import Quotable, Section
from erstwhile.context.quotes import Span
from erstwhile.context.quoting import quoted
from erstwhile.conversations.conversation import Message
from erstwhile.core.fork_safety import cached_property
from erstwhile.core.text import folded


@dataclass(frozen=True, kw_only=True, eq=False)
class Piece:
    """A record that may go into a context."""

    section: Section
    source: Quotable
    text: str
    mark: str
    """What the brackets before it say: its citation and notes."""
    citation: str
    heading: str = ""
    """The heading above it inside of its section, such as a day."""
    group: str = ""
    """The group that shares this heading."""
    place: tuple[Any, ...] = ()
    """Sorts the pieces of a section in reading order; without it they stay as they were found."""
    spans: tuple[Span, ...] = ()
    """The passages that the text quotes, if it does not quote the whole."""

    @cached_property
    def lines(self) -> str:
        """Return the quoted lines. They are computed on first use: most pieces are never quoted."""
        return quoted(self.mark, self.text)

    @property
    def id(self) -> str:
        """The id of the record."""
        return self.source.id

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks by which a repeat is recognised. In the history an equal text is no repeat."""
        own = (isinstance(self.source, Message) and self.source.copy_of) or self.id
        if self.section is Section.HISTORY:
            return (own,)
        return own, folded(self.text)
