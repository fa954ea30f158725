"""How people speak in English of what they work with: tools, versions, addresses, habits."""

from __future__ import annotations

import re

from erstwhile.core.kinds import Kind
from erstwhile.learning.patterns.english_phrases import ANY_MORE, I_DO, SOFT
from erstwhile.learning.patterns.english_values import (
    first_word,
    is_concrete,
    is_named_tool,
    is_tool,
)
from erstwhile.learning.patterns.pattern import Pattern, Values

_WE_DO = rf"we {SOFT}"
_PARTS = (
    r"(?:tests?|test suite|linter|build|benchmarks?|docs|migrations?|server|app|application"
    r"|formatter|frontend|backend|front end|back end|api|site|website|worker|service|pipeline|ci"
    r"|project|repo|repository|database|db|instance|dashboard|staging|production|prod|environment"
    r"|wiki|registry|gateway|endpoint|console|cluster|proxy|queue|cache|broker|bot|shop|store"
    r"|library|package)"
)
_PART = rf"(?P<whose>the |our |my )?(?P<what>(?:[\w-]+ ){{0,3}}?{_PARTS})"
_ADDRESS = (
    r"(?P<value>`[^`]+`|https?://\S+|localhost\S*|\d{1,3}(?:\.\d{1,3}){3}\S*"
    r"(?:,? (?:on )?port \d{2,5})?|[\w-]+(?:\.[\w-]+)+\S*"
    r"|port \d{2,5})"
)


def _habit(values: Values) -> bool:
    told = re.search(
        r"\b(?:on|to|with|in|every|from|at|via|through|twice|once|daily)\b", values["value"]
    )
    return bool(told) and is_concrete({"other": values["value"].removeprefix("the ")})


def _command(values: Values) -> bool:
    trouble = ("error", "warning", "issue", "problem", "no ", "out")
    return _part_stands(values) and not values["value"].startswith(trouble)


def _part_stands(values: Values) -> bool:
    return is_concrete({name: text for name, text in values.items() if name != "what"}) and (
        first_word(values["what"]) not in ("this", "that", "your", "his", "her", "their", "a", "an")
    )


WORK = (
    Pattern(
        name="we-use", says=rf"{_WE_DO}(?:use|are using|run|rely on) (?P<value>"
        rf"(?!.*\b{ANY_MORE}\b)"
        r"(?!.+ instead of ).+)",
        text="The team uses {value}", kind=Kind.PROJECT, fits=is_tool,
    ),
    Pattern(
        name="i-use", says=rf"{I_DO}use (?P<value>(?!.*\b{ANY_MORE}\b)(?!\w+/\w+).+)",
        text="The user uses {value}", kind=Kind.ENVIRONMENT, fits=is_named_tool,
    ),
    Pattern(
        name="on-version", says=rf"we(?:'re| are) {SOFT}on (?P<value>(?-i:[A-Z])[\w.+-]* "
        r"v?\d[\w.]*)",
        text="The team is on {value}", kind=Kind.ENVIRONMENT,
    ),
    Pattern(
        name="run-with", says=rf"{_PART} (?P<verb>(?:are|is) (?:run|built|started|deployed"
        r"|formatted)|runs?|builds?|starts?) (?P<how>with|using|via|under|through|by running) "
        r"(?P<value>.+)",
        text="{whose} {what} {verb} {how} {value}", kind=Kind.PROJECT, fits=_command,
    ),
    Pattern(
        name="address", says=rf"{_PART} (?P<verb>is|lives|runs|is hosted|is available|is running"
        rf"|listens|is listening|is reachable|is served) (?P<how>at|under|on) {_ADDRESS}",
        text="{whose} {what} {verb} {how} {value}", kind=Kind.ENVIRONMENT, fits=_part_stands,
    ),
    Pattern(
        name="address-is", says=rf"{_PART} (?P<of>url|address|host|port|hostname) is {_ADDRESS}",
        text="{whose} {what} {of} is {value}", kind=Kind.ENVIRONMENT, fits=_part_stands,
    ),
    Pattern(
        name="part-uses", says=rf"{_PART} (?P<verb>uses|requires|targets|supports|runs on"
        r"|is written in|is built with|is hosted on|is deployed (?:to|on|with)|depends on) "
        r"(?P<list>.+)",
        text="{whose} {what} {verb} {list}", kind=Kind.PROJECT, fits=_part_stands,
    ),
    Pattern(
        name="our-tool", says=r"our (?P<what>ci|database|db|repo|repository|package manager"
        r"|editor|stack|main branch|default branch|main language|formatter|linter|issue tracker"
        r"|wiki|cloud|cloud provider|test runner|build tool|orm|style guide|standup|stand-up"
        r"|sprint|retro) is (?P<value>.+)",
        text="The team's {what} is {value}", kind=Kind.PROJECT,
        fits=lambda values: is_concrete(values) and len(values["value"].split()) <= 5
        and not first_word(values["value"]).endswith(("ing", "ed", "ly", "n't"))
        and (values["value"][0].isupper() or first_word(values["value"]) in ("at", "on", "every",
        "`")),
    ),
    Pattern(
        name="habit", says=r"we (?:always |usually |only |normally )?(?P<verb>deploy|release|ship"
        r"|merge|host|publish|store|meet|track) (?P<value>.+)",
        text="we {verb} {value}", kind=Kind.PROJECT, dated=False, fits=_habit,
    ),
)  # fmt: skip
