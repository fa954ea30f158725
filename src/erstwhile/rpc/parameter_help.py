"""Descriptions of the parameters of verbs."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path


def describe_parameter(verb: str, name: str) -> str:
    """Return the description of a parameter: for the verb, its collection, or all verbs."""
    known = _descriptions()
    places = (known.get(verb, {}), known.get(verb.partition(".")[0], {}), known["shared"])
    return next(place[name] for place in places if name in place)


@cache
def _descriptions() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(Path(__file__).with_name("parameters.toml").read_text("utf-8"))
