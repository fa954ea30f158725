"""The guard judges any text; masking leaves no secret in a stored byte or an embedded text."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import erstwhile
from erstwhile.core.policies import Personal, Policy
from erstwhile.learning.candidate import GuardAction
from erstwhile.learning.guard.checks import examine, kept
from erstwhile.secrets.masking import mask_json, mask_text
from tests.doubles import UnreliableEmbedder
from tests.learning.guard.corpus import samples
from tests.secrets.test_masking import LETTERS, PLANTED

TOKENS = [text for text in PLANTED.values() if LETTERS[:12] in text]
"""Examples with letters that occur nowhere else."""
HOSTILE = [each.text for each in samples("payloads")]
HARMLESS = [
    each.text
    for each in samples("benign")
    if each.family not in ("about", "code", "emoji") and each.text.isprintable()
]
UNSEEN = st.sampled_from("\u200b\u200c\u200d\u2060\ufeff\u00ad\u202a\u202c\u2066\u2069\ufe0f\x1b")
SCRIPTS = st.sampled_from("aZ9 .,é字ñ語ক्षलमسلامשלוםไทยកខგაЖя한글😀👩🏴\U000e0067\U000e007f")
texts = st.text(SCRIPTS | UNSEEN, max_size=40) | st.text() | st.sampled_from(HOSTILE)
policies = st.builds(Policy, pii=st.sampled_from(Personal), longest=st.integers(1, 2_000))


@given(texts, policies)
def test_every_text_is_judged(text: str, policy: Policy) -> None:
    found = examine(text, policy)
    assert all(each.rule.count("/") == 1 and each.reason for each in found)
    assert all(each.action is not GuardAction.KEEP for each in found)


@given(texts, st.sampled_from(TOKENS), texts, policies)
def test_what_was_redacted_has_nothing_to_redact(
    before: str, secret: str, after: str, policy: Policy
) -> None:
    text = f"{before} {secret} {after}"
    clean = kept(text, examine(text, policy))
    again = examine(clean, policy)
    assert not [each for each in again if each.action is GuardAction.REDACT]
    assert kept(clean, again) == clean


@given(st.lists(st.sampled_from(HARMLESS), min_size=1, max_size=3))
def test_harmless_texts_stay_as_they_are_in_any_company(said: list[str]) -> None:
    """Persian, Hindi and English together lose no character, and no secret is found."""
    text = "\n".join(said)
    found = examine(text, Policy(longest=10_000))
    assert kept(text, found) == text
    assert not [each for each in found if each.rule.startswith(("characters/", "secrets/"))]


around = st.text(st.sampled_from(" \n\t,;()[]{}<>|'\"=:é記"), max_size=8)
planted = st.builds(
    lambda before, token, after: f"{before} {token} {after}",
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
        assert LETTERS[:12] not in repr(memory.decisions.advise(request).to_dict())
