"""Models in the ONNX format, with their word pieces, from files of installed packages."""

from __future__ import annotations

from typing import Any

from erstwhile.adapters.embedders.base import PackagedFile, import_package

_MOST_CHARACTERS = 16_384
"""The characters that are read of a text: more than the tokens of any model here have."""


def load_session(weights: PackagedFile) -> Any:
    """Return a session that runs a model in one thread."""
    runtime = import_package("onnxruntime", "onnxruntime>=1.17")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # Threads that spin while they wait slow everything else down on a busy machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3  # errors only
    file = str(weights.verified())
    return runtime.InferenceSession(file, options, providers=["CPUExecutionProvider"])


def load_tokenizer(vocabulary: PackagedFile, most: int) -> Any:
    """Return a tokenizer that cuts texts after `most` pieces."""
    library = import_package("tokenizers", "tokenizers>=0.15")
    tokenizer = library.Tokenizer.from_file(str(vocabulary.verified()))
    tokenizer.no_padding()
    tokenizer.enable_truncation(most)
    return tokenizer


def sendable(text: str) -> str:
    """Return the beginning of a text as a tokenizer can read it."""
    return text[:_MOST_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
