"""Metadata: JSON that a caller adds to a record."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from erstwhile.core.errors import InvalidInputError, TooLargeError
from erstwhile.secrets.masking import mask_json

MAX_METADATA = 50_000

_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
"""A NUL in JSON, but not an escaped backslash before u0000."""

NO_METADATA: Mapping[str, Any] = MappingProxyType({})


def checked_metadata(metadata: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return the metadata with secrets masked. Raise InvalidInputError if it is not JSON."""
    if not metadata:
        return NO_METADATA
    if not isinstance(metadata, Mapping) or not all(isinstance(key, str) for key in metadata):
        raise InvalidInputError("metadata must be a mapping with text keys")
    try:
        written = json.dumps(dict(metadata), allow_nan=False, ensure_ascii=False)
        written.encode()
        # What is too long is not masked first: that takes long.
        masked = None if len(written) > MAX_METADATA else mask_json(json.loads(written))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(
            f"metadata cannot be written as JSON ({error})", remedy="use only the types of JSON"
        ) from None
    if masked is None:
        raise TooLargeError(
            f"metadata has {len(written):,} characters as JSON, {MAX_METADATA:,} are allowed",
            remedy="store a reference instead",
        )
    if _NUL.search(written):
        raise InvalidInputError("metadata holds a NUL", remedy="remove it")
    return MappingProxyType(masked)
