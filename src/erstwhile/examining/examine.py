"""Examine a memory: each check in its order, the cheap ones first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from erstwhile.core.clock import SystemClock
from erstwhile.core.errors import ErstwhileError
from erstwhile.core.scope import Viewer
from erstwhile.examining import file_checks, model_checks
from erstwhile.examining.diagnosis import Diagnosis, Health, HealthCheck, examined
from erstwhile.examining.store_checks import StoreChecks
from erstwhile.search.analyser import LazyAnalyser
from erstwhile.storage.access import Access

if TYPE_CHECKING:
    from erstwhile.core.ports import Embedder, Engine, Llm

Check = tuple[str, Callable[[], str]]


@dataclass(frozen=True, slots=True)
class Examination:
    """What is examined: a memory, and the models that it uses."""

    open: Callable[[], Engine]
    """Opens the memory for reading only."""
    file: Path | None
    """The file of the memory; None if it is on a server."""
    embedder: Callable[[], Embedder | None]
    llm: Callable[[], Llm | None]
    models: bool
    """Whether the models are called."""
    key: Callable[[], str] = lambda: ""
    """Reads the key of an encrypted file."""

    def made(self, tell: Callable[[str], None]) -> Diagnosis:
        return Diagnosis(checks=tuple(self._findings(tell)))

    def _findings(self, tell: Callable[[str], None]) -> Iterator[HealthCheck]:
        yield from _run(self._of_file(), tell)
        try:
            engine = self.open()
        except ErstwhileError as error:
            yield HealthCheck(
                name="opening", health=Health.PROBLEM, detail=error.message, remedy=error.remedy
            )
        else:
            with closing(engine):
                yield from _run(self._of_store(engine), tell)
        if self.models:
            yield from _run(self._of_models(), tell)

    def _of_file(self) -> list[Check]:
        if (path := self.file) is None:
            return []
        return [
            ("modes", lambda: file_checks.check_modes(path)),
            ("disk", lambda: file_checks.check_disk(path)),
            ("pages", lambda: file_checks.check_pages(path, self.key())),
        ]

    def _of_store(self, engine: Engine) -> list[Check]:
        access = Access(engine, SystemClock(), Viewer(everything=True), LazyAnalyser())
        store = StoreChecks(engine, access, SystemClock().now(), self.embedder)
        return [
            ("schema", store.check_schema),
            ("clock", store.check_clock),
            ("leases", store.check_leases),
            ("waiting", store.check_waiting),
            ("vectors", store.check_vectors),
            ("index", store.check_index),
            ("audit", store.check_audit),
        ]

    def _of_models(self) -> list[Check]:
        return [
            ("embedder", lambda: model_checks.check_embedder(self.embedder())),
            ("llm", lambda: model_checks.check_llm(self.llm())),
        ]


def _run(checks: list[Check], tell: Callable[[str], None]) -> Iterator[HealthCheck]:
    for name, check in checks:
        tell(name)
        yield examined(name, check)
