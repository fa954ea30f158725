"""The guard judges any text, and accepts its own output."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from erstwhile.core.policy import Personal, Policy
from erstwhile.learning.candidate import Action
from erstwhile.learning.guard import examine, kept
from tests.learning.guard.corpus import samples
from tests.secrets.test_masking import LETTERS, PLANTED

TOKENS = [text for text in PLANTED.values() if LETTERS[:12] in text]
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
    assert all(each.action is not Action.KEEP for each in found)


@given(texts, st.sampled_from(TOKENS), texts, policies)
def test_what_was_redacted_has_nothing_to_redact(
    before: str, secret: str, after: str, policy: Policy
) -> None:
    text = f"{before} {secret} {after}"
    clean = kept(text, examine(text, policy))
    again = examine(clean, policy)
    assert not [each for each in again if each.action is Action.REDACT]
    assert kept(clean, again) == clean


@given(st.lists(st.sampled_from(HARMLESS), min_size=1, max_size=3))
def test_harmless_texts_stay_as_they_are_in_any_company(said: list[str]) -> None:
    """Persian, Hindi and English together lose no character, and no secret is found."""
    text = "\n".join(said)
    found = examine(text, Policy(longest=10_000))
    assert kept(text, found) == text
    assert not [each for each in found if each.rule.startswith(("characters/", "secrets/"))]
