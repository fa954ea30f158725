"""The token for a memory on a server. It is never an argument: everybody could read it there."""

from __future__ import annotations

import os
from pathlib import Path

from erstwhile.core.errors import InvalidInputError

TOKEN, TOKEN_FILE = "ERSTWHILE_TOKEN", "ERSTWHILE_TOKEN_FILE"


def server_token() -> str:
    """Return the token of the environment, or of the file that the environment names."""
    if token := os.environ.get(TOKEN, "").strip():
        return token
    file = os.environ.get(TOKEN_FILE)
    if not file:
        raise InvalidInputError(
            "a memory on a server needs a token",
            remedy=f"set {TOKEN}, or {TOKEN_FILE} to a file that has it",
        )
    try:
        return Path(file).expanduser().read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise InvalidInputError(
            f"{TOKEN_FILE} names {file}, which cannot be read", remedy="correct the variable"
        ) from None
