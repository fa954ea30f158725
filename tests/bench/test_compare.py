"""The contract of adapters, on the two systems that need no other environment."""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from pathlib import Path

import pytest
from bench.compare import environment, vectors
from bench.compare.page import write_page
from bench.compare.plots import bars
from bench.compare.process import patience
from bench.compare.readme import write_readme
from bench.compare.system import load

from tests.docs.pages import PROJECT

TEXTS = {"a": "Ana moved to Porto in March", "b": "Ben tunes pianos", "c": "The boat is green"}


@pytest.mark.parametrize("name", ["fts5", "erstwhile"])
def test_an_adapter_stores_finds_and_deletes(name: str, tmp_path: Path) -> None:
    embed = None if name == "fts5" else vectors.of_words(64)
    system = load(name)(tmp_path, embed)
    system.add("a", TEXTS["a"])
    system.add_many({id: TEXTS[id] for id in "bc"})
    assert system.recall(TEXTS["b"], 1) == ["b"]
    system.delete("b")
    system.close()
    again = load(name)(tmp_path, embed)
    found = again.recall(f"{TEXTS['a']} {TEXTS['b']}", 3)
    assert "a" in found
    assert "b" not in found
    again.close()


def test_a_table_has_the_vectors_of_its_texts(tmp_path: Path) -> None:
    embed = vectors.of_words(8)
    vectors.write_table(tmp_path, list(TEXTS.values()), embed)
    known = vectors.of_table(tmp_path)
    assert (known([TEXTS["b"]]) == embed([TEXTS["b"]])).all()
    with pytest.raises(KeyError):
        known(["unknown"])


@pytest.mark.parametrize(("load", "minutes"), [(0.5, 1), (2.0, 1), (20.0, 10)])
def test_a_busy_machine_has_more_patience(
    load: float, minutes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (load, load, load))
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert patience() == 60 * minutes


def test_bars_are_ordered_and_escaped() -> None:
    drawn = bars("ms", {"<slow>": 10.0, "Erstwhile": 1.0})
    assert drawn.index("Erstwhile") < drawn.index("&lt;slow&gt;")


def test_the_page_is_made_from_the_committed_results(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    told = json.loads((PROJECT / "bench" / "compare" / "results.json").read_text("utf-8"))
    write_page(told, tmp_path)
    written = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(written) == 3
    for file in written:
        kept = PROJECT / "docs" / file.relative_to(tmp_path)
        assert file.read_text("utf-8") == kept.read_text("utf-8"), "run scripts/compare --page"


def test_the_figures_of_the_readme_are_those_of_the_results(tmp_path: Path) -> None:
    told, truth = (
        json.loads((PROJECT / "bench" / place / "results.json").read_text("utf-8"))
        for place in ("compare", "truth")
    )
    kept = (PROJECT / "README.md").read_text("utf-8")
    made = tmp_path / "README.md"
    before, figures, after = re.split("(?<=figures -->\n)", kept)
    assert " % |" in figures
    made.write_text(f"{before}<!-- end of figures -->\n{after}", "utf-8")
    write_readme(told, truth, made)
    assert made.read_text("utf-8") == kept, "run scripts/compare --page"


def test_a_system_without_packages_has_the_version_of_sqlite(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "lib" / "python3" / "site-packages").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    monkeypatch.setattr(environment, "_uv", lambda *_: None)
    monkeypatch.setattr(environment, "python", lambda _: tmp_path / "bin" / "python")
    found = environment.install("fts5", environment.peers()["fts5"])
    assert found.version == sqlite3.sqlite_version
