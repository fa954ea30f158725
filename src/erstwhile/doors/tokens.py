"""The tokens that let programs in over HTTP: what each opens, and what its holder may do.

The file has hashes only: a token is shown once, when it is made.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from erstwhile.core.errors import AmbiguousIdError, InvalidInputError, NotFoundError
from erstwhile.core.scope import SHARED, Scope
from erstwhile.core.text import checked_id

_PREFIX = "erstwhile_"
_SHORT = 12
_OTHERS = 0o077
"""The rights of other accounts on a file."""
_REVOKED = "revoked"
_LONGEST_NAME = 100
"""The audit trail has the name beside that of the client."""


class Right(StrEnum):
    """What the holder of a token may do. Each right has those before it."""

    READ = "read"
    WRITE = "write"
    """Also add, change, hide and restore records."""
    ADMIN = "admin"
    """Also destroy records, import, and tend the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token, without its secret."""

    digest: str = field(repr=False)
    """The SHA-256 of the token."""
    name: str
    """Who holds it; in the audit trail for changes through it."""
    scope: Scope = SHARED
    space: str | None = None
    """The tenant in a shared PostgreSQL database; None for the one that the server opened."""
    right: Right = Right.WRITE
    person: bool = False
    """Whether the holder may speak for persons: facts with the origin `user`, decisions that a
    person decided. All others are agents, whose words the guard judges."""
    made_at: datetime
    expires_at: datetime | None = None

    @property
    def id(self) -> str:
        """What it is listed and revoked by: the beginning of its hash."""
        return self.digest[:_SHORT]

    def may(self, right: Right) -> bool:
        """Return whether the holder has a right."""
        order = list(Right)
        return order.index(right) <= order.index(self.right)

    def expired(self, now: datetime) -> bool:
        """Return whether its time is over."""
        return self.expires_at is not None and self.expires_at <= now


class NewToken(NamedTuple):
    """A token that was just made, and its secret, which cannot be shown again."""

    token: Token
    secret: str


class TokenFile:
    """The tokens in a file that only its owner can read.

    Each change is one more line, so that two processes never undo the change of the other. Every
    process sees it with its next request.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._read: tuple[tuple[int, ...], dict[str, Token]] = (), {}

    def tokens(self) -> list[Token]:
        """Return all tokens that are not revoked, in the order in which they were made."""
        return list(self._by_digest().values())

    def make(
        self,
        name: str,
        scope: Scope = SHARED,
        *,
        space: str | None = None,
        right: Right = Right.WRITE,
        person: bool = False,
        expires_at: datetime | None = None,
    ) -> NewToken:
        """Make a token. Its secret cannot be shown again."""
        secret = _PREFIX + secrets.token_urlsafe(32)
        made = Token(
            digest=_digest(secret),
            name=checked_id(name, name="name", limit=_LONGEST_NAME),
            scope=scope,
            space=space if space is None else checked_id(space, name="space"),
            right=right,
            person=person,
            made_at=datetime.now(UTC).replace(microsecond=0),
            expires_at=expires_at,
        )
        self._append(_written(made))
        return NewToken(made, secret)

    def find(self, secret: str) -> Token | None:
        """Return the token with a secret, unless it is revoked or expired.

        The search by hash tells an attacker nothing: nobody can choose the hash of a guess.
        """
        found = self._by_digest().get(_digest(secret))
        return None if found is None or found.expired(datetime.now(UTC)) else found

    def is_valid(self, token: Token) -> bool:
        """Return whether a token that was found earlier is neither revoked nor expired."""
        return token.digest in self._by_digest() and not token.expired(datetime.now(UTC))

    def revoke(self, wanted: str) -> Token:
        """Revoke a token by its id, or a beginning of it, or its name."""
        known = self.tokens()
        begun = [each for each in known if wanted and each.digest.startswith(wanted.lower())]
        found = begun or [each for each in known if each.name == wanted]
        if not found:
            raise NotFoundError(f"there is no token {wanted!r}", remedy="see erstwhile tokens list")
        if len(found) > 1:
            raise AmbiguousIdError(wanted, tuple(each.id for each in found))
        self._append({_REVOKED: found[0].digest})
        return found[0]

    def _by_digest(self) -> dict[str, Token]:
        """Return the tokens by their hashes. Unless the file has changed, it is not read again."""
        try:
            opened = os.open(self.file, os.O_RDONLY)
        except FileNotFoundError:
            return {}
        with os.fdopen(opened, encoding="utf-8") as text:
            status = os.fstat(text.fileno())
            if status.st_mode & _OTHERS:
                raise InvalidInputError(
                    f"other accounts may read the tokens in {self.file}",
                    remedy="chmod 600 it, and make new tokens if somebody may have read it",
                )
            state = (status.st_ino, status.st_size, status.st_mtime_ns)
            if self._read[0] != state:
                self._read = state, self._parsed(text.read())
        return self._read[1]

    def _parsed(self, text: str) -> dict[str, Token]:
        tokens = dict[str, Token]()
        for line in filter(str.strip, text.splitlines()):
            try:
                written = json.loads(line)
                if _REVOKED in written:
                    tokens.pop(written[_REVOKED], None)
                else:
                    tokens[written["sha256"]] = _token(**written)
            except (ValueError, KeyError, TypeError):
                raise InvalidInputError(
                    f"{self.file} has a line that is not a token", remedy="remove the line"
                ) from None
        return tokens

    def _append(self, written: dict[str, Any]) -> None:
        self.tokens()  # a file that others may read, or that is damaged, gets no more tokens
        self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        opened = os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(opened, f"{json.dumps(written)}\n".encode())
            os.fsync(opened)
        finally:
            os.close(opened)


def keep_secret(file: Path, secret: str) -> None:
    """Write a secret into a new file that only its owner can read.

    It takes the place of a file or a link that is there: that may belong to somebody else.
    """
    fresh = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    opened = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(opened, "w", encoding="utf-8") as text:
            text.write(f"{secret}\n")
        fresh.replace(file)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


def _written(token: Token) -> dict[str, Any]:
    """Return the line of a token: what differs from the defaults."""
    given = {
        "name": token.name,
        "scope": dimensions(token.scope),
        "space": token.space,
        "right": token.right.value,
        "person": token.person,
        "made_at": token.made_at.isoformat(),
        "expires_at": token.expires_at and token.expires_at.isoformat(),
    }
    return {"sha256": token.digest, **{name: value for name, value in given.items() if value}}


def _token(
    *,
    sha256: str,
    made_at: str,
    name: str = "unnamed",
    scope: dict[str, str] | None = None,
    right: str = Right.WRITE,
    expires_at: str | None = None,
    **others: Any,
) -> Token:
    """Return the token of a line. Raise TypeError or ValueError if it is none."""
    return Token(
        digest=sha256,
        name=name,
        scope=Scope(**(scope or {})),
        right=Right(right),
        made_at=datetime.fromisoformat(made_at),
        expires_at=datetime.fromisoformat(expires_at) if expires_at else None,
        **others,
    )


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def dimensions(scope: Scope) -> dict[str, str]:
    """Return the dimensions of a scope that are set."""
    return {name: value for name, value in asdict(scope).items() if value is not None}
