"""One call of the command line: its memory, its scope and its output."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Sized
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias, TypeVar

import click

import erstwhile
from erstwhile.core.arguments import is_server, own_store
from erstwhile.core.errors import ErstwhileError, InvalidInputError, RefusedError
from erstwhile.core.scope import SHARED, Scope, dimensions_of
from erstwhile.core.settings import Settings, load_settings

if TYPE_CHECKING:  # imported for type checking only: `erstwhile --help` must stay fast
    from rich.console import Console

    from erstwhile.cli.data_output import JsonOutput
    from erstwhile.cli.terminal import Terminal
    from erstwhile.memory import Memory

Output: TypeAlias = "JsonOutput | Terminal"

Progress = TypeVar("Progress", bound=Callable[..., None])
_OTHER_SCOPES = "add --user NAME, --project NAME or --everything"
TOKEN, TOKEN_FILE = "ERSTWHILE_TOKEN", "ERSTWHILE_TOKEN_FILE"


class Format(StrEnum):
    """The form of the output."""

    TABLE = "table"
    """Tables and sentences for people."""
    JSON = "json"
    """One document."""
    JSONL = "jsonl"
    """JSON lines: one for each result."""
    CSV = "csv"
    """One row for each result."""


_OUTPUTS = {
    Format.TABLE: "terminal:Terminal",  # loads rich
    Format.JSON: "data_output:JsonOutput",
    Format.JSONL: "data_output:LinesOutput",
    Format.CSV: "data_output:CsvOutput",
}


@dataclass(eq=False, kw_only=True)
class Call:
    """The global options of a call. Nothing is opened before a command needs it."""

    context: click.Context
    db: str | None
    dimensions: dict[str, str | None]
    """The dimensions of the scope; None for one that is not given."""
    everything: bool
    resolve: bool
    form: Format | None
    embedder: str | None
    llm: str | None = None
    """The language model that a command chose; None for that of the settings."""
    creates: bool = False
    """Whether the command may create the memory."""
    learners: int | None = None
    """The conversations that a command learns from at the same time; None for the default."""

    @property
    def data_asked(self) -> bool:
        """Whether the caller chose a format for programs."""
        return self.form not in (None, Format.TABLE)

    @property
    def given_scope(self) -> dict[str, str]:
        """The dimensions of the scope given as options, without the environment."""
        return {name: value for name, value in self.dimensions.items() if value is not None}

    @property
    def scope(self) -> Scope:
        """The scope of the options, the environment and the file, without a look at the memory."""
        return Scope(**{name: getattr(self.settings, name) for name in self.dimensions})

    @property
    def location(self) -> str:
        """The location of the store, which may not exist. A server has none for its clients."""
        return own_store(self.place)

    @property
    def is_remote(self) -> bool:
        """Whether the memory is on a server."""
        return is_server(self.place)

    @property
    def place(self) -> str:
        """The location of the memory, also on a server."""
        return self.settings.location

    @cached_property
    def settings(self) -> Settings:
        """The settings: first the options, then the environment, then the file."""
        return load_settings(db=self.db, **self.dimensions, embedder=self.embedder, llm=self.llm)

    @cached_property
    def memory(self) -> Memory:
        """The memory in the requested scope; it is closed when the call ends."""
        if self.everything and self.given_scope:
            # It overrides a scope from the environment only.
            option = next(iter(self.given_scope))
            raise click.UsageError(
                f"--everything and --{option} contradict each other: leave one out."
            )
        if self.resolve and (self.everything or self.settings.user is None):
            raise click.UsageError("--resolve needs a user: add --user NAME.")
        if self.everything:
            return self.store.everything()
        scope = dimensions_of(self.scope)
        if self.resolve:
            return self.store.as_person(scope.pop("user"), **scope)
        return self.store.scoped(**scope)

    @cached_property
    def store(self) -> Memory:
        """The memory without a scope, for commands about the whole store."""
        if self.is_remote:  # a server has its own embedder, so that only one given here is named
            place: str | None = self.place
            own: Any = {"embedder": self.embedder, "token": _server_token()}
        else:
            place, own = self.db, {"create": self.creates}
        memory = erstwhile.open(place, settings=self.settings, learners=self.learners, **own)
        return self.context.with_resource(memory)

    def local_only(self, progress: Progress) -> Progress | None:
        """Return a progress function, or None if a server does the work."""
        return None if self.is_remote else progress

    @cached_property
    def out(self) -> Output:
        """The output in the chosen format: by default JSON in a pipe, else for people."""
        form = self.form or (Format.TABLE if is_terminal(sys.stdout) else Format.JSON)
        shown = {"scopes": self.everything} if form is Format.TABLE else {}
        output: Output = resolve_name(f"erstwhile.cli.{_OUTPUTS[form]}")(**shown)
        return output

    def elsewhere(self, ask: Callable[[Memory], Sized | int]) -> str:
        """Return which scope had no answer, and how many answers others have.

        It is empty if others have none, unless the scope has no facts at all.
        `ask` asks a memory the same question. Only a caller who can open everything learns of
        others.
        """
        if self.everything:
            return ""
        with suppress(ErstwhileError):
            found = ask(self.store.everything())
            if number := found if isinstance(found, int) else len(found):
                more = " or more" if getattr(found, "next", None) else ""
                return f"{self._looked_at()}; {number:,}{more} in other scopes: {_OTHER_SCOPES}"
        empty = self.memory.scope != SHARED and not self.memory.facts.count()
        return self._looked_at() if empty else ""

    def _looked_at(self) -> str:
        scope = self.memory.scope
        return f"Searched only {'' if scope == SHARED else f'{scope} and '}shared memory"

    def command(self, *words: str) -> str:
        """Return a command for the same memory and scope, to be copied into a shell."""
        given = {"db": self.db} if self.db else {}
        options = [(f"--{name}", each) for name, each in (given | self.given_scope).items()]
        return shlex.join(("erstwhile", *(word for pair in options for word in pair), *words))


def is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


@contextmanager
def working(on: str) -> Iterator[Callable[[str], None]]:
    """Show on standard error that work is in progress. Yield a function that changes the text."""
    if not is_terminal(sys.stderr):
        yield lambda _: None
        return
    with _error_console().status(on) as status:
        yield status.update


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on standard error. Yield a function of (done, total)."""
    if not is_terminal(sys.stderr):
        yield lambda _done, _total: None
        return
    from rich import progress as rich

    columns = [rich.TextColumn(what), rich.BarColumn(), rich.MofNCompleteColumn()]
    columns.append(rich.TimeRemainingColumn())
    with rich.Progress(*columns, console=_error_console(), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _error_console() -> Console:
    console: Console = resolve_name("erstwhile.cli.terminal:console")(sys.stderr)
    return console


def confirm(question: Callable[[], str], *, yes: bool) -> None:
    """Ask before something is destroyed, unless --yes was given. Raise RefusedError on no."""
    if yes:
        return
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        raise RefusedError("this destroys records and needs a confirmation", remedy="add --yes")
    if not click.confirm(question(), err=True):
        raise RefusedError("nothing was destroyed", remedy="answer y to continue")


def _server_token() -> str:
    """Return the token for a server. It is never an argument: every process could read it."""
    if token := os.environ.get(TOKEN, "").strip():
        return token
    file = os.environ.get(TOKEN_FILE)
    if not file:
        raise InvalidInputError(
            "a memory on a server needs a token",
            remedy=f"set {TOKEN}, or {TOKEN_FILE} to a file that has it",
        )
    try:
        return Path(file).expanduser().read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise InvalidInputError(
            f"{TOKEN_FILE} names {file}, which cannot be read", remedy="correct the variable"
        ) from None
