"""The rules for secrets: by issuer in `issued.toml`, by the words before them in `named.toml`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from erstwhile.rule_files import TextRule, read_rules
from erstwhile.secrets import values

_ISSUED = Path(__file__).with_name("issued.toml")


@dataclass(frozen=True, kw_only=True)
class SecretRule(TextRule):
    """A kind of secret. Only the group `secret` of a match is masked, or all if it has none."""

    spaced: bool = False
    """Whether a match may contain spaces; else it is one long word, and so are its hints."""

    @property
    def flags(self) -> re.RegexFlag:
        """Keys are in ASCII: in languages without spaces, a sentence goes on right after one."""
        return re.NOFLAG if self.spaced else re.ASCII


@cache
def secret_rules() -> tuple[SecretRule, ...]:
    """Return the rules in the order in which they are tried: the more particular first."""
    check = partial(getattr, values)
    files = (read_rules(_ISSUED), read_rules(values.NAMED))
    return tuple(rule for file in files for rule in file.rules_as(SecretRule, check=check))


@cache
def password_words() -> re.Pattern[str]:
    """Return a pattern for the words that mean "password", in many languages."""
    return re.compile(read_rules(values.NAMED).parts["password"])
