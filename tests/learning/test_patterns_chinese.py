"""The Chinese rules: statements that match, and texts that do not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from erstwhile.core.kinds import Kind
from tests.learning.user_turns import learned, only


def test_a_candidate_says_by_what_it_was_found() -> None:
    found = only("好的", "我去年三月从北京搬到了深圳")
    assert (found.text, found.kind, found.key) == ("用户住在深圳", Kind.PROFILE, "home")
    assert (found.instead_of, found.entities) == (("北京",), ("深圳",))
    assert found.valid_from == datetime(2025, 3, 1, tzinfo=UTC)
    assert (found.found_by, found.messages) == ("zh/moved-to", ("m1",))


@pytest.mark.parametrize("said", ["我上周三搬到了北京", "上个星期三我搬到北京了"])
def test_a_weekday_of_the_week_before_becomes_a_date(said: str) -> None:
    found = only(said)
    assert (found.text, found.valid_from) == ("用户住在北京", datetime(2026, 11, 11, tzinfo=UTC))


@pytest.mark.parametrize(
    ("said", "texts"),
    [
        ("我叫小明，住在上海", ["用户的名字是小明"]),
        ("我叫 Kevin", ["用户的名字是 Kevin"]),
        ("我姓王，今年30岁", ["用户姓王"]),
        ("我是程序员", ["用户的职业是程序员"]),
        ("我2020年入职华为", ["用户在华为工作"]),
        ("我们用的是 MySQL 8.0", ["团队用 MySQL 8.0"]),
        ("数据库是 PostgreSQL", ["数据库是 PostgreSQL"]),
        ("请记住明天下午停水", ["2026-11-17下午停水"]),
        ("注意：我对芒果过敏", ["用户对芒果过敏"]),
        ("不，我叫小虹", ["用户的名字是小虹"]),
        ("叫我小雨就行啦～", ["用户希望被称为小雨"]),
        ("我特别记住了，我住在北京", ["用户住在北京"]),
    ],
)
def test_statements_are_told_by_somebody_else(said: str, texts: list[str]) -> None:
    assert learned(said) == texts


def test_what_is_no_longer_so_and_has_no_successor_ends() -> None:
    found = only("我们不再用 Jenkins 了")
    assert (found.text, found.ends) == ("团队用 Jenkins", True)


def test_what_replaces_something_names_it() -> None:
    found = only("我们不用 SVN 了，改用 Git")
    assert (found.text, found.instead_of, found.ends) == ("团队用 Git", ("SVN",), False)


def test_a_state_ends_on_the_day_that_is_said() -> None:
    """周五 becomes a date."""
    found = only("我请假到周五")
    assert found.text == "用户请假到2026-11-20"
    assert found.expires_at == datetime(2026, 11, 21, tzinfo=UTC)


@pytest.mark.parametrize(
    "said",
    [
        "小王：我住在北京",
        "他说他住在北京",
        "我叫什么",
        "我叫了外卖",
        "我叫他来开会",
        "叫我起床",
        "我住院了",
        "我在开会",
        "我在家工作",
        "我今天在想什么呢",
        "我们不用担心了",
        "我们用户很多",
        "我喜欢她",
        "我喜欢这个方案",
        "我更喜欢前者",
        "我不住在北京",
        "我以前住在北京",
        "如果我住在北京就好了",
        "我可能搬到北京",
        "翻译：我叫小明",
        "“我叫小明”",
        "「我住在北京」",
        "把标题改成红色",
        "以后再说",
        "从今天起我要减肥",
        "我的生日是下周五",
        "不用 npm",
        "我是一个好人",
        "我是负责人",
        "我在腾讯工作过",
        "我在腾讯工作了三年，后来离职了",
        "我30岁那年去了美国",
        "我们用 Redis 吧",
        "我们用 Redis 好不好",
        "数据库是 PostgreSQL 还是 MySQL",
        "数据库是 Down 的",
        "我们从 npm 换成 pnpm 又换回来了",
        "我们把会议换成周五了",
        "我最喜欢的颜色不是红色",
        "以后会好的",
        "今后请多关照",
        "千万别告诉他",
        "我当然是程序员",
        "项目叫停了",
        "我会说话",
        "我搬到了楼下",
        "记得给妈妈打电话",
        "这个别记，我住在北京",
        "我住在北京，保密啊",
        "我真是爱死加班了",
    ],
)
def test_what_is_not_said_of_the_user_is_left_alone(said: str) -> None:
    assert learned(said) == []
