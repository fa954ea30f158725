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


def test_a_state_may_say_it() -> None:
    """It is shown with its date."""
    text = "Today's build failed."
    assert rules(judged(text).verdicts) == ["transient/chatter"]
    assert judged(text, kind=Kind.STATE).verdicts == ()
