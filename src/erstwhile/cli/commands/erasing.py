"""`erstwhile erase-user`, `erase-scope` and `clear`: destroy a person, a scope or a collection."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call, confirm, working
from erstwhile.cli.groups import destroyed
from erstwhile.cli.person import protect
from erstwhile.cli.safe_text import safe_line
from erstwhile.core.receipt import Erasure

asking = options.together(
    click.option("--preview", is_flag=True, help="Only show what would be destroyed."), options.yes
)


@click.command("erase-user")
@click.argument("user")
@asking
@click.pass_obj
def erase_user(call: Call, /, user: str, preview: bool, yes: bool) -> None:
    """Destroy everything of USER, in every collection.

    Every state and every narrower scope is included. All names that are linked to USER are erased
    with it.

    \b
    Examples:
      erstwhile erase-user ana --preview
      erstwhile erase-user ana --yes
    """
    erase_many(call, partial(call.memory.erase_user, user), preview=preview, yes=yes)


@click.command("erase-scope")
@asking
@click.pass_obj
def erase_scope(call: Call, /, preview: bool, yes: bool) -> None:
    """Destroy everything in a scope and in all narrower scopes.

    The options --user, --agent, --project and --session name the scope.

    \b
    Examples:
      erstwhile --user ana --project shop erase-scope --preview
      erstwhile --project shop erase-scope --yes
    """
    erase_many(call, call.memory.erase_scope, preview=preview, yes=yes)


@click.command("clear")
@click.argument("collection")
@asking
@click.pass_obj
def clear(call: Call, /, collection: str, preview: bool, yes: bool) -> None:
    """Destroy one COLLECTION of exactly one scope.

    The options --user, --agent, --project and --session name the scope. Narrower scopes stay.

    \b
    Examples:
      erstwhile --user ana clear facts --preview
      erstwhile --user ana clear facts --yes
    """
    erase_many(call, partial(call.memory.clear, collection), preview=preview, yes=yes)


def erase_many(call: Call, erase: Callable[..., Erasure], *, preview: bool, yes: bool) -> None:
    """Ask about the preview of an erasure, then run it; or only show the preview."""
    if not preview:
        seen = erase(preview=True)
        scopes = frozenset(seen.scopes if "decisions" in seen.collections else ())
        # On a server the token says what may be erased; it need not open everything.
        seen_by = call.memory if call.is_remote else call.store.everything()
        protect(call, seen_by.decisions, lambda decision: decision.scope in scopes)
        confirm(lambda: _question(erase(preview=True)), yes=yes)
    with working("Counting…" if preview else "Rewriting the file, so that no byte is left…"):
        seen = erase(preview=preview)
    if seen.receipt is None:
        call.out.record(seen)
    else:
        call.out.done(destroyed(seen.receipt), seen)


def _question(seen: Erasure) -> str:
    scopes = [f"  {safe_line(str(scope))}" for scope in seen.scopes[:20]]
    more = len(seen.scopes) - len(scopes)
    counts = [f"  {count:,} {name}" for name, count in seen.collections.items()]
    return "\n".join(
        (
            "These scopes:",
            *(scopes or ["  none"]),
            *([f"  and {more:,} more"] if more else []),
            "with these records:",
            *(counts or ["  none"]),
            "Destroy them for good, without any undo?",
        )
    )
