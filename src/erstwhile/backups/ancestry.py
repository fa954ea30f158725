"""Whether a backup is an earlier state of a memory, as the audit chains tell.

The chain of a scope begins with its names, has a key of its own, and only grows. So a backup is an
earlier state of another one if each of its chains is the beginning of a chain there. Sealing
removes old entries of a chain: what ends before the seal is known by its key.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw

from erstwhile.core.errors import ErstwhileError
from erstwhile.engines.sqlite.encryption import attach
from erstwhile.engines.sqlite.pages import open_frozen

_NEW_CHAINS = """SELECT 1 FROM older.scopes AS o WHERE NOT EXISTS (
  SELECT 1 FROM main.scopes AS n
  WHERE (n.space, n.id, n.digest_key) = (o.space, o.id, o.digest_key)
    AND (n.scope_user, n.scope_agent, n.scope_project, n.scope_session)
      = (o.scope_user, o.scope_agent, o.scope_project, o.scope_session)
    AND (o.head_seq = 0
      OR EXISTS (
        SELECT 1 FROM main.audit AS a
        WHERE (a.space, a.scope, a.seq, a.hash) = (o.space, o.id, o.head_seq, o.head_hash))
      OR EXISTS (
        SELECT 1 FROM main.audit AS s
        WHERE (s.space, s.scope, s.action) = (o.space, o.id, 'audit.seal')
          AND CAST(s.subject AS INTEGER) >= o.head_seq)))
LIMIT 1"""


def is_earlier_state(older: Path, newer: Path, key: str = "") -> bool:
    """Return whether a newer backup has every change of an older one.

    It is False for what cannot be read: no backup, a damaged one, or one with another key.
    """
    try:
        with closing(open_frozen(newer, key)) as connection:
            attach(connection, older, "older", key)
            return not connection.execute(_NEW_CHAINS).fetchall()
    except (apsw.Error, ErstwhileError):
        return False
