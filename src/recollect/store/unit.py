"""A unit of work: one change of memory, by one viewer, at one moment, on the audit trail.

The moment of a change (its stamp) is read from the clock under the write lock, and is always later
than every change before it, whatever the clock says. So "as known at" has one answer for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from recollect.model.audit import GENESIS, digest, link, new_nonce
from recollect.model.scope import Scope
from recollect.model.time import MICROSECOND, from_micros, to_micros
from recollect.ports import Params, Row
from recollect.store.view import View, scope_params


class _Chain:
    """The row of a scope, and the end of its audit chain as it grows."""

    __slots__ = ("grown", "hash", "id", "seq")

    def __init__(self, row: Row) -> None:
        self.id: int = row[0]
        self.seq: int = row[1]
        self.hash: bytes = row[2]
        self.grown = False


class Unit(View):
    """What a change works with. All that it does becomes true together, at `now`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._chains: dict[Scope, _Chain] = {}
        super().__init__(*args, **kwargs)

    def tick(self) -> datetime:
        """A new stamp, for the next of several changes in one unit."""
        self.now += MICROSECOND
        return self.now

    def run(self, name: str, params: Params) -> int:
        """Run a statement that changes rows; how many it changed."""
        return self._session.run(self._sql(name), {**self._params, **params})

    def scope_id(self, scope: Scope) -> int:
        """The number of a scope's row, which is made when it is first needed."""
        return self._chain(scope).id

    def record(
        self, action: str, subject: str, scope: Scope, reason: str | None, state: Sequence[Any] = ()
    ) -> None:
        """Append to the scope's chain: this happened, now."""
        chain, nonce, at = self._chain(scope), new_nonce(), to_micros(self.now)
        chain.seq, chain.grown = chain.seq + 1, True
        content = digest(nonce, reason, state)
        chain.hash = link(chain.hash, content, (chain.seq, at, self.viewer.actor, action, subject))
        self.run(
            "add_entry",
            {
                "scope": chain.id, "seq": chain.seq, "at": at, "actor": self.viewer.actor,
                "action": action, "subject": subject, "reason": reason, "nonce": nonce,
                "digest": content, "hash": chain.hash,
            },
        )  # fmt: skip

    def finish(self) -> None:
        """Write down where the chains end now. The last step of every unit."""
        for chain in self._chains.values():
            if chain.grown:
                head = {"id": chain.id, "head_seq": chain.seq, "head_hash": chain.hash}
                self.run("move_head", head)

    def _moment(self, clock_says: datetime, last_change: list[Row]) -> datetime:
        earliest = from_micros(last_change[0][0]) + MICROSECOND if last_change else clock_says
        return max(clock_says, earliest)

    def _chain(self, scope: Scope) -> _Chain:
        chain = self._chains.get(scope)
        if chain is None:
            chain = self._chains[scope] = _Chain(self._scope_row(scope))
        return chain

    def _scope_row(self, scope: Scope) -> Row:
        params = scope_params(scope)
        found = self.rows("find_scope", params)
        if not found:
            self.run("add_scope", {**params, "head_hash": GENESIS})
            found = self.rows("find_scope", params)
        return found[0]
