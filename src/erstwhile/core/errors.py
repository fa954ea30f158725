"""Everything that can go wrong, as one tree.

ErstwhileError
├── InvalidInputError        the call itself is wrong
│   ├── TooLargeError        a text, list or document is over its limit
│   └── AmbiguousIdError     a shortened id fits several records
├── NotFoundError            no such record is visible from here
├── RefusedError             the call is clear, and not allowed
│   ├── ConflictError        it contradicts what is stored
│   └── ScopeError           it reaches outside the scope it was made in
├── BusyError                another writer holds the store: try again
├── EmbedderError            the model that embeds cannot be had now: try again
├── LlmError                 the language model did not give a usable answer
└── StorageError             the store itself is in trouble
    ├── CorruptError         the file is damaged, or is not a memory
    ├── NewerSchemaError     a later Erstwhile wrote it
    ├── EditedHistoryError   its migrations differ from ours
    ├── UnavailableError     the server cannot be reached: try again
    ├── UncertainError       the connection broke while a change was being stored
    ├── ForkedError          it belongs to the process before a fork
    └── ClosedError          it was closed

Whichever is raised, nothing was changed; only of an UncertainError this is not known.
No driver's error leaves Erstwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from erstwhile.blocks.block import Block
    from erstwhile.core.tokens import Tokens


class ErstwhileError(Exception):
    """Base of all errors. `remedy` says what to do about it."""

    code = "error"
    retryable = False

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}: {self.remedy}" if self.remedy else self.message


class InvalidInputError(ErstwhileError):
    """The call itself is wrong; correct it and call again."""

    code = "invalid_input"


class TooLargeError(InvalidInputError):
    """A text, a list or a document is over its limit."""

    code = "too_large"


class AmbiguousIdError(InvalidInputError):
    """A shortened id fits several visible records; none was picked."""

    code = "ambiguous_id"

    def __init__(self, given: str, candidates: tuple[str, ...]) -> None:
        super().__init__(
            f"{given!r} is the beginning of several ids",
            remedy="give more of it; it could be " + ", ".join(candidates),
        )
        self.candidates = candidates


class NotFoundError(ErstwhileError):
    """No such record is visible from this scope."""

    code = "not_found"


class RefusedError(ErstwhileError):
    """The call is clear, and not allowed."""

    code = "refused"


class ConflictError(RefusedError):
    """The change contradicts what is stored; `current` is that, when it is a block."""

    code = "conflict"

    def __init__(self, message: str, *, remedy: str = "", current: Block | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.current = current


class ScopeError(RefusedError):
    """The call reaches outside the scope that it was made in."""

    code = "scope"


class BusyError(ErstwhileError):
    """Another writer held the store for too long; the same call may succeed later."""

    code = "busy"
    retryable = True


class EmbedderError(ErstwhileError):
    """The embedding model cannot be reached or answered nonsense; text search goes on without."""

    code = "embedder"
    retryable = True

    def __init__(self, message: str, *, remedy: str = "", retry_after: float | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.retry_after = retry_after


class LlmError(ErstwhileError):
    """The language model gave no usable answer. `retryable` says whether it may give one later.

    `spent` is what was paid for all the same; None if the question itself was not looked at.
    """

    code = "llm"

    def __init__(
        self,
        message: str,
        *,
        remedy: str = "",
        retryable: bool = True,
        retry_after: float | None = None,
        spent: Tokens | None = None,
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.retryable = retryable
        self.retry_after = retry_after
        self.spent = spent


class StorageError(ErstwhileError):
    """The store cannot be read or written."""

    code = "storage"


class CorruptError(StorageError):
    """The file is damaged, or is not a Erstwhile memory."""

    code = "corrupt"


class NewerSchemaError(StorageError):
    """A later version of Erstwhile wrote this store."""

    code = "newer_schema"


class EditedHistoryError(StorageError):
    """The migrations recorded in the store are not the ones of this version."""

    code = "edited_history"


class UnavailableError(StorageError):
    """The database server cannot be reached; the same call may succeed later."""

    code = "unavailable"
    retryable = True


class UncertainError(StorageError):
    """The connection broke during the commit, and nobody can say whether the change was stored."""

    code = "uncertain"


class ForkedError(StorageError):
    """The memory was opened before a fork and cannot be used after it."""

    code = "forked"


class ClosedError(StorageError):
    """The memory was closed."""

    code = "closed"
