"""Entities: the people, things and places that facts are about, and their links."""

from __future__ import annotations

from dataclasses import dataclass

from erstwhile.facts.fact import Fact
from erstwhile.secrets.masking import masked_repr

CO_OCCURS = "co_occurs"


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A name that live facts mention, with its other names and how many facts mention it."""

    name: str
    aliases: tuple[str, ...]
    mentions: int


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """Another entity, how it is linked to this one, and the facts that say so."""

    name: str
    relation: str
    outgoing: bool
    facts: tuple[str, ...]


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class EntityCard:
    """An entity with its facts and neighbours, at one moment."""

    entity: Entity
    facts: tuple[Fact, ...]
    neighbours: tuple[Neighbour, ...]
