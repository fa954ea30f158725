"""Wrong arguments of the functions for whole memories: each is a typed error."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import erstwhile
from erstwhile import ErstwhileError
from erstwhile.integrations.importers.registry import import_from
from erstwhile.operations import store

WRONG: tuple[Any, ...] = (
    7, 2.5, b"x", [], {}, object(), "", " ", "a\0b", "\ud800", "\udcff", "x" * 5_000, float("nan"),
    -1,
)  # fmt: skip
ABSENT = Path("nowhere") / "at" / "all.db"
FUNCTIONS: tuple[Callable[..., Any], ...] = (
    store.copy, store.backup, store.restore, store.export, store.import_file,
    store.doctor, store.repair, store.rekey, store.distribute,
)  # fmt: skip


def arguments(folder: Path) -> dict[str, Any]:
    """Return right arguments, by the names of the parameters."""
    return {
        "source": folder / "a.db",
        "target": folder / "new.db",
        "folder": folder / "backups",
        "backup": folder / "a.db",
        "file": folder / "a.jsonl",
        "location": folder / "a.db",
        "database": "postgresql://nobody@127.0.0.1:1/nothing",
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("arguments")
    with erstwhile.open(folder / "a.db", embedder="none") as memory:
        memory.remember("Ana drinks tea")
    erstwhile.export(folder / "a.db", folder / "a.jsonl")
    return folder


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a wrong argument that is a path of its own write into no folder of the project."""
    monkeypatch.chdir(tmp_path)


def calls() -> Iterator[tuple[Callable[..., Any], str]]:
    for function in FUNCTIONS:
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
                yield function, name


def test_every_public_function_is_here() -> None:
    public = {
        each
        for each in vars(store).values()
        if inspect.isfunction(each)
        and each.__module__ == store.__name__
        and not each.__name__.startswith("_")
    }
    assert public == set(FUNCTIONS)


@pytest.mark.parametrize(("function", "name"), list(calls()))
def test_a_wrong_argument_is_a_typed_error(
    function: Callable[..., Any], name: str, folder: Path
) -> None:
    right = arguments(folder)
    needed = {
        each: right[each]
        for each, parameter in inspect.signature(function).parameters.items()
        if parameter.default is inspect.Parameter.empty and each in right
    }
    for wrong in (*WRONG, ABSENT):
        with suppress(ErstwhileError):  # any other error fails the test
            function(**{**needed, name: wrong})
        for made in folder.glob("new.db*"):
            made.unlink()


@pytest.mark.parametrize("wrong", [*WRONG, None])
def test_importing_and_maintaining_check_theirs(wrong: Any, folder: Path) -> None:
    with erstwhile.open(":memory:", embedder="none") as memory:
        assert memory.maintain(preview=True).preview
        for name, file in (("mem0", wrong), (wrong, folder / "a.jsonl")):
            with pytest.raises(ErstwhileError):
                import_from(memory, name, file)
        for given in ({"preview": wrong}, {"compact": wrong}, {"progress": wrong or 0}):
            with pytest.raises(ErstwhileError):
                memory.maintain(**given)
        with pytest.raises(ErstwhileError):
            memory.snapshots.diff(wrong)


@pytest.mark.parametrize("function", [store.backup, store.copy, store.restore, store.doctor])
def test_a_missing_memory_is_not_created(function: Callable[..., Any], tmp_path: Path) -> None:
    targets = [] if function is store.doctor else [tmp_path / "target"]
    with pytest.raises(erstwhile.NotFoundError, match=r"no (memory|backup)"):
        function(tmp_path / "typo.db", *targets)
    assert list(tmp_path.iterdir()) == []
