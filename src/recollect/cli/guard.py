"""`recollect guard`: what the guard says of a text, before anything is learned from one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from recollect.cli import ending, options
from recollect.cli.call import Call
from recollect.model.draft import MAX_TEXT
from recollect.model.errors import InvalidInputError
from recollect.model.page import Page
from recollect.model.policy import Personal, Policy
from recollect.model.verdict import Action


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict, and the line of the input that it is about; 1 if it was taken as a whole."""

    line: int
    action: Action
    rule: str
    reason: str
    text: str


@click.group(cls=options.Commands)
def guard() -> None:
    """Try what the guard says of a text.

    \b
    Example:
      recollect guard check notes.txt
    """


@guard.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--lines", is_flag=True, help="Examine each line by itself.")
@click.option("--pii", type=options.one_of(Personal), help="What happens to personal data.")
@click.pass_context
def check(context: click.Context, /, file: Path, lines: bool, pii: str | None) -> None:
    """Examine a text file, or standard input if FILE is -. Nothing is stored.

    Exit code 0 if all may be kept, perhaps with something masked or removed; 4 if something would
    be held or refused.

    \b
    Example:
      recollect guard check notes.txt
      recollect guard check --lines --pii mask - < chat.txt
    """
    call: Call = context.obj
    policy = Policy(pii=Personal(pii or call.settings.pii), longest=MAX_TEXT)
    text = _read(file)
    texts = text.splitlines() if lines else [text]
    found = tuple(each for no, one in enumerate(texts, 1) for each in _findings(no, one, policy))
    call.out.page(Page(found), "The guard finds nothing in it.")
    stopped = any(each.action in (Action.HOLD, Action.REFUSE) for each in found)
    context.exit(ending.REFUSED if stopped else 0)


def _findings(line: int, text: str, policy: Policy) -> Iterator[Finding]:
    # Loaded here: only this command needs it.
    from recollect.pipeline.guard import examine

    for verdict in examine(text, policy) if text.strip() else ():
        yield Finding(line, verdict.action, verdict.rule, verdict.reason, verdict.text)


def _read(file: Path) -> str:
    try:
        if file != Path("-"):
            return file.read_text("utf-8-sig")
        return (sys.stdin.buffer.read() if sys.stdin else b"").decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise InvalidInputError(
            f"{file} cannot be read: {why}", remedy="give a file of text in UTF-8"
        ) from None
