"""Embedding models: call an embedder, measure its cosines, and register its model in the store.

Vectors of different models are never mixed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from erstwhile.core.errors import EmbedderError, InvalidInputError
from erstwhile.core.text import checked_text
from erstwhile.facts.fact import MAX_TEXT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from erstwhile.core.ports import Embedder, Row
    from erstwhile.storage.access import Access
    from erstwhile.storage.unit import Unit
    from erstwhile.storage.view import View

_MIN_DEVIATION = 1e-3
"""A smaller deviation, or one that is not a number, cannot separate texts."""


class SimilarityScale(NamedTuple):
    """What the cosines of a model are worth, in units that are the same for all models.

    A cosine of .3 is near for one model, and far for another. For the default model these are the
    mean and the standard deviation of the cosine of a query and an unrelated fact.
    """

    usual: float
    spread: float

    def deviations(self, cosine: float) -> float:
        """Return how far a cosine lies above that of unrelated facts, in standard deviations."""
        return (cosine - self.usual) / self.spread


DEFAULT_SCALE = SimilarityScale(0.07, 0.075)
"""Close to the scale of the default model."""
_GAP = 2.77
"""How many standard deviations the default model puts a match above unrelated facts. A smaller gap
is taken as this one: it may be an accident of the pairs."""
_MIN_PAIRS = 8
"""With fewer, the spread of unrelated texts is unknown."""


class QueryVector(NamedTuple):
    """The vector of a query, the number of its model, its similarity scale and its name."""

    embedder: int
    vector: NDArray[np.float32]
    scale: SimilarityScale
    model: str = ""


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model with vectors in the store."""

    id: int
    name: str
    dimensions: int
    serving: bool
    scale: SimilarityScale

    def made_by(self, name: str, dimensions: int) -> bool:
        """Return whether the vectors are of a model with this name and dimensions.

        A model of the same name may have other dimensions, after an update or by a setting.
        """
        return (self.name, self.dimensions) == (name, dimensions)


def stored_models(view: View) -> list[StoredModel]:
    """Return the models that have vectors in the store, or will have them."""
    rows = view.rows("list_embedders", {})
    return [
        StoredModel(id, name, dimensions, bool(serving), SimilarityScale(usual, spread))
        for id, name, dimensions, serving, usual, spread in rows
    ]


def serving_model(view: View) -> StoredModel | None:
    """Return the model whose vectors are searched, if there is one."""
    return next((model for model in stored_models(view) if model.serving), None)


def describe_model(access: Access, embedder: Embedder) -> StoredModel:
    """Return the stored model of an embedder, or measure a new one."""
    name, dimensions = embedder.model, dimensions_of(embedder)
    for known in access.ask(stored_models):
        if known.made_by(name, dimensions):
            return known
    return StoredModel(0, name, dimensions, False, measure_scale(embedder, dimensions))


def register_model(unit: Unit, model: StoredModel) -> StoredModel:
    """Return the row of a model; add it if missing. The first model of a store serves at once."""
    models = stored_models(unit)
    if not any(each.made_by(model.name, model.dimensions) for each in models):
        new = {"model": model.name, "dimensions": model.dimensions, **model.scale._asdict()}
        unit.execute_async("add_embedder", {**new, "serving": int(not models)})
        models = stored_models(unit)
    return next(each for each in models if each.made_by(model.name, model.dimensions))


def store_vectors(
    unit: Unit, model: StoredModel, rows: Sequence[Row], vectors: NDArray[np.float32]
) -> set[int]:
    """Store the usable vectors; return the numbers of the other rows."""
    from erstwhile.search.vectors import pack

    made = {row[0]: vector for row, vector in zip(rows, vectors, strict=True) if is_usable(vector)}
    for seq, vector in made.items():
        params = {"embedder": model.id, "seq": seq, "vector": pack(vector)}
        unit.execute_async("put_vector", params)
    return {row[0] for row in rows if row[0] not in made}


def measure_scale(
    embedder: Embedder, dimensions: int, pairs: Mapping[str, str] | None = None
) -> SimilarityScale:
    """Return the scale of a model, or the default if its cosines cannot separate texts.

    The model embeds a few questions and one matching fact for each, before its first vectors are
    stored. `pairs` maps own questions to facts. Cosines of questions and facts that match, and of
    those that do not, are taken as two normal distributions with one deviation: the logarithm of
    the odds of a match then grows in proportion to their distance, and is zero halfway.
    """
    # Imported here and below: a memory without an embedder needs no numpy.
    import numpy as np

    known = json.loads(Path(__file__).with_name("scale_pairs.json").read_text("utf-8"))
    asked = dict(known) if pairs is None else pairs
    questions = embed_texts(embedder, list(asked), dimensions, query=True)
    facts = embed_texts(embedder, list(asked.values()), dimensions)
    cosines = questions @ facts.T
    unrelated = cosines[~np.eye(len(asked), dtype=bool)]
    mean, deviation = float(unrelated.mean()), float(unrelated.std())
    if not deviation > _MIN_DEVIATION:
        return DEFAULT_SCALE
    gap = max((float(cosines.diagonal().mean()) - mean) / deviation, _GAP)
    return SimilarityScale(mean + deviation * (gap - _GAP**2 / gap) / 2, deviation * _GAP / gap)


def checked_pairs(pairs: Mapping[str, str]) -> Mapping[str, str]:
    """Return own pairs of a question and a fact that answers it, if there are enough."""
    if not isinstance(pairs, Mapping) or len(pairs) < _MIN_PAIRS:
        raise InvalidInputError(
            f"pairs must map at least {_MIN_PAIRS} questions to facts",
            remedy='write {"Where does Ana live?": "Ana lives in Lisbon", …}',
        )
    for text in (*pairs, *pairs.values()):
        checked_text(text, name="a text of a pair", limit=MAX_TEXT)
    return pairs


def dimensions_of(embedder: Embedder) -> int:
    """Return the dimensions of an embedder. It may have to load its model."""
    with _as_embedder_error():
        return int(embedder.dimensions)


def embed_texts(
    embedder: Embedder, texts: Sequence[str], dimensions: int | None, *, query: bool = False
) -> NDArray[np.float32]:
    """Return one row of unit length per text; a row of zeros becomes NaN.

    With `dimensions=None` the rows may have any length.
    """
    import numpy as np

    with _as_embedder_error():
        given = np.asarray(embedder.embed(texts, query=query), np.float64)
    expected = (len(texts), *(given.shape[1:2] if dimensions is None else (dimensions,)))
    if given.ndim != 2 or given.shape != expected:
        raise EmbedderError(f"the embedder returned the shape {given.shape}, not {expected}")
    with np.errstate(all="ignore"):
        rows: NDArray[np.float32] = (given.T / np.linalg.norm(given, axis=1)).T.astype(np.float32)
    return rows


def is_usable(vector: NDArray[np.float32]) -> bool:
    """Return whether a vector can be stored: all its numbers are finite."""
    return isfinite(vector.sum())


@contextmanager
def _as_embedder_error() -> Iterator[None]:
    """Raise every error of an embedder as EmbedderError: it may be code of the caller."""
    try:
        yield
    except EmbedderError:
        raise
    except Exception as error:
        raise EmbedderError(f"the embedder failed with {type(error).__name__}") from error
