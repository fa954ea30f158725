"""What the core asks of the outside: a clock, an engine, models of language, tokenizers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from erstwhile.core.background import Stage
    from erstwhile.core.tokens import Tokens

Row: TypeAlias = tuple[Any, ...]
Params: TypeAlias = Mapping[str, Any]
Analyser: TypeAlias = Callable[[str], Sequence[str]]
"""Cuts a text into the terms that are searched."""
Result = TypeVar("Result")


class Clock(Protocol):
    def now(self) -> datetime:
        """The present, in UTC."""


class Words(Protocol):
    """Searching by words: what of a question is looked for, and how well texts match it."""

    def query_terms(self, text: str) -> Sequence[str]:
        """The distinct terms of a question that tell something."""

    def scores(
        self, holding: Mapping[str, int], total: int, documents: Sequence[Sequence[str]]
    ) -> Sequence[float]:
        """How well each text matches, given in how many of all texts each term stands."""

    def snippet(self, text: str, terms: Sequence[str]) -> str:
        """The part of a text in which most of the terms stand together."""


class Embedder(Protocol):
    """A model that turns texts into vectors of unit length."""

    @property
    def model(self) -> str:
        """Names the weights and how they are used: vectors of two names are never compared."""

    @property
    def dimensions(self) -> int:
        """How long its vectors are. Asking may load the model or call its server."""

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """One row per text; EmbedderError when it cannot be had now. `query` marks a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A question to a language model, and the shape that the answer shall have."""

    system: str
    user: str
    schema: Mapping[str, Any]
    """A JSON schema of an object."""
    max_tokens: int = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A language model's answer, and what it took. The counts of tokens do not overlap."""

    text: str
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def tokens(self) -> Tokens:
        # Loaded here: few of those who need an engine also count tokens.
        from erstwhile.core.tokens import Tokens

        return Tokens(
            input=self.input,
            output=self.output,
            cache_read=self.cache_read,
            cache_write=self.cache_write,
        )


class Llm(Protocol):
    """A language model that answers in text."""

    @property
    def model(self) -> str:
        """Its name, as the price table has it."""

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = ...) -> Completion:
        """One answer; LlmError when it cannot be had, soon after `cancelled` says so too."""


class Tokenizer(Protocol):
    """Counts the tokens of a text."""

    @property
    def name(self) -> str:
        """Two of one name count the same."""

    def count(self, text: str) -> int:
        """How many tokens the text has."""

    def parts(self, text: str) -> Sequence[str]:
        """The text, cut where it makes no difference: the counts of the parts are that of it."""


class Tokenizers(Protocol):
    """The tokenizers that this process has."""

    @property
    def default(self) -> Tokenizer:
        """The one that what is new is counted by."""

    def named(self, name: str) -> Tokenizer | None:
        """The one of this name; None if it is not installed here."""

    @property
    def estimate(self) -> Tokenizer:
        """One that every process has, and that never counts too few."""


class Session(Protocol):
    """Statements inside one transaction."""

    def rows(self, statement: str, params: Params) -> list[Row]:
        """Run a statement and return all its rows."""

    def run(self, statement: str, params: Params) -> int:
        """Run a statement and return how many rows it changed."""

    def send(self, statement: str, params: Params) -> None:
        """Run a statement of which only success matters.

        An engine may not wait for it; it then fails later, and at the latest with its transaction.
        """

    def take_turn(self, scope: Sequence[str] | None) -> None:
        """Until the transaction ends let nobody else change this scope; with none, anything."""

    def run_many(self, statement: str, many: Sequence[Params]) -> None:
        """Run a statement once for each of several sets of parameters."""


class Engine(Protocol):
    """A database. It knows transactions and errors, and nothing of facts."""

    dialect: str
    space: str

    def read(self, work: Callable[[Session], Result], *, settled: bool = False) -> Result:
        """Run `work` on one unchanging view of the store.

        When it is `settled`, no change that began before this call is missing from it.
        """

    def write(self, work: Callable[[Session], Result]) -> Result:
        """Run `work` in a transaction of its own; when this returns, it is on disk.

        `work` may run more than once, and on another thread; it must touch nothing but its session.
        """

    def compact(self) -> None:
        """Rewrite the store so that no byte of a deleted row is left in it."""

    def size(self) -> int:
        """Bytes on disk, the log included."""

    def listen(self, wake: Callable[[], None], stage: Stage) -> None:
        """Call `wake`, on any thread, when another process has announced a change.

        `stage` records failures to listen.
        """

    def announce(self) -> None:
        """Tell other processes that something was stored; it may not reach them."""

    def schema(self) -> int:
        """The number of the newest migration."""

    def close(self) -> None:
        """Release everything; closing twice is harmless."""
