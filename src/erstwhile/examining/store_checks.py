"""Checks of what is stored, on every engine: audit trail, index, vectors, queues and times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from erstwhile.core.ports import Embedder, Engine, Row
from erstwhile.core.time import MICROSECOND, from_micros, to_micros
from erstwhile.examining.diagnosis import Complaint, skip, warn
from erstwhile.storage.access import Access
from erstwhile.storage.audit import verify_trail
from erstwhile.storage.statements import load
from erstwhile.upkeep.rebuild import count_wrong

_SQL = Path(__file__).parent / "statements"
_AHEAD = timedelta(minutes=5)
"""How far a stamp may be ahead of this clock: clocks of several machines differ a little."""
_LATE = timedelta(hours=1)
"""How long work may wait before somebody should look."""
_REEMBED = "run `erstwhile reembed`"
_REPAIR = "run `erstwhile repair`"


@dataclass(frozen=True, slots=True)
class StoreChecks:
    """The checks of one store. Each returns what is well, or raises what is wrong."""

    engine: Engine
    access: Access
    now: datetime
    embedder: Callable[[], Embedder | None]

    def check_schema(self) -> str:
        return f"{self.engine.dialect}, schema {self.engine.schema()}"

    def check_audit(self) -> str:
        found = verify_trail(self.access)
        if not found.ok:
            raise Complaint(
                f"{found.problems[0]} ({len(found.problems):,} problems in all)",
                "see `erstwhile --everything audit verify`, and restore a backup",
            )
        return f"{found.entries:,} entries fit {found.records:,} stored states"

    def check_index(self) -> str:
        [(passages, missing, surplus)] = self.access.ask(
            lambda view: view.rows("index_against_rows", {})
        )
        if missing or surplus:
            raise Complaint(
                f"the search index lacks {missing:,} passages, and has {surplus:,} too many",
                _REPAIR,
            )
        wrong = {name: count for name, count in count_wrong(self.access).items() if count}
        if wrong:
            raise Complaint(
                ", ".join(f"{count:,} {name}" for name, count in wrong.items()), _REPAIR
            )
        return f"all {passages:,} passages are indexed"

    def check_vectors(self) -> str:
        """Compare the vectors with their texts, and the serving model with the chosen embedder."""
        serving = self._rows("serving_embedder")
        if not serving:
            raise skip("no text has a vector yet")
        [(id, model, dimensions)] = serving
        [(stored, misshapen, missing)] = self._rows(
            "vectors_against_texts", embedder=id, size=dimensions + 4
        )
        if misshapen:
            raise Complaint(f"{misshapen:,} vectors of {model} are damaged", _REEMBED)
        embedder = self.embedder()
        if embedder is not None and embedder.model != model:
            raise warn(f"vectors are of {model}, the embedder is {embedder.model}", _REEMBED)
        if missing:
            raise Complaint(f"{missing:,} texts have no vector of {model}, and none waits", _REPAIR)
        return f"{stored:,} vectors of {model}"

    def check_waiting(self) -> str:
        [(waiting, failed, since)] = self._rows("waiting_texts")
        if failed:
            raise warn(
                f"{failed:,} texts could not be embedded yet",
                "check the embedder; they are tried again, at once with `erstwhile reembed`",
            )
        if waiting and self._is_late(since):
            raise warn(
                f"{waiting:,} texts have waited for their vectors since {from_micros(since):%F %R}",
                "open the memory with its embedder in a program that runs",
            )
        return f"{waiting:,} texts wait for their vectors"

    def check_leases(self) -> str:
        """Find work that a program took and never finished, and that nobody took over."""
        [(tasks, turns)] = self._rows("ended_leases", before=to_micros(self.now - _LATE))
        if tasks or turns:
            raise warn(
                f"programs that ended left {tasks:,} tasks and {turns:,} conversations unfinished",
                "run a worker: `erstwhile learn` for turns, your own for tasks",
            )
        return "no work was left by a program that ended"

    def check_clock(self) -> str:
        [(newest,)] = self._rows("newest_stamp")
        if newest is not None and newest > to_micros(self.now + _AHEAD):
            raise Complaint(
                f"a change has the time {from_micros(newest):%F %R}, which is in the future",
                "set the clocks of all machines; see `erstwhile --help` for the repair of times",
            )
        server = self._rows("server_time")[0][0]
        if server is not None and abs(server - to_micros(self.now)) > _AHEAD / MICROSECOND:
            raise warn(
                f"the server's clock shows {from_micros(server):%F %R}, this one {self.now:%F %R}",
                "set both clocks by a time server",
            )
        return "no change has a time in the future"

    def _is_late(self, since: int) -> bool:
        return from_micros(since) < self.now - _LATE

    def _rows(self, name: str, **params: object) -> list[Row]:
        statement = load(self.engine.dialect, _SQL)[name,]
        told = {"space": self.engine.space, **params}
        return self.engine.read(lambda session: session.rows(statement, told))
