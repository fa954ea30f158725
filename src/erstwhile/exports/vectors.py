"""Store imported vectors with the passages that an import has built."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from erstwhile.core.ports import Row, Session
from erstwhile.exports.tables import statements
from erstwhile.recall.similarity_scale import SimilarityScale
from erstwhile.recall.stored_models import StoredModel, register_model, serving_model
from erstwhile.storage.unit import Unit


def put_vectors(
    unit: Unit, session: Session, dialect: str, told: Mapping[str, Any], rows: Iterable[Row]
) -> int:
    """Store vectors of the model that serves here, or will; return how many were stored.

    A passage that was split in another way than in the exporting program has no vector yet: it
    stays in the outbox, as every other text does.
    """
    scale = SimilarityScale(told["usual"], told["spread"])
    model = StoredModel(0, told["model"], told["dimensions"], False, scale)
    serving = serving_model(unit)
    if serving is not None and not serving.made_by(model.name, model.dimensions):
        return 0
    id, stored = register_model(unit, model).id, 0
    for record, start, length, vector in rows:
        for seq in _seqs(unit, session, dialect, record, start, length):
            unit.send("put_vector", {"embedder": id, "seq": seq, "vector": vector})
            unit.send("dequeue", {"seq": seq})
            stored += 1
    return stored


def _seqs(
    unit: Unit, session: Session, dialect: str, record: str, start: int | None, length: int | None
) -> list[int]:
    """Return the number of a passage, or the negative number of a decision."""
    if start is None:
        return [-number for number, *_ in unit.rows("number_and_digests", {"id": record})]
    place = {"space": unit.space, "record": record, "start": start, "length": length}
    return [seq for (seq,) in session.rows(statements(dialect)["passage_at",], place)]
