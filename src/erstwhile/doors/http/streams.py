"""Exports and imports as streams of JSON lines."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from erstwhile.core.errors import InvalidInputError, ScopeError
from erstwhile.core.scope import SHARED, Viewer
from erstwhile.core.time import to_micros
from erstwhile.doors.http.refusals import not_allowed
from erstwhile.doors.tokens import Right, Token
from erstwhile.exports.importing import Imported, import_lines
from erstwhile.exports.reading import read_header
from erstwhile.exports.selection import select
from erstwhile.exports.write import ExportFormat, Writing
from erstwhile.storage.standing import check_person

if TYPE_CHECKING:
    from erstwhile.memory import Memory

_PART = 256 * 1024


def check_administrator(token: Token) -> None:
    """Raise RefusedError unless a token may carry whole scopes in and out."""
    if not token.may(Right.ADMIN):
        raise not_allowed("this needs the right 'admin'", "use a token that has it")


def check_importer(token: Token, view: Memory) -> None:
    """Raise RefusedError unless a token may write every scope, and the words of people."""
    check_administrator(token)
    if token.scope != SHARED:
        raise not_allowed("an import is of any scope", "use a token without a scope")
    check_person(view._access.viewer, "import the words of people")  # noqa: SLF001 (as below)


async def exported(view: Memory) -> AsyncIterator[bytes]:
    """Yield an export of the scope of a view, and of all narrower ones, in parts."""
    with TemporaryDirectory(prefix="erstwhile-export-") as folder:
        file = Path(folder) / "export.jsonl"
        await anyio.to_thread.run_sync(_write, view, file)
        async with await anyio.open_file(file, "rb") as opened:
            while part := await opened.read(_PART):
                yield part


async def imported(view: Memory, parts: AsyncIterator[bytes]) -> Imported:
    """Import lines that arrive in parts."""
    with TemporaryDirectory(prefix="erstwhile-import-") as folder:
        file = Path(folder) / "import.jsonl"
        async with await anyio.open_file(file, "wb") as opened:
            async for part in parts:
                await opened.write(part)
        return await anyio.to_thread.run_sync(_read, view, file)


def check_whole(view: Memory) -> None:
    """Raise ScopeError if headers ask to import into one scope: each line names its own."""
    if view.scope != SHARED:
        raise ScopeError("an import has the scopes of its lines", remedy="leave the headers out")


def _write(view: Memory, file: Path) -> None:
    access = view._access  # noqa: SLF001 (an export is no verb of a memory)
    everything = access.seen_by(Viewer(everything=True))
    selection = everything.ask(lambda seen: select(seen, view.scope))
    now = to_micros(access.clock.now())
    writing = Writing(selection, ExportFormat.JSONL, False, now, _unseen)
    writing.to_file(access.engine, file)


def _read(view: Memory, file: Path) -> Imported:
    try:
        read_header(file)
    except InvalidInputError as error:  # the client knows no file
        message = error.message.replace(str(file), "the body")
        raise InvalidInputError(message, remedy=error.remedy) from None
    access = view._access.seen_by(Viewer(everything=True))  # noqa: SLF001 (the same)
    return import_lines(file, access, _unseen, preview=False, vouch=False)


def _unseen(_done: int, _total: int) -> None:
    """Show no progress."""
