"""The signs in `languages`: each is a pattern for the words of one idea, in all languages at once.

Nobody needs to tell which language a sentence is in: a sign of any language counts, and a file may
leave out a sign. The patterns are bounded, and search a clause or a sentence in any letter case.

Signs named like a `Mood` (jest, report, story, past, plan, guess, request, condition) show it. The
others are:

- `opens_clause`, `closes_clause`: where a clause begins or ends without a comma
- `courtesy`: a condition that is none: "if it helps, I live in Porto"
- `turns_back`: the beginning of a clause that states something after a condition: "but"
- `asks`: the beginning of a question; `asks_unmarked`: of one without a question mark
- `question_end`: the end of a question without a mark
- `tag`: ", right?" makes a question of what comes before
- `told_in_question`, `reason`: a clause that states something within a question
- `jest_before`: a sentence that takes the one before as a joke
- `story_follows`: a sentence after which the message is role play, or a text to work on
- `speaker`: a word for the speaker or another person, so that a short clause has a subject
- `corrects`, `ends`, `beside`, `temporary`, `changes`: see `changes.py`
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from erstwhile.rule_files import RuleFile, read_rules

_NOTHING = r"(?!)"


@cache
def sign(name: str) -> re.Pattern[str]:
    """Return the pattern of a sign, joined from all languages that have it."""
    found = [file.parts[name] for file in _files() if name in file.parts]
    return re.compile("|".join(f"(?:{part})" for part in found) or _NOTHING, re.IGNORECASE)


@cache
def _files() -> tuple[RuleFile, ...]:
    folder = Path(__file__).with_name("languages")
    return tuple(read_rules(file) for file in sorted(folder.glob("*.toml")))
