"""The audit trail: entries linked by hashes, so that tampering can be detected.

Each scope has its own chain. The hash of an entry covers the previous hash and its own fields, but
only a digest of the content, salted with a nonce. The content has no number that one store gave,
such as the number of a scope: so a chain is valid in every store. An erasure removes the nonce: the
chain stays valid, and a guess of the erased text cannot be tested against the digest.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from erstwhile.core.scope import DIMENSIONS, Scope
from erstwhile.secrets.masking import masked_repr


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One change: who did what to which record, when and why."""

    number: int
    """Its place in the trail of its scope, from 1."""
    at: datetime
    scope: Scope
    actor: str
    action: str
    subject: str
    reason: str | None


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The result of `audit.verify`; `problems` is empty if nothing is wrong."""

    entries: int
    records: int
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.problems


def genesis(scope: Scope) -> bytes:
    """Return the first hash of a chain. It depends on the scope: no chain fits another scope."""
    return sha256(_written([getattr(scope, name) for name in DIMENSIONS])).digest()


def new_nonce() -> bytes:
    return os.urandom(16)


def new_key() -> bytes:
    """Return the key of a scope: with it, equal inputs can be found without storing them."""
    return os.urandom(32)


def digest(nonce: bytes, reason: str | None, state: Sequence[Any]) -> bytes:
    """Return the salted digest of the content of an entry."""
    return sha256(nonce + _written((reason, *state))).digest()


def link(before: bytes, content: bytes, fields: Sequence[str | int]) -> bytes:
    """Return the hash of an entry, made from the previous hash, its digest and its open fields."""
    return sha256(before + content + _written(fields)).digest()


def _written(fields: Sequence[Any]) -> bytes:
    """Join fields unambiguously: no stored text contains a NUL character.

    The sign before each value distinguishes a missing value from an empty one.
    """
    return "\0".join(["" if field is None else f"={field!s}" for field in fields]).encode()
