"""Encrypted files: apsw-sqlite3mc encrypts every page of file and log.

Its module is `apsw`, too, and opens plain files as well. Without it, an encrypted file is still
recognised by its first bytes.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw

from erstwhile.core.errors import BusyError, InvalidInputError, KeyMissingError, WrongKeyError
from erstwhile.engines.sqlite.location import MEMORY, read_head

_CERTAIN = ((slice(44, 48), b"\0\0\0\4"), (slice(56, 60), b"\0\0\0\1"))
"""Parts of the first page of all our files. With a wrong key there is something else."""


@contextmanager
def unlocked(connection: apsw.Connection, path: str, key: str) -> Iterator[None]:
    """Give the key to a new connection, and explain why the first reading of the block fails.

    Temporary tables stay in memory: SQLite would write them in the clear.
    """
    if key and path != MEMORY:
        check_available()
        set_key(connection, "key", key)
        connection.execute("PRAGMA temp_store=MEMORY")
    try:
        yield
    except apsw.NotADBError as error:
        if path != MEMORY and was_replaced(connection):
            raise replaced_error(path) from error
        head = read_head(path)
        if key and head.is_plain:
            raise WrongKeyError(
                f"{path} is not encrypted", remedy="run `erstwhile encrypt`, or unset `key`"
            ) from error
        if key:
            raise WrongKeyError(
                f"the key does not fit {path}", remedy="check `key`; damage looks the same"
            ) from error
        if head.is_encrypted:
            raise KeyMissingError(
                f"{path} is encrypted", remedy="set `key`, such as file:PATH"
            ) from error
        raise


def set_key(connection: apsw.Connection, pragma: str, key: str) -> None:
    """Run PRAGMA key or PRAGMA rekey, which take no parameters."""
    quoted = key.replace("'", "''")
    connection.execute(f"PRAGMA {pragma}='{quoted}'", can_cache=False).fetchall()


def decrypted(file: Path, key: str, named: str) -> bytearray:
    """Return the pages of an encrypted file that may be damaged. Errors name it by `named`.

    Damaged pages are what comes of decrypting them. With the check of their codes, reading would
    end at the first one.
    """
    with closing(apsw.Connection(str(file))) as connection:
        connection.execute("PRAGMA hmac_check=0; PRAGMA writable_schema=ON").fetchall()
        with unlocked(connection, named, key):
            content = connection.serialize("main") or b""
            if not any(content[place] == value for place, value in _CERTAIN):
                raise apsw.NotADBError("the first page is unreadable")
    return bytearray(content)


def attach(connection: apsw.Connection, file: Path, schema: str, key: str) -> None:
    """Attach a file in which nobody writes, for reading. An encrypted one needs the same key."""
    place = f"{file.as_uri()}?mode=ro&immutable=1"
    keyed = " KEY ?" if key else ""
    values = (place, key) if key else (place,)
    connection.execute(f"ATTACH DATABASE ? AS {schema}{keyed}", values, can_cache=False)


def check_available() -> None:
    """Raise InvalidInputError if this apsw cannot encrypt: it would ignore the key."""
    if not hasattr(apsw, "mc_version"):
        raise InvalidInputError(
            "encrypted files need apsw-sqlite3mc in the place of apsw",
            remedy="run pip install --force-reinstall --no-deps apsw-sqlite3mc",
        )


def was_replaced(connection: apsw.Connection) -> bool:
    """Return whether another file has the name now: errors then say nothing about that file."""
    moved = array("i", [0])
    address, _ = moved.buffer_info()
    connection.file_control("main", apsw.SQLITE_FCNTL_HAS_MOVED, address)
    return bool(moved[0])


def replaced_error(path: str) -> BusyError:
    return BusyError(f"{path} was replaced meanwhile", remedy="open it again")
