"""`erstwhile learn` and `guard check`: learn from conversations, and try the guard of learning."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from erstwhile.cli import options, signals
from erstwhile.cli.call import Call, counting
from erstwhile.cli.exit_codes import REFUSED
from erstwhile.core.policies import Personal, Policy
from erstwhile.core.results import Page
from erstwhile.facts.fact import MAX_TEXT
from erstwhile.learning.candidate import GuardAction
from erstwhile.learning.guard.checks import examine

NOTHING_WAITS = (
    "No conversation is waiting to be learned from.\nIn every scope: erstwhile --everything learn"
)
NOTHING_MISSED = "The daily limit kept no turn here from the language model."


@dataclass(frozen=True, slots=True)
class GuardFinding:
    """A verdict of the guard. `line` is the line of the input, if lines were checked separately."""

    line: int | None
    action: GuardAction
    rule: str
    reason: str
    text: str


def learn(
    call: Call,
    *,
    conversation: str | None = None,
    watch: bool,
    missed: bool,
    learners: int | None = None,
) -> int | None:
    call.learners = learners
    if watch:
        if conversation is not None or missed:
            raise click.UsageError(
                "--watch learns from all conversations: leave CONVERSATION and --missed out."
            )
        return signals.watch_learning(call)
    with counting("Learning") as show:
        attempts = call.memory.learn(conversation, missed=missed, progress=call.local_only(show))
    call.out.page(Page(tuple(attempts)), NOTHING_MISSED if missed else NOTHING_WAITS)
    return None


def check(call: Call, *, file: Path, lines: bool, pii: str | None = None) -> int:
    policy = Policy(pii=Personal(pii or call.settings.pii), longest=MAX_TEXT)
    text = options.read_text(file)
    texts = enumerate(text.splitlines(), 1) if lines else [(None, text)]
    found = tuple(
        GuardFinding(line, each.action, each.rule, each.reason, each.text)
        for line, part in texts
        if part.strip()
        for each in examine(part, policy)
    )
    call.out.page(Page(found), "The guard finds no problem in the text.")
    refused = any(each.action in (GuardAction.HOLD, GuardAction.REFUSE) for each in found)
    return REFUSED if refused else 0
