"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

import click

from erstwhile.core.kinds import Kind, Origin, State, Tier, Trust

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class OrderedGroup(click.Group):
    """A group that lists its commands in the order in which they were added."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self.commands)


def json_object(_context: click.Context, _param: click.Parameter, value: str | None) -> Any:
    """Return the value of an option that is written as a JSON object."""
    if value is None:
        return None
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"not JSON ({error})") from None
    if not isinstance(parsed, dict):
        raise click.BadParameter('not a JSON object; write it like {"ticket": 42}')
    return parsed


def triples(
    _context: click.Context, _param: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, ...], ...]:
    """Return relations, each of which is written as "subject|predicate|object"."""
    split = tuple(tuple(value.split("|")) for value in values)
    if any(len(parts) != 3 for parts in split):
        raise click.BadParameter('write "subject|predicate|object"')
    return split


class WrongOptionError(click.BadParameter):
    """A value that belongs to another option; `remedy` names it."""

    def __init__(self, message: str, remedy: str, ctx: Any, param: Any) -> None:
        super().__init__(message, ctx, param)
        self.remedy = remedy


class _StateChoice(click.Choice[str]):
    """The states or statuses of records. Deleted records have an option of their own."""

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        if str(value).lower() == State.DELETED:
            remedy = f"list deleted records with {ctx.command_path} --deleted"
            raise WrongOptionError("to list the deleted ones, use --deleted", remedy, ctx, param)
        return super().convert(value, param, ctx)


def one_of(options: type[StrEnum]) -> click.Choice[str]:
    """Return the type of an option whose value is one of these, in any letter case."""
    return click.Choice([option.value for option in options], case_sensitive=False)


def status_of(options: type[StrEnum]) -> click.Choice[str]:
    """Return the type of an option that filters records by their state or status."""
    names = [option.value for option in options if option.value != State.DELETED]
    return _StateChoice(names, case_sensitive=False)


def together(*options: Callable[[Any], Any]) -> Callable[[Decorated], Decorated]:
    """Return one decorator for several options. The help shows them in this order."""

    def decorate(command: Decorated) -> Decorated:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Return only the options that were given, so that the others keep their defaults."""
    return {name: value for name, value in options.items() if value not in (None, ())}


details = together(
    click.option("--kind", type=one_of(Kind), help="The kind of the fact; a state is temporary."),
    click.option("--entity", "entities", multiple=True, help="An entity of the fact. Repeatable."),
    click.option(
        "--relation",
        "relations",
        multiple=True,
        callback=triples,
        metavar="A|B|C",
        help='A link that it states, such as "shop|runs on|Postgres". Repeatable.',
    ),
    click.option("--tag", "tags", multiple=True, help="A label to find it by. Repeatable."),
    click.option("--metadata", callback=json_object, metavar="JSON", help="Any other details."),
    click.option("--confidence", type=float, help="Between 0 and 1; the tier limits it."),
    click.option("--tier", type=one_of(Tier), help="The tier of evidence."),
    click.option(
        "--valid-from", metavar="TIME", help="The time from which it is true; now by default."
    ),
    click.option(
        "--expires", "expires_at", metavar="TIME", help='When it ends, such as "in 3 days".'
    ),
    click.option(
        "--origin",
        type=one_of(Origin),
        help="Where it comes from; tool, web and document are quarantined.",
    ),
    click.option(
        "--trust", type=one_of(Trust), help="quarantined holds back a fact from any origin."
    ),
    click.option("--source", metavar="ID", help="The conversation that it comes from."),
    click.option("--pin/--no-pin", "pinned", default=None, help="Whether it is always important."),
)
"""The details of a new fact besides its text and its key."""

key = together(
    click.option("--key", help="Make the fact the only live value of this key."),
    click.option("--value", help="The bare value of the key; by default the text."),
)
"""The details of a fact that is the value of a key."""
reason = click.option("--reason", help="The reason, for the history.")
yes = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
embedder = click.option(
    "--embedder", metavar="NAME", help="The embedder: universal, minilm, http:MODEL or none."
)
about = together(
    click.option("--kind", type=one_of(Kind), multiple=True, help="Of this kind. Repeatable."),
    click.option("--tag", help="With this tag."),
    click.option("--entity", help="About this entity; a name or an alias."),
    click.option("--key", help="Values of this key."),
    click.option(
        "--contains", metavar="TEXT", help="With these words in the text, in any letter case."
    ),
    click.option("--conversation", metavar="ID", help="From this conversation."),
    click.option("--since", metavar="TIME", help="Recorded at or after this time."),
    click.option("--until", metavar="TIME", help="Recorded before this time."),
)
"""Filters that select facts by what they say and where they come from."""
state = click.option("--state", type=status_of(State), help="In this state; live by default.")
matching = together(
    about,
    state,
    click.option("--deleted", is_flag=True, default=None, help="The deleted ones instead."),
)
"""Filters that select facts."""
past = together(
    click.option("--as-of", metavar="TIME", help="What was true at this time."),
    click.option("--known-at", metavar="TIME", help="What was known at this time."),
)
period = together(
    click.option("--since", metavar="TIME", help="At or after this time."),
    click.option("--until", metavar="TIME", help="Before this time."),
)
floor = click.option("--floor", type=float, help="The lowest relevance, from 0; 0.1 by default.")
limit = click.option("--limit", type=int, help="The maximum number of results.")
paging = together(
    limit,
    click.option("--cursor", metavar="NEXT", help="Continue after the page that returned NEXT."),
)
deleted = click.option("--deleted", is_flag=True, help="The deleted ones instead.")
