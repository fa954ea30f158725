"""Tests that the collections use the same verbs in the same way."""

from __future__ import annotations

import inspect

import pytest

import erstwhile
from tests.surface import COLLECTIONS, collections_of

HIDING = {"delete", "restore", "erase", "purge"}
WITH_REASON = ("delete", "restore", "replace", "retire", "undo", "confirm")


def verbs(name: str) -> list[str]:
    """Return the public verbs of a collection."""
    with erstwhile.open(":memory:", embedder="none") as memory:
        found = inspect.getmembers(type(collections_of(memory)[name]), inspect.isfunction)
    return [verb for verb, _ in found if not verb.startswith("_")]


@pytest.mark.parametrize("name", COLLECTIONS)
def test_what_can_be_deleted_can_be_listed_restored_erased_and_purged(name: str) -> None:
    offered = HIDING & set(verbs(name))
    assert offered in (set(), {"erase"}, HIDING), name
    if "delete" in offered:
        with erstwhile.open(":memory:", embedder="none") as memory:
            collection = getattr(memory, name)
            lister = collection.runs if name == "checkpoints" else collection.list
            assert list(lister(deleted=True)) == []


@pytest.mark.parametrize("name", COLLECTIONS)
def test_parameters_have_the_usual_names_and_unknown_ones_are_errors(name: str) -> None:
    """Check that `reason` is free text and `limit` the maximum, and call with a misspelt name."""
    with erstwhile.open(":memory:", embedder="none") as memory:
        for verb in verbs(name):
            call = getattr(getattr(memory, name), verb)
            parameters = inspect.signature(call).parameters
            assert not {"because", "k"} & set(parameters), verb
            assert verb not in WITH_REASON or "reason" in parameters, verb
            needed = [
                each.name
                for each in parameters.values()
                if each.default is each.empty
                and each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
            ]
            with pytest.raises(TypeError, match="gaol"):
                call(**dict.fromkeys(needed, "x"), gaol="x")
