"""All errors. `docs/reference/errors.md` shows them as a tree.

When an error is raised, nothing was changed; only after an UncertainError this is not known.
Errors of drivers are never raised to the caller.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from erstwhile.blocks.block import Block
    from erstwhile.core.ports import Tokens


_MAX_MESSAGE = 2_000


def safe_message(text: str) -> str:
    """Return a message without secrets: messages quote arguments, and programs log them."""
    from erstwhile.secrets.masking import mask_now  # most programs raise no error

    if len(text) > _MAX_MESSAGE:  # cut before a space: half a secret could not be recognised
        text = f"{text[:_MAX_MESSAGE].rpartition(' ')[0]}…"
    return mask_now(text)  # in a transaction, too: an error does not run it again


class ErstwhileError(Exception):
    """The base of all errors. `remedy` says what to do. Neither text repeats a secret."""

    code = "error"
    """The name of the class in snake case, without `Error`."""
    retryable = False

    def __init_subclass__(cls) -> None:
        words = re.findall("[A-Z][a-z]+", cls.__name__.removesuffix("Error"))
        cls.code = "_".join(words).lower()

    def __init__(self, message: str, *, remedy: str = "") -> None:
        self.message = safe_message(message)
        self.remedy = safe_message(remedy)
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message}: {self.remedy}" if self.remedy else self.message


class InvalidInputError(ErstwhileError):
    """The arguments are wrong. Correct them and call again."""


class TooLargeError(InvalidInputError):
    """A text, a list or a document is over its limit."""


class AmbiguousIdError(InvalidInputError):
    """A shortened id matches several visible records."""

    def __init__(self, given: str, candidates: tuple[str, ...]) -> None:
        super().__init__(
            f"{given!r} is the beginning of several ids",
            remedy="give more of it; it could be " + ", ".join(candidates),
        )
        self.candidates = candidates


class AmbiguousTextError(InvalidInputError):
    """A text matches several visible facts equally well."""

    def __init__(self, candidates: tuple[str, ...]) -> None:
        super().__init__(
            "several facts match this text",
            remedy="give more of it, or the id of one of them: " + ", ".join(candidates),
        )
        self.candidates = candidates


class NotFoundError(ErstwhileError):
    """No such record is visible from this scope."""


class RefusedError(ErstwhileError):
    """The call is valid, but not allowed."""


class ConflictError(RefusedError):
    """The change contradicts the stored data. For a block, `current` is the stored block."""

    def __init__(self, message: str, *, remedy: str = "", current: Block | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.current = current


class ClockError(RefusedError):
    """The clock of this machine is far ahead, or was so at an earlier change."""


class PurgedError(RefusedError):
    """A part of the history that the call needs was erased, purged or pruned."""


class ReadOnlyError(RefusedError):
    """The memory is open for reading only."""


class KeyMissingError(RefusedError):
    """The memory is encrypted, and its key was not given or not found."""


class WrongKeyError(RefusedError):
    """The key does not fit the memory."""


class ScopeError(RefusedError):
    """The call reaches outside the scope of the memory."""


class BusyError(ErstwhileError):
    """Another writer locked the store for too long; the same call may succeed later."""

    retryable = True


class EmbedderError(ErstwhileError):
    """The embedder cannot be reached or gave a wrong answer. Search by words still works."""

    retryable = True

    def __init__(self, message: str, *, remedy: str = "", retry_after: float | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.retry_after = retry_after


class LlmError(ErstwhileError):
    """The language model gave no usable answer. `retryable` says whether it may give one later.

    `spent` are the paid tokens; None if the model did not read the prompt.
    """

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


class CorruptError(StorageError):
    """The file is damaged, or is not a memory of Erstwhile."""


class NewerSchemaError(StorageError):
    """A later version of Erstwhile wrote this store."""


class EditedHistoryError(StorageError):
    """The migrations recorded in the store differ from the migrations of this version."""


class UnavailableError(StorageError):
    """The database server cannot be reached; the same call may succeed later."""

    retryable = True


class UncertainError(StorageError):
    """The connection broke during the commit, so the change may be stored or not."""


class ForkedError(StorageError):
    """The memory was opened before a fork and cannot be used after it."""


class ClosedError(StorageError):
    """The memory was closed."""
