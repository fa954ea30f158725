"""The conversion between facts and rows."""

from __future__ import annotations

import json
from operator import itemgetter
from typing import Any

from erstwhile.core.kinds import Ending, Kind, Origin, Tier, Trust
from erstwhile.core.ports import Row
from erstwhile.core.time import ENDLESS, from_micros, to_micros
from erstwhile.facts.fact import Fact, Relation, Source
from erstwhile.storage import columns

STATE_COLUMNS = (
    "scope", "kind", "text", "key", "origin", "source", "recorded_at",
    "trust", "confidence", "tier", "evidence", "valid_from", "valid_to", "expires_at",
    "retired_at", "ending", "supersedes", "superseded_by", "pinned", "entities",
    "relations", "tags", "metadata", "deleted_at",
)  # fmt: skip
"""The columns in the digest of an audit entry, in the order of the statement `stored_states`."""
state_of = itemgetter(*STATE_COLUMNS)


# A look-up is five times as fast as calling the enum.
_KINDS = {each.value: each for each in Kind}
_TIERS = {each.value: each for each in Tier}
_ORIGINS = {each.value: each for each in Origin}
_TRUSTS = {each.value: each for each in Trust}


def to_row(fact: Fact, scope: int) -> dict[str, Any]:
    """Return a fact as parameters of the statements `add_fact` and `change_fact`."""
    recorded_at = to_micros(fact.recorded_at)
    new = (
        fact.valid_from is fact.known_from is fact.recorded_at
    )  # most facts have one timestamp: convert it once
    return {
        "id": fact.id,
        "scope": scope,
        "kind": fact.kind,
        "text": fact.text,
        "key": fact.key,
        "origin": fact.origin,
        "source": _source_text(fact.source),
        "recorded_at": recorded_at,
        "known_from": recorded_at if new else to_micros(fact.known_from),
        "trust": fact.trust,
        "confidence": fact.confidence,
        "tier": fact.tier,
        "evidence": fact.evidence,
        "valid_from": recorded_at if new else to_micros(fact.valid_from),
        "valid_to": ENDLESS if fact.valid_to is None else to_micros(fact.valid_to),
        "expires_at": ENDLESS if fact.expires_at is None else to_micros(fact.expires_at),
        "retired_at": columns.micros(fact.retired_at),
        "ending": fact.ending,
        "supersedes": _names_text(fact.supersedes),
        "superseded_by": fact.superseded_by,
        "pinned": int(fact.pinned),
        "entities": _names_text(fact.entities),
        "relations": columns.encode(fact.relations) if fact.relations else "[]",
        "tags": _names_text(fact.tags),
        "metadata": columns.metadata_text(fact.metadata),
        "deleted_at": columns.micros(fact.deleted_at),
    }


def to_fact(row: Row) -> Fact:
    """Make a fact from a row of the fragment `columns`."""
    recorded_at = from_micros(row[20])
    return Fact(
        id=row[0],
        scope=columns.to_scope(*row[1:5]),
        kind=_KINDS[row[5]],
        text=row[6],
        key=row[7],
        entities=_names(row[8]),
        relations=_relations(row[9]),
        tags=_names(row[10]),
        metadata=columns.metadata(row[11]),
        confidence=row[12],
        tier=_TIERS[row[13]],
        evidence=row[14],
        origin=_ORIGINS[row[15]],
        trust=_TRUSTS[row[16]],
        source=_source(row[17]),
        valid_from=recorded_at if row[18] == row[20] else from_micros(row[18]),
        valid_to=None if row[19] == ENDLESS else from_micros(row[19]),
        recorded_at=recorded_at,
        known_from=recorded_at if row[21] == row[20] else from_micros(row[21]),
        retired_at=columns.moment(row[22]),
        ending=None if row[23] is None else Ending(row[23]),
        supersedes=_names(row[24]),
        superseded_by=row[25],
        expires_at=None if row[26] == ENDLESS else from_micros(row[26]),
        pinned=bool(row[27]),
        deleted_at=columns.moment(row[28]),
    )


def _names_text(names: tuple[str, ...]) -> str:
    return f"[{','.join(map(columns.encode, names))}]" if names else "[]"


def _names(text: str) -> tuple[str, ...]:
    return () if text == "[]" else tuple(json.loads(text))


def _relations(text: str) -> tuple[Relation, ...]:
    return () if text == "[]" else tuple(Relation(*triple) for triple in json.loads(text))


def _source_text(source: Source | None) -> str | None:
    if source is None:
        return None
    return columns.encode({"conversation": source.conversation, "messages": source.messages})


def _source(text: str | None) -> Source | None:
    if text is None:
        return None
    stored = json.loads(text)
    return Source(conversation=stored["conversation"], messages=tuple(stored["messages"]))
