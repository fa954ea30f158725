"""Group commit alone, on a transaction that writes words into a book."""

from __future__ import annotations

import gc
import time
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import pytest

from erstwhile.engines.sqlite import group_commit
from erstwhile.engines.sqlite.group_commit import GroupCommit
from tests.engines.grouping import as_a_group

Work = Callable[["Book"], str]


class Book:
    """Each commit adds a page. `fails` says at which step to raise what, once."""

    def __init__(self) -> None:
        self.pages: list[list[str]] = []
        self.fails: dict[str, BaseException] = {}
        self._page: list[str] | None = None

    @property
    def open(self) -> bool:
        return self._page is not None

    @property
    def words(self) -> list[str]:
        return sorted(word for page in self.pages for word in page)

    def write(self, word: str) -> str:
        assert self._page is not None, "a word outside any transaction"
        self._page.append(word)
        return word

    def begin(self) -> None:
        assert self._page is None, "a transaction within a transaction"
        self._page = []
        self._step("begin")

    def commit(self) -> None:
        assert self._page is not None, "nothing to commit"
        self._step("commit")
        self.pages.append(self._page)
        self._page = None
        self._step("committed")

    def rollback(self) -> None:
        self._page = None

    def savepoint(self, work: Callable[[], object]) -> None:
        before = len(self._page or ())
        try:
            work()
        except BaseException:
            if self._page is not None:
                del self._page[before:]
            raise

    def _step(self, name: str) -> None:
        if name in self.fails:
            raise self.fails.pop(name)


def writing(word: str) -> Work:
    return lambda book: book.write(word)


def failing(word: str) -> Work:
    def work(book: Book) -> str:
        book.write(word)
        raise ValueError(word)

    return work


def interrupted_once(word: str) -> Work:
    """Return a job that is interrupted once, on the thread that runs it."""
    left = [KeyboardInterrupt()]

    def work(book: Book) -> str:
        book.write(word)
        if left:
            raise left.pop()
        return word

    return work


def submit_together(book: Book, works: Sequence[Work]) -> list[Future[str]]:
    commits = GroupCommit(lambda: book)
    return as_a_group(commits, [partial(commits.submit, work) for work in works])


def test_a_thread_alone_has_a_transaction_per_job() -> None:
    book = Book()
    commits = GroupCommit(lambda: book)
    assert [commits.submit(writing(word)) for word in "abc"] == ["a", "b", "c"]
    assert book.pages == [["a"], ["b"], ["c"]]


def test_jobs_that_wait_together_are_committed_together() -> None:
    book = Book()
    futures = submit_together(book, [writing(word) for word in "abcd"])
    assert [future.result(60) for future in futures] == ["a", "b", "c", "d"]
    assert len(book.pages) == 1
    assert book.words == ["a", "b", "c", "d"]


def test_jobs_that_came_during_a_long_work_are_done_before_the_next_one() -> None:
    book = Book()
    commits, done = GroupCommit(lambda: book), list[str]()
    with ThreadPoolExecutor() as threads:

        def work() -> None:
            futures.append(threads.submit(commits.submit, writing("a")))
            while not commits._waiting:
                time.sleep(0.001)
            done.append("long")

        futures = list[Future[str]]()
        commits.run_alone(work)
        assert book.words == ["a"]
        assert futures[0].result(60) == "a"
    assert done == ["long"]


def test_a_transaction_stays_short_however_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_commit, "MAX_JOBS", 2)
    book = Book()
    futures = submit_together(book, [writing(word) for word in "abcde"])
    assert [future.result(60) for future in futures] == ["a", "b", "c", "d", "e"]
    assert [len(page) for page in book.pages] == [2, 2, 1]


def test_a_job_that_fails_in_a_group_fails_alone() -> None:
    book = Book()
    futures = submit_together(book, [writing("a"), failing("b"), writing("c")])
    assert [type(future.exception()) for future in futures] == [type(None), ValueError, type(None)]
    assert book.pages == [["a", "c"]]


@pytest.mark.parametrize("step", ["begin", "commit"])
def test_a_transaction_that_fails_fails_every_job_in_it(step: str) -> None:
    book = Book()
    book.fails[step] = OSError("no disk")
    futures = submit_together(book, [writing(word) for word in "abc"])
    assert {type(future.exception()) for future in futures} == {OSError}
    assert not book.pages
    assert not book.open


def test_a_job_whose_failure_ends_the_transaction_leaves_nothing_of_the_others() -> None:
    """Such as a full disk: later jobs must not run outside of a transaction."""

    def ending(book: Book) -> str:
        book.rollback()
        raise OSError("no disk")

    book = Book()
    futures = submit_together(book, [writing("a"), ending, writing("c")])
    assert {type(future.exception()) for future in futures} == {OSError}
    assert not book.pages


@pytest.mark.parametrize("step", ["begin", "job", "commit"])
def test_an_interrupted_leader_loses_nobodys_job(step: str) -> None:
    """Its own job never runs; the jobs of others run once."""
    book = Book()
    works = [writing(word) for word in "abcd"]
    if step == "job":
        works[2] = interrupted_once("c")
    else:
        book.fails[step] = KeyboardInterrupt()
    futures = submit_together(book, works)
    outcomes = dict(zip("abcd", (future.exception() for future in futures), strict=True))
    assert [type(error) for error in outcomes.values() if error] == [KeyboardInterrupt]
    assert book.words == [word for word, error in outcomes.items() if not error]


def test_an_interrupt_after_the_commit_does_no_job_twice() -> None:
    book = Book()
    book.fails["committed"] = KeyboardInterrupt()
    futures = submit_together(book, [writing(word) for word in "abcd"])
    errors = [future.exception() for future in futures]
    assert [type(error) for error in errors if error] == [KeyboardInterrupt]
    assert book.words == ["a", "b", "c", "d"]


def test_what_was_interrupted_is_not_done_by_whoever_comes_next() -> None:
    book = Book()
    commits = GroupCommit(lambda: book)
    with pytest.raises(KeyboardInterrupt):
        commits.submit(interrupted_once("a"))
    assert commits.submit(writing("b")) == "b"
    assert book.pages == [["b"]]


def test_a_failure_before_the_interrupt_is_forgotten_when_the_job_is_served_again() -> None:
    """A job that fails in the first attempt and succeeds in the second has succeeded."""
    tries: list[str] = []

    def failing_once(book: Book) -> str:
        tries.append("b")
        if len(tries) == 1:
            raise ValueError("b")
        return book.write("b")

    book = Book()
    book.fails["commit"] = KeyboardInterrupt()
    futures = submit_together(book, [writing("a"), failing_once, writing("c")])
    outcomes = dict(zip("abc", (future.exception() for future in futures), strict=True))
    assert not isinstance(outcomes["b"], ValueError)
    assert book.words == [word for word, error in outcomes.items() if not error]


@pytest.mark.parametrize("make", [writing, failing, interrupted_once])
def test_a_finished_job_is_not_referenced_until_the_next_write(make: Callable[[str], Work]) -> None:
    commits = GroupCommit(Book)
    work = make("a")
    finished = weakref.ref(work)
    with suppress(ValueError, KeyboardInterrupt):
        commits.submit(work)
    del work
    gc.collect()
    assert finished() is None
