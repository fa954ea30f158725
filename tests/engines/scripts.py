"""Programs that tests start as processes: python -m tests.engines.scripts NAME ARGUMENTS."""

from __future__ import annotations

import json
import os
import random
import signal
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path

import apsw

import erstwhile
from erstwhile import Memory, Settings
from erstwhile.core.scope import Viewer
from erstwhile.engines.sqlite import engine as sqlite
from erstwhile.facts.remember import remember as remember_in
from erstwhile.learning import progress
from erstwhile.learning.progress import LearningLease, PendingTurn
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit
from tests.engines.processes import wait_for_start

assert sqlite.SPACE  # loaded before a race, a fork or the loss of rights
NOBODY = 65_534
_LEASE = timedelta(hours=1)
_HANDFUL = 5
_SYNC_SECONDS = 0.002
"""As a disk takes: what arrives in the meantime can be written together."""


class WatchedVfs(apsw.VFS):
    """The default file system of the process. It reports each sync with the name of the file."""

    def __init__(self, on_sync: Callable[[str], object] | None = None) -> None:
        self.on_sync = on_sync
        self.base = apsw.vfs_names()[0]
        super().__init__("watched", base=self.base, makedefault=True)

    def xOpen(  # noqa: N802  the name is SQLite's
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> apsw.VFSFile:
        return _WatchedFile(self, name, flags)


class _WatchedFile(apsw.VFSFile):
    def __init__(
        self, vfs: WatchedVfs, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> None:
        self._vfs = vfs
        self._name = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        super().__init__(vfs.base, name, flags)

    def xSync(self, flags: int) -> None:  # noqa: N802
        if self._vfs.on_sync:
            self._vfs.on_sync(self._name)
            super().xSync(flags)


def count_syncs(path: str, synchronous: str, threads: str, each: str) -> None:
    """Print how often the log is synced while threads remember facts."""
    synced: list[str] = []

    def on_sync(name: str) -> None:
        synced.append(name)
        time.sleep(_SYNC_SECONDS)

    held = WatchedVfs(on_sync)
    settings = Settings(synchronous=synchronous, embedder="none")
    # Making the tables fills the log far enough for a checkpoint, which syncs as well.
    erstwhile.open(path, settings=settings).close()
    with erstwhile.open(path, settings=settings) as memory:
        memory.remember("the first write also syncs the head of the log")
        synced.clear()

        def write(thread: int) -> None:
            for number in range(int(each)):
                memory.remember(f"thread {thread} says {number}")

        with ThreadPoolExecutor(int(threads)) as pool:
            list(pool.map(write, range(int(threads))))
        log = sum(name.endswith("-wal") for name in synced)
        facts, sound = memory.facts.count() - 1, memory.audit.verify().ok
    print(json.dumps({"facts": facts, "log_syncs": log, "verified": sound}))
    del held


def edit_block(path: str, times: str, word: str) -> None:
    """Edit one block, by a blind append or a guarded update. Print each line that was stored."""
    settings = Settings(busy_timeout=60, embedder="none", tokenizer="estimate")
    with erstwhile.open(path, settings=settings) as memory:
        wait_for_start()
        for number in range(int(times)):
            line = f"{word}-{number}"
            if number % 2:
                memory.blocks.append("shared", line)
            else:
                block = memory.blocks.get("shared")
                content = f"{block.content}\n{line}"
                try:
                    memory.blocks.update("shared", content, expected_version=block.version)
                except erstwhile.ConflictError:
                    continue
            print(line, flush=True)


def hold(path: str, what: str) -> None:
    """Hold a transaction on a file, `read` or `write`, until a line of input comes."""
    connection = apsw.Connection(path)
    connection.execute("BEGIN IMMEDIATE" if what == "write" else "BEGIN")
    connection.execute("SELECT COUNT(*) FROM facts").fetchall()
    wait_for_start()
    connection.execute("ROLLBACK")
    connection.close()


def hold_conversation(path: str, exchanges: str) -> None:
    """Add messages to one channel. Print the conversation of each stored message."""
    settings = Settings(synchronous="NORMAL", busy_timeout=60, embedder="none")
    with erstwhile.open(path, settings=settings) as memory:
        conversations = memory.scoped(user="ana").conversations
        wait_for_start()
        print(conversations.current("race").id, flush=True)
        for number in range(int(exchanges)):
            for message in conversations.add_exchange(f"q{number}", f"a{number}", channel="race"):
                print(message.conversation, flush=True)


class Writers:
    """Threads, the main one among them, that write without pause."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.acknowledged: list[str] = []
        self.errors: list[str] = []
        self.stop = threading.Event()

    def write(self, who: str) -> None:
        for number in count():
            if self.stop.is_set():
                return
            self.acknowledged.append(self.memory.remember(f"{who} says {number}").id)

    def write_in_thread(self, who: str) -> None:
        try:
            self.write(who)
        except BaseException as error:
            self.errors.append(repr(error))

    def write_until_interrupted(self, who: str) -> None:
        with suppress(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0005, 0.005))
            self.write(who)


def interrupt(path: str, interrupts: str) -> None:
    """Interrupt the main thread many times while it and others write. Print the outcome."""
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    memory = erstwhile.open(path, settings=Settings(synchronous="NORMAL", embedder="none"))
    # The modules are loaded before: an interrupted import may keep Python's own lock of imports.
    memory.remember("nobody says anything yet")
    writers = Writers(memory)
    threads = [
        threading.Thread(target=writers.write_in_thread, args=(f"thread {number}",), daemon=True)
        for number in range(3)
    ]
    for thread in threads:
        thread.start()
    for number in range(int(interrupts)):
        writers.write_until_interrupted(f"main {number}")
    writers.stop.set()
    for thread in threads:
        thread.join(60)
    checked = memory.audit.verify()
    told = {
        "errors": writers.errors,
        "lost": [id for id in writers.acknowledged if memory.facts.get(id).id != id],
        "twice": checked.records - memory.facts.count(state="any"),
        "problems": checked.problems,
        "altered": memory.facts.count() - memory.facts.count(contains=" says "),
    }
    memory.close()
    print(json.dumps(told))


def open_file(path: str, text: str) -> None:
    """Open a memory at the same moment as others do. Print its schema."""
    wait_for_start()
    with erstwhile.open(path) as memory:
        memory.remember(text)
        print(memory.stats().schema)


def open_at(moment: float, file: Path) -> str:
    time.sleep(max(0, moment - time.monotonic()))
    try:
        erstwhile.open(file).close()
    except Exception as error:
        return repr(error)
    return ""


def race(file: Path, processes: int) -> list[str]:
    moment = time.monotonic() + 0.02
    reading, writing = os.pipe()
    children = []
    for _ in range(processes):
        child = os.fork()
        if not child:
            os.write(writing, open_at(moment, file).encode() + b"\n")
            os._exit(0)
        children.append(child)
    os.close(writing)
    for child in children:
        os.waitpid(child, 0)
    with os.fdopen(reading) as pipe:
        return [line for line in pipe.read().splitlines() if line]


def race_to_open(folder: str, rounds: str, processes: str) -> None:
    """Let processes open a new file at the same moment, several times. Print what failed."""
    held = WatchedVfs()  # without syncs
    files = [Path(folder) / f"{number}.db" for number in range(int(rounds))]
    print(json.dumps([failure for file in files for failure in race(file, int(processes))]))
    del held


READ_ONLY, FOLDER, FOREIGN, WIDE = "read-only.db", "kept/inside.db", "foreign.db", "wide.db"


def _access(path: Path) -> list[object]:
    """Return the facts, the refusal of a write, and the files that were left beside the memory."""
    try:
        # Settings of our own: those of others may lie where only root may look.
        with erstwhile.open(path, settings=Settings(embedder="none")) as memory:
            texts: object = [fact.text for fact in memory.facts.list()]
            try:
                memory.remember("something")
                refusal = "none"
            except erstwhile.ErstwhileError as error:
                refusal = type(error).__name__
    except erstwhile.ErstwhileError as error:
        return [type(error).__name__, error.remedy, []]
    beside = sorted(each.name for each in path.parent.glob(f"{path.name}-*"))
    return [texts, refusal, beside]


def read_only(place: str) -> None:
    """Open files that an unprivileged user may only read. Print what was read and refused."""
    folder = Path(place)
    (folder / "kept").mkdir()
    for name in (READ_ONLY, FOLDER, FOREIGN, WIDE):
        with erstwhile.open(folder / name, settings=Settings(embedder="none")) as memory:
            memory.remember("kept well")
    for name, mode in ((READ_ONLY, 0o400), (FOREIGN, 0o644), (WIDE, 0o666)):
        (folder / name).chmod(mode)
    (folder / "kept").chmod(0o500)
    _drop_rights(folder, folder / READ_ONLY, folder / "kept", folder / FOLDER)
    names = (READ_ONLY, FOLDER, FOREIGN, WIDE)
    print(json.dumps({name: _access(folder / name) for name in names}))
    (folder / "kept").chmod(0o700)


def remember(path: str, synchronous: str, times: str, text: str) -> None:
    """Remember texts, in which {n} is a number. Print each id after its fact is stored."""
    settings = Settings(synchronous=synchronous, busy_timeout=60, embedder="none")
    with erstwhile.open(path, settings=settings) as memory:
        wait_for_start()
        for number in range(int(times)):
            print(memory.remember(text.format(n=number)).id, flush=True)


class ClockAhead:
    def __init__(self, hours: float) -> None:
        self._by = timedelta(hours=hours)

    def now(self) -> datetime:
        return datetime.now(UTC) + self._by


def take_turns(file: str, name: str, hours: str, last: str) -> None:
    """Learn from all that waits, or until death at a turn (0 for never). Print each turn."""
    settings, turns = Settings(synchronous="NORMAL", busy_timeout=60), count(1)
    clock = ClockAhead(float(hours))
    with erstwhile.open(file, settings=settings, embedder="none", clock=clock) as memory:
        access = memory.everything()._access
        wait_for_start()
        while waiting := access.ask(progress.waiting):
            for each in waiting:
                own = access.seen_by(Viewer(scope=each.scope))
                _learn(own, each.conversation, name, (number == int(last) for number in turns))


def _learn(access: Access, conversation: str, name: str, deaths: Iterator[bool]) -> None:
    """Remember the text of each turn in the unit that moves the cursor."""
    learner = access.change(lambda unit: progress.claim(unit, conversation, name, _LEASE))
    while learner and (turn := access.ask(partial(progress.next_turn, lease=learner))):
        text = turn.messages[0].content

        def store(unit: Unit, by: LearningLease, turn: PendingTurn, text: str) -> LearningLease:
            remember_in(unit, erstwhile.draft(f"{text} by {name}"))
            finished = progress.finish(unit, by, turn)
            if next(deaths):
                os.kill(os.getpid(), signal.SIGKILL)
            return finished

        learner = access.change(partial(store, by=learner, turn=turn, text=text))
        print(text, flush=True)


def work(file: str, name: str, hours: str, last: str) -> None:
    """Work on due tasks, or until death after some tasks (0 for never).

    Print the id of each task when it begins, and again, after "done", when it is completed.
    """
    settings = Settings(synchronous="NORMAL", busy_timeout=60)
    clock = ClockAhead(float(hours))
    with erstwhile.open(file, settings=settings, embedder="none", clock=clock) as memory:
        wait_for_start()
        tasks, done = memory.everything().tasks, 0
        while claims := tasks.claim_due(name, _HANDFUL, "1 hour"):
            for number, claim in enumerate(claims):
                print(claim.task.id, flush=True)
                if int(last) and done >= int(last) and number == _HANDFUL // 2:
                    os.kill(os.getpid(), signal.SIGKILL)
                tasks.complete(claim.task.id, claim.token, result=name)
                print("done", claim.task.id, flush=True)
                done += 1


def _refusal(path: Path) -> list[str]:
    try:
        # Settings of our own: those of others may lie where only root may look.
        with erstwhile.open(path, settings=Settings()) as memory:
            memory.remember("something")
    except erstwhile.ErstwhileError as error:
        return [type(error).__name__, str(error)]
    return ["none", ""]


def _drop_rights(*paths: Path) -> None:
    """Give paths to a user without rights, and become this user: no file rights stop root."""
    if os.geteuid() == 0:
        for path in paths:
            os.chown(path, NOBODY, NOBODY)
        os.setuid(NOBODY)


def unprivileged(place: str) -> None:
    """Try what file rights forbid, as a user without privileges. Print the errors."""
    folder = Path(place)
    erstwhile.open(folder / "closed.db").close()
    (folder / "kept").mkdir()
    erstwhile.open(folder / "kept" / "inside.db").close()
    (folder / "closed.db").chmod(0)
    (folder / "read-only.db").write_bytes((folder / "kept" / "inside.db").read_bytes())
    (folder / "read-only.db").chmod(0o444)
    (folder / "kept").chmod(0o500)
    _drop_rights(folder, *folder.rglob("*"))
    paths = ("closed.db", "read-only.db", "kept/inside.db", "kept/new.db")
    print(json.dumps({path: _refusal(folder / path) for path in paths}))
    (folder / "kept").chmod(0o700)


def watch_modes(path: str) -> None:
    """Open a new memory under umask 0. Print the modes of its files before each statement."""
    os.umask(0)
    seen: list[list[int]] = []

    def look(*_: object) -> bool:
        files = Path(path).parent.iterdir()
        seen.append([stat.S_IMODE(file.stat().st_mode) for file in files])
        return True

    def trace(connection: apsw.Connection) -> None:
        connection.exec_trace = look

    apsw.connection_hooks.append(trace)
    erstwhile.open(path).close()
    print(json.dumps(seen))


PROGRAMS = (
    count_syncs, edit_block, hold, hold_conversation, interrupt, open_file, race_to_open, read_only,
    remember, take_turns, unprivileged, watch_modes, work,
)  # fmt: skip

if __name__ == "__main__":
    program: Callable[..., None] = {each.__name__: each for each in PROGRAMS}[sys.argv[1]]
    program(*sys.argv[2:])
