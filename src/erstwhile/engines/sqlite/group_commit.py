"""Group commit: several threads share one disk write.

A writing thread puts its job into a queue and takes the lock. The thread with the lock runs every
waiting job in one transaction. So jobs collect during a commit and are then written together. A
single thread has no extra cost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

MAX_JOBS = 256
"""The most jobs in one transaction, so that transactions stay short with many threads."""

Result = TypeVar("Result")


class Transaction(Protocol):
    """One transaction after another on a connection."""

    @property
    def open(self) -> bool:
        """Whether it has begun, and was neither committed nor rolled back."""

    def begin(self) -> None: ...
    def commit(self) -> None: ...
    def rollback(self) -> None: ...
    def savepoint(self, work: Callable[[], object]) -> None:
        """Run `work`; if it fails, undo only its own changes."""


Tx = TypeVar("Tx", bound=Transaction)


class _Job(Generic[Tx]):
    __slots__ = ("done", "error", "result", "work")

    def __init__(self, work: Callable[[Tx], Any]) -> None:
        self.work = work
        self.result: Any = None
        self.error: Exception | None = None
        self.done = False


class GroupCommit(Generic[Tx]):
    """Runs jobs in order, in as few transactions as possible."""

    def __init__(self, connect: Callable[[], Tx]) -> None:
        self._connect = connect
        self._waiting: deque[_Job[Tx]] = deque()
        self.lock = Lock()

    def submit(self, work: Callable[[Tx], Result]) -> Result:
        """Run a job, and return its result after the commit.

        Jobs stay in the queue until they are done, so an interrupted thread loses none of them.
        """
        job = _Job(work)
        try:
            self._waiting.append(job)
            with self.lock:
                try:
                    while not job.done:
                        self._run_next_jobs()
                finally:
                    job.done = True  # an interrupted job must not run later
                    self._drop_finished_jobs()
        finally:
            job.done = True  # interrupted before it got the lock
        if job.error is not None:
            raise job.error
        result: Result = job.result
        return result

    def run_alone(self, work: Callable[[], Result]) -> Result:
        """Run something long between two transactions, then the jobs that came meanwhile.

        Otherwise they could wait for the next long work, too: nobody gets the lock in order.
        """
        with self.lock:
            try:
                return work()
            finally:
                if self._waiting:
                    self._run_next_jobs()

    def _run_next_jobs(self) -> None:
        """Run the waiting jobs in one transaction."""
        self._drop_finished_jobs()
        places = range(min(len(self._waiting), MAX_JOBS))  # other threads may append meanwhile
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
        except Exception as error:  # the transaction failed, and with it every job
            _fail(jobs, transaction, error)
        except BaseException:
            # This thread was interrupted: committed jobs are done, the others run again.
            if transaction is not None:
                if committing and not transaction.open:
                    _finish(jobs)
                transaction.rollback()
            raise

    def _drop_finished_jobs(self) -> None:
        """Drop jobs with their content. Only the thread with the lock may do this."""
        while self._waiting and self._waiting[0].done:
            self._waiting.popleft()


def _run_apart(jobs: list[_Job[Tx]], transaction: Tx) -> None:
    """Run several jobs; a failed job does not affect the others."""
    for job in jobs:
        job.error = None

        def run(job: _Job[Tx] = job) -> None:
            job.result = job.work(transaction)

        try:
            transaction.savepoint(run)
        except Exception as error:
            if not transaction.open:
                raise
            job.error = error


def _fail(jobs: list[_Job[Tx]], transaction: Tx | None, error: Exception) -> None:
    """Roll back, and end every job with the error, or with that of the rollback."""
    try:
        if transaction is not None:
            transaction.rollback()
    except Exception as failure:
        error = failure
    for job in jobs:
        job.error = job.error or error
    _finish(jobs)


def _finish(jobs: list[_Job[Tx]]) -> None:
    for job in jobs:
        job.done = True
