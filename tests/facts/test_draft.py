"""Drafts: checked facts that are not stored yet."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile import InvalidInputError, Scope, TooLargeError, draft
from erstwhile.core.text import fingerprint
from erstwhile.facts.draft import DETAILS
from erstwhile.secrets.masking import mask_json
from erstwhile.types import Origin, Relation, Source, Tier, Trust

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SCOPE = Scope(user="ana")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8),
        inner, max_size=3,
    ),
    max_leaves=8,
)  # fmt: skip


def test_a_draft_knows_its_fingerprint() -> None:
    assert draft("X  y", key="K", now=NOW).fingerprint == fingerprint("x Y", "k")


def test_names_are_said_once() -> None:
    said = draft(
        "x", tags=["A", "a ", "b"], entities=["Ana", "ANA"], now=NOW,
        relations=[("ana", "Knows", "Bob"), ("ana", "knows", "Bob"), ("Bob", "knows", "Bob")],
    )  # fmt: skip
    assert said.tags == ("A", "b")
    assert said.entities == ("Ana", "Bob")
    assert said.relations == (Relation("ana", "knows", "Bob"), Relation("Bob", "knows", "Bob"))


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
                               max_size=8), JSON, max_size=4))  # fmt: skip
def test_metadata_comes_back_as_json_has_it(metadata: dict[str, Any]) -> None:
    assert dict(draft("x", metadata=metadata, now=NOW).metadata) == mask_json(metadata)


@pytest.mark.parametrize("depth", [10, 400, 600, 5_000])
def test_metadata_of_any_depth_is_stored_or_refused(depth: int) -> None:
    deep: Any = "AKIAIOSFODNN7EXAMPLE"
    for _ in range(depth):
        deep = {"a": deep}
    try:
        stored = draft("x", metadata=deep, now=NOW).metadata
    except InvalidInputError:
        assert depth > 100
    else:
        assert "AKIA" not in repr(stored)


def test_metadata_belongs_to_the_draft() -> None:
    given = {"a": [1]}
    said = draft("x", metadata=given, now=NOW)
    given["a"].append(2)
    assert said.metadata == {"a": [1]}
    with pytest.raises(TypeError):
        said.metadata["a"] = 2  # type: ignore[index]


@pytest.mark.parametrize("bad", ["\0", "a\0b", "\\\0", "\\\\\0"], ids=ascii)
def test_a_nul_in_metadata_is_found(bad: str) -> None:
    for metadata in ({"a": bad}, {bad: 1}, {"a": [{"b": bad}]}):
        with pytest.raises(InvalidInputError, match="NUL"):
            draft("x", metadata=metadata, now=NOW)


@pytest.mark.parametrize("fine", ["\\u0000", "\\\\u0000", "\\\\\\u0000", "u0000"])
def test_the_text_of_an_escape_is_no_nul(fine: str) -> None:
    assert draft("x", metadata={fine: fine}, now=NOW).metadata == {fine: fine}


def test_a_source_is_a_conversation_and_its_messages() -> None:
    assert draft("x", source="c", now=NOW).source == Source(conversation="c")
    messages = draft("x", source={"messages": ["m", "m", "n"]}, now=NOW).source
    assert messages == Source(messages=("m", "n"))
    assert draft("x", now=NOW).source is None


@pytest.mark.parametrize("origin", ["web", "tool", "document"])
def test_what_comes_from_outside_claims_no_higher_tier(origin: str) -> None:
    assert draft("x", origin=origin, tier="inferred", now=NOW).tier is Tier.INFERRED
    for tier in ("confirmed", "stated"):
        with pytest.raises(InvalidInputError, match=origin):
            draft("x", origin=origin, tier=tier, now=NOW)


@pytest.mark.parametrize("origin", list(Origin))
def test_trust_is_lowered_only(origin: Origin) -> None:
    held = draft("x", origin=origin, trust="quarantined", now=NOW)
    assert (held.trust, held.tier, held.trusted) == (Trust.QUARANTINED, Tier.INFERRED, False)
    assert draft("x", origin=origin, now=NOW).trust is origin.trust
    with pytest.raises(InvalidInputError, match="quarantine"):
        draft("x", origin=origin, trust="quarantined", tier="stated", now=NOW)
    if origin.trust is Trust.QUARANTINED:
        with pytest.raises(InvalidInputError, match=f"{origin} cannot be trusted"):
            draft("x", origin=origin, trust="trusted", now=NOW)


def test_the_details_are_those_of_the_function() -> None:
    said = set(draft.__annotations__) - {"text", "now", "return"}
    assert set(DETAILS) == said
    assert len(DETAILS) == len(said)


@pytest.mark.parametrize("name", ["tags", "entities", "relations"])
def test_a_list_is_a_list(name: str) -> None:
    wrong: list[Any] = ["abc", b"abc", {"a": 1}, {"a"}, 5, None, iter(["a"])]
    for items in wrong:
        with pytest.raises(InvalidInputError, match=name):
            draft("x", now=NOW, **{name: items})
    many: Any = [("a", f"p{n}", "b") if name == "relations" else f"t{n}" for n in range(51)]
    with pytest.raises(TooLargeError, match=name):
        draft("x", now=NOW, **{name: many})


def test_words_count_from_now() -> None:
    assert draft("x", expires_at="1h", now=NOW).expires_at == NOW + timedelta(hours=1)
    before = datetime.now(UTC)
    until = draft("x", expires_at="1h").expires_at
    assert until is not None
    assert before <= until - timedelta(hours=1) <= datetime.now(UTC)
