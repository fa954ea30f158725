"""Idempotency-Key: carry out a repeated request once, and return its first answer again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from hashlib import sha256

import anyio

from erstwhile.core.errors import BusyError, ErstwhileError, UncertainError
from erstwhile.core.logs import log_failure
from erstwhile.core.results import Erasure, Receipt
from erstwhile.memory import Memory
from erstwhile.rpc.codec import json_bytes
from erstwhile.rpc.verbs import Verb
from erstwhile.servers.problems import HttpError, bad_request
from erstwhile.servers.threads import RunOnThread
from erstwhile.servers.tokens import Token
from erstwhile.storage.requests import (
    LEASE,
    KeyedAttempt,
    KeyedRequest,
    RequestUnderWayError,
    earlier_answer,
)

_MAX_KEY = 255
_LONG_LEASE = timedelta(hours=1)
"""Lease of a `long` verb after its last transaction."""
_PAUSES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
"""Seconds to wait before each check for the answer of a concurrent attempt."""
_under_way: set[str] = set()
"""Keys of the requests that this process carries out."""


def keyed_request(token: Token, view: Memory, key: str, verb: Verb, *parts: object) -> KeyedRequest:
    """Return a request with its key, which is valid for one token and scope."""
    if not key.isascii() or not key.isprintable() or not 0 < len(key) <= _MAX_KEY:
        raise bad_request(
            "the Idempotency-Key cannot be used", f"give 1 to {_MAX_KEY} ASCII characters"
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


async def once(
    view: Memory, request: KeyedRequest, work: Callable[[Memory], str], run: RunOnThread
) -> str:
    """Carry out a request, or return the answer of an earlier attempt.

    Attempts with the same key wait for each other, here without a thread.
    """
    for pause in _PAUSES:
        await anyio.sleep(pause)
        if request.key in _under_way:
            continue
        _under_way.add(request.key)
        try:
            return await run(_attempt, view, request, work)
        except RequestUnderWayError:  # in another process
            continue
        finally:
            _under_way.discard(request.key)
    busy = BusyError("this request is being carried out", remedy="ask for its answer again")
    raise HttpError(busy, 409, {"Retry-After": "1"})


def _attempt(view: Memory, request: KeyedRequest, work: Callable[[Memory], str]) -> str:
    """Carry out a request, or return an earlier answer, or raise RequestUnderWayError."""
    access, services = view._access, view._services  # noqa: SLF001 (the key is no verb)
    attempt = KeyedAttempt(access, request)
    try:
        if (earlier := earlier_answer(access, request)) is not None:
            return earlier
        answer = work(Memory(attempt.access, services))
    except (RequestUnderWayError, UncertainError):  # the change may be, or will be, stored
        raise
    except Exception:
        with _log_errors("a key is not released"):
            attempt.release()
        raise
    with _log_errors("an answer is not kept"):  # the change is stored and answered
        attempt.keep(answer)
    return answer


@contextmanager
def _log_errors(message: str) -> Iterator[None]:
    """Log errors of the store that do not change the answer."""
    try:
        yield
    except ErstwhileError as error:
        log_failure(__name__, message, error=error)


def _hash(value: object) -> str:
    return sha256(json_bytes(value)).hexdigest()
