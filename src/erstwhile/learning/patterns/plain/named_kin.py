"""Find relatives and pets with their names: "my cat Miso scratches the sofa" tells of a cat.

Such a name is taken for granted, also by a question or a request.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from erstwhile.core.kinds import Kind
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.moods import Mood, mood_of
from erstwhile.rule_files import TextRule, read_rules

_NOT_OWN = (Mood.STORY, Mood.JEST, Mood.QUOTED, Mood.REPORT)

_OWN = re.compile(
    r"\b(?:my|our|[Mm](?:y|eine?|i|on|a|io|ia|eu|inha|ijn)|[Oo](?:ur|nze)|[Nn](?:otre|uestr[oa]"
    r"|ostr[oa]|oss[oa])|[Uu]nsere?) (?:[\w-]+ ){0,2}?[\w-]+,? [A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]"
)


@dataclass(frozen=True, kw_only=True)
class KinRule(TextRule):
    """A way to name somebody; the name of the rule is its language."""

    text: str = ""
    """The statement, in a language that is rewritten. Else the words are quoted."""

    @property
    def flags(self) -> re.RegexFlag:
        return re.IGNORECASE


def named_kin(sentence: str) -> Iterator[Candidate]:
    """Yield a statement for each relative and pet that a sentence names."""
    if not _OWN.search(sentence):
        return
    for rule in kin_rules():
        for found in re.finditer(rf"\b{rule.pattern}", sentence, rule.flags):
            if mood_of(sentence, *found.span()) not in _NOT_OWN:
                yield _candidate(rule, found, sentence)


def _candidate(rule: KinRule, found: re.Match[str], sentence: str) -> Candidate:
    said = rule.text.format_map(found.groupdict()) or f'The user said: "{found[0]}"'
    return Candidate(
        text=said,
        kind=Kind.RELATION,
        entities=(found["name"],),
        quote=found[0],
        sentence=sentence,
        found_by=f"{rule.name}/named",
    )


@cache
def kin_rules() -> tuple[KinRule, ...]:
    """Return the rules for named relatives and pets."""
    return read_rules(Path(__file__).with_name("named_kin.toml")).rules_as(KinRule)
