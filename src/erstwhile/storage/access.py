"""The access of one viewer to the store. Every collection reads and writes through it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, TypeVar

from erstwhile.core.scope import Scope, Viewer
from erstwhile.core.time import from_micros
from erstwhile.secrets.masking import (
    MasksMissingError,
    PreparedMasks,
    forget_masks,
    found_secrets,
)

# The rules are loaded before any thread starts: a child forked during an import would hang.
from erstwhile.secrets.scan import mask_secrets
from erstwhile.storage.change_listeners import ChangeListeners, MemoryChange
from erstwhile.storage.statements import load
from erstwhile.storage.unit import AgentRules, PendingChecks, RetryTransactionError, Unit
from erstwhile.storage.view import ClockBehindError, View

if TYPE_CHECKING:
    from erstwhile.core.policies import SecretPolicy
    from erstwhile.core.ports import Analyser, Clock, Engine, Session
    from erstwhile.core.time import Moment

Result = TypeVar("Result")


class Access:
    """The engine, the clock, and the viewer whose scope every statement is bound to."""

    def __init__(
        self,
        engine: Engine,
        clock: Clock,
        viewer: Viewer,
        analyser: Analyser,
        rules: AgentRules | None = None,
    ) -> None:
        """Without `rules`, every change by an agent is refused."""
        self.engine = engine
        self.clock = clock
        self.analyser = analyser
        self.rules = rules
        self.sql = load(engine.dialect)
        self.viewer = viewer
        self.secrets: SecretPolicy | None = None
        """The treatment of secrets, if it is more than to mask each of them."""
        self.listeners = ChangeListeners()
        self._after_change: Callable[[], None] = lambda: None
        self._clock_was_behind = Event()
        self._beside: Callable[[Unit], None] | None = None
        self._snapshot: View | None = None

    def seen_by(self, viewer: Viewer) -> Access:
        """Return the access of another viewer to the same store."""
        return self._with(viewer=viewer, _snapshot=None)

    def announcing(self, after_change: Callable[[], None]) -> Access:
        """Return the same access, with a function to call after each change."""
        return self._with(_after_change=after_change)

    def treating_secrets(self, policy: SecretPolicy | None) -> Access:
        """Return the same access, with another treatment of secrets."""
        return self._with(secrets=policy)

    def accompanied(self, beside: Callable[[Unit], None]) -> Access:
        """Return the same access, with a function to call at the end of each transaction."""
        return self._with(_beside=beside)

    def at(self, view: View) -> Access:
        """Return an access that answers queries about the present from one snapshot."""
        return self._with(_snapshot=view)

    def _with(self, **changes: object) -> Access:
        other = copy(self)
        vars(other).update(changes)
        return other

    def offers(self, name: str) -> bool:
        """Return whether the engine has a statement of this name; some exist in one engine only."""
        return name in self.sql.names

    def ask(
        self,
        work: Callable[[View], Result],
        as_of: Moment | None = None,
        known_at: Moment | None = None,
    ) -> Result:
        """Run a query on one snapshot."""
        if self._snapshot is not None and as_of is None and known_at is None:
            return work(self._snapshot)
        now, settled = self.clock.now(), known_at is not None

        def asked(session: Session, *, check_clock_later: bool) -> Result:
            view = View(session, self, now, as_of, known_at, check_clock_later=check_clock_later)
            result = work(view)
            view.check_the_clock()
            return result

        if not settled and not self._clock_was_behind.is_set():
            try:
                return self.engine.read(partial(asked, check_clock_later=True))
            except ClockBehindError:
                self._clock_was_behind.set()
        return self.engine.read(partial(asked, check_clock_later=False), settled=settled)

    def change(
        self,
        work: Callable[[Unit], Result],
        *,
        alone: bool = False,
        repairing: bool = False,
        texts: Iterable[str] = (),
    ) -> Result:
        """Run a change in one transaction. The change is stored when this function returns.

        No other change of the same scope runs meanwhile, and with `alone` no other change at all.
        A change by an administrator may be about any scope, so it always runs alone. A change that
        is `repairing` times is allowed after a change in the future. No text is masked while the
        change holds its lock; `texts` that it will need are masked before. The same is true of the
        guard, which judges the texts of agents.
        """

        recorded = list[tuple[int, str, str, str, Scope]]()

        def transaction(session: Session) -> Result:
            with masks.used():
                unit = Unit(session, self, checks, alone=alone, repairing=repairing)
                result = work(unit)
                if self._beside is not None:
                    self._beside(unit)
            unit.finish()
            recorded[:] = unit.recorded
            return result

        masks, checks = PreparedMasks(), PendingChecks(self.rules)
        masks.prepare(mask_secrets, texts)
        while True:
            self._judge_secrets()
            try:
                result = self.engine.write(transaction)
                break
            except MasksMissingError:
                masks.prepare(mask_secrets)
            except RetryTransactionError:
                checks.check()
            finally:
                forget_masks()
        self._after_change()
        if recorded and self.listeners:
            self.listeners.notify([_to_change(*each) for each in recorded])
        return result

    def _judge_secrets(self) -> None:
        """Refuse the change of a verb, or warn, if rules have found secrets in its texts."""
        found = found_secrets()
        if self.secrets is not None and found:
            self.secrets.judge(found)
            found.clear()


def _to_change(at: int, actor: str, action: str, subject: str, scope: Scope) -> MemoryChange:
    return MemoryChange(
        at=from_micros(at), actor=actor, action=action, subject=subject, scope=scope
    )
