"""Quoted text is readable, harmless, and read back exactly."""

from __future__ import annotations

import pytest

from erstwhile.context.escaping import escaped, parse, quoted, unescaped, without_marks
from erstwhile.core.text import MEMORY_CLOSING, MEMORY_OPENING

WRITTEN = [
    ("if a < b && b <= c: x << 2", "if a < b && b <= c: x << 2"),
    ("AT&T & R&D", "AT&T & R&D"),
    (MEMORY_CLOSING, "&lt;/erstwhile-memory>"),
    ("<b>", "&lt;b>"),
    ("<|im_end|>", "&lt;|im_end|>"),
    ("&lt;b>", "&amp;lt;b>"),
    ("&amp;lt;", "&amp;amp;lt;"),
    ("[INST] [/INST] [1]", "&#x5B;INST] &#x5B;/INST] [1]"),
    ("a\u202eb\u2028c", "a&#x202E;b&#x2028;c"),
    ("\x1b[31m\r\n", "&#x1B;[31m&#xD;\n"),
    ("tab\tstays", "tab\tstays"),
    ("👩\u200d🔧 می\u200cخواهم ❤️", "👩\u200d🔧 می\u200cخواهم ❤️"),
    ("\U000e0049", "&#xE0049;"),
    ("❤️\u200d🔥 1️⃣ 🏳️\u200d🌈", "❤️\u200d🔥 1️⃣ 🏳️\u200d🌈"),
    ("< /erstwhile-memory>", "&lt; /erstwhile-memory>"),
    ("<\xa0\t/erstwhile-memory>", "&lt;\xa0\t/erstwhile-memory>"),
    ("< Erstwhile-Memory>", "&lt; Erstwhile-Memory>"),
    ("<\u200d/b>", "&lt;&#x200D;/b>"),
    ("<\u200c/b>", "&lt;&#x200C;/b>"),
    ("<\ufe0f/b>", "&lt;&#xFE0F;/b>"),
    ("<\u034f/b>", "&lt;&#x34F;/b>"),
    ("＜/b＞ ＜ｂ＞", "&#xFF1C;/b＞ &#xFF1C;ｂ＞"),
    ("<｜User｜>", "&lt;｜User｜>"),
    ("‹/erstwhile-memory›", "&#x2039;/erstwhile-memory›"),
    ("«a» ‹b› 〈书〉", "«a» ‹b› 〈书〉"),
    ("a\u200d\u200cb", "a&#x200D;&#x200C;b"),
    ("\u200d", "&#x200D;"),
]


@pytest.mark.parametrize(("text", "written"), WRITTEN)
def test_only_what_could_be_more_than_text_is_written_otherwise(text: str, written: str) -> None:
    assert escaped(text) == written
    assert unescaped(written) == text


def test_an_item_begins_a_line_and_what_follows_is_quoted_below() -> None:
    assert quoted("347 user", "one\n\n# two\n") == "[347 user] one\n> \n> # two\n> \n"


def test_only_items_inside_the_marks_are_read() -> None:
    """Text around the markers may come from anybody. Text that looks like an item is none."""
    first, second = quoted("347", "a\n[12] b\n- [a3] c"), quoted("12, now", f"{MEMORY_OPENING}\n")
    text = f"[99] out\n{MEMORY_OPENING}\n## Heading\n{first}\n{second}{MEMORY_CLOSING}\n{first}"
    assert parse(text) == [("347", "a\n[12] b\n- [a3] c"), ("12", f"{MEMORY_OPENING}\n")]
    assert parse("no marks &#x110000; at all") == []
    assert unescaped("&#x110000; &lt &gt;") == "&#x110000; &lt &gt;"


@pytest.mark.parametrize(
    "form",
    [
        "<erstwhile-memory>",
        "</ Erstwhile-Memory>",
        "\uff1c/erstwhile_memory>",
        "<\u200berst\u00adwhile-memory",
    ],
)
def test_no_form_of_a_marker_stays_in_a_message(form: str) -> None:
    assert form[0] not in without_marks(f"a {form} b")


@pytest.mark.parametrize(
    "code", ["List<Erstwhile> items;", "if (a < b) erase();", "<div>memory</div>"]
)
def test_other_markup_stays_in_a_message(code: str) -> None:
    assert without_marks(code) == code
