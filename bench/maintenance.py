"""Measure maintenance: how long it takes, and how long a writer of another process waits meanwhile.

python -m bench.maintenance              100,000 rows, a fifth of them old
python -m bench.maintenance --rows 1000000 --old 0.1
python -m bench.maintenance --json       for programs; so is a pipe
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import quantiles

import click

import erstwhile
from bench.report import Result, show
from bench.speech import Speech
from erstwhile.conversations.conversation import MessageDraft, Role
from erstwhile.conversations.table import ConversationTable
from erstwhile.core.ids import new_id
from erstwhile.core.ports import Session
from erstwhile.core.scope import Scope, Viewer, scope_params
from erstwhile.core.settings import IDLE
from erstwhile.core.time import from_micros, to_micros
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.operations.results import Maintained
from erstwhile.records.model import Outcome
from erstwhile.records.outcomes import OUTCOMES
from erstwhile.search.analyser import LazyAnalyser
from erstwhile.storage.access import Access
from erstwhile.storage.audit_chain import digest, link
from erstwhile.storage.statements import Statements, load
from erstwhile.storage.table import new_head
from erstwhile.storage.unit import Unit
from erstwhile.testing.clock import FakeClock

SCOPES = 20
AT_ONCE = 500
TEXTS = Speech(3).facts(AT_ONCE // 10)
LIMITS = "usage 30 days, outcomes 30 days, messages 30 days, audit 30 days"
WRITER = """
import sys, time, erstwhile
with erstwhile.open(sys.argv[1], embedder="none") as memory:
    ana = memory.scoped(user="writer")
    print("ready", flush=True)
    while not sys.stdin.readline():
        pass
    for number in range(100_000):
        begun = time.perf_counter()
        ana.usage.record("model", input=number)
        print(time.perf_counter() - begun, flush=True)
        time.sleep(0.02)
"""


def filled(path: Path, rows: int, old: float) -> None:
    """Store calls, outcomes and messages in twenty scopes: a share of them a year ago."""
    clock = FakeClock(datetime.now(UTC) - timedelta(days=365))
    with closing(SqliteEngine(path, synchronous="NORMAL")) as engine:
        _store(engine, clock, int(rows * old))
        clock.set(datetime.now(UTC) - timedelta(days=1))
        _store(engine, clock, rows - int(rows * old))


def _store(engine: SqliteEngine, clock: FakeClock, rows: int) -> None:
    """Store ten messages and ten outcomes in each hundred rows; the other rows are calls."""
    analyser, sql = LazyAnalyser(), load(engine.dialect)
    for number in range(SCOPES):
        scope = Scope(user=f"user {number}")
        mine = Access(engine, clock, Viewer(scope=scope), analyser)
        for _ in range(rows // SCOPES // AT_ONCE):
            mine.change(_some)
            clock.advance(seconds=1)
            engine.write(partial(_calls, sql, scope, to_micros(clock.now())))
            clock.advance(seconds=1)


def _some(unit: Unit) -> None:
    for _ in range(AT_ONCE // 10):
        unit.tick()
        outcome = Outcome(domain="bench", score=1, note=None, source=None, **new_head(unit))
        OUTCOMES.add(unit, outcome, "add")
    said = [MessageDraft(Role.USER, text, {}, None, None) for text in TEXTS]
    ConversationTable(IDLE).add_messages(unit, said, None, "bench")


def _calls(sql: Statements, scope: Scope, now: int, session: Session) -> None:
    """Store calls of a model with their audit entries, as `usage.record` does."""
    space = {"space": "main"}
    [(number, seq, head)] = session.rows(sql["find_scope",], {**space, **scope_params(scope)})
    calls, entries = [], []
    for at in range(now, now + AT_ONCE * 8 // 10):
        id, nonce, seq = new_id(from_micros(at)), os.urandom(16), seq + 1
        own = {"model": "model", "of_session": None, "at": at, "input": 1, "output": 1}
        own |= {"cache_read": 0, "cache_write": 0, "cost": None}
        content = digest(nonce, None, [at, None, *own.values()])
        head = link(head, content, (seq, at, "bench", "usage.record", id))
        times = {"created_at": at, "changed_at": at, "deleted_at": None}
        calls.append({**space, "id": id, "scope": number, **times, **own})
        entry = {"seq": seq, "at": at, "actor": "bench", "action": "usage.record", "subject": id}
        hashes = {"reason": None, "nonce": nonce, "digest": content, "hash": head}
        entries.append({**space, "scope": number, **entry, **hashes})
    session.run_many(sql["add_usage",], calls)
    session.run_many(sql["add_entry",], entries)
    session.run(sql["move_head",], {**space, "id": number, "head_seq": seq, "head_hash": head})


@click.command(help=__doc__)
@click.option("--rows", default=100_000, show_default=True)
@click.option("--old", default=0.2, show_default=True, help="The share that is too old.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of tables.")
def main(rows: int, old: float, as_json: bool) -> None:
    show([measured(rows, old)], as_json=as_json)


def measured(rows: int, old: float) -> Result:
    """Maintain a memory while another process writes, and then again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        filled(path, rows, old)
        alone = _writes(path, lambda: time.sleep(5))
        done: list[tuple[float, Maintained]] = []

        def maintain() -> None:
            begun = time.perf_counter()
            with erstwhile.open(path, embedder="none") as memory:
                did = memory.maintain(LIMITS)
            done.append((time.perf_counter() - begun, did))

        beside = _writes(path, maintain)
        maintain()
        with erstwhile.open(path, embedder="none") as memory:
            assert memory.everything().audit.verify().ok
    (seconds, did), (idle, _) = done
    counts = {step.name: step.count for step in did.steps}
    return Result(
        "Maintenance",
        f"{rows:,} rows and their audit entries, {old:.0%} of them too old; removed: "
        f"{sum(counts[name] for name in ('usage', 'outcomes', 'messages')):,} records and "
        f"{counts['audit']:,} audit entries in {seconds:,.0f} s; a run with nothing to do: "
        f"{idle:.1f} s; another process writes every 20 ms",
        [_row("alone", alone), _row("beside maintenance", beside)],
    )


def _writes(path: Path, meanwhile: Callable[[], None]) -> list[float]:
    """Return the milliseconds of each write of another process, while something is done here."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as writer:  # fmt: skip
        assert writer.stdin is not None
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        writer.stdin.write("go\n")
        writer.stdin.flush()
        try:
            meanwhile()
        finally:
            writer.terminate()
        return [float(line) * 1e3 for line in writer.stdout if line.endswith("\n")]


def _row(when: str, times: list[float]) -> dict[str, str | float]:
    cuts = quantiles(times, n=100)
    return {
        "writer": when,
        "writes": len(times),
        "p50_ms": cuts[49],
        "p99_ms": cuts[98],
        "most_ms": max(times),
    }


if __name__ == "__main__":
    main()
