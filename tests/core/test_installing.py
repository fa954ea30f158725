"""The command that installs an extra works before a release as after it."""

from __future__ import annotations

import importlib.metadata
import json
from typing import Any

import pytest

from erstwhile.core.installing import install_extra


@pytest.mark.parametrize(
    ("source", "place"),
    [
        (None, ""),
        ({"url": "file:///checkout", "dir_info": {}}, " @ file:///checkout"),
        (
            {"url": "https://example.com/e.git", "vcs_info": {"vcs": "git", "commit_id": "1"}},
            " @ git+https://example.com/e.git",
        ),
    ],
)
def test_it_installs_from_where_erstwhile_came(
    source: dict[str, Any] | None, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Installed:
        def read_text(self, _name: str) -> str | None:
            return json.dumps(source) if source else None

    monkeypatch.setattr(importlib.metadata, "distribution", lambda _name: Installed())
    assert install_extra("openai") == f'pip install "erstwhile[openai]{place}"'


def test_a_copy_that_is_not_installed_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_name: str) -> None:
        raise importlib.metadata.PackageNotFoundError

    monkeypatch.setattr(importlib.metadata, "distribution", missing)
    assert install_extra("mcp") == 'pip install "erstwhile[mcp]"'
