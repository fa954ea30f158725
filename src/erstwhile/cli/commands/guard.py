"""`erstwhile guard`: test whether the guard holds back or refuses a text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from erstwhile.cli import exit_codes, options
from erstwhile.cli.call import Call
from erstwhile.cli.groups import Group
from erstwhile.cli.input_text import read_text
from erstwhile.core.page import Page
from erstwhile.core.policy import Personal, Policy
from erstwhile.facts.draft import MAX_TEXT
from erstwhile.learning.candidate import Action


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict of the guard. `line` is the line of the input, if lines were checked separately."""

    line: int | None
    action: Action
    rule: str
    reason: str
    text: str


guard = Group("guard", "Try the guard on a text.", "guard check notes.txt")


@guard.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--lines", is_flag=True, help="Check each line separately.")
@click.option("--pii", type=options.one_of(Personal), help="The treatment of personal data.")
@click.pass_context
def check(context: click.Context, /, file: Path, lines: bool, pii: str | None) -> None:
    """Examine a text file, or standard input if FILE is -. Nothing is stored.

    Exit code 0 if the text may be stored, perhaps with parts masked or removed. Exit code 4 if
    something would be held or refused.

    \b
    Examples:
      erstwhile guard check notes.txt
      erstwhile guard check --lines --pii mask - < chat.txt
    """
    call: Call = context.obj
    policy = Policy(pii=Personal(pii or call.settings.pii), longest=MAX_TEXT)
    text = read_text(file)
    texts = enumerate(text.splitlines(), 1) if lines else [(None, text)]
    found = tuple(each for line, one in texts for each in _findings(line, one, policy))
    call.out.page(Page(found), "The guard finds no problem in the text.")
    stopped = any(each.action in (Action.HOLD, Action.REFUSE) for each in found)
    context.exit(exit_codes.REFUSED if stopped else 0)


def _findings(line: int | None, text: str, policy: Policy) -> Iterator[Finding]:
    # Imported here: only this command needs it.
    from erstwhile.learning.guard import examine

    for verdict in examine(text, policy) if text.strip() else ():
        yield Finding(line, verdict.action, verdict.rule, verdict.reason, verdict.text)
