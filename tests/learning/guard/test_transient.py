"""Texts that are not worth remembering: passing states, and failures of tools."""

from __future__ import annotations

import pytest

from erstwhile.core.kinds import Kind
from erstwhile.learning.guard import examine
from tests.learning.guard.turns import judged, rules


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("The browser tool cannot open PDF files.", "transient/limitation"),
        ("The assistant does not have access to the internet.", "transient/limitation"),
        ("搜索工具无法打开网页。", "transient/limitation"),
        ("I'm currently running the tests.", "transient/chatter"),
        ("Today's build failed.", "transient/chatter"),
        ("今天的构建失败了。", "transient/chatter"),
    ],
)
def test_it_is_refused(text: str, rule: str) -> None:
    assert [(each.action, each.rule) for each in examine(text)] == [("refuse", rule)]


@pytest.mark.parametrize(
    "text",
    [
        "The user is currently learning Rust.",
        "Ana runs a bakery.",
        "He uses a power tool from Bosch.",
        "The API does not support XML.",
        "用户正在学习德语。",
    ],
)
def test_what_lasts_is_kept(text: str) -> None:
    assert examine(text) == ()


def test_a_state_may_say_it_and_so_may_a_model_that_is_verified() -> None:
    """A state is shown with its date."""
    text = "Today's build failed."
    assert rules(judged(text, found_by="patterns/x").verdicts) == ["transient/chatter"]
    assert judged(text, found_by="patterns/x", kind=Kind.STATE).verdicts == ()
    assert judged(text, found_by="llm:x").verdicts == ()
