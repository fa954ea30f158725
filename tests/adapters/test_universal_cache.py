"""The cache of the default embedder: unpacked weights, and the index of the vocabulary."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from erstwhile.adapters.embedders import universal_cache as module
from erstwhile.adapters.embedders.base import PackagedFile
from erstwhile.adapters.embedders.universal import _PIECES, SentencePieces
from erstwhile.adapters.embedders.universal_cache import (
    LAYOUT,
    Weights,
    cache_folder,
    load_weights,
)
from erstwhile.core.errors import EmbedderError
from tests.cases import cases

MODEL = _PIECES.verified().read_bytes()
PACKED = PackagedFile("some_model", "weights.npz", "ab" * 32, "some-model==1.0")
TEXTS = cases(__file__)["texts"]
posix = pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")


class Inflating:
    """Stands for the slow path: it counts, and gives the same small numbers each time."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, _: Path) -> Weights:
        self.times += 1
        weights = np.zeros(1, dtype=LAYOUT)
        weights["pieces"][0, :, 0] = np.arange(len(weights["pieces"][0]), dtype=np.uint8)
        weights["eps"] = 0.5
        return weights


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ERSTWHILE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def inflating(monkeypatch: pytest.MonkeyPatch) -> Inflating:
    found = Inflating()
    monkeypatch.setattr(module, "_inflate", found)
    monkeypatch.setattr(PackagedFile, "verified", lambda _: Path("weights.npz"))
    return found


def test_they_are_inflated_once(folder: Path, inflating: Inflating) -> None:
    first, second = load_weights(PACKED, MODEL), load_weights(PACKED, MODEL)
    assert inflating.times == 1
    assert np.array_equal(first, second)
    assert second["eps"][0] == 0.5
    assert [file.suffix for file in folder.iterdir()] == [".weights"]


def test_other_weights_have_another_file(folder: Path, inflating: Inflating) -> None:
    load_weights(PACKED, MODEL)
    load_weights(PackagedFile("some_model", "weights.npz", "cd" * 32, "some-model==1.1"), MODEL)
    assert inflating.times == len(list(folder.iterdir())) == 2


@posix
@pytest.mark.usefixtures("inflating")
def test_only_the_user_can_read_and_write_them(folder: Path) -> None:
    load_weights(PACKED, MODEL)
    [file] = folder.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def _flip_a_bit(file: Path) -> None:
    with file.open("r+b") as stream:
        stream.seek(LAYOUT.itemsize // 3)
        [byte] = stream.read(1)
        stream.seek(LAYOUT.itemsize // 3)
        stream.write(bytes([byte ^ 1]))


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: os.truncate(file, LAYOUT.itemsize // 2),
        lambda file: file.write_bytes(b""),
        _flip_a_bit,
    ],
    ids=["cut", "empty", "bit"],
)
def test_a_damaged_file_is_noticed_and_replaced(
    folder: Path, inflating: Inflating, damage: Callable[[Path], None]
) -> None:
    expected = load_weights(PACKED, MODEL).copy()
    [file] = folder.iterdir()
    damage(file)
    for _ in range(2):
        assert np.array_equal(load_weights(PACKED, MODEL), expected)
    assert inflating.times == 2


def test_a_folder_that_cannot_be_made_costs_only_time(folder: Path, inflating: Inflating) -> None:
    folder.write_text("a file is in the way")
    for _ in range(2):
        assert load_weights(PACKED, MODEL)["eps"][0] == 0.5
    assert inflating.times == 2


def test_a_write_that_fails_leaves_nothing_behind(
    folder: Path, inflating: Inflating, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert load_weights(PACKED, MODEL)["eps"][0] == 0.5
    assert not list(folder.iterdir())
    assert inflating.times == 1


def test_several_threads_can_load_at_once(folder: Path, inflating: Inflating) -> None:
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(load_weights, [PACKED] * 3, [MODEL] * 3))
    assert all(np.array_equal(each, found[0]) for each in found)
    assert np.array_equal(found[0]["eps"], inflating(Path())["eps"])
    assert len(list(folder.iterdir())) == 1


def test_the_folder_is_the_users_cache_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ERSTWHILE_CACHE", raising=False)
    assert cache_folder().is_absolute()
    assert "erstwhile" in cache_folder().parts
    monkeypatch.setenv("ERSTWHILE_CACHE", "~/models")
    assert cache_folder() == Path.home() / "models"


def test_a_package_with_other_matrices_is_an_embedder_error(tmp_path: Path) -> None:
    file = tmp_path / "weights.npz"
    np.savez(file, eps=np.float64(1e-6), scale=np.ones(3, dtype=np.float32))
    with pytest.raises(EmbedderError, match=r"cannot be read \(ValueError\)"):
        module._inflate(file)
    file.write_bytes(b"no archive")
    with pytest.raises(EmbedderError, match="cannot be read"):
        module._inflate(file)


@pytest.fixture(scope="module")
def index() -> Weights:
    weights = np.zeros(1, dtype=LAYOUT)
    module._index_pieces(MODEL, weights)
    return weights


@pytest.fixture(scope="module")
def whole() -> SentencePieces:
    return SentencePieces(MODEL)


@pytest.mark.parametrize("text", TEXTS)
def test_a_small_model_divides_a_text_as_the_whole_one(
    text: str, index: Weights, whole: SentencePieces
) -> None:
    assert SentencePieces(MODEL, index)(text) == whole(text)


def test_after_a_few_texts_the_whole_model_is_used(
    index: Weights, whole: SentencePieces, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, small = list[str](), SentencePieces.small_model

    def noted(self: SentencePieces, text: str, index: Weights) -> tuple[bytes, list[int]]:
        asked.append(text)
        return small(self, text, index)

    monkeypatch.setattr(SentencePieces, "small_model", noted)
    pieces = SentencePieces(MODEL, index)
    assert [pieces(text) for text in TEXTS[:8]] == [whole(text) for text in TEXTS[:8]]
    assert len(asked) == 6
    assert SentencePieces(MODEL, index)("tea " * 200) == whole("tea " * 200)
    assert len(asked) == 6
