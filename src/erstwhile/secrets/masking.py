"""Mask the secrets in every text before it is stored, searched or embedded.

The mask names the kind of secret and is always the same, so that equal texts stay equal. `scan.py`
finds the secrets.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

_Class = TypeVar("_Class")
_PLACEHOLDER = "[masked:soon]"
_MAX_TRIES = 8
"""Other transactions may change the text. After so many tries it is masked at once."""
_MASK_NAME = re.compile(r"\[masked:([\w-]+)\]")
_prepared_masks: ContextVar[PreparedMasks | None] = ContextVar("prepared masks", default=None)
_kept_rules: ContextVar[frozenset[str]] = ContextVar("kept rules", default=frozenset())
_found: ContextVar[set[str] | None] = ContextVar("rules that found a secret", default=None)


def mask_text(text: str) -> str:
    """Return the text with every secret in it masked.

    Invisible characters do not hide a secret; they are masked with it. In a transaction the masks
    are prepared, since others wait for its lock.
    """
    prepared = _prepared_masks.get()
    return mask_now(text) if prepared is None else prepared.masked(text)


def mask_now(text: str) -> str:
    """Mask a text, even while a lock is held. Only errors need it: their messages are short."""
    from erstwhile.secrets.scan import mask_secrets  # loads the rules on first use

    return _noted(text, mask_secrets(text))


def is_kept(rule: str) -> bool:
    """Return whether a rule masks nothing in the current verb."""
    return rule in _kept_rules.get()


def found_secrets() -> set[str] | None:
    """Return the rules that have found a secret in the current verb; None if none looks."""
    return _found.get()


@contextmanager
def secrets_noted(kept: frozenset[str]) -> Iterator[None]:
    """Note in this thread which rules find a secret; those that are `kept` find none."""
    were_kept, were_found = _kept_rules.set(kept), _found.set(set())
    try:
        yield
    finally:
        _kept_rules.reset(were_kept)
        _found.reset(were_found)


def _noted(text: str, masked: str) -> str:
    """Return the masked text. Note the masks that the text did not have before."""
    found = _found.get()
    if found is not None and masked != text:
        found.update(Counter(_MASK_NAME.findall(masked)) - Counter(_MASK_NAME.findall(text)))
    return masked


def mask_json(value: Any) -> Any:
    """Return JSON with masked secrets; a value under a key that names a secret is masked too."""
    match value:
        case str():
            return mask_text(value)
        case Mapping():
            return {mask_text(key): _mask_field(key, each) for key, each in value.items()}
        case list() | tuple():
            return [mask_json(each) for each in value]
    return value


def _mask_field(key: str, value: Any) -> Any:
    from erstwhile.secrets.scan import mask_of_field

    if value is None or isinstance(value, bool) or value in ("", [], {}):
        return value
    if (mask := mask_of_field(key, value)) is not None:
        return _noted(str(value), mask)
    return mask_json(value)


def masked_repr(kind: type[_Class]) -> type[_Class]:
    """Let the `repr` and `str` of a public class repeat no secret.

    Texts of records are masked already; names and ids are not, and callers make records, too.
    """
    shown = kind.__repr__
    kind.__repr__ = lambda self: mask_text(shown(self))  # type: ignore[method-assign]
    if "__str__" in vars(kind):
        text_of = kind.__str__
        kind.__str__ = lambda self: mask_text(text_of(self))  # type: ignore[method-assign]
    return kind


class MasksMissingError(Exception):
    """Raised to run a transaction again, with the masks that were missing."""


class PreparedMasks:
    """The masked texts for one transaction, which may be run several times.

    No text is masked while a transaction holds a lock: others would wait for it. Most texts are
    masked before their transaction begins. Some are put together inside of it, such as the content
    of a block after an edit. Such a text is noted and the transaction rolled back; then the text is
    masked, and the transaction runs again. Nothing that is not masked can be stored: as long as a
    text is missing, a placeholder takes its place, and nothing is committed.
    """

    def __init__(self) -> None:
        self._masked: dict[str, str] = {}
        self._missing: set[str] = set()
        self._tries = 0

    @contextmanager
    def used(self) -> Iterator[None]:
        """Let `mask_text` use these masks in this thread; raise if one was missing."""
        if self._tries >= _MAX_TRIES:
            yield
            return
        self._missing.clear()
        before = _prepared_masks.get()
        try:
            _prepared_masks.set(self)
            yield
        except Exception:
            if not self._missing:  # a placeholder may be the reason of the error
                raise
        finally:
            _prepared_masks.set(before)
        if self._missing:
            self._tries += 1
            raise MasksMissingError

    def masked(self, text: str) -> str:
        """Return a text with its secrets masked, or a placeholder until it is prepared."""
        if text not in self._masked:
            self._missing.add(text)
        return self._masked.get(text, _PLACEHOLDER)

    def prepare(self, mask: Callable[[str], str], texts: Iterable[str] = ()) -> None:
        """Mask texts, and those that were missing, outside of the transaction."""
        for text in {*texts, *self._missing}:
            self._masked[text] = _noted(text, mask(text))


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

    An interrupt may hit `used` where it cleans up. Then every later text would be a placeholder.
    """
    _prepared_masks.set(None)
