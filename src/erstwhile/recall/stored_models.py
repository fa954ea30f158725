"""The models that have vectors in the store. Vectors of different models are never mixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from erstwhile.core.ports import Embedder, Row
from erstwhile.recall.embedder_calls import dimensions_of, embed_texts, usable
from erstwhile.recall.similarity_scale import SimilarityScale, measure_scale
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model with vectors in the store."""

    id: int
    name: str
    dimensions: int
    serving: bool
    scale: SimilarityScale

    def made_by(self, name: str, dimensions: int) -> bool:
        """Return whether these are the vectors of a model with this name and dimensions.

        A model of the same name may have other dimensions, after an update or by a setting.
        """
        return (self.name, self.dimensions) == (name, dimensions)


def models(view: View) -> list[StoredModel]:
    """Return the models that have vectors in the store, or will have them."""
    rows = view.rows("list_embedders", {})
    return [
        StoredModel(id, name, dimensions, bool(serving), SimilarityScale(usual, spread))
        for id, name, dimensions, serving, usual, spread in rows
    ]


def send_for_models(view: View) -> None:
    """Ask for the models before they are needed."""
    view.send_ahead("list_embedders", {})


def serving_model(view: View) -> StoredModel | None:
    """Return the model whose vectors are searched, if there is one."""
    return next((model for model in models(view) if model.serving), None)


def describe_model(access: Access, embedder: Embedder) -> StoredModel:
    """Return the stored model of an embedder, or measure a new one."""
    name, dimensions = embedder.model, dimensions_of(embedder)
    known = access.ask(lambda view: _find(view, name, dimensions))
    if known is not None:
        return known
    scale = measure_scale(
        lambda texts, query: embed_texts(embedder, texts, dimensions, query=query)
    )
    return StoredModel(0, name, dimensions, False, scale)


def register_model(unit: Unit, model: StoredModel) -> StoredModel:
    """Return the row of a model; add it if missing. The first model of a store serves at once."""
    if _find(unit, model.name, model.dimensions) is None:
        new = {"model": model.name, "dimensions": model.dimensions, **model.scale._asdict()}
        unit.send("add_embedder", {**new, "serving": int(not models(unit))})
    return next(each for each in models(unit) if each.made_by(model.name, model.dimensions))


def _find(view: View, name: str, dimensions: int) -> StoredModel | None:
    return next((model for model in models(view) if model.made_by(name, dimensions)), None)


def store_vectors(
    unit: Unit, model: StoredModel, rows: Sequence[Row], vectors: NDArray[np.float32]
) -> list[int]:
    """Store the usable vectors; return the numbers of the other rows."""
    from erstwhile.search.vectors import pack

    unusable = []
    for row, vector, good in zip(rows, vectors, usable(vectors), strict=True):
        if good:
            unit.send("put_vector", {"embedder": model.id, "seq": row[0], "vector": pack(vector)})
        else:
            unusable.append(row[0])
    return unusable
