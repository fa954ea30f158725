"""Changes that a client may send again: each is carried out once for each Idempotency-Key."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from hashlib import sha256

from erstwhile.core.errors import BusyError, ErstwhileError, UncertainError
from erstwhile.core.logs import log_failure
from erstwhile.core.receipt import Erasure, Receipt
from erstwhile.doors.http.refusals import HttpRefusalError, malformed
from erstwhile.doors.tokens import Token
from erstwhile.memory import Memory
from erstwhile.storage.requests import (
    LEASE,
    KeyedAttempt,
    KeyedRequest,
    RequestUnderWayError,
    earlier_answer,
)
from erstwhile.wire.encoding import written_json
from erstwhile.wire.verbs import WireVerb

HEADER = "idempotency-key"
_LONGEST_KEY = 255
_LONG_LEASE = timedelta(hours=1)
"""How long after its last transaction a verb that may work for long may be under way."""
_PAUSES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
"""Seconds to wait before each look for the answer of another try that is under way."""


def keyed_request(
    token: Token, view: Memory, key: str, verb: WireVerb, *parts: object
) -> KeyedRequest:
    """Return a request with its key, which only counts for this token and this scope."""
    if not key.isascii() or not key.isprintable() or not 0 < len(key) <= _LONGEST_KEY:
        raise malformed(
            "the Idempotency-Key cannot be used", f"give 1 to {_LONGEST_KEY} ASCII characters"
        )
    sender = [token.digest, asdict(view.scope), repr(view), key]
    is_long, erases = "long" in verb.marks, verb.result in (Receipt, Erasure)
    return KeyedRequest(
        key=_hash(sender),
        digest=_hash([verb.name, *(str(part) for part in parts)]),
        lease=_LONG_LEASE if is_long else LEASE,
        erases=erases,
        resumable=is_long or erases,
    )


def once(view: Memory, request: KeyedRequest, work: Callable[[Memory], str]) -> str:
    """Carry out a request, or return the answer that an earlier try got."""
    access, services = view._access, view._services  # noqa: SLF001 (the key is no verb)
    for pause in _PAUSES:
        time.sleep(pause)
        try:
            if (earlier := earlier_answer(access, request)) is not None:
                return earlier
            attempt = KeyedAttempt(access, request)
            answer = _carried_out(attempt, lambda made: work(Memory(made.access, services)))
        except RequestUnderWayError:
            continue
        with _told("an answer is not kept"):  # the change is stored, and its sender gets this one
            attempt.keep(answer)
        return answer
    busy = BusyError("this request is being carried out", remedy="ask for its answer again")
    raise HttpRefusalError(busy, 409, {"Retry-After": "1"})


def _carried_out(attempt: KeyedAttempt, work: Callable[[KeyedAttempt], str]) -> str:
    """Return the answer of a try. After a failure it may be tried again, unless in doubt."""
    try:
        return work(attempt)
    except (RequestUnderWayError, UncertainError):
        raise
    except Exception:
        with _told("a key is not released"):
            attempt.release()
        raise


@contextmanager
def _told(message: str) -> Iterator[None]:
    """Log a failure of the store that does not change what is answered."""
    try:
        yield
    except ErstwhileError as error:
        log_failure(__name__, message, error=error)


def _hash(value: object) -> str:
    return sha256(written_json(value)).hexdigest()
