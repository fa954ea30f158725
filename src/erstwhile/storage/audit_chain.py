"""The audit trail: entries that hang together by hashes, so that tampering shows.

Each scope has a chain of its own. An entry's hash covers the hash before it and its own fields, but
of the content only a digest that is salted with a nonce. Erasing removes the nonce: the chain stays
whole, and nobody can test a guess of the erased text against the digest.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from erstwhile.core.scope import DIMENSIONS, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One change: who did what to which record, when and why."""

    number: int
    at: datetime
    scope: Scope
    actor: str
    action: str
    subject: str
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What checking the trail found; `problems` is empty when all is well."""

    entries: int
    records: int
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.problems


def genesis(scope: Scope) -> bytes:
    """Where a scope's chain begins: at its name, so that facts cannot be given to another."""
    return sha256(_written([getattr(scope, name) for name in DIMENSIONS])).digest()


def new_nonce() -> bytes:
    return os.urandom(16)


def digest(nonce: bytes, reason: str | None, state: Sequence[Any]) -> bytes:
    """Stands for an entry's content without showing it."""
    return sha256(nonce + _written((reason, *state))).digest()


def link(before: bytes, content: bytes, fields: Sequence[str | int]) -> bytes:
    """The hash of an entry: of the one before it, its content's digest and its open fields."""
    return sha256(before + content + _written(fields)).digest()


def _written(fields: Sequence[Any]) -> bytes:
    """No stored text holds a NUL, so where one field ends and the next begins is beyond doubt.

    The sign before each value tells one that is missing from any that is written out.
    """
    return "\0".join(["" if field is None else f"={field!s}" for field in fields]).encode()
