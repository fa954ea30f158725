"""How people say in English what they like, eat and do not."""

from __future__ import annotations

from erstwhile.core.kinds import Kind
from erstwhile.learning.patterns.english_phrases import ANY_MORE, I_AM, I_DO, I_HAVE
from erstwhile.learning.patterns.english_values import is_concrete
from erstwhile.learning.patterns.pattern import Pattern, Values

_DIET = r"(?:vegan|vegetarian|pescatarian)"


def _eaten(values: Values) -> bool:
    return is_concrete(values) and values["list"].split()[0] not in ("enough", "much", "anything")


def _allergen(values: Values) -> bool:
    """People also say it of what they dislike."""
    jokes = ("bullshit", "mornings", "mondays", "nonsense", "meetings", "work", "people", "drama")
    return is_concrete(values) and not values["list"].lower().startswith(jokes)


def _preferred(values: Values) -> bool:
    return is_concrete(values) and not values["value"].lower().startswith("option")


LIKES = (
    Pattern(
        name="likes", says=rf"{I_DO}(?P<verb>like|love|enjoy|adore) (?P<list>.+)",
        text="The user {verb}s {list}", kind=Kind.PREFERENCE, fits=is_concrete,
    ),
    Pattern(
        name="does-not-like", says=rf"{I_DO}(?:don't|do not) (?:really |particularly |much )?"
        rf"(?P<verb>like|enjoy) (?P<list>(?!.*\b{ANY_MORE}\b).+)",
        text="The user does not {verb} {list}", kind=Kind.PREFERENCE, fits=is_concrete,
    ),
    Pattern(
        name="dislikes", says=rf"{I_DO}(?P<verb>hate|dislike|detest|loathe) (?P<list>.+)",
        text="The user {verb}s {list}", kind=Kind.PREFERENCE, fits=is_concrete,
    ),
    Pattern(
        name="cannot-stand", says=rf"{I_DO}(?:can't|cannot|can not) (?:stand|bear) "
        r"(?P<list>(?!up\b).+)",
        text="The user can't stand {list}", kind=Kind.PREFERENCE, fits=is_concrete,
    ),
    Pattern(
        name="fan", says=rf"{I_AM}(?P<how>not a|a|not really a|no) (?:big |huge |great )?fan of "
        r"(?P<list>.+)",
        text="The user is {how} fan of {list}", kind=Kind.PREFERENCE, fits=is_concrete,
    ),
    Pattern(
        name="prefers-over", says=rf"{I_DO}prefer (?P<value>(?!to ).+?) (?:over|to|rather than"
        r"|instead of|than) (?P<other>.+)",
        text="The user prefers {value} over {other}", kind=Kind.PREFERENCE, fits=_preferred,
    ),
    Pattern(
        name="prefers", says=rf"{I_DO}prefer (?P<value>(?!.+ (?:over|to|rather than|instead of"
        r"|than) )(?!to be called).+)",
        text="The user prefers {value}", kind=Kind.PREFERENCE, fits=_preferred,
    ),
    Pattern(
        name="favourite", says=r"my (?:all-time )?(?P<how>favou?rite) (?P<what>(?!one\b|thing"
        r"|part)[\w-]+(?: [\w-]+)?) (?P<be>is|are) (?P<list>.+)",
        text="The user's {how} {what} {be} {list}", kind=Kind.PREFERENCE, key="favourite_{what}",
        fits=is_concrete,
    ),
    Pattern(
        name="allergic", says=rf"{I_AM}(?:(?:severely|badly|highly|very|mildly|deathly) "
        r")?allergic to (?P<list>.+)",
        text="The user is allergic to {list}", kind=Kind.PROFILE, fits=_allergen,
    ),
    Pattern(
        name="has-allergy", says=rf"{I_HAVE}(?:got )?(?P<value>an? (?:[\w-]+ ){{1,3}}(?:allergy"
        r"|intolerance))",
        text="The user has {value}", kind=Kind.PROFILE,
    ),
    Pattern(
        name="diet", says=rf"(?:{I_AM}|{I_HAVE}been |{I_HAVE}(?:gone|become|became|turned|went) )"
        rf"(?:an? )?(?P<value>{_DIET})(?![\w-])",
        text="The user is {value}", kind=Kind.PROFILE, key="diet",
    ),
    Pattern(
        name="health", says=rf"{I_AM}(?:an? )?(?P<value>(?:lactose|gluten)[- ]intolerant|coeliac"
        r"|celiac|diabetic|colou?r-?blind|left-handed|teetotal|deaf|dyslexic)\b",
        text="The user is {value}", kind=Kind.PROFILE,
    ),
    Pattern(
        name="does-not-eat", says=rf"{I_DO}(?:don't|do not|never|can't) (?P<verb>eat|drink) "
        rf"(?P<list>(?!.*\b{ANY_MORE}\b).+)",
        text="The user does not {verb} {list}", kind=Kind.PREFERENCE, fits=_eaten,
    ),
    Pattern(
        name="no-longer-diet", says=rf"i(?:'m| am) (?:no longer|not(?= .+ {ANY_MORE}\b)) "
        rf"(?:an? )?(?P<value>{_DIET})\b",
        text="The user is {value}", kind=Kind.PROFILE, key="diet", ends=True,
    ),
    Pattern(
        name="no-longer-does", says=r"i (?:no longer (?P<verb>use|eat|drink|like|speak|play)|"
        r"(?:don't|do not) (?P<verb2>use|eat|drink|like|speak|play)"
        rf"(?= .+ {ANY_MORE}\b)) (?P<value>.+)",
        text="The user {verb}{verb2}s {value}", kind=Kind.FACT, ends=True, fits=is_concrete,
    ),
)  # fmt: skip
