"""How a call ends: one exit code, and when it failed one message with its remedy."""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Callable

import click

from erstwhile.cli.call import is_terminal
from erstwhile.core.errors import (
    BusyError,
    ErstwhileError,
    InvalidInputError,
    NotFoundError,
    RefusedError,
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
    ("`learn`", "`erstwhile learn`"),
    (r"use memory\.scoped\(…\)", "leave --everything out, and say whose memory, such as --user"),
    (r"\bexpires_at\b", "--expires"),
)
"""Remedies are written for Python; here the same is said for the shell."""


def code_of(run: Callable[[], object], *, as_json: bool) -> int:
    """Run a call to its end. No traceback reaches a person who did not ask for one."""
    try:
        result = run()
    except SystemExit:  # so click and rich leave when nobody reads what they write, as in `| head`
        return 0
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except Exception as error:  # whatever it is, it ends here
        return _report(error, as_json=as_json or not is_terminal(sys.stdout))
    return result if isinstance(result, int) else 0


def _report(error: Exception, *, as_json: bool) -> int:
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and not as_json:
        error.show()
        return USAGE
    code, name, message, remedy = _explained(error)
    if code == INTERNAL and os.environ.get("ERSTWHILE_DEBUG"):
        traceback.print_exception(error)
    if as_json:
        from erstwhile.cli.json_output import written

        told = {"error": name, "message": message, "remedy": remedy}
        click.echo(written(told).encode(), err=True)
    else:
        from erstwhile.cli.terminal import fail

        fail(message, remedy)
    return code


def _explained(error: Exception) -> tuple[int, str, str, str]:
    if isinstance(error, ErstwhileError):
        code = next((code for kind, code in _CODES if isinstance(error, kind)), INTERNAL)
        return code, error.code, error.message, _for_the_shell(error.remedy)
    if isinstance(error, click.ClickException):
        return USAGE, "usage", _usage(error), _usage_remedy(error)
    return (
        INTERNAL,
        "internal",
        f"something unexpected happened ({type(error).__name__}: {error})",
        "set ERSTWHILE_DEBUG=1 to see where, and report it",
    )


def _for_the_shell(remedy: str) -> str:
    for python, shell in _SHELL_WORDS:
        remedy = re.sub(python, shell, remedy)
    return remedy


def _usage(error: click.ClickException) -> str:
    nothing_said = isinstance(error, click.exceptions.NoArgsIsHelpError)
    return "Missing command." if nothing_said else error.format_message()


def _usage_remedy(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return "see erstwhile --help"
    if isinstance(error, click.NoSuchOption) and error.option_name in _global_options(context):
        return f"say {error.option_name} before the command: erstwhile {error.option_name} …"
    return f"see {context.command_path} --help"


def _global_options(context: click.Context) -> set[str]:
    root = context.find_root()
    return {name for param in root.command.params for name in param.opts if context is not root}
