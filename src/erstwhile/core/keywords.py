"""The check that refuses unknown keyword arguments: a misspelt filter must not widen the answer."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache


def check_keywords(given: Mapping[str, object], known: type, *own: str) -> None:
    """Raise TypeError if a given keyword argument is not a field of a TypedDict class.

    `own` are the other parameters of the verb, which the error may suggest.
    """
    if not given.keys() <= (names := _fields(known)):
        unknown = min(given.keys() - names)
        raise TypeError(
            f"unknown keyword argument '{unknown}'; {_suggestion(unknown, names.union(own))}"
        )


@cache
def _fields(known: type) -> frozenset[str]:
    # A TypedDict keeps its fields here without evaluating their types.
    required: frozenset[str] = known.__required_keys__  # type: ignore[attr-defined]
    optional: frozenset[str] = known.__optional_keys__  # type: ignore[attr-defined]
    return required | optional


def _suggestion(unknown: str, names: frozenset[str]) -> str:
    from difflib import get_close_matches  # loaded only for the error message

    nearest = get_close_matches(unknown, sorted(names), n=1)
    return f"did you mean '{nearest[0]}'?" if nearest else f"known are {', '.join(sorted(names))}"
