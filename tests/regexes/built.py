"""Call what builds patterns from words, so that these patterns are tried on hostile texts, too.

What a caller or a text chooses is escaped: a name of a file, the end of a here-document, a word.
It is chosen here as what would do the most harm if it were not.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from erstwhile.backups.rotation import list_backups
from erstwhile.cli.exit_codes import _for_the_shell
from erstwhile.decisions.shell_commands import split_script
from erstwhile.learning import patterns
from erstwhile.secrets import searched_text
from erstwhile.secrets.masking import secret_rules
from tests.learning.user_turns import turn

HOSTILE = "(a+)+$"
_ALL_SCRIPTS = "I live in Rome. 我住在罗马。 私はローマにいます。 나는 로마에 살아요. Я тут."


def build_all() -> None:
    """Call every place that builds a pattern when it is needed, with all that it is built from."""
    _build_from_choices()
    _build_from_rules()


def _build_from_choices() -> None:
    with TemporaryDirectory() as folder:
        list_backups(Path(folder), HOSTILE)
    _for_the_shell("use `facts.find`")
    split_script(f"cat <<'{HOSTILE}'\nx\n{HOSTILE}\n")


def _build_from_rules() -> None:
    patterns.candidates(turn(_ALL_SCRIPTS))
    for rule in secret_rules():
        _each(searched_text._folded, {rule.core, rule.opening} - {""})
        _each(searched_text._as_it_is, {rule.told} - {""})


def _each(build: object, given: Iterable[str]) -> None:
    assert callable(build)
    for each in given:
        build(each)
