"""Whole conversations without a model: which facts are retired, and which are not."""

from __future__ import annotations

import pytest

from tests.learning.whole_conversations import told

STAYS = [
    # Who has another besides has both.
    ("I work at Google.", "I also work at Acme.", "The user works at Google"),
    ("I work at Google.", "I work at Acme as well.", "The user works at Google"),
    ("我在腾讯工作", "我也在华为工作", "用户在腾讯工作"),
    # Done, and undone again.
    ("We use npm.", "We switched from npm to pnpm and back.", "The team uses npm"),
    ("We use npm.", "We switched from npm to pnpm but reverted it.", "The team uses npm"),
    ("我们用 npm", "我们从 npm 换成 pnpm 又换回来了", "团队用 npm"),
    ("我们用 npm", "我们从 npm 换成 pnpm 的计划取消了", "团队用 npm"),
    # One of several ends, and the rest does not.
    ("I like jazz and rock.", "I no longer like rock.", "The user likes jazz and rock"),
    ("我喜欢爬山和摄影", "我不喜欢摄影了", "用户喜欢爬山和摄影"),
    # What holds in some cases only, and what is beside the value.
    ("I prefer short answers.", "I prefer detailed answers when it's about architecture.",
     "The user prefers short answers"),
    ("My birthday is on 4 July.", "I was born in 1988.", "The user's birthday is 4 July"),
    ("我的生日是9月21日", "我出生于1990年", "用户的生日是9月21日"),
    # Figures of speech, and what is not about the value at all.
    ("I work at Google.", "I work at Apple in my dreams.", "The user works at Google"),
    ("I work at Google.", "I joined Alice for lunch.", "The user works at Google"),
    ("I live in Rome.", "I live in VS Code these days.", "The user lives in Rome"),
    ("I live in Rome.", "Yesterday I moved to tears.", "The user lives in Rome"),
    ("我在腾讯工作", "我在华为工作过", "用户在腾讯工作"),
    ("我今年30岁", "我18岁那年去了美国", "用户30岁"),
    ("我是四川人", "我是这个项目的负责人", "用户是四川人"),
    ("我是四川人", "我是负责人", "用户是四川人"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "then", "known"), STAYS)
def test_it_stays(first: str, then: str, known: str) -> None:
    _, live, retired = told(None, first, then)
    assert (known in live, retired) == (True, [])


TAKEN_BACK = [
    ("I live in Rome.", "Please forget that I live in Rome.", "The user lives in Rome"),
    ("I like jazz.", "forget that I like jazz", "The user likes jazz"),
    ("我住在北京", "忘了我住在北京这件事", "用户住在北京"),
]


@pytest.mark.parametrize(("first", "then", "known"), TAKEN_BACK)
def test_what_shall_be_forgotten_is_retired(first: str, then: str, known: str) -> None:
    _, live, retired = told(None, first, then)
    assert (live, retired) == ({}, [known])


@pytest.mark.parametrize("said", ["Don't forget that I live in Rome.", "忘了说，我住在北京"])
def test_who_forgot_to_say_something_says_it(said: str) -> None:
    _, live, _ = told(None, said)
    assert list(live.values()) == ["home"]


def test_who_changes_their_mind_twice_is_understood() -> None:
    _, live, retired = told(
        None, "I like coffee.", "I don't like coffee.", "I like coffee after all."
    )
    assert set(live) == {"The user likes coffee"}
    assert set(retired) == {"The user does not like coffee", "The user likes coffee"}


@pytest.mark.parametrize(
    "said",
    [
        "We use Redis.",
        "We switched from Vim to Zed.",
        "We're on Node 22.",
        "Use ruff, not flake8",
        "叫我阿杰",
        "我叫 Kevin",
        "我们用 Rust",
        "我是护士",
        "记住我的车停在B2层",
    ],
)
def test_what_patterns_find_in_few_words_is_let_in(said: str) -> None:
    """The wording of a pattern is not a claim of its own."""
    [attempt], live, _ = told(None, said)
    assert (attempt.outcome, len(live)) == ("learned", 1)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("We use npm for dependency management.", "We switched from npm to pnpm."),
        ("我们用npm管理依赖。", "我们从npm换成了pnpm。"),
    ],
)
def test_what_says_more_of_the_old_value_is_doubted(first: str, then: str) -> None:
    """It may be meant, so it stays and is linked."""
    [_, attempt], live, retired = told(None, first, then)
    assert (attempt.changes[0].act, len(live), retired) == ("conflict", 2, [])
