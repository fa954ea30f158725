"""Versions of blocks as HTTP has them: an ETag with each block, and If-Match to change that one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from erstwhile.core.errors import ConflictError, ErstwhileError, InvalidInputError
from erstwhile.doors.http.refusals import HttpRefusalError, malformed
from erstwhile.wire.verbs import WireVerb

_IF_MATCH = "if-match"
_EXPECTED = "expected_version"
_TAG = re.compile(r'"([0-9]{1,18})"')


def etag(verb: WireVerb, answer: str) -> dict[str, str]:
    """Return the header with the version of a block."""
    if not verb.marks & {"version", "etag"}:
        return {}
    return {"ETag": f'"{json.loads(answer)["version"]}"'}


def expected_version(
    verb: WireVerb, headers: Mapping[str, str], arguments: Mapping[str, Any]
) -> dict[str, int]:
    """Return the version that the client wants to change, by its header."""
    given = headers.get(_IF_MATCH)
    if given is None or given.strip() == "*":
        return {}
    if "version" not in verb.marks:
        raise malformed("If-Match has no meaning here", "leave it out")
    found = _TAG.fullmatch(given.strip())
    if found is None:
        raise malformed("If-Match is not the ETag of a block", 'write it as "3"')
    if arguments.get(_EXPECTED) is not None:
        raise InvalidInputError("the version is given twice", remedy="give it once")
    return {_EXPECTED: int(found[1])}


def stale(
    verb: WireVerb, headers: Mapping[str, str], error: ConflictError
) -> HttpRefusalError | ErstwhileError:
    """Return the refusal of a change of another version than the header names."""
    if _IF_MATCH in headers and "version" in verb.marks and error.current is not None:
        return HttpRefusalError(error, 412)
    return error
