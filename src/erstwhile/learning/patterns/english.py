"""English: how its sentences are taken apart, and all that is understood in it."""

from __future__ import annotations

import re

from erstwhile.learning.patterns.english_changes import CHANGES
from erstwhile.learning.patterns.english_likes import LIKES
from erstwhile.learning.patterns.english_people import PEOPLE
from erstwhile.learning.patterns.english_rules import RULES
from erstwhile.learning.patterns.english_values import first_word, proper_names
from erstwhile.learning.patterns.english_work import WORK
from erstwhile.learning.patterns.pattern import Language
from erstwhile.learning.patterns.third_person import third_person

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_PAST = (
    r"(?:(?:back )?(?:since|in) (?:early |late |mid )?"
    rf"(?:{_MONTH}(?: \d{{4}})?|(?:19|20)\d\d)"
    r"|(?:since )?(?:last (?:week|month|year|spring|summer|autumn|fall|winter)|yesterday)"
    r"|(?:since |since last |last )(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:about "
    r"|around )?(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten) (?:days?|weeks?"
    r"|months?|years?) ago|today|this (?:week|month|year|morning))"
)
_SUBJECT = (
    r"(?:i|i'm|i've|i'd|i'll|we|we're|we've|my|our|you|he|he's|she|she's|it|it's|they|they're|there"
    r"|please|can|could|what|so|but|which|who|where|because|and (?:i|we|my|our|he|she|it|they)|call"
    r"|let|the|that|this|since|as|thanks|thank|sorry|also|not|hence|always|never|just)\b"
)
_JOINT = (
    r" (?:and|but|so|because|though|although|while|whereas|which|who|where|when|if|unless|since) "
    rf"(?={_SUBJECT})"
    r"| and (?:don't|do not|can't|won't|never|am|have|was|will|would)\b| (?:but|because|although"
    r"|though|which|who|unless|whereas)\b|\s[–—-]+\s|[();]|: "
    r"|,? (?:'cause|cause|cos|cuz)\b"
)
_ASIDE = r"(?:obviously|of course|honestly|clearly|naturally|to be honest|tbh|really|yes|no|ok)\b"
_SPEAKER = (
    # Somebody's line in a conversation that was pasted: "Alice: I live in Rome".
    r"^(?!(?:note|fyi|ps|update|correction|reminder|remember|btw|context|also|background|important"
    r"|rule|actually|no|yes|ok|please)\b)\W*(?:[\d:.,/ -]+(?:am|pm)?\W+)?[^\W\d]\w*(?: \w+)?\W?: "
)
_WORKS = (
    r"(?:story|poem|song|novel|dialogue|dialog|letter|cover letter|email|e-mail|bio|examples?|essay"
    r"|test case|speech|script|sentences?|post|tweet)"
)

ENGLISH = Language(
    name="en",
    patterns=(*PEOPLE, *LIKES, *WORK, *RULES, *CHANGES),
    opening=re.compile(
        r"(?:(?:hi|hello|hey|ok|okay|well|so|and|also|actually|no|nope|yes|yeah|sorry|wait|oh|btw"
        r"|by the way|fyi|for the record|just so you know|note|correction|i mean|i meant|i should "
        r"mention(?: that)?|to be clear|as i said|remember|for context|in fact|thanks|anyway|but"
        r"|please note(?: that)?|from now on|(?:hi|hello|hey) (?:there|all|everyone)"
        rf"|{_PAST})\b[,:!.]* *)*",
        re.IGNORECASE,
    ),
    clause=re.compile(
        rf", (?:and |but |so )?|; ?|: |\s[–—-]+\s|\(| and (?={_SUBJECT})| but | so ", re.IGNORECASE
    ),
    stop=re.compile(rf",|{_JOINT}", re.IGNORECASE),
    list_stop=re.compile(
        rf", (?={_SUBJECT}|{_ASIDE}|\w+ (?:is|are|uses|runs) )|{_JOINT}", re.IGNORECASE
    ),
    tail=re.compile(
        r"[ ,]+(?:now|too|as well|btw|by the way|these days|nowadays|at the moment|already|please"
        r"|thanks|thank you|any ?more|any longer|again|here|actually|though|instead|right now"
        r"|lately|a lot|after all|the most|very much|so much|currently|for now|from now on|ok"
        r"|okay)$",
        re.IGNORECASE,
    ),
    date_tail=re.compile(rf"[ ,]+{_PAST}$", re.IGNORECASE),
    correction=re.compile(r",? (?:and )?not (?P<old>[^,;.!]+)", re.IGNORECASE),
    doubt=re.compile(
        r"\b(?:suppose|supposing|imagine|pretend|hypothetical(?:ly)?|what if|as if|let's say|wish"
        r"|would|could|might|maybe|perhaps|probably|possibly|not sure|i think|i guess|in theory"
        r"|joking|kidding|jk|lol|haha|lmao|sarcasm|yeah right|once upon|says|(?<!as i )said|told me"
        r"|according to|unless|except|oh (?:sure|great|joy|yeah)|i just love|(?-i:LOVE|ADORE)"
        # done, and undone again
        r"|and (?:then )?back(?: again)?(?=\W*$)|but (?:then )?(?:\w+ )?(?:went|switched|moved"
        r"|changed|rolled) (?:\w+ )?back|reverted|rolled back|cancell?ed|called off|fell through)\b"
        r"|/s$|;-?\)|🙃|😂|🤣"
        rf"|{_SPEAKER}",
        re.IGNORECASE,
    ),
    condition=re.compile(
        r"\b(?:if|whether|assuming|in case|when|whenever|as long as|used to)\b", re.I
    ),
    fiction=re.compile(
        r"\b(?:suppose|imagine|pretend|hypothetically|role-?play|translate|proofread|paraphrase"
        r"|rewrite|rephrase|for example|e\.g\.|as an example|(?:begins?|starts?|beginning"
        r"|starting) with|(?:write|draft|compose|create|make up|tell|give) (?:me )?(?:an?|the"
        r"|some) "
        rf"(?:\w+ )?{_WORKS}"
        r"|(?:my|the|our) (?:character|protagonist|persona|hero|npc)|(?:this|following|the) "
        r"(?:sentence|text|paragraph|email|quote|lyrics?|passage|phrase))\b|^dear \w|^(?:from|to"
        r"|cc|subject|sent): |^on .+ wrote:|forwarded message",
        re.IGNORECASE,
    ),
    question=re.compile(
        r"\?\W*$|, (?:right|correct|yeah|don't (?:i|we)|aren't (?:i|we)|isn't it|didn't (?:i|we))"
        r"\W*$",
        re.IGNORECASE,
    ),
    withheld=re.compile(
        r"(?<!\bi )(?<!\bwe )(?:don't|do not|never) (?:remember|save|store|keep|record|note"
        r"|memori[sz]e)(?: down)? (?:this|that|it|any|what)\b|\b(?:off the record|between you "
        r"and me|remember nothing|keep (?:this|that|it) (?:private|secret|between us"
        r"|to yourself))\b",
        re.IGNORECASE,
    ),
    also=re.compile(r"\b(?:also|too|as well|on the side|part[- ]time|in addition)\b", re.I),
    asks_to_forget=re.compile(
        r"(?:(?:please|just|ok|and|actually|no|can you|could you),? )*forget (?:that|about the "
        r"fact that|the fact that) (?P<value>\w.+)",
        re.IGNORECASE,
    ),
    asks_to_keep=re.compile(
        # "Remember that photo?" asks; "Can you remember that …?" asks to keep.
        r"(?!(?!.*\byou (?:please )?(?:remember|note|keep)).*\?\W*$)(?:(?:please|also|and|hey|ok"
        r"|so|can you|could you|would you|will you|just),? )*(?:remember|keep in mind|bear in mind"
        r"|don't forget|do not forget|make a note|take a note|note(?: down)?|save)(?: (?:this|the "
        r"following|for (?:later|me|the future|next time)))?(?: that|:)+ (?P<value>.+)",
        re.IGNORECASE,
    ),
    stands_alone=lambda said: len(said.split()) >= 3
    and first_word(said) not in (
        "it", "that", "this", "these", "those", "to", "when", "how", "what", "they", "he", "she",
        "you", "your", "you're", "time", "day", "night",
    )
    and not re.search(r"\b(?:this|these|those|above|below)\b", said, re.IGNORECASE),
    set_in=str,
    sentence=lambda said: _as_sentence(third_person(said)),
    names=proper_names,
)  # fmt: skip


def _as_sentence(text: str) -> str:
    text = " ".join(text.split())
    return text[:1].upper() + text[1:]
