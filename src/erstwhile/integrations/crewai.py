"""CrewAI: a storage backend, with an embedder.

storage = ErstwhileStorage(erstwhile.open("agent.db"))
Memory(storage=storage, embedder=storage.embed)
"""

from __future__ import annotations

import json
from collections import Counter, OrderedDict
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

from crewai.memory.storage.backend import EmbeddingDimensionMismatchError
from crewai.memory.types import MemoryRecord, ScopeInfo

from erstwhile.adapters.registry import resolve_embedder
from erstwhile.context.escaping import escaped
from erstwhile.core.ports import Embedder
from erstwhile.core.results import MAX_LIMIT, all_items
from erstwhile.facts.fact import ITEM, Fact
from erstwhile.integrations.run_memory import on_thread, raising
from erstwhile.memory import Memory

_KEPT = 1_000
"""Texts that were embedded lately: CrewAI searches with the vector of one of them."""
Filters = dict[str, Any] | None


class ErstwhileStorage:
    """Each record is a fact with a key; a search ranks by words and meaning.

    CrewAI gives a search only a vector, so pass `embed` as its embedder: it knows the text of the
    vector. The guard judges the texts. Found texts are escaped, so that none can act as markup.
    """

    def __init__(self, memory: Memory, *, embedder: Embedder | str = "universal") -> None:
        self._memory = memory.acting_as("crewai", person=False)
        self._embedder = resolve_embedder(embedder) if isinstance(embedder, str) else embedder
        self._texts: OrderedDict[tuple[float, ...], str] = OrderedDict()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text, and keep the text for a search with its vector."""
        assert self._embedder is not None  # noqa: S101
        vectors: list[list[float]] = self._embedder.embed(texts, query=True).tolist()
        self._texts.update(zip(map(tuple, vectors), texts, strict=True))
        while len(self._texts) > _KEPT:
            self._texts.popitem(last=False)
        return vectors

    def save(self, records: list[MemoryRecord]) -> None:
        """Store records; one with a known id is replaced, a repeat of another one is left out."""
        for record in records:
            known = self._memory.facts.list(tag=_repeat_tag(record), limit=1)
            if not known or _stored_record(known[0]).id == record.id:
                self.update(record)

    def update(self, record: MemoryRecord) -> None:
        """Store a record in place of the one with its id."""
        self._check_size(record.embedding)
        with raising(ValueError):
            self._memory.facts.set(
                _fact_key(record.id),
                record.content,
                kind="fact",
                origin="agent",
                tags=[_repeat_tag(record), *map(_tag, _with_parents(record.scope))],
                metadata={"record": record.model_dump_json()},
            )

    def search(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: Filters = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """Return the records that fit the text of a vector, best first."""
        self._check_size(query_embedding)
        text = self._texts.get(tuple(query_embedding))
        if text is None:
            raise ValueError("the vector is not of this storage: pass embedder=storage.embed")
        tag = _tag(scope_prefix or "/")
        with raising(ValueError):
            hits = self._memory.recall(text, MAX_LIMIT, tag=tag, floor=min_score or None)
        found = [(_stored_record(hit.fact), hit.relevance) for hit in hits]
        fitting = [each for each in found if _meets_filters(each[0], categories, metadata_filter)]
        return [
            (record.model_copy(update={"content": escaped(record.content)}), score)
            for record, score in fitting[:limit]
        ]

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: Filters = None,
    ) -> int:
        """Delete the records that fulfil all conditions, and return their number."""
        gone = [
            fact
            for fact in self._facts(scope_prefix)
            if _meets_filters(record := _stored_record(fact), categories, metadata_filter)
            and (record_ids is None or record.id in record_ids)
            and (older_than is None or record.created_at < older_than)
        ]
        with raising(ValueError):
            for fact in gone:
                self._memory.facts.delete(fact.id)
        return len(gone)

    def get_record(self, record_id: str) -> MemoryRecord | None:
        found = self._memory.facts.list(key=_fact_key(record_id), limit=1)
        return _stored_record(found[0]) if found else None

    def list_records(
        self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0
    ) -> list[MemoryRecord]:
        """Return the records in a scope, newest first."""
        return self._records(scope_prefix)[max(offset, 0) :][: max(limit, 0)]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """Return what a scope has: its records, categories, times and child scopes."""
        records = self._records(scope)
        times = [each.created_at for each in records]
        return ScopeInfo(
            path=f"/{scope.strip('/')}",
            record_count=len(records),
            categories=sorted(self.list_categories(scope)),
            oldest_record=min(times, default=None),
            newest_record=max(times, default=None),
            child_scopes=self.list_scopes(scope),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """Return the scopes directly below a scope that have records."""
        depth = len(_with_parents(parent))
        below = (_with_parents(each.scope)[depth:][:1] for each in self._records(parent))
        return sorted({child for found in below for child in found})

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """Count the records of each category."""
        return dict(Counter(c for each in self._records(scope_prefix) for c in each.categories))

    def count(self, scope_prefix: str | None = None) -> int:
        return self._memory.facts.count(tag=_tag(scope_prefix or "/"))

    def reset(self, scope_prefix: str | None = None) -> None:
        """Delete all records in a scope."""
        self.delete(scope_prefix)

    asave, asearch, adelete = on_thread(save), on_thread(search), on_thread(delete)

    def _facts(self, scope: str | None) -> list[Fact]:
        return list(all_items(self._memory.facts.list, tag=_tag(scope or "/")))

    def _records(self, scope: str | None) -> list[MemoryRecord]:
        records = map(_stored_record, self._facts(scope))
        return sorted(records, key=lambda each: each.created_at, reverse=True)

    def _check_size(self, vector: Sequence[float] | None) -> None:
        if vector and self._embedder and len(vector) != self._embedder.dimensions:
            raise EmbeddingDimensionMismatchError(self._embedder.dimensions, len(vector))


def _with_parents(scope: str) -> list[str]:
    """Return a path with all paths above it: the root first."""
    parts = [part for part in scope.split("/") if part]
    return ["/" + "/".join(parts[:depth]) for depth in range(len(parts) + 1)]


def _tag(scope: str) -> str:
    """Return the label of a path. It is a digest, so that letter case and length do not matter."""
    return f"crewai:{sha256(_with_parents(scope)[-1].encode()).hexdigest()[:32]}"


def _repeat_tag(record: MemoryRecord) -> str:
    """Return a label that a record shares with its repeats."""
    said = record.model_dump_json(exclude={"id", "created_at", "last_accessed", "importance"})
    return f"crewai-repeat:{sha256(said.encode()).hexdigest()[:32]}"


def _fact_key(id: str) -> str:
    return f"{ITEM}crewai:{sha256(id.encode()).hexdigest()[:32]}"


def _stored_record(fact: Fact) -> MemoryRecord:
    stored = json.loads(fact.metadata["record"])
    return MemoryRecord.model_validate({**stored, "content": fact.text})


def _meets_filters(record: MemoryRecord, categories: list[str] | None, metadata: Filters) -> bool:
    has_category = not categories or not {*categories}.isdisjoint(record.categories)
    wanted = (metadata or {}).items()
    return has_category and all(record.metadata.get(name) == value for name, value in wanted)
