"""Every rule file can be read, and every pattern, check and part in it is usable."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import erstwhile
from erstwhile.learning.guard.checks import guard_rules, personal_rules
from erstwhile.learning.patterns.language import LANGUAGES, MEANINGS, PatternLanguage, language
from erstwhile.rule_files import TextRule, read_rules
from erstwhile.search.speech import pasted_rules
from erstwhile.secrets.scan import secret_rules

SOURCE = Path(erstwhile.__file__).parent
FILES = sorted(SOURCE.rglob("*.toml"))
RULES: tuple[TextRule, ...] = (
    *secret_rules(), *guard_rules("injection"), *guard_rules("transient"), *guard_rules("links"),
    *personal_rules(), *pasted_rules(),
    *(rule for name in LANGUAGES for rule in language(name).rules),
)  # fmt: skip


def test_every_rule_of_every_file_has_a_reader() -> None:
    """Reading also resolves the name of every check."""
    assert len(RULES) == sum(len(read_rules(file).rules) for file in FILES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_pattern_compiles_and_every_hint_is_in_lower_case(rule: TextRule) -> None:
    assert rule.regex.pattern == rule.pattern
    assert all(hint == hint.lower() for hint in rule.hints)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_part_is_used(file: Path) -> None:
    parts = read_rules(file).parts
    text = file.read_text("utf-8")
    fields = set(PatternLanguage.__dataclass_fields__)
    sources = "".join(each.read_text("utf-8") for each in file.parent.glob("*.py"))
    fields |= set(re.findall(r'\bpart\("(\w+)"\)', sources.replace("_part(", "part(")))
    unused = [name for name in parts if f"{{{name}}}" not in text and name not in fields]
    assert unused == []


def test_every_meaning_is_that_of_a_rule() -> None:
    assert set(MEANINGS) == {rule.name for name in LANGUAGES for rule in language(name).rules}


def test_a_file_inserts_parts_lists_and_shared_fields(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(
        """
        [parts]
        digit = '[0-9]'
        digits = '{digit}{2,3}'
        [words]
        some = ["a", "b"]
        [shared.number]
        hints = ["{some}", "c"]
        [[rules]]
        name = "number"
        pattern = '''
x{digits}
y'''
        [[rules]]
        name = "number"
        hints = ["d"]
        pattern = 'z'
        """,
        "utf-8",
    )
    first, second = read_rules(file).rules_as(TextRule)
    assert (first.pattern, first.hints) == ("x[0-9]{2,3}y", ("a", "b", "c"))
    assert (second.pattern, second.hints) == ("z", ("d",))
    assert first.check("anything")


def test_prose_stands_for_words_and_spaces(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    rule = """notation = "prose"\n[[rules]]\nname = "x"\npattern = 'tea ~ cup…now'"""
    file.write_text(rule, "utf-8")
    [made] = read_rules(file).rules_as(TextRule)
    assert made.regex.search("tea  in a blue cup right now")
    assert not re.search(made.pattern, "tea. In a cup now")
