"""`erstwhile decisions people` and `vouch`: who is a person, and whose word counts."""

from __future__ import annotations

import click

from erstwhile.cli.call import Call
from erstwhile.cli.person import by_people, require_person
from erstwhile.cli.safe_text import safe_line
from erstwhile.decisions.people import name_people, named_people, parse_people


@click.command()
@click.argument("names", required=False)
@click.pass_obj
def people(call: Call, /, names: str | None) -> None:
    """Show or say whom the command line believes to be a person.

    NAMES are accounts of the operating system with commas between them, or terminal (everybody at
    one, the default), or nobody. The memory keeps it for all its scopes. Only a person at a
    terminal changes it.

    \b
    Examples:
      erstwhile decisions people
      erstwhile decisions people ana,bob
    """
    if names is not None:
        parse_people(names)
        question = f"Shall only these be people from now on: {names}?"
        require_person(call, question)
        name_people(call.store.decisions, names)
    said = named_people(call.store.decisions)
    call.out.done(f"People: {safe_line(said)}", {"people": said})


@click.command()
@click.argument("ids", metavar="[ID...]", nargs=-1)
@click.pass_obj
def vouch(call: Call, /, ids: tuple[str, ...]) -> None:
    """Let decisions of people count that came with a file.

    An import, a copy, a backup or a salvaged file can claim anything about people. So their
    permissions allow nothing until a person at a terminal vouches for them: for the named
    decisions, or for all of the scope.

    \b
    Examples:
      erstwhile --project shop decisions vouch
    """
    waiting = [each.id for each in by_people(call.memory.decisions) if not each.vouched]
    chosen = ids or waiting
    require_person(call, f"Do you vouch for {len(chosen)} decisions of people?")
    for id in chosen:
        call.memory.decisions.vouch(id)
    call.out.done(f"Vouched for: {len(chosen):,}", {"vouched": len(chosen)})
