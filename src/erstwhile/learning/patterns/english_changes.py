"""How people say in English that something is other than before, or for a while, or on a day."""

from __future__ import annotations

import re

from erstwhile.core.kinds import Kind
from erstwhile.learning.patterns.english_phrases import ANY_MORE, I_AM, I_HAVE, SOFT
from erstwhile.learning.patterns.english_values import are_short, is_concrete, is_named_tool
from erstwhile.learning.patterns.pattern import Pattern, Values

_WE_HAVE = rf"we(?:'ve| have)? {SOFT}"
_CHANGED = r"(?:switched|migrated|changed|converted|moved over)(?: over)?"
_EVENTS = (
    r"(?:wedding|appointment|interview|exam|flight|trip|surgery|deadline|presentation|defen[cs]e"
    r"|graduation|meeting|party|launch|demo|anniversary|due date|release|concert|marathon|race|move"
    r"|review|conference|workshop|hearing|operation|delivery|viva|recital)"
)
_DAY = (
    r"(?:on )?(?P<on>(?:the )?\d.+|next \w+day\b.*|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b.*"
    r"|tomorrow\b.*|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\.? \d.*)"
)
_AWAY = (
    r"(?P<value>(?:on|in|at|away|off|out|abroad|sick|unavailable|not available|travelling|traveling"
    r"|visiting|working from|staying|busy)\b.*?)"
)
_FOR_NOW = (
    r"(?P<until>this week|today|this month|all week|tonight|for (?:the next )?(?:an?|one|two|three"
    r"|four|five|six|ten|\d+) (?:days?|weeks?|months?))"
)
_DAY_OR_TIME = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|next|(?:jan|feb|mar|apr|may|jun|jul|aug"
    r"|sep|oct|nov|dec)\w* \d|\d{1,2}(?::\d\d)? ?(?:am|pm)\b|\d",
    re.IGNORECASE,
)
_DID = (
    r"(?:got (?:married|engaged|promoted|divorced)|ran|finished|passed|bought|sold|visited"
    r"|graduated|adopted|quit|broke|completed|submitted|defended|launched|released|shipped|hired"
    r"|signed)"
)
_BACK = (
    r"(?P<when>yesterday|last (?:week|month|year)|on \d.+|\w+ (?:days?|weeks?|months?|years?) ago"
    r"|in (?:(?:19|20)\d\d|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*(?: \d{4})?))"
)


def _decided(values: Values) -> bool:
    words = values["value"].lower().split()
    return len(words) >= 3 and not {"this", "these", "it", "first", "second", "same"} & set(words)


def _brief(values: Values) -> bool:
    return len(values["value"].split()) <= 8 and is_concrete({"other": values["value"].split()[-1]})


def _tool(values: Values) -> bool:
    return are_short(values) and is_named_tool(values)


def _part_moved(values: Values) -> bool:
    """To something with a name: a meeting that is moved to Friday is soon over."""
    return _tool(values) and not _DAY_OR_TIME.match(values["value"])


CHANGES = (
    Pattern(
        name="switched", says=rf"{_WE_HAVE}{_CHANGED} from (?P<old>.+?) to (?P<value>.+)",
        text="The team uses {value}", kind=Kind.PROJECT, fits=are_short,
    ),
    Pattern(
        name="i-switched", says=rf"{I_HAVE}{_CHANGED} from (?P<old>.+?) to (?P<value>.+)",
        text="The user uses {value}", kind=Kind.ENVIRONMENT, fits=_tool,
    ),
    Pattern(
        name="switched-to", says=rf"{_WE_HAVE}(?:switched|migrated)(?: over)? to (?P<value>.+?)"
        r"(?: (?:from|instead of) (?P<old>.+))?$",
        text="The team uses {value}", kind=Kind.PROJECT, fits=are_short,
    ),
    Pattern(
        name="i-switched-to", says=rf"{I_HAVE}switched(?: over)? to (?P<value>.+?)"
        r"(?: (?:from|instead of) (?P<old>.+))?$",
        text="The user uses {value}", kind=Kind.ENVIRONMENT, fits=_tool,
    ),
    Pattern(
        name="migrated", says=rf"{_WE_HAVE}(?:switched|migrated|moved|converted|ported) "
        r"(?P<what>(?:the|our) .+?) from (?P<old>.+?) to (?P<value>.+)",
        text="The team uses {value} for {what}", kind=Kind.PROJECT, fits=are_short,
    ),
    Pattern(
        name="moved-part", says=rf"{_WE_HAVE}(?P<verb>moved|migrated|upgraded|switched|ported) "
        r"(?P<what>(?:the|our) (?!.*\bfrom\b).+?) to (?P<value>.+)",
        text="The team {verb} {what} to {value}", kind=Kind.PROJECT, fits=_part_moved,
    ),
    Pattern(
        name="moved-from", says=rf"{_WE_HAVE}moved from (?P<old>.+?) to (?P<value>.+)",
        text="The team moved from {old} to {value}", kind=Kind.PROJECT, fits=are_short,
    ),
    Pattern(
        name="replaced", says=rf"{_WE_HAVE}replaced (?P<old>.+?) (?:with|by) (?P<value>.+)",
        text="The team uses {value}", kind=Kind.PROJECT, fits=are_short,
    ),
    Pattern(
        name="instead", says=r"instead of (?P<old>.+?),? we(?:'re| are)? (?:now )?us(?:e|ing) "
        r"(?P<value>.+)",
        text="The team uses {value}", kind=Kind.PROJECT, fits=are_short,
    ),
    Pattern(
        name="use-instead", says=rf"we {SOFT}use (?P<value>.+?) instead of (?P<old>.+)",
        text="The team uses {value}", kind=Kind.PROJECT, fits=are_short,
    ),
    Pattern(
        name="not-but", says=rf"we (?:no longer|don't|do not) use (?P<old>.+?)"
        rf"(?: {ANY_MORE})?[,;:]? "
        r"(?:and |but )?(?:we(?:'re| are)? )?(?:now )?(?:use|using|but|on) (?P<value>.+)",
        text="The team uses {value}", kind=Kind.PROJECT, fits=are_short,
    ),
    Pattern(
        name="no-longer-uses", says=r"we(?:'ve| have)? (?:no longer use|stopped using|dropped"
        r"|got rid of"
        rf"|(?:don't|do not) use(?= .+ {ANY_MORE})) (?P<value>(?!.+\b(?:we|but|now)\b).+)",
        text="The team uses {value}", kind=Kind.PROJECT, ends=True, fits=are_short,
    ),
    Pattern(
        name="is-no-longer", says=r"(?P<whose>my|our|the) (?P<what>[\w -]{2,40}?) (?:is|are) "
        r"(?:no longer"
        rf"|not) (?P<old>.+?)(?: {ANY_MORE})?(?:,| but|;) (?:but )?(?:now )?(?:it's |it is "
        r"|they're )?(?:now )?(?P<value>.+)",
        text="{whose} {what} is {value}", kind=Kind.FACT, fits=are_short,
    ),
    Pattern(
        name="decided", says=rf"(?P<who>we|i)(?:'ve| have)? {SOFT}(?P<verb>decided|agreed"
        r"|resolved) (?P<value>(?:to|that|on|against|not to) .+)",
        text="{who} {verb} {value}", kind=Kind.DECISION, dated=False, fits=_decided,
    ),
    Pattern(
        name="went-with", says=rf"{_WE_HAVE}(?P<verb>went with|settled on|chose) (?P<value>.+)",
        text="The team {verb} {value}", kind=Kind.DECISION, dated=False, fits=is_named_tool,
    ),
    Pattern(
        name="until", says=rf"(?:{I_AM}|i'll be |i will be ){_AWAY},? (?:until|till|til|through) "
        r"(?P<until>.+)",
        text="The user is {value} until {until}", kind=Kind.STATE, dated=False, fits=_brief,
    ),
    Pattern(
        name="we-until", says=r"(?P<value>(?:we have a |there's a |there is a )?code freeze|we're "
        r"frozen|feature freeze)(?: is| is on| in place| on)? (?:until|till) (?P<until>.+)",
        text="There is a code freeze until {until}", kind=Kind.STATE, dated=False,
    ),
    Pattern(
        name="for-now", says=rf"{_FOR_NOW},? {I_AM}{_AWAY}$",
        text="The user is {value}", kind=Kind.STATE, dated=False, fits=_brief,
    ),
    Pattern(
        name="away", says=rf"{I_AM}{_AWAY} {_FOR_NOW}\b",
        text="The user is {value}", kind=Kind.STATE, dated=False, fits=_brief,
    ),
    Pattern(
        name="event", says=rf"(?P<whose>my|our) (?P<what>(?:[\w'-]+ ){{0,3}}{_EVENTS}) is "
        rf"(?:scheduled for )?{_DAY}",
        text="{whose} {what} is on {on}", kind=Kind.EVENT, dated=False,
    ),
    Pattern(
        name="has-event", says=rf"(?P<who>i|we)(?:'ve got|'ve| have)(?: got)? (?P<what>an? "
        rf"(?:[\w'-]+ ){{0,3}}{_EVENTS}(?: (?:with|at|in|for|to|from) [\w' -]+?)??) {_DAY}",
        text="{who} have {what} on {on}", kind=Kind.EVENT, dated=False,
    ),
    Pattern(
        name="travels", says=rf"{I_AM}(?P<what>(?:flying|travelling|traveling|going|moving"
        r"|driving) "
        rf"(?:back )?to .+?) {_DAY}",
        text="The user is {what} on {on}", kind=Kind.EVENT, dated=False,
    ),
    Pattern(
        name="did", says=rf"(?P<who>i|we) (?:just |finally )?(?P<what>{_DID}\b.*?) {_BACK}",
        text="{who} {what}", kind=Kind.EVENT,
        fits=lambda values: is_concrete({"other": values["what"]}),
    ),
)  # fmt: skip
