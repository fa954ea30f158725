"""Make the scopes of a damaged file again: without its scope, no row can be found.

The index of the scopes has their names. If that is lost, too, the rows of a scope come to a user
with a name of its own: nobody else sees them, and an administrator can look at them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TypeAlias

import apsw

from erstwhile.copying.tables import TABLES
from erstwhile.engines.sqlite.engine import SPACE
from erstwhile.engines.sqlite.raw_pages import RawPages
from erstwhile.engines.sqlite.salvage import Values, references
from erstwhile.storage.audit_chain import genesis
from erstwhile.storage.columns import to_scope

Names: TypeAlias = dict[int, Values]
"""The names of scopes by their numbers."""
_ROOT = "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_scopes_2'"
_ADD = """INSERT INTO scopes (space, id, scope_user, scope_agent, scope_project, scope_session,
  head_seq, head_hash, digest_key) VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?)"""
_HEAD = """UPDATE scopes SET (head_seq, head_hash) = (
  SELECT seq, hash FROM audit WHERE scope = scopes.id ORDER BY seq DESC LIMIT 1)
WHERE id = ? AND EXISTS (SELECT 1 FROM audit WHERE scope = scopes.id)"""


def mend_scopes(target: apsw.Connection, names: Names, lost: set[Values]) -> int:
    """Make lost scopes again; return how many got their own names. The others stay `lost`."""
    mended = 0
    with target:
        for scope, own in names.items():
            if _is_added(target, scope, own):
                mended += 1
                lost.discard((SPACE, scope))
        for scope in _missing(target):
            _is_added(target, scope, (f"salvaged-{scope}", "", "", ""))
            lost.add((SPACE, scope))
    return mended


def names_of_scopes(source: apsw.Connection, pages: RawPages) -> tuple[Names, bool]:
    """Return the names of scopes from their index, and whether these are all.

    SQLite would look each of them up in the table.
    """
    [(root,)] = source.execute(_ROOT).fetchall()
    found: Names = {}
    for number in pages.tree(int(str(root))):
        for row in pages.rows(number):
            match row.values:
                case (str(), str(), str(), str(), str(), int(scope)):
                    found[scope] = row.values[1:5]
    return found, pages.is_whole(int(str(root)))


def _is_added(target: apsw.Connection, scope: int, names: Values) -> bool:
    """Add a scope with the head of its audit chain, unless there is one of its number or names."""
    try:
        first = genesis(to_scope(*names))
        target.execute(_ADD, (SPACE, scope, *names, first, os.urandom(32)))
    except apsw.ConstraintError:
        return False
    target.execute(_HEAD, (scope,))
    return True


def _missing(target: apsw.Connection) -> Iterator[int]:
    """Return the scopes that rows refer to, and that are not there."""
    for table in TABLES:
        for parent, _ in references(target, table):
            if parent == "scopes":
                unknown = f'SELECT DISTINCT scope FROM "{table}" EXCEPT SELECT id FROM scopes'  # noqa: S608
                yield from (int(str(scope)) for (scope,) in target.execute(unknown).fetchall())
