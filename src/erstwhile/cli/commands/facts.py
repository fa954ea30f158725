"""`erstwhile facts`: read, change and destroy facts."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.commands.erasing import asking, erase_many
from erstwhile.cli.groups import Group, one_id
from erstwhile.core.errors import NotFoundError
from erstwhile.core.kinds import Ending
from erstwhile.core.scope import DIMENSIONS, EVERYONE

NONE_HERE = (
    "No fact here fits. See all with: erstwhile facts list --state any\n"
    'Or add one: erstwhile remember "Ana prefers pnpm over npm"'
)

facts = Group(
    "facts",
    "Read facts, and change them.\n\nYou may shorten an ID as long as it stays unique.",
    "--user ana facts list --kind preference",
    "--user ana facts history 019a8a5b-1234",
)
facts.method(
    "list",
    "List facts, newest first.\n\n"
    'A TIME is a date (2026-12-01), a time (2026-12-01T09:30:00Z) or words ("3 days ago").',
    (
        "--user ana facts list --kind preference --kind profile",
        "--project shop facts list --entity Postgres --as-of 2026-03-01",
    ),
    options.matching,
    options.past,
    options.paging,
    empty=NONE_HERE,
)
facts.method(
    "show",
    "Show one fact with all its details.",
    "--user ana facts show 019a8a5b-1234",
    one_id,
    options.past,
    calls="get",
)
facts.method(
    "find",
    "Show the one fact with TEXT.\n\nTEXT may be a part that no other fact has.",
    '--user ana facts find "prefers pnpm"',
    click.argument("text"),
    options.state,
)
facts.method(
    "history",
    "List the changes of a fact: who did what, when and why.\n\n"
    "The facts that it replaced and that replaced it are included, oldest first.",
    "--user ana facts history 019a8a5b-1234",
    one_id,
    options.past,
    empty="The fact was not known at that time.",
)


@facts.command()
@click.argument("key")
@options.past
@click.pass_obj
def value(call: Call, /, key: str, as_of: str | None, known_at: str | None) -> None:
    """Show the value of KEY in the narrowest scope that has one.

    \b
    Examples:
      erstwhile --user ana facts value timezone
    """
    found = call.memory.facts.value(key, as_of=as_of, known_at=known_at)
    if found is None:
        raise NotFoundError(
            f"{key!r} has no value here", remedy="set one with `erstwhile facts set`"
        )
    call.out.record({"key": key, "value": found})


facts.method(
    "set",
    "Set KEY to a new VALUE; earlier values stay in its history.",
    "--user ana facts set timezone Europe/Berlin",
    click.argument("key"),
    click.argument("value"),
    options.details,
    done="Set",
)
facts.method(
    "replace",
    "Replace a fact that was true until now by a new TEXT.\n\n"
    "Kind, key, tags, metadata, expiry and pin stay as they are, unless you give new ones.",
    '--user ana facts replace 019a8a5b-1234 "Ana prefers pnpm" --reason "she said so"',
    one_id,
    click.argument("text"),
    options.reason,
    options.details,
    options.key,
    done="Replaced",
)
facts.method(
    "replace-text",
    "Replace the one live fact that `facts find` shows for TEXT.",
    '--user ana facts replace-text "prefers npm" "Ana prefers pnpm over npm"',
    click.argument("text"),
    click.argument("new_text"),
    options.reason,
    options.details,
    options.key,
    calls="replace_text",
    done="Replaced",
)
facts.method(
    "retire",
    "End a fact. Superseded: it was true. Wrong: it never was. Expired: its time has passed.",
    '--user ana facts retire 019a8a5b-1234 --ending wrong --reason "a misunderstanding"',
    one_id,
    click.option(
        "--ending", type=options.one_of(Ending), required=True, help="The kind of ending."
    ),
    click.option("--ended", metavar="TIME", help="When it stopped being true; now by default."),
    options.reason,
    done="Retired",
)
facts.edit(
    "undo",
    "Live again",
    "Undo the end or the move of a fact. The fact that replaced it is retired as wrong.",
)
facts.method(
    "move",
    "Move a fact to a wider or narrower scope. `facts undo` brings it back.",
    (
        "--user ana --project shop facts move 019a8a5b-1234 --to user",
        "--user ana --project shop facts move 019a8a5b-1234 --to user --to project",
    ),
    one_id,
    click.option(
        "--to",
        type=click.Choice([*DIMENSIONS, EVERYONE]),
        multiple=True,
        required=True,
        help="A dimension of this scope that the fact keeps; shared alone is for all. Repeatable.",
    ),
    options.reason,
    done="Moved",
)
facts.edit("confirm", "Confirmed", "Confirm a fact: more evidence, and out of quarantine.")
facts.edit("pin", "Pinned", "Mark a fact as always important.")
facts.edit("unpin", "Unpinned", "Remove the mark of a pinned fact.")
facts.method(
    "forget",
    "Hide the one fact with TEXT.\n\n`facts find` shows it. It can be restored until it is purged.",
    '--user ana facts forget "prefers pnpm" --reason "private"',
    click.argument("text"),
    options.state,
    options.reason,
    done="Deleted",
)
facts.delete_commands("fact")


@facts.command("purge-retired")
@click.option("--older-than", metavar="AGE", help="The time since they ended.")
@options.about
@asking
@click.pass_obj
def purge_retired(call: Call, /, *, preview: bool, yes: bool, **given: Any) -> None:
    """Destroy facts that ended, by their age or by filters. Give at least one of them.

    \b
    Examples:
      erstwhile --user ana facts purge-retired --older-than "1 year" --preview
      erstwhile --user ana facts purge-retired --older-than "1 year" --kind state --yes
    """
    purge = partial(call.memory.facts.purge_retired, **options.given(given))
    erase_many(call, purge, preview=preview, yes=yes)
