"""The result of `memory.flush`."""

from __future__ import annotations

from dataclasses import dataclass

from erstwhile.secrets.masking import masked_repr


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Flushed:
    """What still waits after `memory.flush`."""

    texts: int
    """The texts without a vector. Until they have one, they are found by words alone."""
    conversations: int
    """The conversations with turns to learn from."""
    embeds: bool
    """Whether this process has an embedder; else the texts wait for another process."""
    learns: bool
    """Whether this process learns in the background; else the turns wait for another process."""

    @property
    def done(self) -> bool:
        """Whether all is done that this process does."""
        return not ((self.texts and self.embeds) or (self.conversations and self.learns))
