"""Logging of failures: with a traceback, and without content.

All loggers are below `erstwhile` and silent until the application configures logging. The message
of an exception may quote a stored text or a secret. So only known messages are logged.
"""

from __future__ import annotations

import os
from types import TracebackType

from erstwhile.core.errors import BusyError, StorageError

_MAX_CHAIN = 10


def log_failure(
    logger: str, message: str, *details: object, error: BaseException | None = None
) -> None:
    """Log a warning, with the traceback of an error whose own message is left out."""
    import logging  # imported here: opening a memory must stay fast

    ours = logging.getLogger("erstwhile")
    if not ours.handlers:  # no output if the application configures no logging
        ours.addHandler(logging.NullHandler())
    target = logging.getLogger(logger)
    if target.isEnabledFor(logging.WARNING):
        shown = None if error is None else _without_content(error)
        target.warning(message, *details, exc_info=shown, stacklevel=2)


def safe_message(error: BaseException) -> str:
    """Return the message of an error if it cannot quote any content, else an empty text."""
    if isinstance(error, StorageError | BusyError):
        return error.message
    # Not `strerror`: whoever raised the error may have put content there.
    return os.strerror(error.errno) if isinstance(error, OSError) and error.errno else ""


def _without_content(
    error: BaseException, depth: int = 0
) -> tuple[type[BaseException], BaseException, TracebackType | None]:
    """Return class, replacement and traceback of an error, and the same for its causes."""
    kind = type(type(error).__name__, (Exception,), {"__module__": type(error).__module__})
    stand_in: BaseException = kind(*filter(None, [safe_message(error)]))
    stand_in.__traceback__ = error.__traceback__
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None and depth < _MAX_CHAIN:
        stand_in.__cause__ = _without_content(cause, depth + 1)[1]
    return kind, stand_in, error.__traceback__
