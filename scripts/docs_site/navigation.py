"""The navigation of the site: the sections of docs/README.md, and the generated reference."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

INDEX = "docs/README.md"
_LINK = re.compile(r"^- \[(.+)\]\((.+\.md)\)$", re.MULTILINE)


def navigation(index: str, generated: Iterable[str]) -> str:
    """Return the `nav` of the configuration, in TOML."""
    nav: list[object] = [{"Home": "README.md"}, *_sections(index)]
    nav.append({"API": [{_title(place): place} for place in generated]})
    return f"nav = {_toml(nav)}\n"


def _sections(index: str) -> Iterator[dict[str, list[dict[str, str]]]]:
    for part in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        yield {title: [{name: _place(link)} for name, link in _LINK.findall(body)]}


def _place(link: str) -> str:
    """Return the path in the repository of a link in the index."""
    return link.removeprefix("../") if link.startswith("../") else f"docs/{link}"


def _title(place: str) -> str:
    return PurePosixPath(place).stem


def _toml(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        pairs = [f"{json.dumps(key)} = {_toml(part)}" for key, part in value.items()]
        return f"{{ {', '.join(pairs)} }}"
    return json.dumps(value)
