"""Options that several commands share."""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

import click

from erstwhile.core.kinds import Kind, Origin, State, Tier, Trust

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class Commands(click.Group):
    """A group that lists its commands in the order in which they were added."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self.commands)


def json_object(_context: click.Context, _param: click.Parameter, value: str | None) -> Any:
    """An option's value written as a JSON object."""
    if value is None:
        return None
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"not JSON ({error})") from None
    if not isinstance(parsed, dict):
        raise click.BadParameter('not a JSON object, such as {"ticket": 42}')
    return parsed


def triples(
    _context: click.Context, _param: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, ...], ...]:
    """Relations, each written as "subject|predicate|object"."""
    split = tuple(tuple(value.split("|")) for value in values)
    if any(len(parts) != 3 for parts in split):
        raise click.BadParameter('write "subject|predicate|object"')
    return split


def one_of(options: type[StrEnum]) -> click.Choice[str]:
    return click.Choice([option.value for option in options], case_sensitive=False)


def together(*options: Callable[[Any], Any]) -> Callable[[Decorated], Decorated]:
    """Several options as one decorator, shown in this order."""

    def decorate(command: Decorated) -> Decorated:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def said(options: dict[str, Any]) -> dict[str, Any]:
    """Only the options that were given, so that the rest keeps its default."""
    return {name: value for name, value in options.items() if value not in (None, ())}


details = together(
    click.option("--kind", type=one_of(Kind), help="What it is about; a state must expire."),
    click.option("--entity", "entities", multiple=True, help="Whom or what it is about. Repeat."),
    click.option(
        "--relation",
        "relations",
        multiple=True,
        callback=triples,
        metavar="A|B|C",
        help='A link that it states, such as "shop|runs on|Postgres". Repeat.',
    ),
    click.option("--tag", "tags", multiple=True, help="A label to find it by. Repeat."),
    click.option("--metadata", callback=json_object, metavar="JSON", help="Anything else."),
    click.option("--confidence", type=float, help="Between 0 and 1; the tier caps it."),
    click.option("--tier", type=one_of(Tier), help="How it came to be believed."),
    click.option("--valid-from", metavar="TIME", help="Since when it is true; now unless said."),
    click.option(
        "--expires", "expires_at", metavar="TIME", help='When it ends, such as "in 3 days".'
    ),
    click.option(
        "--origin",
        type=one_of(Origin),
        help="Who said it; tool, web and document are quarantined.",
    ),
    click.option(
        "--trust", type=one_of(Trust), help="Quarantined, to hold it back whoever said it."
    ),
    click.option("--source", metavar="ID", help="The conversation where it was said."),
    click.option("--pin/--no-pin", "pinned", default=None, help="Whether it always matters."),
)
"""What can be said of a new fact besides its text and its key."""

key = click.option("--key", help="Makes the text the one live value of this key.")
reason = click.option("--reason", help="Why; the history shows it.")
yes = click.option("--yes", is_flag=True, help="Do not ask.")
embedder = click.option(
    "--embedder", metavar="NAME", help="What embeds: universal, minilm, http:MODEL or none."
)
matching = together(
    click.option("--kind", type=one_of(Kind), multiple=True, help="Of this kind. Repeat."),
    click.option("--tag", help="With this tag."),
    click.option("--entity", help="That mention this entity, by its name or an alias."),
    click.option("--key", help="Values of this key."),
    click.option(
        "--contains", metavar="TEXT", help="Whose text contains this, in any letter case."
    ),
    click.option("--since", metavar="TIME", help="Recorded at or after this time."),
    click.option("--until", metavar="TIME", help="Recorded before this time."),
    click.option("--state", type=one_of(State), help="In this state; live unless said."),
)
"""Which facts a question is about."""
past = together(
    click.option("--as-of", metavar="TIME", help="The world at another time than now."),
    click.option("--known-at", metavar="TIME", help="Our knowledge at an earlier time."),
)
period = together(
    click.option("--since", metavar="TIME", help="At or after this time."),
    click.option("--until", metavar="TIME", help="Before this time."),
)
paging = together(
    click.option("--limit", type=int, help="How many at most."),
    click.option("--cursor", metavar="NEXT", help="Where the page before said to go on."),
)
