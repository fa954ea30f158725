"""Templates in two languages, and custom templates."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from erstwhile.context.escaping import parse
from erstwhile.context.model import Section
from erstwhile.context.wording import wording
from erstwhile.core.errors import InvalidInputError
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.property.places import in_process, opened

HEADED = [section for section in Section if section not in (Section.LANGUAGE, Section.ONBOARDING)]
BROKEN = [
    ("facts.md", "## Facts\n", "{items} is missing"),
    ("facts.md", "## Facts about {user}\n{items}\n", "{user} is unknown here"),
    ("facts.md", "## Facts: {items}\n", "alone on its line"),
    ("facts.md", "{items}\n{items}\n", "alone on its line"),
    ("facts.md", "## {Facts\n{items}\n", "twice"),
    ("facts.md", "{items.__class__}\n", "is unknown here"),
    ("tasks.md", "{items!r}\n", "cannot have a format"),
    ("group.md", "{items}\n", "{name} is missing"),
    ("preamble.md", "Read {this}\n", "{this} is unknown here"),
    ("rules.md", "</erstwhile-memory>\n{items}\n", "reserved for memory"),
    ("language.md", "Answer!\n", "{language} is missing"),
    ("words.md", "- stale: {days} old\n", "{days} is unknown here"),
    ("words.md", "- stale: [{age}]\n", "bracket"),
    ("words.md", "- colour: red\n", "'colour' is unknown"),
]


@pytest.fixture
def memory() -> Memory:
    memory = opened(in_process(), FakeClock())
    memory.remember("We deploy on Friday", confidence=0.5)
    return memory


@pytest.mark.parametrize("code", ["en", "zh", "zh-hant"])
def test_every_section_has_a_heading_in_each_language(code: str) -> None:
    found = wording(code, None)
    openings = [found.frame(section).opening for section in HEADED]
    assert len(set(openings)) == len(HEADED)
    assert all(re.fullmatch(r"## \S.*\n", opening) for opening in openings)
    assert found.group("2026-03-01").opening == "2026-03-01\n"
    assert found.hint(Section.LANGUAGE, "pt").count("pt") == 1
    chinese = code.startswith("zh")
    assert all(bool(re.search("[一-鿿]", opening)) is chinese for opening in openings)


def test_both_languages_have_the_same_words_and_places_in_them() -> None:
    english, chinese = wording("en", None), wording("zh", None)
    assert english.texts.keys() == chinese.texts.keys()
    assert english.words.keys() == chinese.words.keys()
    for name, word in english.words.items():
        assert set(re.findall(r"{\w+}", word)) == set(re.findall(r"{\w+}", chinese.words[name]))


def test_any_other_language_has_english_words() -> None:
    assert wording("de", None) is wording(None, None) is wording("zha", None)


def test_a_folder_replaces_single_files(memory: Memory, tmp_path: Path) -> None:
    """Other files stay, and quoted text is still read back."""
    (tmp_path / "facts.md").write_text("# MEMORY {{v1}}\n{items}\n(end)", "utf-8")
    (tmp_path / "words.md").write_text("- confidence: sure to {share}\n", "utf-8")
    made = memory.context("when do we deploy?", templates=tmp_path)
    assert "# MEMORY {v1}\n[" in made.text
    assert ", sure to 0.50] We deploy on Friday\n(end)\n" in made.text
    assert [quoted.text for quoted in parse(made.text)] == ["We deploy on Friday"]
    assert made.report.tokens == memory._services.tokenizers.default.count(made.text)
    assert memory.context("when do we deploy?", templates=str(tmp_path)) == made


@pytest.mark.parametrize(("name", "text", "why"), BROKEN)
def test_a_broken_file_is_named_with_its_mistake(
    memory: Memory, tmp_path: Path, name: str, text: str, why: str
) -> None:
    """The error comes for every query, before any prompt is built."""
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(InvalidInputError, match=re.escape(why)) as caught:
        memory.context("hello", templates=tmp_path)
    assert str(tmp_path / name) in str(caught.value)


def test_a_folder_that_is_not_there_is_said(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "facts.md").write_bytes(b"\xff\xfe{items}")
    with pytest.raises(InvalidInputError, match="cannot be read"):
        memory.context("hello", templates=tmp_path)
    with pytest.raises(InvalidInputError, match="no folder"):
        memory.context("hello", templates=tmp_path / "facts.md")
    for wrong in (7, b"words", "~nobody-of-this-name/words"):
        with pytest.raises(InvalidInputError, match="no folder"):
            memory.context("hello", templates=wrong)  # type: ignore[arg-type]
