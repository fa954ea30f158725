"""One call of the command line: which memory, whose, and how it is answered."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TextIO

import click

import erstwhile
from erstwhile.core.errors import RefusedError
from erstwhile.core.page import Page
from erstwhile.core.settings import Settings, load_settings
from erstwhile.core.time import parse_moment

if TYPE_CHECKING:  # so that `erstwhile --help` does not wait for all collections
    from erstwhile.memory import Memory


class Output(Protocol):
    """How answers are given: in JSON, or for people. `at` is the moment that was asked about."""

    def record(self, value: Any, /, at: datetime | None = None) -> None:
        """One record, whole."""

    def page(self, page: Page[Any], empty: str, /, at: datetime | None = None) -> None:
        """A list; `empty` tells people what to do when there is nothing on it."""

    def done(self, said: str, value: Any, /) -> None:
        """Something was done, and this is what came of it."""

    def notice(self, said: str, /) -> None:
        """Something that people should know besides; programs find it in the answer."""


class Call:
    """What the global options say. Nothing is opened before a command needs it."""

    def __init__(
        self,
        context: click.Context,
        *,
        db: str | None,
        scope: dict[str, str | None],
        everything: bool,
        resolve: bool = False,
        as_json: bool,
        embedder: str | None = None,
    ) -> None:
        self._context = context
        self._db = db
        self._scope = scope
        self._everything = everything
        self._resolve = resolve
        self._embedder = embedder
        self.json_asked = as_json

    @property
    def said(self) -> dict[str, str | None]:
        """Where the memory is and whose, as the caller said it."""
        return {"db": self._db, **self._scope}

    @cached_property
    def settings(self) -> Settings:
        """What was said, and for the rest what the environment and the file say."""
        return load_settings(**self._scope, embedder=self._embedder)

    @cached_property
    def memory(self) -> Memory:
        """The memory in the scope that was asked for; it is closed when the call ends."""
        self._check_view()
        if self._everything:
            return self.store.everything()
        scope = {name: getattr(self.settings, name) for name in self._scope}
        if not self._resolve:
            return self.store.scoped(**scope)
        return self.store.as_person(scope.pop("user"), **scope)

    @cached_property
    def store(self) -> Memory:
        """The memory as it was opened, for what is about all of it."""
        return self._context.with_resource(erstwhile.open(self._db, settings=self.settings))

    @cached_property
    def out(self) -> Output:
        if self.json_asked or not is_terminal(sys.stdout):
            from erstwhile.cli.json_output import JsonOutput

            return JsonOutput()
        from erstwhile.cli.terminal import Terminal

        return Terminal()

    def _check_view(self) -> None:
        """A scope from the environment gives way to --everything; one said with it is a mistake."""
        said = [f"--{name}" for name, value in self._scope.items() if value is not None]
        if self._everything and said:
            raise click.UsageError(f"--everything and {said[0]} contradict each other.")
        if self._resolve and (self._everything or self.settings.user is None):
            raise click.UsageError("--resolve needs a user: add --user NAME.")


def is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def moment_asked(as_of: str | None, known_at: str | None) -> datetime | None:
    """The moment in the world that a question is about, when it is not about now."""
    asked = as_of or known_at
    return parse_moment(asked, now=datetime.now(UTC), name="as_of") if asked else None


@contextmanager
def working(on: str) -> Iterator[Callable[[str], None]]:
    """Show people, on standard error, what takes its time; what is yielded changes the words."""
    if not is_terminal(sys.stderr):
        yield lambda _: None
        return
    from erstwhile.cli.terminal import console

    with console(sys.stderr).status(on) as status:
        yield status.update


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show people a bar, on standard error; what is yielded is told how many of how many."""
    if not is_terminal(sys.stderr):
        yield lambda _done, _total: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    from erstwhile.cli.terminal import console

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console(sys.stderr), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def confirm(question: Callable[[], str], *, yes: bool) -> None:
    """Before something is destroyed: someone must say yes, here or with --yes."""
    if yes:
        return
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        raise RefusedError("this destroys, and nobody is here to ask", remedy="add --yes")
    if not click.confirm(question(), err=True):
        raise RefusedError("nothing was destroyed", remedy="answer y to go on")
