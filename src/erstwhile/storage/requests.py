"""Requests that are carried out once, however often they arrive.

A client that got no answer sends a request again, with the same key. The transaction of the change
writes the key, so that the change and the key are stored together or not at all; a second try, in
any process, finds the key and changes nothing. The answer is stored afterwards. If a crash comes
between, the key has no answer, and after a while nobody is waited for any more: the second try is
told that the change is stored, or does again what may be done twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from secrets import token_hex
from typing import TYPE_CHECKING

from erstwhile.core.errors import ConflictError, InvalidInputError
from erstwhile.core.time import to_micros

if TYPE_CHECKING:
    from erstwhile.storage.access import Access
    from erstwhile.storage.unit import Unit

KEPT_FOR = timedelta(days=1)
"""How long a key is known."""
LEASE = timedelta(minutes=2)
"""How long after its last transaction a request may be under way."""


_ERASED = "this request was carried out, and an erasure removed its answer"
_CUT_SHORT = "this request was carried out, and the server ended before it kept the answer"
_LOOK = "look at what is stored"


class RequestUnderWayError(Exception):
    """An earlier try of the same request is carrying it out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedRequest:
    """A request with the key of its sender. Both are hashes."""

    key: str
    digest: str
    """The hash of the whole request: another one must not have the same key."""
    lease: timedelta = LEASE
    erases: bool = False
    """Whether it destroys records. Its answer repeats none of them: it has ids and counts."""
    resumable: bool = False
    """Whether it may be carried out again if a crash has cut it short."""


def earlier_answer(access: Access, request: KeyedRequest) -> str | None:
    """Return the answer to an earlier try; None if there was none, or it was cut short.

    Raise InvalidInputError if the key is of another request, ConflictError if the request was
    carried out and its answer is lost, and RequestUnderWayError if it may still come.
    """
    now = access.clock.now()
    known = {"key": request.key, "since": to_micros(now - KEPT_FOR)}
    rows = access.ask(lambda view: view.rows("find_request", known))
    if not rows:
        return None
    digest, answer, marked_at = rows[0]
    if digest != request.digest:
        raise InvalidInputError(
            "this idempotency key belongs to another request", remedy="use a new key"
        )
    if answer:
        return str(answer)
    if answer == "" and not request.erases:
        raise ConflictError(_ERASED, remedy=_LOOK)
    if marked_at > to_micros(now - request.lease):
        raise RequestUnderWayError
    if not request.resumable:
        raise ConflictError(_CUT_SHORT, remedy=_LOOK)
    return None


class KeyedAttempt:
    """One try of a request: its changes store the key, and then it keeps the answer."""

    def __init__(self, access: Access, request: KeyedRequest) -> None:
        self._store = access
        self._request = request
        self._claim = token_hex(16)
        self._is_marked = False
        self.access = access.accompanied(self._beside)
        """An access whose changes store the key."""

    def keep(self, answer: str) -> None:
        """Store the answer."""
        self._store.change(lambda unit: self._mark(unit, answer))

    def release(self) -> None:
        """Forget the key after a failure: a request of several changes may have stored it."""
        if self._is_marked:
            own = {"key": self._request.key, "claim": self._claim}
            self._store.change(lambda unit: unit.run("release_request", own))

    def _beside(self, unit: Unit) -> None:
        if not self._mark(unit):
            raise RequestUnderWayError
        self._is_marked = True

    def _mark(self, unit: Unit, answer: str | None = None) -> bool:
        request = self._request
        unit.run("forget_requests", {"since": to_micros(unit.now - KEPT_FOR)})
        expired = to_micros(unit.now - request.lease) if request.resumable else 0
        marked = {
            "key": request.key,
            "digest": request.digest,
            "claim": self._claim,
            "now": to_micros(unit.now),
            "answer": answer,
            "expired": expired,
            "erases": int(request.erases),
        }
        return bool(unit.run("mark_request", marked))
