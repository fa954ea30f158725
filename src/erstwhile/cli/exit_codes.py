"""The exit codes, and the error message with its remedy when a call fails."""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Callable
from pkgutil import resolve_name

import click

from erstwhile.cli.call import is_terminal
from erstwhile.cli.options import WrongOptionError
from erstwhile.cli.safe_text import json_line
from erstwhile.core.errors import (
    BusyError,
    ErstwhileError,
    InvalidInputError,
    NotFoundError,
    RefusedError,
    safe_message,
)

USAGE, NOT_FOUND, REFUSED, INTERNAL, BUSY, INTERRUPTED = 2, 3, 4, 5, 7, 130

_CODES: tuple[tuple[type[ErstwhileError], int], ...] = (
    (InvalidInputError, USAGE),
    (NotFoundError, NOT_FOUND),
    (RefusedError, REFUSED),
    (BusyError, BUSY),
)
_SHELL_WORDS = (
    ("`blocks.set_limit`", "`erstwhile blocks limit`"),
    ("`blocks.set_read_only`", "`erstwhile blocks protect --off`"),
    (r"`([a-z]+)\.([a-z]+)`", r"`erstwhile \1 \2`"),
    ("`(learn|remember)`", r"`erstwhile \1`"),
    (r"use memory\.scoped\(…\)", "leave --everything out, and name a scope, such as --user"),
    (r"\bexpires_at\b", "--expires"),
)
"""Remedies are written for Python. These replacements turn them into shell commands."""


def code_of(run: Callable[[], object], *, as_json: bool) -> int:
    """Run a call and return its exit code. Tracebacks appear only with ERSTWHILE_DEBUG."""
    try:
        result = run()
    except SystemExit:  # click and rich exit like this if the pipe is closed, as in `| head`
        return 0
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except Exception as error:  # every other error also gets a message and an exit code
        return _report(error, as_json=as_json or not is_terminal(sys.stdout))
    return result if isinstance(result, int) else 0


def _report(error: Exception, *, as_json: bool) -> int:
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and not as_json:
        error.show()
        return USAGE
    code, name, message, remedy = _explain(error)
    if code == INTERNAL and os.environ.get("ERSTWHILE_DEBUG"):
        traceback.print_exception(error)
    if as_json:
        report = {"error": name, "message": message, "remedy": remedy}
        click.echo(json_line(report).encode(), err=True)
    else:
        resolve_name("erstwhile.cli.terminal:fail")(message, remedy)
    return code


def _explain(error: Exception) -> tuple[int, str, str, str]:
    """Return the exit code, the name of the error, its message and its remedy."""
    if isinstance(error, ErstwhileError):
        code = next((code for kind, code in _CODES if isinstance(error, kind)), INTERNAL)
        remedy = error.remedy
        for python, shell in _SHELL_WORDS:
            remedy = re.sub(python, shell, remedy)
        return code, error.code, error.message, remedy
    if isinstance(error, click.ClickException):
        no_command = isinstance(error, click.exceptions.NoArgsIsHelpError)
        message = "Missing command." if no_command else error.format_message()
        return USAGE, "usage", safe_message(message), _usage_remedy(error)
    message = safe_message(f"unexpected error ({type(error).__name__}: {error})")
    remedy = "set ERSTWHILE_DEBUG=1 to see the traceback, and report it"
    return INTERNAL, "internal", message, remedy


def _usage_remedy(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is not None and isinstance(error, WrongOptionError):
        return error.remedy
    return f"see {context.command_path if context else 'erstwhile'} --help"
