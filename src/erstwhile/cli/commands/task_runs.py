"""The commands of `erstwhile tasks` that a worker uses."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.views.descriptions import line
from erstwhile.core.page import Page
from erstwhile.tasks.task import AfterFailure, TaskType

NOTHING_DUE = "Nothing is due."
BY_HAND = "by hand"
"""Who holds a task that somebody completes without having claimed it."""
_THEN = {
    AfterFailure.RETRY: "It will be tried again",
    AfterFailure.NEXT: "Given up; the next occurrence waits",
    AfterFailure.FAILED: "Failed for good",
}

worker = click.option("--worker", metavar="NAME", default="cli", help="Who takes it.")
lease = click.option("--lease", metavar="TIME", help="For how long; 5 minutes unless said.")
tokens_used = click.option("--tokens-used", type=int, help="How many tokens it took.")


@click.command(name="claim-due")
@worker
@lease
@click.option("--limit", type=int, help="How many at most; 1 unless said.")
@click.option("--type", type=options.one_of(TaskType), help="Only of this type.")
@click.pass_obj
def claim_due(call: Call, /, worker: str, **asked: Any) -> None:
    """Take tasks that are due; nobody else gets them meanwhile.

    With --everything it takes from all scopes.

    \b
    Example:
      erstwhile --everything tasks claim-due --worker w1 --limit 5 --lease "10 minutes"
    """
    claims = call.memory.tasks.claim_due(worker, **options.said(asked))
    call.out.page(Page(tuple(claims)), NOTHING_DUE)


@click.command()
@click.argument("id")
@worker
@lease
@click.pass_obj
def claim(call: Call, /, id: str, worker: str, **asked: Any) -> None:
    """Take one certain task, due or not.

    \b
    Example:
      erstwhile --user ana tasks claim 019a8a5b-1234 --worker w1
    """
    claim = call.memory.tasks.claim(id, worker, **options.said(asked))
    call.out.done(f"Taken  {line(claim.task)}  token {claim.token}", claim)


@click.command()
@click.argument("id")
@click.argument("token")
@lease
@click.pass_obj
def heartbeat(call: Call, /, id: str, token: str, **asked: Any) -> None:
    """Say that the work goes on, and so keep the task.

    \b
    Example:
      erstwhile tasks heartbeat 019a8a5b-1234 5f2a9cTOKEN --lease "10 minutes"
    """
    kept = call.memory.tasks.heartbeat(id, token, **options.said(asked))
    call.out.done(f"Kept until {kept.expires_at:%Y-%m-%d %H:%M:%S}", kept)


@click.command()
@click.argument("id")
@click.option("--token", help="Of the claim; without it, the task is claimed first.")
@click.option("--result", metavar="TEXT", help="What came of it.")
@tokens_used
@click.pass_obj
def complete(call: Call, /, id: str, token: str | None, **told: Any) -> None:
    """Say that the work is done.

    Without a token the task is claimed first; one that a worker holds is refused.

    \b
    Example:
      erstwhile --user ana tasks complete 019a8a5b-1234 --result "she was not at home"
    """
    held = token or call.memory.tasks.claim(id, BY_HAND).token
    call.out.done("Done", call.memory.tasks.complete(id, held, **options.said(told)))


@click.command()
@click.argument("id")
@click.argument("token")
@click.argument("error")
@click.option("--final", is_flag=True, help="Do not try again.")
@tokens_used
@click.pass_obj
def fail(call: Call, /, id: str, token: str, error: str, **told: Any) -> None:
    """Say that the work failed, and why; see what follows.

    \b
    Example:
      erstwhile tasks fail 019a8a5b-1234 5f2a9cTOKEN "the server did not answer"
    """
    failure = call.memory.tasks.fail(id, token, error, **options.said(told))
    call.out.done(f"{_THEN[failure.then]}  {line(failure.task)}", failure)


@click.command()
@click.argument("id")
@click.argument("token")
@click.pass_obj
def release(call: Call, /, id: str, token: str) -> None:
    """Give a task back undone; that does not count as an attempt.

    \b
    Example:
      erstwhile tasks release 019a8a5b-1234 5f2a9cTOKEN
    """
    call.out.done("Given back", call.memory.tasks.release(id, token))


COMMANDS: tuple[click.Command, ...] = (claim_due, claim, heartbeat, complete, fail, release)
