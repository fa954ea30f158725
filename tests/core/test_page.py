"""Pages behave like lists."""

from __future__ import annotations

from typing import Any

import pytest

from erstwhile import InvalidInputError, Page
from erstwhile.core.results import MAX_LIMIT, checked_limit


def test_a_page_is_a_sequence() -> None:
    page = Page(("a", "b", "c"), "next")
    assert (len(page), page[0], page[-1], page[1:]) == (3, "a", "c", ("b", "c"))
    assert list(page) == ["a", "b", "c"]
    assert list(reversed(page)) == ["c", "b", "a"]
    assert "b" in page
    assert "z" not in page
    assert (page.index("c"), page.count("a")) == (2, 1)
    assert page
    assert not Page(())


def test_pages_are_compared_by_what_they_hold() -> None:
    assert Page(("a",)) == Page(("a",), None)
    assert Page(("a",)) != Page(("a",), "next")


def test_a_page_cannot_be_changed() -> None:
    page = Page(("a",))
    with pytest.raises(AttributeError):
        page.next = "x"  # type: ignore[misc]
    with pytest.raises(IndexError):
        page[1]


@pytest.mark.parametrize("limit", [1, 20, MAX_LIMIT])
def test_limits(limit: int) -> None:
    assert checked_limit(limit) == limit


@pytest.mark.parametrize("limit", [0, -1, MAX_LIMIT + 1, True, False, 2.0, "5", None, 10**30])
def test_what_is_no_limit(limit: Any) -> None:
    with pytest.raises(InvalidInputError, match="cursor"):
        checked_limit(limit)
