"""The conversion between facts and rows."""

from __future__ import annotations

import json
from operator import itemgetter
from typing import Any

from erstwhile.core.kinds import Ending, Kind, Origin, Tier, Trust
from erstwhile.core.ports import Row
from erstwhile.core.scope import to_scope
from erstwhile.core.time import ENDLESS, from_micros, to_micros
from erstwhile.facts.fact import Fact, Relation, Source
from erstwhile.storage import columns

STATE_COLUMNS = (
    "kind", "text", "key", "value", "origin", "source", "recorded_at",
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
        "value": fact.value,
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


@columns.decodes("fact")
def to_fact(row: Row) -> Fact:
    """Make a fact from a row of the fragment `columns`."""
    recorded_at = from_micros(row[21])
    return Fact(
        id=row[0],
        scope=to_scope(*row[1:5]),
        kind=_KINDS[row[5]],
        text=row[6],
        key=row[7],
        value=row[8],
        entities=_names(row[9]),
        relations=_relations(row[10]),
        tags=_names(row[11]),
        metadata=columns.metadata(row[12]),
        confidence=row[13],
        tier=_TIERS[row[14]],
        evidence=row[15],
        origin=_ORIGINS[row[16]],
        trust=_TRUSTS[row[17]],
        source=_source(row[18]),
        valid_from=recorded_at if row[19] == row[21] else from_micros(row[19]),
        valid_to=None if row[20] == ENDLESS else from_micros(row[20]),
        recorded_at=recorded_at,
        known_from=recorded_at if row[22] == row[21] else from_micros(row[22]),
        retired_at=columns.moment(row[23]),
        ending=None if row[24] is None else Ending(row[24]),
        supersedes=_names(row[25]),
        superseded_by=row[26],
        expires_at=None if row[27] == ENDLESS else from_micros(row[27]),
        pinned=bool(row[28]),
        deleted_at=columns.moment(row[29]),
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
