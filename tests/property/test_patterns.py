"""Patterns accept any text, and invent nothing."""

from __future__ import annotations

import re
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile.core.kinds import Kind, Origin
from erstwhile.core.text import checked_label, checked_text, folded
from erstwhile.learning.patterns import candidates
from erstwhile.learning.patterns.language import LANGUAGES, language
from erstwhile.learning.patterns.sentences import LONGEST
from erstwhile.learning.salience import salience
from erstwhile.learning.turn import Turn
from tests.learning.user_turns import turn

_WORD = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
OURS = {
    word
    for name in LANGUAGES
    for text in (
        *(rule.text for rule in language(name).rules),
        *(
            str(language(name).words.get(table, ""))
            for table in ("who", "subject", "told", "months")
        ),
    )
    for word in _WORD.findall(folded(text))
}
"""The words that patterns add; all others must have been said."""

openings = st.sampled_from((
    "", "", "Actually, ", "no, ", "By the way, ", "If ", "Suppose ", "I think ", "Last week ",
    "Since 2019 ", "Remember that ", "Please ", "对了，", "其实", "如果", "请记住：", "上周",
    "> ", "- ", "Bob: ", "“",
))  # fmt: skip
stems = st.sampled_from((
    "my name is ", "I live in ", "I moved from Rome to ", "I work at ", "I'm a ", "I like ",
    "I don't like ", "I prefer tea over ", "we use ", "we switched from npm to ",
    "we no longer use ", "always use ", "from now on use ", "my sister Ana lives in ",
    "we decided to try ", "I'm on holiday until ", "I have a meeting on ", "the tests run with ",
    "my favourite food is ", "call me ", "I'm allergic to ", "我叫", "我住在", "我们用",
    "我们从 npm 换成 ", "我喜欢", "我不喜欢", "我在", "以后都用", "我女儿叫", "我请假到",
    "我们决定", "我的生日是", "我对",
))  # fmt: skip
values = st.sampled_from((
    "Mel", "Lisbon", "pnpm", "`make check`", "tea and coffee, sometimes", "it", "Friday",
    "3 December", "nurse", "Postgres 16 for the shop", "小明", "上海", "腾讯工作", "花生过敏",
    "周五", "5月3日", "中文回答", "the US", "you", "https://my.example/us/i", "我们的 US", "",
    " ",
))  # fmt: skip
endings = st.sampled_from((
    "", ".", "!", "?", "？", "。", ", thanks", " and I like it", ", not Mell", " lol",
    " last week", "了", "，谢谢", " because my boss said so", " any more", " (really)", "\n", "”",
    "```",
))  # fmt: skip
sentences = st.builds(lambda *parts: "".join(parts), openings, stems, values, endings)
messages = st.lists(sentences | st.text(max_size=20), max_size=5).map("\n".join)
roles = st.sampled_from(["user", "user", "assistant", "tool", "system"])
turns = st.lists(st.tuples(roles, messages), max_size=4).map(lambda said: turn(*said))


@given(turns)
def test_nothing_is_made_up(said: Turn) -> None:
    """Every word of a candidate is from the user or from the rule."""
    heard = "\n".join(line.text for line in said.lines if line.role == "user")
    words = set(_WORD.findall(folded(heard)))
    known = OURS | words | {f"{word}{end}" for word in words for end in ("s", "es")}
    for candidate in candidates(said):
        plain = _DATE.sub(" ", candidate.text)
        assert set(_WORD.findall(folded(plain))) <= known, candidate
        for name in (*candidate.entities, *candidate.instead_of):
            assert folded(name) in folded(heard.replace("’", "'")), candidate


@given(turns)
def test_every_candidate_can_be_stored_and_traced(said: Turn) -> None:
    """Its kind is known, a state ends in the future, and its message is the user's."""
    own = {line.message for line in said.lines if line.role == "user"}
    for candidate in candidates(said):
        assert checked_text(candidate.text, name="text", limit=1_000).strip() == candidate.text
        for label in (*candidate.entities, candidate.key or "none"):
            assert checked_label(label, name="label") == label
        assert isinstance(candidate.kind, Kind)
        assert candidate.kind is not Kind.STATE or candidate.expires_at is not None
        assert candidate.expires_at is None or candidate.expires_at > said.said_at
        assert candidate.valid_from is None or candidate.valid_from <= said.said_at
        assert set(candidate.messages) <= own
        assert candidate.origin is Origin.LEARNED
        assert re.fullmatch(r"patterns/[a-z]+/[a-z-]+", candidate.found_by)


@given(st.text())
def test_any_text_is_judged(text: str) -> None:
    judged = salience(turn(text))
    assert judged.reason
    assert candidates(turn(text)) == [] or judged.durable


@given(turns)
def test_what_patterns_find_is_worth_a_look(said: Turn) -> None:
    """No turn that patterns understand is dropped before a model sees it."""
    assert not candidates(said) or salience(said).durable


@given(st.lists(sentences, min_size=1, max_size=3), st.sampled_from(["ok", "thanks!", "你好", "?"]))
def test_small_talk_before_it_hides_nothing(said: list[str], before: str) -> None:
    """The first line does not decide for all."""
    alone = salience(turn("\n".join(said)))
    assert salience(turn("\n".join([before, *said]))).durable or not alone.durable


HARD = (
    "不是", "刚刚", "你要", "“", "I work as a ", "we use it, ", "I now ", "my a-a ", "a.b", "((",
       "? ", " and the ", "since 2019 ", "我很", "三月",
)  # fmt: skip
"""What takes a careless pattern for ever when it is repeated."""


@pytest.mark.parametrize("hard", HARD)
def test_the_time_grows_with_the_text_and_no_faster(hard: str) -> None:
    """Five times the text may take five times as long, and some more on a busy machine."""
    line = (hard * LONGEST)[: LONGEST - 1] + "\n"
    short, long = (_seconds(hard * size + line * (size // 500)) for size in (2_000, 10_000))
    assert long < 5 * 4 * max(short, 0.005)


def _seconds(text: str) -> float:
    """Return the shortest of three times, since the machine may be busy."""
    taken = []
    for _ in range(3):
        begun = process_time()
        salience(turn(text))
        candidates(turn(text))
        taken.append(process_time() - begun)
    return min(taken)
