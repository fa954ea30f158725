"""API tokens: the file with their hashes, their permissions, and the memory of each.

A token is shown once, when it is created.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import parse_qs, urlencode, urlsplit

from erstwhile.core.errors import (
    AmbiguousIdError,
    ErstwhileError,
    InvalidInputError,
    NotFoundError,
    RefusedError,
)
from erstwhile.core.public_record import to_json
from erstwhile.core.scope import SHARED, Scope, dimensions_of
from erstwhile.core.text import checked_id
from erstwhile.engines.sqlite.location import read_location
from erstwhile.rpc.codec import decode

if TYPE_CHECKING:
    from erstwhile.memory import Memory

_PREFIX = "erstwhile_"
_SECRET = re.compile(_PREFIX + r"[\w-]{40,200}", re.ASCII)
_PLACES = ("host", "port", "dbname")
"""Options of a PostgreSQL address that say where the database is."""
_SHORT = 12
_OTHERS = 0o077
"""Permission bits of other accounts."""
_REVOKED = "revoked"
_MAX_NAME = 100
"""The audit trail has this name beside the name of the client."""
_MAX_SPACES = 100
"""The most open spaces of one process. Each has its own connections."""


class Right(StrEnum):
    """Permission of a token. Each includes those before it."""

    READ = "read"
    WRITE = "write"
    """Also add, change, hide and restore records."""
    ADMIN = "admin"
    """Also destroy records, import, and maintain the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """An API token without its secret."""

    digest: str = field(repr=False)
    """The SHA-256 of the token."""
    name: str
    """Name of the holder, for the audit trail."""
    scope: Scope = SHARED
    store: str | None = None
    """The memory that it opens, as `store_name` writes it; None for any."""
    space: str | None = None
    """Tenant in a shared PostgreSQL database; None for the space of the server."""
    right: Right = Right.WRITE
    person: bool = False
    """Whether the holder may act for people: facts with the origin `person`, decisions of a person.
    Other holders are agents; the guard checks their writes."""
    made_at: datetime
    expires_at: datetime | None = None

    @property
    def id(self) -> str:
        """The beginning of the hash, for listing and revoking."""
        return self.digest[:_SHORT]

    def may(self, right: Right) -> bool:
        order = list(Right)
        return order.index(right) <= order.index(self.right)

    def expired(self, now: datetime) -> bool:
        """Return whether the token has expired."""
        return self.expires_at is not None and self.expires_at <= now


class NewToken(NamedTuple):
    """A new token and its secret, which cannot be shown again."""

    token: Token
    secret: str


class TokenFile:
    """Tokens in a file that only its owner can read.

    Each change appends a line, so that two processes never undo each other's changes. Every process
    sees a change with its next request.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._cache: tuple[tuple[int, ...], dict[str, Token]] = (), {}
        self._revoked: set[str] = set()

    def tokens(self) -> list[Token]:
        """Return all tokens that are not revoked, oldest first."""
        return list(self._by_digest().values())

    def make(
        self,
        name: str,
        scope: Scope = SHARED,
        *,
        store: str | None = None,
        space: str | None = None,
        right: Right = Right.WRITE,
        person: bool = False,
        expires_at: datetime | None = None,
        secret: str = "",
    ) -> NewToken:
        """Create a token with a new secret, or with a given one. It cannot be shown again."""
        secret = secret or _PREFIX + secrets.token_urlsafe(32)
        made = Token(
            digest=_digest(secret),
            name=_checked_name(name),
            scope=scope,
            store=store,
            space=space if space is None else checked_id(space, name="space"),
            right=right,
            person=person,
            made_at=datetime.now(UTC).replace(microsecond=0),
            expires_at=expires_at,
        )
        self._append(_to_json(made))
        return NewToken(made, secret)

    def opening(self, store: str) -> list[Token]:
        """Return the tokens that open a store, without those that have expired."""
        now = datetime.now(UTC)
        own = [each for each in self.tokens() if each.store in (None, store)]
        return [each for each in own if not each.expired(now)]

    def was_revoked(self, secret: str) -> bool:
        return self._by_digest().get(_digest(secret)) is None and _digest(secret) in self._revoked

    def find(self, secret: str) -> Token | None:
        """Return the token with a secret, unless it is revoked or expired.

        A lookup by hash has no timing leak: nobody can choose the hash of a guess.
        """
        found = self._by_digest().get(_digest(secret))
        return None if found is None or found.expired(datetime.now(UTC)) else found

    def is_valid(self, token: Token) -> bool:
        """Return whether a token found earlier can be read, and is neither revoked nor expired."""
        try:
            return token.digest in self._by_digest() and not token.expired(datetime.now(UTC))
        except ErstwhileError:
            return False

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
        """Return the tokens by hash. Read the file again only if it has changed."""
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
            if self._cache[0] != state:
                self._cache = state, self._parse(text.read())
        return self._cache[1]

    def _parse(self, text: str) -> dict[str, Token]:
        tokens = dict[str, Token]()
        for line in filter(str.strip, text.splitlines()):
            try:
                written = json.loads(line)
                if _REVOKED in written:
                    tokens.pop(written[_REVOKED], None)
                    self._revoked.add(written[_REVOKED])
                else:
                    tokens[written["sha256"]] = _from_json(written)
            except (ValueError, KeyError, TypeError, InvalidInputError):
                raise InvalidInputError(
                    f"{self.file} has a line that is not a token", remedy="remove the line"
                ) from None
        return tokens

    def _append(self, written: dict[str, Any]) -> None:
        self.tokens()  # raises if others may read the file, or if it is damaged
        self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        opened = os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(opened, f"{json.dumps(written)}\n".encode())
            os.fsync(opened)
        finally:
            os.close(opened)


def write_secret_file(file: Path, secret: str) -> None:
    """Write a secret to a new file that only its owner can read.

    It replaces an existing file or link, which may belong to somebody else.
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


def read_mounted_secret(file: Path) -> str:
    """Return the secret in a file of another account, such as a mounted secret of a container.

    Whoever can write the file chooses the token. An agent with a shell can write the files of its
    own account, so a file of this account is refused.
    """
    try:
        status, secret = file.stat(), file.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not ASCII"
        raise InvalidInputError(
            f"the secret in {file} cannot be read ({reason})",
            remedy="mount it so that this account can read it",
        ) from None
    if status.st_uid == os.geteuid() or os.access(file, os.W_OK):
        raise RefusedError(
            f"this account can write {file}",
            remedy="let another account own the file, and let this one only read it",
        )
    if not _SECRET.fullmatch(secret):
        raise InvalidInputError(
            f"{file} has no secret of a token",
            remedy=f"write {_PREFIX} and 40 or more random letters and digits",
        )
    return secret


def store_name(location: str) -> str:
    """Return the name of a store: the path of a file, or an address without its login."""
    if "://" not in location or location.startswith("file:"):
        return read_location(location).path
    parts = urlsplit(location)
    given = {name: each for name, each in parse_qs(parts.query).items() if name in _PLACES}
    query = f"?{urlencode(given, doseq=True)}" if given else ""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2].lower()}{parts.path}{query}"


def _checked_name(name: str) -> str:
    """Return a name without a colon, which separates it from the actor in the audit trail."""
    if ":" in name:
        raise InvalidInputError("the name of a token has no colon", remedy="write - instead")
    return checked_id(name, name="name", limit=_MAX_NAME)


def _to_json(token: Token) -> dict[str, Any]:
    """Return the JSON line of a token, without defaults."""
    given = {**to_json(token), "scope": dimensions_of(token.scope)}
    kept = {name: value for name, value in given.items() if value and name != "id"}
    return {"sha256": kept.pop("digest"), **kept}


def _from_json(written: dict[str, Any]) -> Token:
    """Return the token of a JSON line. Raise an error for another line."""
    fields = {"name": "unnamed", **written, "digest": written["sha256"]}
    if ":" in fields["name"]:
        raise ValueError(fields["name"])
    return cast("Token", decode(fields, Token, "token", strict=False))


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


class Spaces:
    """The memories of a server: its own space, and other spaces on demand of their tokens."""

    def __init__(
        self,
        memory: Memory,
        space: str,
        open_space: Callable[[str], Memory] | None = None,
        *,
        store: str | None = None,
    ) -> None:
        """Without the name of its `store`, only tokens for any store have access."""
        self._own = memory
        self._space = space
        self._store = store
        self._open_space = open_space
        self._opened: dict[str, Memory] = {}
        self._lock = Lock()

    def memory_of(self, token: Token) -> Memory:
        """Return the memory of a token, or raise an ErstwhileError."""
        if token.store not in (None, self._store):
            raise RefusedError("this token opens another memory", remedy="make one for this memory")
        memory = self._own if token.space in (None, self._space) else self._other(str(token.space))
        scoped = memory.scoped(**dimensions_of(token.scope))
        viewer = scoped._access.viewer  # noqa: SLF001 (only a server bounds its views)
        return scoped._seen_by(replace(viewer, within=scoped.scope))  # noqa: SLF001 (same)

    def close(self) -> None:
        """Close the spaces opened for tokens."""
        with self._lock:
            for memory in self._opened.values():
                memory.close()
            self._opened.clear()

    def _other(self, space: str) -> Memory:
        with self._lock:
            if space in self._opened:
                return self._opened[space]
            if self._open_space is None or len(self._opened) >= _MAX_SPACES:
                raise RefusedError("this server does not open the space of the token")
            # The scope of the server bounds every token.
            own = dimensions_of(self._own.scope)
            self._opened[space] = self._open_space(space).scoped(**own)
            return self._opened[space]
