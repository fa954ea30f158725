"""Run jobs on several threads, and yield their results on the thread of the caller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from threading import Event
from typing import TypeAlias, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")
Cancelled: TypeAlias = Callable[[], bool]


def side_by_side(
    work: Callable[[Job, Cancelled], Iterator[Result]],
    jobs: Iterable[Job],
    threads: int,
    cancelled: Cancelled,
) -> Iterator[Result]:
    """Yield the results of all jobs as they come. If one raises, stop the others and raise it."""
    waiting = list(jobs)
    if min(threads, len(waiting)) > 1:
        yield from _on_threads(work, waiting, threads, cancelled)
        return
    for job in waiting:
        yield from work(job, cancelled)


def _on_threads(
    work: Callable[[Job, Cancelled], Iterator[Result]],
    jobs: list[Job],
    threads: int,
    cancelled: Cancelled,
) -> Iterator[Result]:
    made: SimpleQueue[Result | None] = SimpleQueue()
    ended = Event()

    def run(job: Job) -> None:
        try:
            for result in work(job, lambda: ended.is_set() or cancelled()):
                made.put(result)
        except BaseException:
            ended.set()
            raise
        finally:
            made.put(None)

    with ThreadPoolExecutor(min(threads, len(jobs)), "erstwhile-learn") as pool:
        running = [pool.submit(run, job) for job in jobs]
        try:
            for _ in running:
                while (result := made.get()) is not None:
                    yield result
            for each in running:
                each.result()
        finally:  # the caller may have been interrupted
            ended.set()
            pool.shutdown(wait=False, cancel_futures=True)
