"""A unit of work: one transaction, by one viewer, at one moment, with its audit entries.

The timestamp of a change is read from the clock under the write lock. It is always later than every
change before it, even if the clock was set back. So an answer "as known at" a time never changes.
A clock that is far ahead would leave no time for the changes after it: such a change is refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from erstwhile.core.errors import ClockError, RefusedError
from erstwhile.core.scope import Scope, scope_params
from erstwhile.core.time import DRIFT, LATEST, MICROSECOND, from_micros
from erstwhile.storage.audit_chain import digest, genesis, link, new_key
from erstwhile.storage.view import View

if TYPE_CHECKING:
    from erstwhile.core.ports import Row, Session
    from erstwhile.storage.access import Access


class AgentRules(Protocol):
    """The rules for changes by agents. `erstwhile.agent_policy` implements them."""

    def check_action(self, unit: Unit, action: str, subject: str, scope: Scope, /) -> None:
        """Raise RefusedError if an agent may not do this to a record."""

    def check_text(self, old: str, new: str, /) -> None:
        """Raise RefusedError if the guard objects to the new parts of a text."""


_MAX_TRIES = 8
"""Runs of a transaction before its texts are checked while it holds its locks."""


class RetryTransactionError(Exception):
    """A transaction stores an unchecked text. It is rolled back and run again."""


class PendingChecks:
    """The texts of agents to check before a transaction runs again.

    The guard is slow, so it must not run while a transaction holds a lock. A transaction with an
    unchecked text is rolled back. If the guard accepts the text, the transaction runs again.
    """

    def __init__(self, rules: AgentRules | None) -> None:
        self._rules = rules
        self._passed: set[tuple[str, str]] = set()
        self._waiting: tuple[str, str] = "", ""
        self._tries = 0

    @property
    def rules(self) -> AgentRules:
        """The rules; raise RefusedError if the store was opened without any."""
        if self._rules is None:
            raise RefusedError(
                "no write guard is configured for agents",
                remedy="open the memory with `erstwhile.open`",
            )
        return self._rules

    def require(self, old: str, new: str) -> None:
        """Raise RetryTransactionError unless this change of a text was checked."""
        self._waiting = old, new
        if self._waiting in self._passed:
            return
        if self._tries >= _MAX_TRIES:  # other processes may change the text each time
            self.check()
            return
        self._tries += 1
        raise RetryTransactionError

    def check(self) -> None:
        """Check the waiting text; raise RefusedError if the guard objects."""
        self.rules.check_text(*self._waiting)
        self._passed.add(self._waiting)


@dataclass(slots=True)
class _Chain:
    """The row of a scope, and the end of its audit chain as it grows."""

    id: int
    seq: int
    hash: bytes
    grown: bool = False


class Unit(View):
    """The transaction that a change runs in. All its effects get the timestamp `now`."""

    _step = 1

    def __init__(
        self,
        session: Session,
        access: Access,
        checks: PendingChecks | None = None,
        *,
        alone: bool = False,
        repairing: bool = False,
    ) -> None:
        viewer = access.viewer
        self._checks = checks or PendingChecks(access.rules)
        self._repairing = repairing
        whole = alone or viewer.everything
        scope = scope_params(viewer.scope)
        session.lock_scope(None if whole else tuple(scope.values()))
        # Nearly every change needs the row of its scope; it comes together with the clock.
        scope["space"] = access.engine.space
        self._own_row = None if whole else session.prefetch(access.sql["find_scope",], scope)
        super().__init__(session, access, asked_at=None)
        self.analyser = access.analyser
        self._chains: dict[Scope, _Chain] = {}
        self.recorded: list[tuple[int, str, str, str, Scope]] = []
        """The time, actor, action, subject and scope of each audit entry so far."""

    def also_lock(self, *scopes: Scope) -> None:
        """Lock more scopes before this change reads or writes in them; then it has a new timestamp.

        They are wider than the viewer's scope, which is locked already. All changes lock narrow
        scopes before wide ones, so that no two of them wait for each other: lock all of them at
        once, before the first change.
        """
        others = {tuple(scope_params(scope).values()) for scope in {*scopes} - {self.viewer.scope}}
        if not others:
            return
        for values in sorted(others, key=lambda values: (values.count(""), values)):
            self._session.lock_scope(values)
        self.continue_after(max((at or 0 for at, _ in self.rows("last_change_at", {})), default=0))

    def tick(self) -> datetime:
        """Take a new timestamp, for the next of several changes in one transaction."""
        self.now += MICROSECOND
        self.stamp += 1
        return self.now

    def continue_after(self, stamp: int) -> None:
        """Take a timestamp that is later than another one."""
        self.stamp = max(self.stamp, stamp + 1)
        self.now = from_micros(self.stamp)

    def run(self, name: str, params: dict[str, Any], *choices: str) -> int:
        """Run a statement that changes rows; return the number of changed rows."""
        params["space"] = self.space
        return self._session.run(self._sql[name, *choices], params)

    def run_text(self, statement: str, params: dict[str, Any]) -> int:
        """Run a statement that was filled for one table."""
        return self._session.run(statement, {**params, "space": self.space})

    def execute_async(self, name: str, params: dict[str, Any], *choices: str) -> None:
        """Run a statement without waiting for it; an error may be raised later, but is not lost."""
        params["space"] = self.space
        self._session.execute_async(self._sql[name, *choices], params)

    def row_of_each(self, name: str, many: Sequence[dict[str, Any]]) -> list[Row]:
        """Run a statement with each of these parameters; return the row that each returns."""
        sent = [
            self._session.prefetch(self._sql[name,], {**params, "space": self.space})
            for params in many
        ]
        return [fetch()[0] for fetch in sent]

    def scope_id(self, scope: Scope) -> int:
        """Return the number of a scope's row, which is created on first use."""
        return self._chain(scope).id

    def acts_on(self, subject: str, scope: Scope) -> list[Row]:
        """Return each action on a record and its actor, newest first."""
        return self.rows("acts_on", {"subject": subject, "scope": self.scope_id(scope)})

    def is_own(self, subject: str, scope: Scope) -> bool:
        """Return whether nobody but the viewer made or changed a record."""
        acts = self.acts_on(subject, scope)
        return bool(acts) and all(actor == self.viewer.actor for _, actor in acts)

    def check_action(self, action: str, subject: str, scope: Scope) -> None:
        """Raise RefusedError if the viewer may not do this to a record."""
        if not self.viewer.person:
            self._checks.rules.check_action(self, action, subject, scope)

    def record(
        self, action: str, subject: str, scope: Scope, reason: str | None, state: Sequence[Any] = ()
    ) -> None:
        """Append an audit entry to the chain of the scope, if the viewer may do this."""
        self.check_action(action, subject, scope)
        nonce = os.urandom(16)
        entry = {
            "at": self.stamp, "actor": self.viewer.actor, "action": action, "subject": subject,
            "reason": reason, "nonce": nonce, "digest": digest(nonce, reason, state),
        }  # fmt: skip
        self.adopt(entry, scope)

    def admit(self, new: Iterable[str], old: Iterable[str] = ()) -> None:
        """Raise RefusedError if an agent writes texts to which the guard objects."""
        before, after = "\n".join(old), "\n".join(new)
        if not self.viewer.person and after != before:
            self._checks.require(before, after)

    def adopt(self, entry: Mapping[str, Any], scope: Scope) -> None:
        """Append an entry, also one of another chain, with its own time, actor and content."""
        chain = self._chain(scope)
        chain.seq += 1
        fields = [entry[name] for name in ("at", "actor", "action", "subject")]
        self.recorded.append((*fields, scope))
        chain.hash = link(chain.hash, entry["digest"], (chain.seq, *fields))
        chain.grown = True
        linked = {"scope": chain.id, "seq": chain.seq, "hash": chain.hash}
        self.execute_async("add_entry", {**entry, **linked})

    def finish(self) -> None:
        """Store the new ends of the chains. The last step of every transaction."""
        for chain in self._chains.values():
            if chain.grown:
                head = {"id": chain.id, "head_seq": chain.seq, "head_hash": chain.hash}
                self.execute_async("move_head", head)

    def _check_clock(self, server: int | None, ahead: int | None) -> None:
        if self.stamp > (LATEST if server is None else server + DRIFT):
            raise ClockError(
                f"the clock of this machine says {self.now:%Y-%m-%d %H:%M}, which is far ahead",
                remedy="set it right",
            )
        if ahead is not None and not self._repairing:
            raise ClockError(
                f"the newest change is dated {from_micros(ahead):%Y-%m-%d %H:%M}, in the future",
                remedy="set the clock of this machine right; if it is right already, "
                "use `memory.everything().audit.repair_time()`",
            )

    def _chain(self, scope: Scope) -> _Chain:
        """Return the chain of a scope. Its row is created on first use."""
        if chain := self._chains.get(scope):
            return chain
        params = scope_params(scope)
        own, self._own_row = self._own_row, None
        found = own() if own and scope == self.viewer.scope else self.rows("find_scope", params)
        if not found:
            new = {**params, "head_hash": genesis(scope), "digest_key": new_key()}
            self.execute_async("add_scope", new)
            found = self.rows("find_scope", params)
        chain = self._chains[scope] = _Chain(*found[0])
        return chain
