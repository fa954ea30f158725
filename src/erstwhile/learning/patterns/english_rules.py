"""How people say in English what shall hold from now on."""

from __future__ import annotations

from erstwhile.core.kinds import Kind
from erstwhile.learning.patterns.english_values import are_short, first_word, is_rule
from erstwhile.learning.patterns.pattern import Pattern

RULES = (
    Pattern(
        name="always", says=r"(?:please )?(?:you (?:should|must) )?(?P<how>always|never) "
        r"(?P<value>\w.+)",
        text="The user asks to {how} {value}", kind=Kind.PREFERENCE, dated=False, rules=True,
        fits=is_rule,
    ),
    Pattern(
        name="wants-always", says=r"i(?:'d like| want| need| would like) you to (?P<how>always"
        r"|never) (?P<value>.+)",
        text="The user asks to {how} {value}", kind=Kind.PREFERENCE, dated=False, rules=True,
        fits=is_rule,
    ),
    Pattern(
        name="do-not-ever", says=r"(?:please )?(?:don't|do not) ever (?P<value>.+)",
        text="The user asks to never {value}", kind=Kind.PREFERENCE, dated=False, rules=True,
        fits=is_rule,
    ),
    Pattern(
        name="from-now-on", says=r"(?:from now on|from today on|going forward|in future|in the "
        r"future|from here on),? (?:please )?(?P<value>(?!always|never|don't|do not|call me).+)",
        text="The user asks to {value} from now on", kind=Kind.PREFERENCE, dated=False,
        rules=True, fits=is_rule,
    ),
    Pattern(
        name="from-now-on-not", says=r"(?:from now on|from today on|going forward|in future|in "
        r"the future),? (?:please )?(?:don't|do not|never) (?P<value>.+)",
        text="The user asks not to {value} from now on", kind=Kind.PREFERENCE, dated=False,
        rules=True, fits=is_rule,
    ),
    Pattern(
        name="rule-from-now-on", says=r"(?:please )?(?P<value>(?!call me).+?),? (?:from now on"
        r"|going forward|by default|every time)\W*$",
        text="The user asks to {value} from now on", kind=Kind.PREFERENCE, dated=False, rules=True,
        fits=is_rule,
    ),
    Pattern(
        name="use-not", says=r"(?:please )?use (?P<value>.+?),? (?:not|instead of|rather than"
        r"|and not) (?P<old>[^,;]+)(?:, (?:please|thanks|ok).*)?$",
        text="The user asks to use {value} instead of {old}", kind=Kind.PREFERENCE,
        fits=lambda values: are_short(values) and first_word(values["value"]) not in ("a", "an",
        "my"),
    ),
    Pattern(
        name="do-not-use", says=r"(?:please )?(?:don't|do not|stop) us(?:e|ing) (?P<old>.+?)[,;] "
        r"(?:please |but )?use (?P<value>.+)",
        text="The user asks to use {value} instead of {old}", kind=Kind.PREFERENCE, fits=are_short,
    ),
)  # fmt: skip
