"""Quote plain statements in languages whose grammar is not rewritten here.

A first person with a verb or a noun of life, such as "tengo dos gatos", is enough for a quotation.
Only in Chinese, 我 becomes 用户, which is always safe.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

from erstwhile.core.kinds import Kind
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.moods import Mood, mood_of
from erstwhile.learning.patterns.languages import CHINESE
from erstwhile.learning.patterns.plain.attributes import attribute_in
from erstwhile.letter_case import AnyCase, any_of
from erstwhile.rule_files import RuleFile, TextRule, read_rules
from erstwhile.search.own_words import FILLER

_MINE = re.compile("^我(?:家)?的?(?=\\w)")
_OTHER_SCRIPTS = ("ja", "ko", "ru", "zh")
LONGEST = 160
MOST_CLAUSES = 12
_BORDER = re.compile(
    r"[,，;；:：()（）。！？!?]\s*|\s[–—-]+\s|\s(?:y|et|und|e|en|и|pero|mais|aber|maar|но)\s(?=(?:ich|wir"
    r"|meine?|quiero|tengo|soy|mi|je|j'|mon|ma|eu|io|ho|sono|ik|wil|я|мой|моя|у меня|хочу|мы)\b)",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"(?:(?:hallo|hi|hola|bonjour|salut|olá|oi|ciao|привет|안녕하세요|你好|und|aber|y|pero|et|mais"
    r"|e|ma|en|maar|и|но|а|да|ja|sí|oui|sim|sì|also|pues|alors|そして|あと|実は)[ ,]+"
    r"|因为|而且|另外|其实|对了|不过|但是?|所以)*",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class QuotedRule(TextRule):
    """A way to begin a plain statement; the name of the rule is its language."""

    kind: Kind

    @property
    def flags(self) -> re.RegexFlag:
        return re.IGNORECASE


def quoted_candidates(sentence: str, taken: Sequence[tuple[int, int]]) -> Iterator[Candidate]:
    """Yield the plain statements of a sentence, except at the places that are taken."""
    start = 0
    if _part("jest").is_in(sentence):
        return
    for border in islice((*_BORDER.finditer(sentence), None), MOST_CLAUSES):
        end = border.start() if border else len(sentence)
        free = not any(first < end and start < last for first, last in taken)
        if free and (found := _stated(sentence, start, end)):
            yield found
        start = border.end() if border else end


def _stated(sentence: str, start: int, end: int) -> Candidate | None:
    said = sentence[start:end].strip(" .¡¿")
    rule = _rule_for(said)
    opening = _OPENING.match(said)
    if rule is None and opening and opening[0]:
        said = said[opening.end() :]
        rule = _rule_for(said)
    if rule is None or _part("task").is_in(said) or _part("unsure").is_in(said):
        return None
    mood = mood_of(sentence, start, end)
    if mood is not None and not (mood is Mood.PLAN and _part("ahead").is_in(said)):
        return None
    attribute = attribute_in(said, sentence, rule.name) if mood is None else None
    return Candidate(
        text=_written(said, rule),
        kind=rule.kind,
        key=attribute.key if attribute else None,
        value=attribute.value if attribute else None,
        quote=said,
        sentence=sentence,
        found_by=f"{rule.name}/plain-{rule.kind}",
    )


def _rule_for(said: str) -> QuotedRule | None:
    if not said or len(said) > LONGEST or FILLER in said:
        return None
    scripts = (True,) if said.isascii() else (True, False)
    if not any(_any_rule(latin=latin).begins(said) for latin in scripts):
        return None
    return next((rule for rule in quoted_rules() if rule.regex.match(said)), None)


def _written(said: str, rule: QuotedRule) -> str:
    if rule.name != "zh":
        return f'The user said: "{said}"'
    if "我们" in said or "咱们" in said:
        return f"用户说：“{said}”"
    told = _MINE.sub("用户的", said) if rule.kind is Kind.RELATION else said
    return CHINESE.as_sentence(CHINESE.tail.sub("", told))


@cache
def quoted_rules() -> tuple[QuotedRule, ...]:
    """Return the rules for plain statements that are quoted."""
    return _file().rules_as(QuotedRule, kind=Kind)


@cache
def _any_rule(*, latin: bool) -> AnyCase:
    """Return a pattern that matches where a rule for Latin letters does, or one for others."""
    return any_of(
        rule.pattern for rule in quoted_rules() if latin is (rule.name not in _OTHER_SCRIPTS)
    )


@cache
def _part(name: str) -> AnyCase:
    return AnyCase(_file().parts[name])


def _file() -> RuleFile:
    return read_rules(Path(__file__).with_name("quoted.toml"))
