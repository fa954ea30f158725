"""The tokens that let programs in over HTTP. Each has the scope that it opens.

The file has hashes only: a token is shown once, when it is made.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import Any

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.scope import DIMENSIONS, Scope

_PREFIX = "erstwhile_"
_OTHERS = 0o077
"""The rights of other accounts on a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token, without its secret."""

    digest: str
    """The SHA-256 of the token."""
    scope: Scope
    made_at: str


class TokenFile:
    """The tokens in a file that only its owner can read. A line that is removed is revoked."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def tokens(self) -> list[Token]:
        """Return all tokens."""
        try:
            opened = os.open(self.file, os.O_RDONLY)
        except FileNotFoundError:
            return []
        with os.fdopen(opened, encoding="utf-8") as text:
            if os.fstat(text.fileno()).st_mode & _OTHERS:
                raise InvalidInputError(
                    f"other accounts may read the tokens in {self.file}",
                    remedy="chmod 600 it, and make new tokens if somebody may have read it",
                )
            return [self._parsed(line) for line in text if line.strip()]

    def make(self, scope: Scope) -> str:
        """Make a token for a scope and return it. It cannot be shown again."""
        secret = _PREFIX + secrets.token_urlsafe(32)
        made = Token(
            digest=_digest(secret), scope=scope, made_at=datetime.now(UTC).isoformat("T", "seconds")
        )
        self._write([*self.tokens(), made])
        return secret

    def find(self, secret: str) -> Token | None:
        """Return the token with a secret. It takes the same time for each wrong one."""
        digest, found = _digest(secret), None
        for token in self.tokens():
            if compare_digest(token.digest, digest):
                found = token
        return found

    def _parsed(self, line: str) -> Token:
        try:
            written = json.loads(line)
            return Token(
                digest=written["sha256"],
                scope=Scope(**written["scope"]),
                made_at=written["made_at"],
            )
        except (ValueError, KeyError, TypeError):
            raise InvalidInputError(
                f"{self.file} has a line that is not a token", remedy="remove the line"
            ) from None

    def _write(self, tokens: list[Token]) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = self.file.with_name(f".{self.file.name}.{secrets.token_hex(8)}")
        opened = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(opened, "w", encoding="utf-8") as text:
            text.writelines(f"{json.dumps(_written(token))}\n" for token in tokens)
            text.flush()
            os.fsync(text.fileno())
        new.replace(self.file)


def _written(token: Token) -> dict[str, Any]:
    scope = {name: value for name, value in asdict(token.scope).items() if value is not None}
    return {"sha256": token.digest, "scope": scope, "made_at": token.made_at}


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def dimensions(scope: Scope) -> dict[str, str]:
    """Return the dimensions of a scope that are set."""
    return {name: value for name in DIMENSIONS if (value := getattr(scope, name)) is not None}
