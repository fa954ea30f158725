"""Checks of `erstwhile doctor`: file, audit trail, index, vectors, queues, times, models.

The cheap checks run first.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import timedelta
from pathlib import Path

from erstwhile.core.errors import EmbedderError, ErstwhileError
from erstwhile.core.ports import Embedder, Engine, Llm, Prompt, Row
from erstwhile.core.time import MICROSECOND, from_micros, to_micros
from erstwhile.engines.sqlite.connection import connect, translated
from erstwhile.engines.sqlite.location import COMPANIONS, Location, is_exposed
from erstwhile.engines.sqlite.pages import damages
from erstwhile.operations.full_access import full_access
from erstwhile.operations.rebuild import count_wrong
from erstwhile.operations.results import Diagnosis, Health, HealthCheck
from erstwhile.storage.audit_chain import verify as verify_trail
from erstwhile.storage.statements import load


class Finding(Exception):  # noqa: N818  # it ends a check, and is no failure of the program
    """A problem or warning found by a check."""

    def __init__(self, detail: str, remedy: str, health: Health = Health.PROBLEM) -> None:
        super().__init__(detail)
        self.remedy, self.health = remedy, health


def warn(detail: str, remedy: str) -> Finding:
    return Finding(detail, remedy, Health.WARNING)


def skip(detail: str) -> Finding:
    return Finding(detail, "", Health.SKIPPED)


_MIN_FREE = 100 * 2**20
_MIB = 2**20


def check_modes(path: Path) -> str:
    if os.name != "posix":
        raise skip("this system has no file modes")
    files = [Path(f"{path}{suffix}") for suffix in ("", *COMPANIONS)]
    if exposed := [file for file in files if file.exists() and is_exposed(file)]:
        raise Finding(
            f"other users can read or change {', '.join(file.name for file in exposed)}",
            f"run chmod 600 {shlex.join(map(str, exposed))}",
        )
    return "only its owner can read the file"


def check_disk(path: Path) -> str:
    """Check the free space: a rewrite and a backup need as much as the file has."""
    needed = max(_MIN_FREE, 2 * path.stat().st_size)
    free = shutil.disk_usage(path.parent).free
    if free < needed:
        raise warn(
            f"{free // _MIB:,} MiB are free on the disk, and {needed // _MIB:,} MiB may be needed",
            "free some space, or move the memory with `erstwhile copy`",
        )
    return f"{free // _MIB:,} MiB are free"


def check_pages(path: Path, key: str = "") -> str:
    place = Location(str(path), read_only=True, key=key)
    with translated(path), closing(connect(place, synchronous="FULL", patience=10)) as connection:
        found = next(damages(connection), None)
    if found:
        raise Finding(
            found,
            "restore a backup with `erstwhile restore`, "
            "or recover the file with `erstwhile repair --into NEW`",
        )
    return f"{path.stat().st_size // 1024:,} KiB without damage"


_SQL = Path(__file__).parent / "statements" / "doctor"
_AHEAD = timedelta(minutes=5)
"""The drift of a stamp that is allowed: clocks of several machines differ a little."""
_LATE = timedelta(hours=1)
"""The age of waiting work that is a problem."""
_REEMBED = "run `erstwhile reembed`"
_REPAIR = "run `erstwhile repair`"


class _StoreChecks:
    """Checks of one store. Each returns a summary, or raises a Finding."""

    def __init__(self, engine: Engine, embedder: Callable[[], Embedder | None]) -> None:
        self.engine = engine
        self.embedder = embedder
        self.access = full_access(engine)
        self.now = self.access.clock.now()

    def all(self) -> dict[str, Callable[[], str]]:
        names = ("schema", "clock", "leases", "waiting", "vectors", "index", "audit")
        return {name: getattr(self, f"check_{name}") for name in names}

    def check_schema(self) -> str:
        return f"{self.engine.dialect}, schema {self.engine.schema()}"

    def check_audit(self) -> str:
        found = self.access.ask(verify_trail)
        if not found.ok:
            raise Finding(
                f"{found.problems[0]} ({len(found.problems):,} problems in all)",
                "see `erstwhile --everything audit verify`, and restore a backup",
            )
        return f"{found.entries:,} entries fit {found.records:,} stored states"

    def check_index(self) -> str:
        [(passages, missing, surplus)] = self.access.ask(
            lambda view: view.rows("index_against_rows", {})
        )
        if missing or surplus:
            raise Finding(
                f"the search index lacks {missing:,} passages, and has {surplus:,} too many",
                _REPAIR,
            )
        wrong = [f"{count:,} {name}" for name, count in count_wrong(self.access).items() if count]
        if wrong:
            raise Finding(", ".join(wrong), _REPAIR)
        return f"all {passages:,} passages are indexed"

    def check_vectors(self) -> str:
        """Compare the vectors with their texts, and the serving model with the chosen embedder."""
        if not (serving := self._rows("serving_embedder")):
            raise skip("no text has a vector yet")
        [(id, model, dimensions)] = serving
        found = self._rows("vectors_against_texts", embedder=id, size=dimensions + 4)
        [(stored, misshapen, missing)] = found
        if misshapen:
            raise Finding(f"{misshapen:,} vectors of {model} are damaged", _REEMBED)
        embedder = self.embedder()
        if embedder is not None and embedder.model != model:
            raise warn(f"vectors are of {model}, the embedder is {embedder.model}", _REEMBED)
        if missing:
            raise Finding(f"{missing:,} texts have no vector of {model}, none queued", _REPAIR)
        return f"{stored:,} vectors of {model}"

    def check_waiting(self) -> str:
        [(waiting, failed, since)] = self._rows("waiting_texts")
        if failed:
            raise warn(
                f"{failed:,} texts could not be embedded yet",
                "check the embedder; they are tried again, at once with `erstwhile reembed`",
            )
        if waiting and from_micros(since) < self.now - _LATE:
            raise warn(
                f"{waiting:,} texts have waited for their vectors since {from_micros(since):%F %R}",
                "open the memory with its embedder in a program that runs",
            )
        return f"{waiting:,} texts wait for their vectors"

    def check_leases(self) -> str:
        """Find expired leases of unfinished work."""
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
            raise Finding(
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

    def _rows(self, name: str, **params: object) -> list[Row]:
        statement = load(self.engine.dialect, _SQL)[name,]
        named = {"space": self.engine.space, **params}
        return self.engine.read(lambda session: session.rows(statement, named))


_ANSWER = {
    "type": "object",
    "properties": {"ready": {"type": "boolean"}},
    "required": ["ready"],
    "additionalProperties": False,
}
_PROMPT = Prompt(
    system="Answer in JSON.", user='Answer {"ready": true}.', schema=_ANSWER, max_tokens=100
)


def check_embedder(embedder: Embedder | None) -> str:
    if embedder is None:
        raise skip("no embedder is chosen: recall uses words alone")
    [vector] = embedder.embed(["ready"])
    if len(vector) != embedder.dimensions or not vector.any():
        raise EmbedderError(f"{embedder.model} returned an unusable vector")
    return f"{embedder.model} answered with {embedder.dimensions} dimensions"


def check_llm(llm: Llm | None) -> str:
    if llm is None:
        raise skip("no language model is chosen: learning uses patterns alone")
    answer = llm.complete(_PROMPT)
    return f"{llm.model} answered, with {answer.output:,} tokens"


def examine(
    open_store: Callable[[], Engine],
    file: Path | None,
    key: Callable[[], str],
    embedder: Callable[[], Embedder | None],
    llm: Callable[[], Llm | None] | None,
    progress: Callable[[str], None],
) -> Diagnosis:
    """Run all checks, the cheap ones first.

    A memory on a server has no `file`. Without `llm`, no model is called.
    """
    found: list[HealthCheck] = []

    def run(checks: Mapping[str, Callable[[], str]]) -> None:
        for name, check in checks.items():
            progress(name)
            found.append(run_check(name, check))

    if file is not None:
        run(
            {
                "modes": lambda: check_modes(file),
                "disk": lambda: check_disk(file),
                "pages": lambda: check_pages(file, key()),
            }
        )
    try:
        engine = open_store()
    except ErstwhileError as error:
        found.append(_problem("opening", error))
    else:
        with closing(engine):
            run(_StoreChecks(engine, embedder).all())
    if llm is not None:
        run({"embedder": lambda: check_embedder(embedder()), "llm": lambda: check_llm(llm())})
    return Diagnosis(checks=tuple(found))


def run_check(name: str, check: Callable[[], str]) -> HealthCheck:
    """Return the result of a check, which returns a summary or raises a Finding."""
    try:
        return HealthCheck(name=name, health=Health.OK, detail=check())
    except Finding as found:
        return HealthCheck(name=name, health=found.health, detail=str(found), remedy=found.remedy)
    except ErstwhileError as error:
        return _problem(name, error)
    except OSError as error:
        return HealthCheck(name=name, health=Health.PROBLEM, detail=str(error))


def _problem(name: str, error: ErstwhileError) -> HealthCheck:
    return HealthCheck(name=name, health=Health.PROBLEM, detail=error.message, remedy=error.remedy)
