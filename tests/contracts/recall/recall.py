"""Recall finds facts in any language and explains them."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from erstwhile.core.errors import InvalidInputError, TooLargeError
from erstwhile.memory import Memory
from erstwhile.recall import rank
from erstwhile.recall.hits import Channel
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, found, input_check

FINDS = [
    ("We moved the shop to Postgres 17 last week", "which database did the shop move to?"),
    ("Ana prefers pnpm over npm", "What does Ana prefer?"),
    ("The deployment failed because the disk was full", "why did deployments fail"),
    ("Elle habite à Orléans", "orleans"),
    ("Der Zug nach Zürich fährt um neun", "ZURICH"),
    ("我们把商店的数据库迁移到了新的服务器", "数据库"),
    ("我们把商店的数据库迁移到了新的服务器", "商店用哪个服务器？"),
    ("他喜欢在周末去爬山", "周末"),
    ("東京で寿司を食べました", "寿司"),
    ("저는 고양이를 좋아해요", "고양"),
    ("使用Postgres作为主数据库", "postgres"),
    ("使用Postgres作为主数据库", "主数据库是Postgres吗"),
    ("Привет, мы переехали в Москву", "москву"),
    ("اسم القطة هو لولو", "القطة"),
    ("वह दिल्ली में रहती है", "दिल्ली"),
    ("The helper get_user_name is slow", "get_user_name"),
    ("The helper get_user_name is slow", "user name"),
    ("The helper getUserName is slow", "getUserName"),
    ("The helper getUserName is slow", "user"),
    ("The HTTPServerError is raised in tests", "server error"),
    ("Look at src/erstwhile/memory.py first", "src/erstwhile/memory.py"),
    ("Look at src/erstwhile/memory.py first", "memory.py"),
    ("Python 3.11.7 is installed", "3.11.7"),
    ("Python 3.11.7 is installed", "python 3.11"),
    ("Mail ana@example.org about it", "ana@example.org"),
    ("Full-width ＡＢＣ１２３ in a form", "abc123"),
    ("The ﬁnal oﬃce hours", "final office"),
    ("Party 🎉 at noon", "🎉 party"),
    ("It is what it is", "what is it"),
]
HARMLESS = [
    '"', "'", "''", '""', '"open', "*", "a*", "^", "^a", "-", "--", "+", "(", ")", "()", "(((",
    "AND", "OR", "NOT", "NEAR", "a AND", "a AND b", "NEAR(a b)", "NEAR/2", "a NOT b", "tokens : a",
    "terms:a", "{a b} : c", "a : b", ":", "\\", "%", "_", "'; DROP TABLE facts; --", "{", "}", "[",
    "\u202e abc", "\u200d", "\ufeff", "\U0010ffff", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "e\u0301", "ː", "o1ːtea", "?", "….",
    "\t\n x", "a\x01b", "null", "None", "0", "1e309", "नमस्ते", "עברית",
]  # fmt: skip
FILLED = ["Ana runs the bakery", "The oven broke", "It rained", "Carl likes chess"]


class RecallContract(Contract):
    @pytest.mark.parametrize(("text", "query"), FINDS)
    def test_it_finds(self, memory: Memory, text: str, query: str) -> None:
        """Natural questions in any script, and identifiers as a whole and by part."""
        fact = memory.remember(text)
        memory.remember("Nothing of all this: zebras graze")
        [hit] = memory.recall(query)
        assert hit.fact == fact

    @pytest.mark.parametrize("query", HARMLESS)
    def test_any_text_is_a_question_and_never_syntax(self, memory: Memory, query: str) -> None:
        memory.remember("tea with a b and c")
        assert len(memory.recall(query)) <= 1
        assert len(memory.recall(query, recent=True)) == 1

    def test_a_long_question_is_answered(self, memory: Memory) -> None:
        memory.remember("The kettle is blue")
        assert found(memory.recall("kettle " + "x" * 99_000)) == ["The kettle is blue"]
        assert found(memory.recall("kettle " * 14_000)) == ["The kettle is blue"]
        assert len(memory.recall("kettle " + " ".join(map(str, range(10_000))), floor=0.0)) == 1

    @input_check
    @pytest.mark.parametrize(
        "query", ["", " ", "\n\t", "\u3000", "a\0b", "\ud800", None, 5, b"tea"]
    )
    def test_what_is_no_text_is_refused(self, memory: Memory, query: Any) -> None:
        """A blank query never means everything."""
        fact = memory.remember("tea")
        with pytest.raises(InvalidInputError, match="query"):
            memory.recall(query)
        with pytest.raises(InvalidInputError, match="query"):
            memory.why_not(query, fact.id)

    def test_the_longest_texts_are_found_by_any_of_their_words(self, memory: Memory) -> None:
        """However long a word is, and however many pairs of characters differ."""
        word = "x" * 30_000
        chosen = Random(0).choices(range(0x4E00, 0x9F00), k=99_998)
        chinese = "".join(map(chr, chosen)) + "末尾"
        memory.remember(f"a word: {word}")
        memory.remember(chinese)
        assert found(memory.recall(word)) == [f"a word: {word}"]
        assert found(memory.recall("末尾", limit=1)) == [chinese]

    @input_check
    def test_too_long_a_question_is_refused(self, memory: Memory) -> None:
        with pytest.raises(TooLargeError, match="query"):
            memory.recall("x" * 100_001)

    @input_check
    @pytest.mark.parametrize(
        ("option", "value"),
        [
            *(("limit", value) for value in (0, -1, 1_001, 4_097, 1.5, "5", None, True)),
            *(("floor", value) for value in (-0.1, 1.1, float("nan"), "0.1", True)),
            *(
                ("among", value)
                for value in ("tea", ["facts", "tea"], [], "", None, 5, {"facts": 1})
            ),
        ],
    )
    def test_an_option_out_of_bounds_is_refused(
        self, memory: Memory, option: str, value: Any
    ) -> None:
        """With an error, not with an empty answer."""
        named = "kind of records|among" if option == "among" else option
        with pytest.raises(InvalidInputError, match=named):
            memory.recall("tea", **{option: value})

    def test_nothing_relevant_gives_nothing(self, memory: Memory) -> None:
        """However few facts there are, and even if they are pinned."""
        memory.remember("Ana prefers pnpm over npm", pinned=True)
        hits = memory.recall("When does the train to Berlin leave?")
        assert (list(hits), hits.trace.below_floor) == ([], 0)
        assert list(memory.recall("?!")) == []

    def test_one_common_word_of_many_is_not_relevant(self, memory: Memory) -> None:
        """A weak match is below the floor, a strong one is not."""
        weak = memory.remember("A meeting about one thing or another")
        strong = memory.remember("The quarterly budget review of marketing moved to Thursday")
        query = "meeting quarterly budget review marketing moved Thursday agenda slides draft owner"
        hits = memory.recall(query)
        assert [hit.fact for hit in hits] == [strong]
        assert hits.trace.below_floor == 1
        everything = memory.recall(query, floor=0.0)
        assert [hit.fact for hit in everything] == [strong, weak]
        assert everything[0].relevance > everything[1].relevance

    def test_every_hit_says_why(self, memory: Memory) -> None:
        old = memory.remember("The shop runs on MySQL", entities=["shop"])
        new = memory.facts.replace(old.id, "The shop runs on Postgres", entities=["shop"])
        [hit] = memory.recall("Which database does the shop run on? Postgres?")
        assert hit.fact == new
        assert set(hit.why.terms) == {"shop", "run", "postgr"}
        assert hit.why.channel is Channel.MATCH
        assert hit.why.words > 0
        assert hit.why.cosine is None
        assert hit.why.weight == rank.MENTIONED
        assert hit.why.supersedes == (old.id,)
        assert "postgr" in str(hit.why)

    @pytest.mark.by_meaning
    def test_the_trace_says_how_the_question_was_understood(self, memory: Memory) -> None:
        memory.remember("Ana moved to Lisbon", entities=["Ana"])
        trace = memory.recall("Where did Ana move in May 2025?").trace
        assert trace.terms == ("ana", "move", "may", "2025")
        assert trace.names == ("Ana",)
        assert trace.period is not None
        assert [moment.month for moment in trace.period] == [5, 6]
        assert trace.candidates == 1
        assert trace.notices == ("no embedder is set: found by words alone",)

    def test_an_alias_brings_the_other_names_along(self, memory: Memory) -> None:
        memory.remember("Robert signs the contracts", entities=["Robert"])
        memory.entities.add_alias("Robert", "Bob")
        hits = memory.recall("what does Bob sign?")
        assert found(hits) == ["Robert signs the contracts"]
        assert hits.trace.names == ("Bob", "Robert")
        assert found(memory.recall("Bob's")) == ["Robert signs the contracts"]

    def test_a_key_a_tag_and_an_entity_are_found_like_words(self, memory: Memory) -> None:
        memory.facts.set("favourite_colour", "blue")
        memory.remember("It was fun", tags=["holiday"], entities=["Lisbon"])
        assert found(memory.recall("which colour is the favourite?")) == ["blue"]
        assert found(memory.recall("holiday")) == found(memory.recall("lisbon")) == ["It was fun"]

    def test_repeats_give_way_and_changed_numbers_do_not(self, memory: Memory) -> None:
        """A second wording of one fact comes last. Another number is another fact."""
        said = (
            "the staging server of the online shop in the northern region listens for requests "
            "from the metrics collector, which Ana maintains together with Bob, on port {}"
        )
        one, two = said.format(8080), said.format(8081)
        other = "the metrics collector was restarted by ana"
        memory.remember_many([one, f"{one.upper()}!", two, other])
        query = "on which port does the staging server listen for the metrics collector of Ana?"
        hits = found(memory.recall(query, limit=3))
        assert [text.lower().rstrip("!") for text in hits] == [one.lower(), two.lower(), other]
        assert len(memory.recall(query, limit=4)) == 4

    def test_a_conversation_s_context_helps_and_stays_context(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """Neighbours help to find an answer, but a full match wins."""
        for text in ("Where shall we have dinner on Friday?", "Let us try the new one", "Agreed."):
            memory.remember(text, source="chat-1")
            clock.advance(minutes=1)
        memory.remember("Nobody asked me", source="chat-2")
        hits = found(memory.recall("dinner on Friday"))
        assert hits[0] == "Where shall we have dinner on Friday?"
        assert "Let us try the new one" in hits
        assert "Nobody asked me" not in hits

    def test_what_is_not_trusted_is_no_context_either(self, memory: Memory) -> None:
        memory.remember("Let us try the new one", source="chat-1")
        web = memory.remember("dinner dinner dinner", source="chat-1", origin="web")
        assert found(memory.recall("dinner")) == []
        memory.facts.confirm(web.id)
        assert "dinner dinner dinner" in found(memory.recall("dinner"))


class TailsContract(Contract):
    """Linked and recent facts fill the rest of the limit, on request."""

    @pytest.fixture
    def filled(self, memory: Memory, clock: FakeClock) -> Memory:
        for text, entities in (
            ("Ana runs the bakery", ["Ana", "bakery"]),
            ("The oven broke", ["bakery"]),
            ("Carl likes chess", ["Carl"]),
            ("It rained", []),
        ):
            memory.remember(text, entities=entities)
            clock.advance(hours=1)
        return memory

    def test_linked_then_recent(self, filled: Memory) -> None:
        assert found(filled.recall("Ana")) == ["Ana runs the bakery"], "only on request"
        hits = filled.recall("Ana", graph=True, recent=True)
        assert found(hits) == FILLED
        channels = [hit.why.channel for hit in hits]
        assert channels == [Channel.MATCH, Channel.GRAPH, Channel.RECENT, Channel.RECENT]
        assert [hit.relevance for hit in hits[1:]] == [0.0] * 3
        assert found(filled.recall("Ana", graph=True)) == ["Ana runs the bakery", "The oven broke"]

    def test_only_what_is_left_is_filled(self, filled: Memory) -> None:
        assert found(filled.recall("Ana", limit=1, graph=True, recent=True)) == FILLED[:1]
        assert len(filled.recall("Ana", limit=2, recent=True)) == 2

    def test_the_filter_is_part_of_the_filling(self, filled: Memory) -> None:
        """However many newer facts it excludes."""
        filled.remember("An event at the bakery", kind="event", entities=["bakery"])
        wanted = filled.remember("Ana sold the bakery", kind="event", entities=["bakery"])
        filled.remember_many([{"text": f"bread {n}", "entities": ["bakery"]} for n in range(80)])
        tails: list[dict[str, Any]] = [{"graph": True}, {"recent": True}]
        for tail in tails:
            hits = filled.recall("sold", limit=2, kind="event", **tail)
            assert found(hits) == [wanted.text, "An event at the bakery"]

    def test_what_has_ended_fills_nothing(self, filled: Memory) -> None:
        for text in ("The oven broke", "It rained", "Carl likes chess"):
            [fact] = filled.facts.list(contains=text)
            filled.facts.retire(fact.id, "wrong")
        assert found(filled.recall("Ana", graph=True, recent=True)) == ["Ana runs the bakery"]

    def test_of_the_past_they_fill_what_was_known(self, filled: Memory, clock: FakeClock) -> None:
        known = clock.now()
        clock.advance(hours=1)
        filled.remember("The bakery was painted", entities=["bakery"])
        assert found(filled.recall("Ana", graph=True, recent=True, known_at=known)) == FILLED
