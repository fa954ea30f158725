"""Quoted text is readable, harmless, and read back exactly."""

from __future__ import annotations

import pytest

from erstwhile.context.quoting import escaped, parse, quoted, unescaped
from erstwhile.core.memory_markers import CLOSING, OPENING

ID = "0198c0de-1234-7abc-8000-000000000000"
WRITTEN = [
    ("if a < b && b <= c: x << 2", "if a < b && b <= c: x << 2"),
    ("AT&T & R&D", "AT&T & R&D"),
    (CLOSING, "&lt;/erstwhile-memory>"),
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
]


@pytest.mark.parametrize(("text", "written"), WRITTEN)
def test_only_what_could_be_more_than_text_is_written_otherwise(text: str, written: str) -> None:
    assert escaped(text) == written
    assert unescaped(written) == text


def test_an_item_is_a_bullet_and_what_follows_is_quoted_below() -> None:
    assert quoted(ID, ", 2026-03-01", "one\n\n# two\n") == (
        "- [0198c0de-1234-7abc, 2026-03-01] one\n  > \n  > # two\n  > \n"
    )


def test_only_items_inside_the_marks_are_read() -> None:
    """Text around the markers may come from anybody."""
    first, second = quoted(ID, "", "a\n- [0198, x] b"), quoted(ID, ", now", f"{OPENING}\n")
    text = f"- [0198c0de, no] out\n{OPENING}\n## Heading\n{first}\n{second}{CLOSING}\n{first}"
    assert [each.text for each in parse(text)] == ["a\n- [0198, x] b", f"{OPENING}\n"]
    assert parse("no marks &#x110000; at all") == []
    assert unescaped("&#x110000; &lt &gt;") == "&#x110000; &lt &gt;"
