"""All errors, as one tree.

ErstwhileError
├── InvalidInputError        the arguments are wrong
│   ├── TooLargeError        a text, list or document is over its limit
│   ├── AmbiguousIdError     a shortened id matches several records
│   └── AmbiguousTextError   a text matches several facts
├── NotFoundError            no such record is visible from here
├── RefusedError             the call is valid, but not allowed
│   ├── ConflictError        it contradicts the stored data
│   ├── ClockError           a clock is, or was, far ahead
│   ├── PurgedError          a part of the history that it needs was destroyed
│   ├── ReadOnlyError        the memory is open for reading only
│   ├── KeyMissingError      the memory is encrypted, and there is no key
│   ├── WrongKeyError        the key does not fit the memory
│   └── ScopeError           it reaches outside the scope of the memory
├── BusyError                another writer locks the store: try again
├── EmbedderError            the embedder fails: try again
├── LlmError                 the language model gave no usable answer
└── StorageError             the store cannot be read or written
    ├── CorruptError         the file is damaged, or is not a memory
    ├── NewerSchemaError     a later Erstwhile wrote it
    ├── EditedHistoryError   its migrations differ from ours
    ├── UnavailableError     the server cannot be reached: try again
    ├── UncertainError       the connection broke during a commit
    ├── ForkedError          it was opened before a fork
    └── ClosedError          it was closed

When an error is raised, nothing was changed; only after an UncertainError this is not known.
Errors of drivers are never raised to the caller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from erstwhile.blocks.block import Block
    from erstwhile.core.ports import Tokens


_LONGEST_MESSAGE = 2_000


def safe_message(text: str) -> str:
    """Return a message without secrets: messages quote arguments, and programs log them."""
    from erstwhile.secrets.masking import mask_text  # most programs raise no error

    if len(text) > _LONGEST_MESSAGE:  # cut before a space: half a secret could not be recognised
        text = f"{text[:_LONGEST_MESSAGE].rpartition(' ')[0]}…"
    return mask_text(text)


class ErstwhileError(Exception):
    """The base of all errors. `remedy` says what to do. Neither text repeats a secret."""

    code = "error"
    retryable = False

    def __init__(self, message: str, *, remedy: str = "") -> None:
        self.message = safe_message(message)
        self.remedy = safe_message(remedy)
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message}: {self.remedy}" if self.remedy else self.message


class InvalidInputError(ErstwhileError):
    """The arguments are wrong. Correct them and call again."""

    code = "invalid_input"


class TooLargeError(InvalidInputError):
    """A text, a list or a document is over its limit."""

    code = "too_large"


class AmbiguousIdError(InvalidInputError):
    """A shortened id matches several visible records."""

    code = "ambiguous_id"

    def __init__(self, given: str, candidates: tuple[str, ...]) -> None:
        super().__init__(
            f"{given!r} is the beginning of several ids",
            remedy="give more of it; it could be " + ", ".join(candidates),
        )
        self.candidates = candidates


class AmbiguousTextError(InvalidInputError):
    """A text matches several visible facts equally well."""

    code = "ambiguous_text"

    def __init__(self, candidates: tuple[str, ...]) -> None:
        super().__init__(
            "several facts match this text",
            remedy="give more of it, or the id of one of them: " + ", ".join(candidates),
        )
        self.candidates = candidates


class NotFoundError(ErstwhileError):
    """No such record is visible from this scope."""

    code = "not_found"


class RefusedError(ErstwhileError):
    """The call is valid, but not allowed."""

    code = "refused"


class ConflictError(RefusedError):
    """The change contradicts the stored data. For a block, `current` is the stored block."""

    code = "conflict"

    def __init__(self, message: str, *, remedy: str = "", current: Block | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.current = current


class ClockError(RefusedError):
    """The clock of this machine is far ahead, or was so at an earlier change."""

    code = "clock"


class PurgedError(RefusedError):
    """A part of the history that the call needs was erased, purged or pruned."""

    code = "purged"


class ReadOnlyError(RefusedError):
    """The memory is open for reading only."""

    code = "read_only"


class KeyMissingError(RefusedError):
    """The memory is encrypted, and its key was not given or not found."""

    code = "key_missing"


class WrongKeyError(RefusedError):
    """The key does not fit the memory."""

    code = "wrong_key"


class ScopeError(RefusedError):
    """The call reaches outside the scope of the memory."""

    code = "scope"


class BusyError(ErstwhileError):
    """Another writer locked the store for too long; the same call may succeed later."""

    code = "busy"
    retryable = True


class EmbedderError(ErstwhileError):
    """The embedder cannot be reached or gave a wrong answer. Search by words still works."""

    code = "embedder"
    retryable = True

    def __init__(self, message: str, *, remedy: str = "", retry_after: float | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.retry_after = retry_after


class LlmError(ErstwhileError):
    """The language model gave no usable answer. `retryable` says whether it may give one later.

    `spent` are the paid tokens; None if the model did not read the prompt.
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
    """The file is damaged, or is not a memory of Erstwhile."""

    code = "corrupt"


class NewerSchemaError(StorageError):
    """A later version of Erstwhile wrote this store."""

    code = "newer_schema"


class EditedHistoryError(StorageError):
    """The migrations recorded in the store differ from the migrations of this version."""

    code = "edited_history"


class UnavailableError(StorageError):
    """The database server cannot be reached; the same call may succeed later."""

    code = "unavailable"
    retryable = True


class UncertainError(StorageError):
    """The connection broke during the commit, so the change may be stored or not."""

    code = "uncertain"


class ForkedError(StorageError):
    """The memory was opened before a fork and cannot be used after it."""

    code = "forked"


class ClosedError(StorageError):
    """The memory was closed."""

    code = "closed"
