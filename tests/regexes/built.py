"""Call what builds patterns from words, so that these patterns are tried on hostile texts, too.

What a caller or a text chooses is escaped: a name of a file, the end of a here-document, a word.
It is chosen here as what would do the most harm if it were not.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

from erstwhile.cli.exit_codes import _explain
from erstwhile.context import breadth
from erstwhile.core.errors import InvalidInputError
from erstwhile.decisions.program_table import PatternList, patterns
from erstwhile.decisions.shell_parser import parse_script
from erstwhile.learning.patterns.language import LANGUAGES, language
from erstwhile.operations.backup import list_backups
from erstwhile.search import periods
from erstwhile.search.dates import date_languages, date_words, read_date
from erstwhile.secrets import searched_text
from erstwhile.secrets.scan import secret_rules

HOSTILE = "(a+)+$"


def build_all() -> None:
    """Call every place that builds a pattern when it is needed, with all that it is built from."""
    with TemporaryDirectory() as folder:
        list_backups(Path(folder), HOSTILE)
    _explain(InvalidInputError("unknown", remedy="use `facts.find`"))
    parse_script(f"cat <<'{HOSTILE}'\nx\n{HOSTILE}\n")
    for name in LANGUAGES:
        language(name)
    for kind in get_args(PatternList):
        patterns(kind)
    for kind in ("gathers", "told_by_user"):
        breadth._expressions(kind)
    for bound in ("from_date", "until_date"):
        periods._date_bound(bound)
    now = datetime(2026, 3, 15, tzinfo=UTC)
    for phrases, name in zip(periods._languages(), date_languages(), strict=True):
        assert phrases._patterns.dates
        phrases.ago("", now)
        read_date("", date_words(name), now)
    for rule in secret_rules():
        for part in {rule.core, rule.opening} - {""}:
            searched_text._folded(part)
        if rule.prefilter:
            searched_text._compiled(rule.prefilter)
