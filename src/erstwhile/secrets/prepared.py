"""Mask no text while a transaction holds a lock: others would wait for it.

Most texts are masked before their transaction begins. Some are put together inside of it, such as
the content of a block after an edit. Such a text is noted and the transaction rolled back; then the
text is masked, and the transaction runs again with what it needs. Nothing that is not masked can
be stored: as long as a text is missing, a stand-in takes its place, and nothing is committed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields, is_dataclass

_STAND_IN = "[masked:soon]"
_MOST_TRIES = 8
"""Others may change what a text is put together from. After so many tries it is masked at once."""
_used: ContextVar[PreparedMasks | None] = ContextVar("prepared masks", default=None)


class MasksMissingError(Exception):
    """A transaction needs masks that nobody prepared. It is run again; no caller sees this."""


class PreparedMasks:
    """The masked texts for one transaction, which may be run several times."""

    def __init__(self) -> None:
        self._masked: dict[str, str] = {}
        self._missing: set[str] = set()
        self._tries = 0

    @contextmanager
    def used(self) -> Iterator[None]:
        """Answer `mask_text` from here, in this thread; raise if a text was missing."""
        if self._tries >= _MOST_TRIES:
            yield
            return
        self._missing.clear()
        before = _used.get()
        try:
            _used.set(self)
            yield
        except Exception:
            if not self._missing:  # a stand-in may be the reason of the error
                raise
        finally:
            _used.set(before)
        if self._missing:
            self._tries += 1
            raise MasksMissingError

    def masked(self, text: str) -> str:
        """Return a text with its secrets masked, or a stand-in until it is prepared."""
        if text not in self._masked:
            self._missing.add(text)
        return self._masked.get(text, _STAND_IN)

    def prepare(self, mask: Callable[[str], str], texts: Iterable[str] = ()) -> None:
        """Mask texts, and those that were missing, outside of the transaction."""
        for text in {*texts, *self._missing}:
            self._masked[text] = mask(text)


def texts_in(value: object) -> Iterator[str]:
    """Yield all texts in a value, as far down as it has parts."""
    match value:
        case str():
            yield value
        case Mapping():
            yield from texts_in([*value.items()])
        case list() | tuple():
            for each in value:
                yield from texts_in(each)
        case _ if is_dataclass(value):
            yield from texts_in([getattr(value, each.name) for each in fields(value)])


def forget_masks() -> None:
    """Let this thread use no prepared masks: it runs no transaction any more.

    An interrupt may hit `used` where it cleans up. Then every later text would be a stand-in.
    """
    _used.set(None)


def prepared_masks() -> PreparedMasks | None:
    """Return the masks of the transaction that this thread runs; None if it runs none."""
    return _used.get()
