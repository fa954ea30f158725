"""Seals: old audit entries give way to one, and the chain of hashes can still be verified.

A seal is an entry at the end of a chain. Its subject is the number of the last entry that it
covers. Of the entries up to that number only those stay that a stored state needs, and the last
one, whose hash the next entry continues. The digest of the seal covers all entries that stay.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from erstwhile.core.ports import Row
from erstwhile.storage.audit_chain import digest
from erstwhile.storage.view import View

SEAL = "audit.seal"


class Seal:
    """The seal of one chain, and what was read of the entries that it keeps."""

    def __init__(self, subject: str = "0", *content: str | bytes | None) -> None:
        self.last = int(subject)
        """The number of the last entry that it covers; 0 if the chain was never sealed."""
        self._content = content
        self._kept = sha256()

    def covers(self, entry: Row) -> bool:
        return bool(entry[0] <= self.last)

    def removes(self, entry: Row) -> bool:
        """Return whether an entry is covered and not kept. It is removed after the sealing."""
        return self.covers(entry) and bool(entry[-1] < self.last)

    def follow(self, entry: Row) -> tuple[int, bytes, int] | None:
        """Read a kept entry; return its number, hash and place, or None if it is not covered."""
        if not self.covers(entry):
            return None
        self._kept.update(_written(entry))
        return entry[0], entry[8], entry[9]

    def is_intact(self) -> bool:
        if not self.last:
            return True
        reason, nonce, content = self._content
        state = (self.last, self._kept.hexdigest())
        return isinstance(nonce, bytes) and digest(nonce, _text(reason), state) == content


def find_seal(view: View, scope: int) -> Seal:
    """Return the newest seal of a chain."""
    rows = view.rows("newest_seal", {"scope": scope})
    return Seal(*rows[0]) if rows else Seal()


def digest_of_kept(entries: Iterable[Row]) -> str:
    """Return what a seal says about the entries that it keeps, in their order."""
    kept = sha256()
    for entry in entries:
        kept.update(_written(entry))
    return kept.hexdigest()


def _written(entry: Row) -> bytes:
    """Return all fields of an entry that never change. An erasure removes reason and nonce."""
    seq, at, actor, action, subject, _reason, _nonce, content, hashed, *_ = entry
    open_fields = "\0".join(map(str, (seq, at, actor, action, subject)))
    return sha256(open_fields.encode() + b"\0" + content + hashed).digest()


def _text(value: str | bytes | None) -> str | None:
    return value if isinstance(value, str) else None
