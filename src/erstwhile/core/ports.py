"""The protocols of external parts: clock, engine, models, tokenizers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from erstwhile.core.errors import InvalidInputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from erstwhile.core.background import JobHealth


Row: TypeAlias = tuple[Any, ...]
Params: TypeAlias = Mapping[str, Any]
Result = TypeVar("Result")
Progress: TypeAlias = Callable[[int, int], None]
"""A function that gets the number of finished rows, lines or pages, and the number of all."""


def unseen(_done: int, _total: int) -> None:
    """Show no progress."""


class Clock(Protocol):
    def now(self) -> datetime:
        """Return the present time in UTC."""


class Analyser(Protocol):
    """Analyses texts for the search index."""

    def terms(self, text: str) -> Sequence[str]:
        """Return the search terms of a text."""

    def passages(self, text: str) -> Sequence[tuple[int, int, str]]:
        """Return where each passage of a text begins and ends, and its words; at least one."""

    def asks(self, text: str) -> int:
        """Return the percentage of its sentences that only ask."""


class Embedder(Protocol):
    """A model that turns texts into vectors of unit length.

    It may have the attribute `in_process`: whether it runs in this process and cannot hang.
    """

    @property
    def model(self) -> str:
        """The name of the model. Vectors of two models are never compared."""

    @property
    def dimensions(self) -> int:
        """The length of its vectors. Reading it may load the model or call its server."""

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """Return one row per text, or raise EmbedderError. `query` marks a question."""


class Reranker(Protocol):
    """A model that reads a query and a text together.

    It may have the attribute `in_process`: whether it runs in this process and cannot hang.
    """

    @property
    def model(self) -> str:
        """The name of the model."""

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return the relevance of each text to the query, from 0 to 1, or raise an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A question to a language model, and the schema of its answer."""

    system: str
    user: str
    schema: Mapping[str, Any]
    """A JSON schema of an object."""
    max_tokens: int = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """The answer of a language model, and its token counts, which do not overlap."""

    text: str
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def tokens(self) -> Tokens:
        return Tokens(**{name: getattr(self, name) for name in _TOKEN_COUNTS})


class Llm(Protocol):
    """A language model that answers in text."""

    @property
    def model(self) -> str:
        """The name of the model, as in the price table."""

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = ...) -> Completion:
        """Return one answer, or raise LlmError, for example soon after `cancelled` returns True."""


class Tokenizer(Protocol):
    """Counts the tokens of a text."""

    @property
    def name(self) -> str:
        """The name. Tokenizers with the same name return the same counts."""

    def count(self, text: str) -> int:
        """Return the number of tokens of a text."""

    def parts(self, text: str) -> Sequence[str]:
        """Split a text into parts; the sum of their counts is the count of the text."""


class Tokenizers(Protocol):
    """The tokenizers that this process has."""

    @property
    def default(self) -> Tokenizer:
        """The tokenizer for new texts."""

    def named(self, name: str) -> Tokenizer | None:
        """Return the tokenizer of a name; None if it is not installed."""

    @property
    def estimate(self) -> Tokenizer:
        """The tokenizer that every process has. It never counts too few."""


class Session(Protocol):
    """Statements inside one transaction."""

    def rows(self, statement: str, params: Params) -> list[Row]:
        """Run a statement and return all its rows."""

    def each(self, statement: str, params: Params) -> Iterator[Row]:
        """Run a query, and yield its rows without holding all of them in memory."""

    def prefetch(self, statement: str, params: Params) -> Callable[[], list[Row]]:
        """Send a query, and return a function that returns its rows. An engine may wait then."""

    def run(self, statement: str, params: Params) -> int:
        """Run a statement and return how many rows it changed."""

    def execute_async(self, statement: str, params: Params) -> None:
        """Run a statement that returns nothing.

        An engine may run it later. Then an error is raised at the commit at the latest.
        """

    def lock_scope(self, scope: Sequence[str] | None) -> None:
        """Lock a scope against other changes until the transaction ends; None locks all scopes."""

    def run_many(self, statement: str, many: Sequence[Params]) -> None:
        """Run a statement once for each of several sets of parameters."""


class Engine(Protocol):
    """A database. It handles transactions and errors, and knows nothing about facts."""

    dialect: str
    space: str
    read_only: bool
    """Whether every change is refused."""

    def read(self, work: Callable[[Session], Result], *, settled: bool = False) -> Result:
        """Run `work` on one snapshot of the store.

        If it is `settled`, the snapshot has every change that began before this call.
        """

    def write(self, work: Callable[[Session], Result]) -> Result:
        """Run `work` in its own transaction. The changes are on disk when this returns.

        `work` may run more than once, and on another thread. It must use only its session.
        """

    def compact(self) -> None:
        """Rewrite the store so that no byte of a deleted row is left."""

    def tidy(self) -> Mapping[str, tuple[int, str]]:
        """Maintain the store in short steps, while others write: space, log, planner statistics.

        Return for each step what it counted, and the name of that.
        """

    def size(self) -> int:
        """Return the number of bytes on disk, with the log."""

    def listen(self, wake: Callable[[], None], stage: JobHealth) -> None:
        """Call `wake`, on any thread, when another process has announced a change.

        A further call adds a function. `stage` records failures to listen.
        """

    def announce(self) -> None:
        """Tell other processes that a change was stored. The message may get lost."""

    def schema(self) -> int:
        """Return the number of the newest migration."""

    def close(self) -> None:
        """Release all resources. Closing twice is harmless."""


_TOKEN_COUNTS = ("input", "output", "cache_read", "cache_write")
MAX_TOKENS = 100_000_000
"""The highest count in one call. It is more than any model uses, and keeps sums exact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Token counts that do not overlap: `input` has no cached tokens."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    def __add__(self, more: Tokens) -> Tokens:
        counts = {name: getattr(self, name) + getattr(more, name) for name in _TOKEN_COUNTS}
        return Tokens(**counts)

    def __post_init__(self) -> None:
        for name in _TOKEN_COUNTS:
            count = getattr(self, name)
            if isinstance(count, bool) or not isinstance(count, int) or count < 0:
                raise InvalidInputError(f"{name} is not a number of tokens: {count!r}")
            if count > MAX_TOKENS:
                raise InvalidInputError(
                    f"{name} has {count:,} tokens, {MAX_TOKENS:,} are allowed for one call",
                    remedy="record each call by itself",
                )
