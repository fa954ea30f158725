"""Ids are UUIDv7: sorting by id sorts by the time of recording."""

from __future__ import annotations

import os
import re
from datetime import datetime

from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.time import to_micros

_WRITTEN = re.compile(r"[0-9a-f-]{1,36}")
MIN_ID = "00000000-0000-0000-0000-000000000000"
MAX_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff"


def new_id(moment: datetime) -> str:
    """Return a UUIDv7 whose 12 bits after the milliseconds hold microseconds (RFC 9562, 6.2)."""
    millis, micros = divmod(to_micros(moment), 1000)
    head, chance = f"{millis & 0xFFFFFFFFFFFF:012x}", os.urandom(8)
    variant, tail = "89ab"[chance[0] & 3], chance.hex()
    return f"{head[:8]}-{head[8:]}-7{micros * 4096 // 1000:03x}-{variant}{tail[1:4]}-{tail[4:]}"


def short_id(full: str) -> str:
    """Return the part of an id that holds its time. It is nearly always unique in a store."""
    return full[:18]


def looks_like_id(given: str) -> bool:
    """Return whether a text is written like an id or the beginning of one."""
    return bool(_WRITTEN.fullmatch(given.strip().lower()))


def id_range(given: str) -> tuple[str, str]:
    """Return the lowest and highest id with a given beginning.

    Raise NotFoundError if no id begins so.
    """
    if not isinstance(given, str):
        raise InvalidInputError(
            f"an id must be text, not {type(given).__name__}", remedy="give it as a str"
        )
    prefix = given.strip().lower()
    if not prefix:
        raise InvalidInputError("the id is blank", remedy="give an id or the beginning of one")
    if not prefix.isprintable():
        raise InvalidInputError("the id has control characters", remedy="leave them out")
    if not _WRITTEN.fullmatch(prefix):
        raise NotFoundError(
            f"{given!r} is not an id", remedy="ids hold only the digits 0-9, the letters a-f and -"
        )
    return prefix + MIN_ID[len(prefix) :], prefix + MAX_ID[len(prefix) :]


def id_in_cursor(cursor: str) -> str:
    """Return the id in the cursor of a page. Raise InvalidInputError if it is not a cursor."""
    try:
        return id_range(cursor)[0]
    except (InvalidInputError, NotFoundError):
        raise InvalidInputError(
            f"{cursor!r} is not a cursor", remedy="pass a page's `next`"
        ) from None
