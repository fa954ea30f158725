"""Several threads, one disk write.

A thread that wants to write puts its job in a queue and takes the lock. Whoever holds the lock
serves every job that is waiting in one transaction, so while one commit is under way the next ones
gather and are then written together. A thread that comes alone pays nothing for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

MAX_JOBS = 256
"""Keeps transactions short when very many threads write at once."""

Result = TypeVar("Result")


class Transaction(Protocol):
    def commit(self) -> None: ...
    def rollback(self) -> None: ...
    def attempt(self, work: Callable[[], object]) -> None:
        """Run `work` so that its failure undoes its own changes only."""


Tx = TypeVar("Tx", bound=Transaction)


class _Job(Generic[Tx]):
    __slots__ = ("done", "error", "result", "work")

    def __init__(self, work: Callable[[Tx], Any]) -> None:
        self.work = work
        self.result: Any = None
        self.error: Exception | None = None
        self.done = False

    def run(self, transaction: Tx) -> None:
        self.result = self.work(transaction)


class GroupCommit(Generic[Tx]):
    """Runs jobs one after another, in as few transactions as their arrival allows."""

    def __init__(self, begin: Callable[[], Tx]) -> None:
        self._begin = begin
        self._waiting: deque[_Job[Tx]] = deque()
        self.lock = Lock()

    def submit(self, work: Callable[[Tx], Result]) -> Result:
        job = _Job(work)
        self._waiting.append(job)
        with self.lock:
            while not job.done:
                self._serve()
        if job.error is not None:
            raise job.error
        result: Result = job.result
        return result

    def _serve(self) -> None:
        jobs = [self._waiting.popleft() for _ in range(min(len(self._waiting), MAX_JOBS))]
        try:
            self._transact(jobs)
        except Exception as error:  # the transaction itself failed: so did every job in it
            for job in jobs:
                job.error = job.error or error
        except BaseException:
            # This thread was interrupted while serving the others: they are served again.
            self._waiting.extendleft(reversed(jobs))
            raise
        for job in jobs:
            job.done = True

    def _transact(self, jobs: list[_Job[Tx]]) -> None:
        transaction = self._begin()
        try:
            if len(jobs) == 1:
                jobs[0].run(transaction)
            else:
                self._run_apart(jobs, transaction)
            transaction.commit()
        except BaseException:
            transaction.rollback()
            raise

    def _run_apart(self, jobs: list[_Job[Tx]], transaction: Tx) -> None:
        for job in jobs:
            try:
                transaction.attempt(lambda job=job: job.run(transaction))  # type: ignore[misc]
            except Exception as error:  # its own failure, and nobody else's
                job.error = error
