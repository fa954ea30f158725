"""The examples that hand records to other packages: FastAPI, pandas and a notebook."""

from __future__ import annotations

import runpy
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import erstwhile
from tests.docs.pages import PROJECT

APP = PROJECT / "examples/fastapi_app.py"
USERS = 20
NOTES = 5


def test_a_service_of_forty_lines_keeps_twenty_concurrent_users_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fastapi")
    from fastapi.testclient import TestClient

    assert len(APP.read_text("utf-8").splitlines()) <= 40
    monkeypatch.setenv("MEMORY", str(tmp_path / "service.db"))
    module = runpy.run_path(str(APP))

    with module["memory"], TestClient(module["app"]) as client:

        def visit(number: int) -> list[dict[str, Any]]:
            as_user = {"user": f"user{number}"}
            for note in range(NOTES):
                text = f"user{number} keeps note {note} in a drawer"
                added = client.post("/notes", params={"text": text}, headers=as_user)
                assert added.json()["state"] == "live"
            found = client.get("/search", params={"query": "drawer"}, headers=as_user).json()
            assert {hit["record"]["scope"]["user"] for hit in found["hits"]} == {f"user{number}"}
            listed: list[dict[str, Any]] = client.get("/notes", headers=as_user).json()["items"]
            return listed

        with ThreadPoolExecutor(USERS) as pool:
            pages = list(pool.map(visit, range(USERS)))
        for number, page in enumerate(pages):
            own = module["memory"].scoped(user=f"user{number}").facts.list()
            assert page == own.to_dicts()
            assert len(page) == NOTES
        assert client.get("/openapi.json").status_code == 200


def test_a_route_without_a_type_returns_the_fields() -> None:
    pytest.importorskip("fastapi")
    from fastapi import FastAPI
    from fastapi.testclient import TestClient

    app = FastAPI()
    with erstwhile.open(":memory:", embedder="none") as memory:
        memory.remember("Ana likes tea", metadata={"n": 1}, relations=[("Ana", "likes", "tea")])
        app.get("/page", response_model=None)(lambda: memory.facts.list())
        [fact] = TestClient(app).get("/page").json()["items"]
    assert (fact["text"], fact["metadata"]) == ("Ana likes tea", {"n": 1})


def test_a_page_is_a_frame() -> None:
    pandas = pytest.importorskip("pandas")
    with erstwhile.open(":memory:", embedder="none") as memory:
        memory.remember_many(["Ana likes tea", "Ben likes milk"])
        frame = pandas.DataFrame(memory.facts.list().to_dicts())
        hits = pandas.json_normalize(memory.recall("tea").to_dicts())
    assert list(frame["text"]) == ["Ben likes milk", "Ana likes tea"]
    assert list(frame["state"]) == ["live", "live"]
    assert list(hits["record.text"]) == ["Ana likes tea"]


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("HOME", str(tmp_path))
    book = nbformat.read(PROJECT / "examples/notebook.ipynb", as_version=4)
    nbclient.NotebookClient(book, timeout=300).execute()
    outputs = [each for cell in book.cells for each in cell.get("outputs", ())]
    tables = [each["data"] for each in outputs if "text/html" in each.get("data", {})]
    assert len(tables) == 4  # a page, hits, a context and a frame
    assert any("tags: " in each.get("text", "") for each in outputs)  # of help()
