"""The exit codes, and the error message with its remedy when a call fails."""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Callable

import click

from erstwhile.cli.call import is_terminal
from erstwhile.cli.options import WrongOptionError
from erstwhile.cli.safe_text import json_line
from erstwhile.core.arguments import load_object
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
        load_object("erstwhile.cli.terminal:fail")(message, remedy)
    return code


def _explain(error: Exception) -> tuple[int, str, str, str]:
    if isinstance(error, ErstwhileError):
        code = next((code for kind, code in _CODES if isinstance(error, kind)), INTERNAL)
        return code, error.code, error.message, _for_the_shell(error.remedy)
    if isinstance(error, click.ClickException):
        return USAGE, "usage", safe_message(_usage(error)), _usage_remedy(error)
    return (
        INTERNAL,
        "internal",
        safe_message(f"unexpected error ({type(error).__name__}: {error})"),
        "set ERSTWHILE_DEBUG=1 to see the traceback, and report it",
    )


def _for_the_shell(remedy: str) -> str:
    for python, shell in _SHELL_WORDS:
        remedy = re.sub(python, shell, remedy)
    return remedy


def _usage(error: click.ClickException) -> str:
    no_arguments = isinstance(error, click.exceptions.NoArgsIsHelpError)
    return "Missing command." if no_arguments else error.format_message()


def _usage_remedy(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return "see erstwhile --help"
    if isinstance(error, WrongOptionError):
        return error.remedy
    return f"see {context.command_path} --help"
