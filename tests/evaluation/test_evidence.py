"""What counts as quoted in a context, and what as a stated wish."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from erstwhile.context.model import Context, ContextItem, ContextReport, Section
from erstwhile.conversations.conversation import Message, Role
from erstwhile.core.scope import Scope
from erstwhile.evaluation.evidence import has_wish, quoted_items
from erstwhile.evaluation.haystack import Item
from erstwhile.facts.draft import draft

NOW = datetime(2026, 11, 16, tzinfo=UTC)
WISH = "Always include the error codes of the server when I ask about failures."
TRIP = Item(id="trip", text="We drove to the coast in an old van. The engine died near Sagres!")
ORDER = Item(id="order", text=f"I need a hotel in Faro. {WISH} By the way, it rains.")
REPLY = Item(id="reply", role="assistant", text=f"Certainly. {WISH}")
STORED = {"m1": [TRIP], "m2": [ORDER], "m4": [REPLY]}


def message(id: str, text: str) -> ContextItem:
    """Return an item that quotes a message."""
    source = Message(
        id=id,
        scope=Scope(),
        conversation="c",
        position=1,
        role=Role.USER,
        content=text,
        said_at=NOW,
        metadata={},
        key=None,
        copy_of=None,
        undone_at=None,
    )
    return _item(source, text)


def fact(text: str) -> ContextItem:
    """Return an item that quotes a fact."""
    return _item(draft(text, now=NOW).to_fact(Scope(), NOW), text)


def context(*items: ContextItem) -> Context:
    report = ContextReport(
        budget=1,
        tokens=1,
        tokenizer="",
        prefix=0,
        sections={},
        left_out=(),
        left_out_count=0,
        below_floor=0,
        omitted=0,
        notices=(),
    )
    return Context(prefix="", tail="", tail_without_history="", items=items, report=report)


def _item(source: object, text: str) -> ContextItem:
    return ContextItem(
        section=Section.FACTS,
        citation="1",
        id=source.id,  # type: ignore[attr-defined]
        text=text,
        tokens=1,
        source=source,  # type: ignore[arg-type]
    )


class TestQuotedItems:
    def test_a_part_of_a_message_counts(self) -> None:
        assert quoted_items(context(message("m1", "The engine died")), STORED) == [TRIP]

    def test_a_record_that_quotes_a_whole_sentence_counts(self) -> None:
        said = "we drove to the coast  in an old van."
        assert quoted_items(context(fact(said)), STORED) == [TRIP]

    @pytest.mark.parametrize("said", ["It rains", "The engine died in the desert of Nevada"])
    def test_a_few_words_of_it_do_not_count(self, said: str) -> None:
        assert quoted_items(context(fact(said)), STORED) == []

    def test_a_message_does_not_count_for_another_with_the_same_sentence(self) -> None:
        repeated = message("m2", "We drove to the coast in an old van.")
        assert quoted_items(context(repeated), STORED) == [ORDER]

    def test_an_item_counts_once(self) -> None:
        twice = context(message("m1", "The engine died"), message("m1", "an old van"))
        assert quoted_items(twice, STORED) == [TRIP]


class TestWishes:
    @pytest.mark.parametrize(
        "quoted",
        [
            message("m2", f"… {WISH}"),
            message("m2", "Always include the error codes of the server when I ask about failures"),
            fact("The user wants the error codes of the server included when she asks of failures"),
        ],
    )
    def test_the_stating_sentence_counts(self, quoted: ContextItem) -> None:
        assert has_wish(context(quoted), WISH, [ORDER], STORED)

    @pytest.mark.parametrize(
        "quoted",
        [
            message("m2", "I need a hotel in Faro."),
            message("m2", "By the way, it rains."),
            message("m2", "Always include the error"),
            message("m1", "The server had an error."),
            message("m4", WISH),
            fact("The server has failures. Codes are included. Ask about the error."),
            fact(f"{WISH[:-1]} {' '.join(f'word{n}' for n in range(40))}"),
        ],
    )
    def test_another_part_of_the_message_does_not(self, quoted: ContextItem) -> None:
        assert not has_wish(context(quoted), WISH, [ORDER], STORED)

    def test_a_paraphrase_counts_by_the_words_that_it_shares(self) -> None:
        said = "I like error codes when I ask about failures of a machine, can you do that?"
        told = Item(id="told", text=f"Hello there. {said} Thanks.")
        assert has_wish(context(message("m3", said)), WISH, [told], {"m3": [told]})
        assert not has_wish(context(message("m3", "Hello there.")), WISH, [told], {"m3": [told]})
