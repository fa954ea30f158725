"""Requests that are carried out once, however often they arrive.

A client that got no answer sends a request again, with the same key. The transaction of the change
writes the key, so that the change and the key are stored together or not at all; a second try, in
any process, finds the key and changes nothing. The answer is stored afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from secrets import token_hex

from erstwhile.core.errors import ConflictError, InvalidInputError
from erstwhile.core.time import to_micros
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit

KEPT_FOR = timedelta(days=1)
"""How long a key is known."""


class RepeatedRequestError(ConflictError):
    """An earlier try of the same request carried it out, or is carrying it out."""

    is_under_way = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedRequest:
    """A request with the key of its sender. Both are hashes."""

    key: str
    digest: str
    """The hash of the whole request: another one must not have the same key."""


def earlier_answer(access: Access, request: KeyedRequest) -> str | None:
    """Return the answer to an earlier try; None if there was none.

    Raise InvalidInputError if the key is of another request, and RepeatedRequestError if the
    request was carried out and its answer is not here: not yet, or no longer.
    """
    since = to_micros(access.clock.now() - KEPT_FOR)
    rows = access.ask(lambda view: view.rows("find_request", {"key": request.key, "since": since}))
    if not rows:
        return None
    digest, answer = rows[0]
    if digest != request.digest:
        raise InvalidInputError(
            "this idempotency key belongs to another request", remedy="use a new key"
        )
    if not answer:
        raise _repeated(is_under_way=answer is None)
    return str(answer)


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
            raise _repeated(is_under_way=True)
        self._is_marked = True

    def _mark(self, unit: Unit, answer: str | None = None) -> bool:
        now = to_micros(unit.now)
        unit.run("forget_requests", {"since": now - KEPT_FOR // timedelta(microseconds=1)})
        written = {"key": self._request.key, "digest": self._request.digest, "claim": self._claim}
        return bool(unit.run("mark_request", {**written, "now": now, "answer": answer}))


def _repeated(*, is_under_way: bool) -> RepeatedRequestError:
    error = RepeatedRequestError(
        "this request was carried out, and an erasure removed its answer",
        remedy="look at what is stored",
    )
    error.is_under_way = is_under_way
    return error
