"""The table of verbs and collections in the reference holds for the code."""

from __future__ import annotations

import inspect
import re

import pytest

import erstwhile
from tests.docs.pages import PROJECT
from tests.surface import collections_of

PAGE = PROJECT / "docs" / "reference" / "verbs.md"
COMMON = ("add", "get", "list", "count", "delete", "restore", "erase", "purge")
"""Verbs that mean the same in every collection. They have a column each."""
HIDING = {"delete", "restore", "erase", "purge"}


def verbs() -> dict[str, list[str]]:
    """Return the public verbs of each collection."""
    with erstwhile.open(":memory:", embedder="none") as memory:
        kinds = {name: type(part) for name, part in collections_of(memory).items()}
    return {
        name: [verb for verb, _ in inspect.getmembers(kind, inspect.isfunction) if verb[0] != "_"]
        for name, kind in kinds.items()
    }


def table() -> str:
    """Return the table as the page should have it."""
    lines = [
        f"| collection | {' | '.join(COMMON)} | other verbs |",
        "|---" * (len(COMMON) + 2) + "|",
    ]
    for name, offered in verbs().items():
        marks = ["✓" if verb in offered else "" for verb in COMMON]
        others = ", ".join(f"`{verb}`" for verb in offered if verb not in COMMON)
        lines.append(" | ".join([f"| `{name}`", *marks, f"{others} |"]))
    return "\n".join(lines)


def test_the_table_is_the_one_of_the_code() -> None:
    """Print the right one with: python -m tests.docs.test_verbs"""
    [written] = re.findall(r"^\| collection .*?(?=\n\n|\Z)", PAGE.read_text("utf-8"), re.M | re.S)
    assert written.strip() == table()


@pytest.mark.parametrize("name", verbs())
def test_what_can_be_deleted_can_be_restored_erased_and_purged(name: str) -> None:
    offered = HIDING & set(verbs()[name])
    assert offered in (set(), {"erase"}, HIDING), name


@pytest.mark.parametrize("name", verbs())
def test_a_list_of_what_can_be_deleted_can_show_it(name: str) -> None:
    """Under one name, `deleted`; runs are what is deleted of checkpoints."""
    if "delete" not in verbs()[name]:
        return
    with erstwhile.open(":memory:", embedder="none") as memory:
        collection = getattr(memory, name)
        lister = collection.runs if name == "checkpoints" else collection.list
        assert list(lister(deleted=True)) == []


@pytest.mark.parametrize("name", verbs())
def test_no_verb_takes_a_parameter_of_an_old_or_odd_name(name: str) -> None:
    """`reason` is free text, `ending` a kind of ending, `limit` how many at most."""
    with erstwhile.open(":memory:", embedder="none") as memory:
        for verb in verbs()[name]:
            parameters = inspect.signature(getattr(getattr(memory, name), verb)).parameters
            assert not {"because", "k"} & set(parameters), verb
            if verb in ("delete", "restore", "replace", "retire", "undo", "confirm"):
                assert "reason" in parameters, verb


@pytest.mark.parametrize("name", verbs())
def test_unknown_keyword_arguments_are_errors(name: str) -> None:
    """Also where a verb takes its filters or details as keywords."""
    with erstwhile.open(":memory:", embedder="none") as memory:
        for verb in verbs()[name]:
            call = getattr(getattr(memory, name), verb)
            needed = [
                each
                for each in inspect.signature(call).parameters.values()
                if each.default is each.empty
                and each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
            ]
            with pytest.raises(TypeError, match="gaol"):
                call(**{each.name: "x" for each in needed}, gaol="x")


if __name__ == "__main__":
    print(table())
