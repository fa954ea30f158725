"""A secret in a decision reaches neither a stored byte nor the embedder."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import erstwhile
from erstwhile.secrets.masking import mask_json, mask_text
from tests.doubles import UnreliableEmbedder
from tests.secrets.test_masking import LETTERS, PLANTED

TOKENS = sorted({name for name, text in PLANTED.items() if LETTERS[:12] in text})
"""Kinds whose example can be told by letters that occur nowhere else."""
around = st.text(st.sampled_from(" \n\t,;()[]{}<>|'\"=:é記"), max_size=8)
planted = st.builds(
    lambda before, name, after: f"{before} {PLANTED[name]} {after}",
    around, st.sampled_from(TOKENS), around,
)  # fmt: skip
deep = st.recursive(
    planted | st.integers() | st.none() | st.text("ab ", max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=3), inner),
    max_leaves=6,
)


@given(deep)
def test_masking_leaves_no_secret_and_nothing_to_mask(value: Any) -> None:
    masked = mask_json(value)
    assert LETTERS[:12] not in repr(masked)
    assert mask_json(masked) == masked


pieces = st.sampled_from((
    "password", "my password is ", "pwd=", "密码是", "PIN: ", "hunter2", "4921", "Tr0ub&dor", "x",
    "token", "api_key", " is ", " for ", ": ", "=", "：", '"', "'", "`", "“", "”", "(", ")", "%3D",
    "[masked:password]", "[masked:", "]", " ", "\n", "\u200b", "\u00ad", "\\", ",", ".", "abc", "→",
    "://", "bob:", "@", "-u ", "--password ", "user: ana ", "Bearer ", "cookie: a=", "mysql -p",
    "cGFzc3dvcmQ9S3VjaGVuNzd4eXo7YT0x", "AKIAIOSFODNN7EXAMPLE", " as the password", "<password>",
))  # fmt: skip


@given(st.text() | st.lists(pieces, max_size=12).map("".join))
def test_masking_is_done_once(text: str) -> None:
    assert mask_text(mask_text(text)) == mask_text(text)


@settings(max_examples=15)
@given(
    deep, planted, st.lists(planted, max_size=2), st.sampled_from(["person", "model"]),
)  # fmt: skip
def test_a_planted_secret_is_in_no_byte_and_in_no_text_that_is_embedded(
    tool_input: Any, text: str, options: list[str], by: str
) -> None:
    embedder = UnreliableEmbedder()
    with (
        TemporaryDirectory() as folder,
        erstwhile.open(Path(folder, "m.db"), embedder=embedder) as memory,
    ):
        said = erstwhile.Decision(
            goal="g", tool="T", input=tool_input, choice="deny", message=text, rationale=text,
            options=tuple(options), decided_by=by,
        )  # fmt: skip
        kept = memory.decisions.record(said)
        memory.decisions.set_outcome(kept.id, text)
        other = erstwhile.Decision(goal="g", tool="T", input=[tool_input, text], choice="allow")
        memory.decisions.supersede(kept.id, other, reason=text)
        request = erstwhile.DecisionRequest(goal="g", tool="T", input=tool_input)
        memory.decisions.advise(request)
        memory.flush()
        stored = b"".join(file.read_bytes() for file in Path(folder).iterdir())
        assert b"masked:" in stored
        assert LETTERS[:12].encode() not in stored
        assert LETTERS[:12] not in repr(embedder.embedded)
        assert LETTERS[:12] not in repr(memory.decisions.advise(request))
