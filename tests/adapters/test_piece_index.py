"""A small model divides a text as the whole model does, and needs no time to load."""

from __future__ import annotations

from pathlib import Path

import pytest

from erstwhile.adapters.embedders.universal import _PIECES, SentencePieces
from erstwhile.adapters.embedders.universal_cache import PieceIndex
from tests.cases import cases

CASES = cases(__file__)

MODEL = _PIECES.verified().read_bytes()
TEXTS = CASES["texts"]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> PieceIndex:
    return PieceIndex(MODEL, tmp_path_factory.mktemp("cache") / "x.pieces")


@pytest.fixture(scope="module")
def whole() -> SentencePieces:
    return SentencePieces(MODEL)


@pytest.mark.parametrize("text", TEXTS)
def test_a_small_model_divides_a_text_as_the_whole_one(
    text: str, index: PieceIndex, whole: SentencePieces
) -> None:
    assert SentencePieces(MODEL, index)(text) == whole(text)


def test_after_a_few_texts_the_whole_model_is_used(
    index: PieceIndex, whole: SentencePieces, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces, asked = SentencePieces(MODEL, index), list[str]()
    small = index.small_model

    def noted(text: str = "") -> tuple[bytes, list[int]]:
        asked.append(text)
        return small(text)

    monkeypatch.setattr(index, "small_model", noted)
    assert [pieces(text) for text in TEXTS[:8]] == [whole(text) for text in TEXTS[:8]]
    assert len(asked) == 6
    assert SentencePieces(MODEL, index)("tea " * 200) == whole("tea " * 200)
    assert len(asked) == 6


@pytest.mark.parametrize("damage", [b"", b"x" * 104, None], ids=["empty", "other", "cut"])
def test_a_damaged_index_is_made_again(
    damage: bytes | None, tmp_path: Path, whole: SentencePieces
) -> None:
    file = tmp_path / "x.pieces"
    PieceIndex(MODEL, file)
    made = file.read_bytes()
    file.write_bytes(made[:-1] if damage is None else damage)
    assert SentencePieces(MODEL, PieceIndex(MODEL, file))("tea time") == whole("tea time")
    assert file.read_bytes() == made


def test_no_cache_is_needed(tmp_path: Path, whole: SentencePieces) -> None:
    (tmp_path / "file").touch()
    index = PieceIndex(MODEL, tmp_path / "file" / "x.pieces")
    assert SentencePieces(MODEL, index)("tea time") == whole("tea time")
