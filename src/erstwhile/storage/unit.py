"""A unit of work: one change of memory, by one viewer, at one moment, on the audit trail.

The moment of a change (its stamp) is read from the clock under the write lock, and is always later
than every change before it, whatever the clock says. So "as known at" has one answer for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from erstwhile.core.ports import Row, Session
from erstwhile.core.scope import Scope, scope_params
from erstwhile.core.time import MICROSECOND
from erstwhile.storage.audit_chain import digest, genesis, link, new_nonce
from erstwhile.storage.view import View

if TYPE_CHECKING:
    from erstwhile.storage.access import Access


class _Chain:
    """The row of a scope, and the end of its audit chain as it grows."""

    __slots__ = ("grown", "hash", "id", "scope", "seq")

    def __init__(self, scope: Scope, row: Row) -> None:
        self.scope = scope
        self.id: int = row[0]
        self.seq: int = row[1]
        self.hash: bytes = row[2]
        self.grown = False

    def grow(self, hashed: bytes) -> None:
        self.seq, self.hash, self.grown = self.seq + 1, hashed, True


class Unit(View):
    """What a change works with. All that it does becomes true together, at `now`."""

    _step = 1

    def __init__(self, session: Session, access: Access, *, alone: bool = False) -> None:
        viewer = access.viewer
        whole = alone or viewer.everything
        session.take_turn(None if whole else tuple(scope_params(viewer.scope).values()))
        super().__init__(session, access, asked_at=None)
        self.terms = access.terms
        self._chains: dict[Scope, _Chain] = {}
        self._last: _Chain | None = None

    def tick(self) -> datetime:
        """A new stamp, for the next of several changes in one unit."""
        self.now += MICROSECOND
        self.stamp += 1
        return self.now

    def run(self, name: str, params: dict[str, Any], *choices: str) -> int:
        """Run a statement that changes rows, adding the space to `params`; how many it changed."""
        params["space"] = self.space
        return self._session.run(self._sql[name, *choices], params)

    def send(self, name: str, params: dict[str, Any], *choices: str) -> None:
        """The same without waiting for it: its failure may show later, but always shows."""
        params["space"] = self.space
        self._session.send(self._sql[name, *choices], params)

    def scope_id(self, scope: Scope) -> int:
        """The number of a scope's row, which is made when it is first needed."""
        return self._chain(scope).id

    def record(
        self, action: str, subject: str, scope: Scope, reason: str | None, state: Sequence[Any] = ()
    ) -> None:
        """Append to the scope's chain: this happened, now."""
        chain, nonce, at, actor = self._chain(scope), new_nonce(), self.stamp, self.viewer.actor
        content = digest(nonce, reason, state)
        chain.grow(link(chain.hash, content, (chain.seq + 1, at, actor, action, subject)))
        self.send(
            "add_entry",
            {
                "scope": chain.id, "seq": chain.seq, "at": at, "actor": actor,
                "action": action, "subject": subject, "reason": reason, "nonce": nonce,
                "digest": content, "hash": chain.hash,
            },
        )  # fmt: skip

    def finish(self) -> None:
        """Write down where the chains end now. The last step of every unit."""
        for chain in self._chains.values():
            if chain.grown:
                head = {"id": chain.id, "head_seq": chain.seq, "head_hash": chain.hash}
                self.send("move_head", head)

    def _chain(self, scope: Scope) -> _Chain:
        if self._last is None or self._last.scope is not scope:
            self._last = self._chains.get(scope) or self._open_chain(scope)
        return self._last

    def _open_chain(self, scope: Scope) -> _Chain:
        params = scope_params(scope)
        found = self.rows("find_scope", params)
        if not found:
            self.send("add_scope", {**params, "head_hash": genesis(scope)})
            found = self.rows("find_scope", params)
        chain = self._chains[scope] = _Chain(scope, found[0])
        return chain
