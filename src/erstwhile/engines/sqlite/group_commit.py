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
    @property
    def open(self) -> bool:
        """Whether it has begun, and was neither committed nor rolled back."""

    def begin(self) -> None: ...
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


class GroupCommit(Generic[Tx]):
    """Runs jobs one after another, in as few transactions as their arrival allows."""

    def __init__(self, connect: Callable[[], Tx]) -> None:
        self._connect = connect
        self._waiting: deque[_Job[Tx]] = deque()
        self.lock = Lock()

    def submit(self, work: Callable[[Tx], Result]) -> Result:
        job = _Job(work)
        try:
            self._waiting.append(job)
            with self.lock:
                while not job.done:
                    self._serve()
        finally:
            job.done = True  # whoever was interrupted does not want it done later
        if job.error is not None:
            raise job.error
        result: Result = job.result
        return result

    def _serve(self) -> None:
        """Run the jobs that wait, in one transaction.

        Jobs stay in the queue until they are done, so an interrupted thread loses none of them.
        """
        places = range(min(len(self._waiting), MAX_JOBS))
        jobs = [job for place in places if not (job := self._waiting[place]).done]
        transaction, committing = None, False
        try:
            transaction = self._connect()
            transaction.begin()
            if len(jobs) == 1:
                jobs[0].error = None
                jobs[0].result = jobs[0].work(transaction)
            else:
                _run_apart(jobs, transaction)
            committing = True
            transaction.commit()
            _finish(jobs)
        except Exception as error:  # the transaction itself failed: so did every job in it
            _fail(jobs, _rolled_back(transaction) or error)
        except BaseException:
            # This thread was interrupted: what it had committed is done, the rest is served again.
            if transaction is not None:
                if committing and not transaction.open:
                    _finish(jobs)
                transaction.rollback()
            raise
        while self._waiting and self._waiting[0].done:
            self._waiting.popleft()


def _run_apart(jobs: list[_Job[Tx]], transaction: Tx) -> None:
    """Run several jobs so that the failure of one is its own, and nobody else's."""
    for job in jobs:
        job.error = None

        def run(job: _Job[Tx] = job) -> None:
            job.result = job.work(transaction)

        try:
            transaction.attempt(run)
        except Exception as error:
            if not transaction.open:
                raise
            job.error = error


def _rolled_back(transaction: Transaction | None) -> Exception | None:
    """Roll back, if there is something to; return the error if that fails as well."""
    try:
        if transaction is not None:
            transaction.rollback()
    except Exception as error:
        return error
    return None


def _fail(jobs: list[_Job[Tx]], error: Exception) -> None:
    for job in jobs:
        job.error = job.error or error
    _finish(jobs)


def _finish(jobs: list[_Job[Tx]]) -> None:
    for job in jobs:
        job.done = True
