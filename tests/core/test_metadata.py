"""Metadata that a caller adds to a record."""

from __future__ import annotations

import pytest

from erstwhile.core import text as metadata
from erstwhile.core.errors import TooLargeError
from erstwhile.core.text import MAX_METADATA, checked_metadata


def test_what_is_too_long_is_refused_before_it_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    """To mask a text takes much longer than to see its length."""

    def not_yet(_: object) -> None:
        raise AssertionError("masked")

    monkeypatch.setattr(metadata, "mask_json", not_yet)
    with pytest.raises(TooLargeError, match=f"{MAX_METADATA:,} are allowed"):
        checked_metadata({"pass": "password: hunter2x " * 10_000})


def test_a_secret_is_masked() -> None:
    assert checked_metadata({"password": "hunter2x"}) == {"password": "[masked:password]"}
