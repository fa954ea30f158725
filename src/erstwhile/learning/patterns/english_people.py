"""How people speak in English of themselves and their families."""

from __future__ import annotations

from erstwhile.core.kinds import Kind
from erstwhile.learning.patterns.english_phrases import I_AM, I_DO, I_HAVE
from erstwhile.learning.patterns.english_values import (
    are_languages,
    are_names,
    is_capitalised_name,
    is_concrete,
    is_date,
    is_employer,
    is_joined,
    is_name,
    is_occupation,
    is_occupation_somewhere,
    is_place,
    is_year,
)
from erstwhile.learning.patterns.pattern import Pattern

_WHEN = (
    r"(?P<when>on (?:the )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\d"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w* \d).*|(?:last|this) weekend\b.*)"
)
"""The day on which something began."""
_MOVED = rf"(?:my \w+ and )?{I_HAVE}(?:moved|relocated) (?:back |house )?"
_KIN = (
    r"(?:wife|husband|partner|spouse|fianc[eé]e?|girlfriend|boyfriend|mother|mum|mom|father|dad"
    r"|parents|brother|sister|son|daughter|kids?|child|children|baby|sons|daughters|brothers"
    r"|sisters|twins?|grandmother|grandma|grandfather|grandpa|grandson|granddaughter|aunt|uncle"
    r"|cousin|nephew|niece|(?:mother|father|brother|sister|son|daughter)-in-law|flatmate|roommate"
    r"|boss|manager|colleague|coworker|best friend|friend|neighbou?r|dogs?|cats?|puppy|kitten"
    r"|parrot|rabbit|hamster|horse|tortoise|turtle|budgie)"
)
_WHO = (
    rf"(?:my|our) (?P<who>(?:(?:older|younger|elder|little|big|oldest|youngest|twin|new) )?{_KIN})"
)
_PETS = (
    r"(?:(?:an?|one|two|three|four|five|\d) (?:[\w-]+ ){0,2}(?:dogs?|cats?|puppy|puppies|kittens?"
    r"|parrots?|rabbits?|hamsters?|horses?|fish|tortoises?|turtles?|budgies?|sons?|daughters?|kids"
    r"|children|child|brothers?|sisters?|retriever|poodle|labrador|corgi|beagle|terrier|husky))"
)
_DOES = (
    r"(?:lives in|works (?:at|for|as)|is allergic to|likes|loves|hates|speaks|studies|was born in"
    r"|moved to|plays|is from|prefers|is called|goes to|doesn't eat|doesn't like)"
)


PEOPLE = (
    Pattern(
        name="name", says=r"my (?:full |first |real |legal )?name(?:'s| is) "
        r"(?P<value>.+?)(?: (?:from|with|at|by) .+)?$",
        text="The user's name is {value}", kind=Kind.PROFILE, key="name", named=True, fits=is_name,
    ),
    Pattern(
        name="called", says=rf"{I_AM}(?:called|named) (?P<value>.+?)(?: by .+)?$",
        text="The user's name is {value}", kind=Kind.PROFILE, key="name", named=True, fits=is_name,
    ),
    Pattern(
        name="greeting", says=r"(?:hi|hello|hey)(?: there| all| everyone)?,? (?:i'm|i am|this is) "
        r"(?P<value>(?!\w+(?:ish|ese)\b|German|French|Dutch|Swiss|Greek)\w+)(?:$|[,.!]| here| and "
        r")",
        text="The user's name is {value}", kind=Kind.PROFILE, key="name", named=True,
        fits=is_capitalised_name,
    ),
    Pattern(
        name="call-me", says=r"(?:you (?:can|may|should) |(?:people|everyone|everybody|friends|my "
        r"friends|most people) (?:all )?)?(?:please |just )?calls? me (?P<value>.+?)(?: by .+)?$",
        text="The user wants to be called {value}", kind=Kind.PROFILE, key="preferred_name",
        fits=is_capitalised_name,
    ),
    Pattern(
        name="goes-by", says=rf"{I_DO}(?:go by|prefer to be called) (?P<value>.+)",
        text="The user wants to be called {value}", kind=Kind.PROFILE, key="preferred_name",
        fits=is_capitalised_name,
    ),
    Pattern(
        name="pronouns", says=r"(?:my pronouns are|i use|i go by) (?P<value>\w+(?:/\w+)+)",
        text="The user's pronouns are {value}", kind=Kind.PROFILE, key="pronouns",
        fits=lambda values: values["value"].split("/")[0].lower() in ("she", "he", "they", "xe",
        "ze", "it"),
    ),
    Pattern(
        name="lives-in", says=rf"(?:{I_DO}live|we (?:now |currently )?live|{I_AM}(?:living|based)"
        rf"|{I_HAVE}(?:been living|lived(?= .*\bsince\b))) in "
        r"(?P<value>.+?)(?: with .+)?$",
        text="The user lives in {value}", kind=Kind.PROFILE, key="home", named=True, fits=is_place,
    ),
    Pattern(
        name="moved-to", says=rf"{_MOVED}(?:from (?P<old>.+?) )?to (?P<value>(?!.+ from ).+?)"
        rf"(?: with .+| {_WHEN})?$",
        text="The user lives in {value}", kind=Kind.PROFILE, key="home", named=True, fits=is_place,
    ),
    Pattern(
        name="moved-to-from", says=rf"{_MOVED}to (?P<value>.+?) from (?P<old>.+)",
        text="The user lives in {value}", kind=Kind.PROFILE, key="home", named=True, fits=is_place,
    ),
    Pattern(
        name="from", says=rf"(?:{I_AM}(?:originally )?|{I_DO}come )from (?P<value>.+)",
        text="The user is from {value}", kind=Kind.PROFILE, key="hometown",
        fits=lambda values: is_place(values) and values["value"][0].isupper(),
    ),
    Pattern(
        name="grew-up", says=r"i (?P<how>grew up|was born) in (?P<value>[^\W\d].*)",
        text="The user {how} in {value}", kind=Kind.PROFILE, dated=False,
        fits=lambda values: values["value"][0].isupper(),
    ),
    Pattern(
        name="works-at", says=rf"(?:{I_DO}work(?: remotely| full-time| part-time)?|{I_AM}"
        rf"(?:working|employed)|{I_HAVE}(?:been working"
        r"|started(?: working| work)?))(?: as an? .+?)? (?:at|for|by) "
        r"(?P<value>(?!.*\b(?:today|tonight)\b).+?)(?: as (?:an?"
        rf"|the|their) .+| {_WHEN})?$",
        text="The user works at {value}", kind=Kind.PROFILE, key="employer", fits=is_employer,
    ),
    Pattern(
        name="joined", says=rf"{I_HAVE}joined (?P<value>(?!.+ for ).+?)(?: as (?:an?|the"
        rf"|their) .+| {_WHEN})?$",
        text="The user works at {value}", kind=Kind.PROFILE, key="employer", fits=is_joined,
    ),
    Pattern(
        name="is-a-at", says=rf"{I_AM}(?P<what>an? .+?) (?:at|for|with) (?P<value>.+)",
        text="The user works at {value}", kind=Kind.PROFILE, key="employer",
        fits=is_occupation_somewhere,
    ),
    Pattern(
        name="works-as", says=rf"(?:{I_DO}work|{I_AM}working|{I_HAVE}(?:been working|started"
        r"|joined))(?: .+?)?? as (?P<value>an? .+?)(?: (?:at|for|in|with) .+)?$",
        text="The user works as {value}", kind=Kind.PROFILE, key="occupation", fits=is_occupation,
    ),
    Pattern(
        name="is-a", says=rf"{I_AM}(?P<value>an? .+?)(?: (?:at|for|from|in|with|by) .+)?$",
        text="The user is {value}", kind=Kind.PROFILE, key="occupation", fits=is_occupation,
    ),
    Pattern(
        name="job", says=r"my (?:job|profession|occupation) is (?:being )?(?P<value>an? .+)",
        text="The user works as {value}", kind=Kind.PROFILE, key="occupation", fits=is_occupation,
    ),
    Pattern(
        name="birthday", says=r"my birthday(?:'s| is)(?: on)? (?:the )?(?P<value>.+)",
        text="The user's birthday is {value}", kind=Kind.PROFILE, key="birthday", dated=False,
        fits=is_date,
    ),
    Pattern(
        name="born-on", says=r"i was born (?P<how>on|in) (?:the )?(?P<value>.+)",
        text="The user was born {how} {value}", kind=Kind.PROFILE, key="birthday", dated=False,
        fits=lambda values: is_date(values) and not is_year(values),
    ),
    Pattern(
        name="born-in", says=r"i was born (?:back )?in (?P<value>.+)",
        text="The user was born in {value}", kind=Kind.PROFILE, dated=False, fits=is_year,
    ),
    Pattern(
        name="timezone", says=r"my time ?zone is (?P<value>.+)",
        text="The user's time zone is {value}", kind=Kind.PROFILE, key="timezone",
        fits=lambda values: values["value"][0].isupper(),
    ),
    Pattern(
        name="age", says=rf"{I_AM}(?P<value>\d{{1,3}}) years old\b",
        text="The user is {value} years old", kind=Kind.PROFILE, key="age",
    ),
    Pattern(
        name="speaks", says=rf"{I_DO}speak (?P<list>.+)",
        text="The user speaks {list}", kind=Kind.PROFILE, fits=are_languages,
    ),
    Pattern(
        name="native-language", says=r"my (?:native|first|mother) (?:language|tongue) is "
        r"(?P<value>.+)",
        text="The user's native language is {value}", kind=Kind.PROFILE, key="native_language",
        fits=are_languages,
    ),
    Pattern(
        name="kin-called", says=rf"{_WHO}(?:'s name is| is called| is named|'s called) "
        r"(?P<value>.+)",
        text="The user's {who} is called {value}", kind=Kind.RELATION, fits=is_capitalised_name,
    ),
    Pattern(
        name="kin-are-called", says=rf"{_WHO}(?: are called| are named|'s? names are|s' names are) "
        r"(?P<list>.+)",
        text="The user's {who} are called {list}", kind=Kind.RELATION, fits=are_names,
    ),
    Pattern(
        name="has-named", says=rf"(?:i|we)(?:'ve got|'ve| have|) (?:also |now )?(?:have |adopted )?"
        rf"(?P<what>{_PETS}),? (?:named|called) (?P<list>.+)",
        text="The user has {what} named {list}", kind=Kind.RELATION, fits=are_names,
    ),
    Pattern(
        name="kin-does", says=rf"{_WHO}(?P<name>,? (?-i:[A-Z])\w+)?,? (?P<verb>{_DOES}) "
        r"(?P<list>.+)",
        text="The user's {who} {name} {verb} {list}", kind=Kind.RELATION, fits=is_concrete,
    ),
    Pattern(
        name="kin-is-a", says=rf"{_WHO}(?P<name>,? (?-i:[A-Z])\w+)?,? is (?P<value>an? .+?)"
        r"(?: (?:at|for|from|in|with) .+)?$",
        text="The user's {who} {name} is {value}", kind=Kind.RELATION, fits=is_occupation,
    ),
    Pattern(
        name="no-longer-lives", says=r"i (?:no longer live|(?:don't|do not) live(?= .+ any ?"
        r"(?:more|longer)\b)) in (?P<value>.+)",
        text="The user lives in {value}", kind=Kind.PROFILE, key="home", named=True, ends=True,
        fits=is_place,
    ),
    Pattern(
        name="no-longer-works", says=r"i (?:no longer work|(?:don't|do not) work(?= .+ any ?"
        r"(?:more|longer)\b)|quit my job|left my job|stopped working) (?:at|for) (?P<value>.+)",
        text="The user works at {value}", kind=Kind.PROFILE, key="employer", ends=True,
        fits=is_employer,
    ),
)  # fmt: skip
