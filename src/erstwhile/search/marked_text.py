"""Find text between marks, lines of mails, logs and programs, and text above a signature.

`own_words` reads these signs first: they are the same in every language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TypeAlias

from erstwhile.search.speech import speaks_of_user, words_of
from erstwhile.search.terms import is_unspaced

Span: TypeAlias = tuple[int, int]
_LIST_ITEM = re.compile(r"\s*(?:[-*•·–—+]|\(?\d{1,2}[.)\]]|\(?[a-zA-Z][.)])\s")
_BLANKS = re.compile(r"\s*\n {3,}")
"""What is left of a foreign text."""
_WORD = re.compile(r"[^\W_]+")
TERM_WORDS, _TITLE_WORDS, _TERM_SIGNS = 4, 12, 12
"""The longest term and the longest title in quotation marks, in words; in unspaced scripts, in
characters. A longer quotation is somebody's statement."""


def is_blanked(text: str, place: int) -> bool:
    """Return whether a foreign text stood at a place, with blanks there now."""
    return _BLANKS.match(text, place) is not None


def begins_list_item(text: str, place: int = 0) -> bool:
    return _LIST_ITEM.match(text, place) is not None


def is_statement(quoted: str) -> bool:
    """Return whether some quoted words are more than a title, a name or a term."""
    ends = quoted.rstrip("\"'“”’»›`」』》＂ ")[-1:]
    if is_unspaced(quoted):
        return len(quoted) > _TERM_SIGNS or ends in "。！" or speaks_of_user(quoted)
    words = _WORD.findall(quoted)
    capital = sum(word[0].isupper() or word[0].isdigit() for word in words[1:])
    small = sum(word[0].islower() and len(word) > 3 for word in words[1:])
    if capital > small and (ends != "." or (capital > 1 and not small)):
        return len(words) > _TITLE_WORDS
    if len(words) > 2 and speaks_of_user(quoted):
        return True
    return len(words) > TERM_WORDS or (len(words) > 2 and ends in ".!?")


# Marks around a text.

_OPENING = re.compile(
    r"(?P<fence>```|~~~|\"\"\"|''')|(?P<comment><!--|/\*|\{\{)|<(?P<element>[A-Za-z][\w-]{0,40})"
    r"(?:\s[^<>\n]{0,200})?>|\[(?P<tag>[A-Za-z]{1,20})(?:[= ][^\]\n]{0,80})?\](?!\()"
    r"|(?P<template><\|[^|<>\n]{1,40}\||<<SYS>>)"
)
_CLOSING = {"<!--": "-->", "/*": "*/", "{{": "}}"}
MAX_MARKS = 20
"""The most marks that are searched for their end, so that many of them cost no quadratic time."""
# It contains no opening mark: many opening marks in a row would take quadratic time.
_QUOTED = re.compile(
    r'"[^"\n]*"|“[^“”\n]*”|„[^„“”\n]*[“”]|«[^«»\n]*»|»[^»«\n]*«|‹[^‹›\n]*›|「[^「」\n]*」|『[^『』\n]*』'
    r"|《[^《》\n]*》|＂[^＂\n]*＂|`[^`\n]*`|''[^'\n]{2,400}''|(?<!\w)[‘'‚][^‘'’‚\n]{2,200}['’‘](?!\w)"
)
_ENCODED = re.compile(
    r"(?<![\w/.:@+-])[A-Za-z\d+/]{16,}+={0,2}+(?![\w.@-])|(?:%[\dA-Fa-f]{2}){3,}+"
    r"|(?:\\[ux][\dA-Fa-f]{2,4}){3,}+|(?<![\w])(?:[\dA-Fa-f]{2}[ :]){8,}+"
)


def marked(text: str) -> Iterator[Span]:
    """Yield texts between tags and fences; one without an end may extend to the end."""
    at = 0
    for _ in range(MAX_MARKS):
        found = _OPENING.search(text, at)
        if found is None:
            break
        end = _end_of_mark(text, found)
        if end:
            yield found.start(), end
        at = end or found.end()


def _end_of_mark(text: str, found: re.Match[str]) -> int:
    """Return the end of the marked text; 0 if the mark is none."""
    if found["template"]:
        return len(text)
    name = found["element"] or found["tag"]
    if name is None:
        mark = found["fence"] or _CLOSING[found["comment"]]
        close = text.find(mark, found.end())
        return len(text) if close < 0 else close + len(mark)
    close = text.find(f"</{name}" if found["element"] else f"[/{name}", found.end())
    if close >= 0:
        return min(len(text), close + len(name) + 3)
    return len(text) if name.lower() in words_of("documents") else 0


def quoted_statements(text: str) -> Iterator[Span]:
    """Yield quoted statements. Titles, names and terms are the user's."""
    return (found.span() for found in _QUOTED.finditer(text) if is_statement(found[0]))


_EMPHASIS = re.compile(
    r"(?<![\w*_~])(?:\*{1,3}[^\s*][^*\n]*\*{1,3}|_{1,3}[^\s_][^_\n]*_{1,3}(?!\w)|~{1,2}[^\s~][^~\n]*~{1,2}"
    r"|(?<!\()\({2,}+[^()\n]++\){2,}|(?<!<)<{2,}+[^<>\n]++>{2,}|<%[^%\n]*%>)"
)


def emphasised(text: str) -> Iterator[Span]:
    """Yield statements between signs such as asterisks, which stand for quotation marks, too."""
    for found in _EMPHASIS.finditer(text):
        if is_statement(found[0].strip("*_~()<>%# ")):
            yield found.span()


def quotations(text: str) -> Iterator[Span]:
    """Yield everything in quotation marks."""
    return (found.span() for found in _QUOTED.finditer(text))


def quotation_at(text: str, start: int) -> int:
    """Return the end of what is quoted at a place, after spaces; 0 if nothing is."""
    start += len(text[start : start + 2]) - len(text[start : start + 2].lstrip(" "))
    found = _QUOTED.match(text, start)
    return found.end() if found else 0


def encoded(text: str) -> Iterator[Span]:
    """Yield words in base64, hexadecimal and similar codes."""
    for found in _ENCODED.finditer(text):
        if any(map(str.isdigit, found[0])) or found[0].endswith("="):
            yield found.span()


# Lines of another kind.

_LINE = re.compile(
    r"\s*+(?:>|\|.*\||\|\s|\+(?=\S)|\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d\b"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\[?"
    r"(?:debug|info|warn(?:ing)?|error|fatal|trace|critical)\b[\]:| ]"
    r"|traceback \(|//|--[ \t]|;[ \t]|\*/|rem\s|[\w.\[\]\"' ]{1,40} [:+-]?= ?\S"
    r"|[!-~]{1,30},[!-~]{1,30}$|\d++,\S"
    r"|[^|\n]{1,30}\|[^|\n]{1,30}\||[\w-]{1,20}>{1,3} \S|<[\w .-]{1,30}> \S)",
    re.IGNORECASE,
)
"""The beginning of a line of a mail, a log, a table, a comment, a program or a chat."""
_CODE_ENDS = (";", "{", "}")
_OUTPUT = re.compile(
    r"\s*+(?:[$%#] \S|\S{1,40}[@:~][^\s$#%>]{0,60}[$#%>] ?\S|[A-Z]:\\[^\n>]{0,60}>|>>> )"
)
"""A line of a shell; the lines below it are its output."""
_DOCUMENT = re.compile(
    r"\s*+(?:(?:https?://|www\.)\S+\s*$|@@ |diff --git "
    r"|commit [\da-f]{7,40}\b|[{\[]\s*$|[{\[] ?[\"']|begin:v[a-z]|(?:int|ext)\. [A-Z]"
    r"|(?:\d\d:)?\d\d:\d\d[,.]?\d* -->|[★☆]{3}|[\w-]{1,30}:\n[ \t]{1,8}[\w-]{1,30}: ?\S)",
    re.IGNORECASE,
)
"""A line that opens a document, a review, a scene or subtitles, which extend to the end."""
_TIME = r"\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?: ?[ap]m)?"
_SPEAKER = re.compile(
    rf"[ \t]*(?:\[[^\]\n]{{0,30}}{_TIME}\][ \t]*|{_TIME}[ \t]+)?"
    r"(?:(?P<name>[^\W\d][^\n:：\[\]*]{0,29})[:：]|(?<=\d[ \t])(?P<first>\S{1,20})[ \t])"
    r"[ \t]*\S[^\n]*",
    re.IGNORECASE,
)
"""A line of a chat: "19:02 Zoe …", "[14.02.2025 11:20] Tom: …", "Zoe: …"."""
_HEADER = re.compile(
    rf"^[ \t]*[^\n:：]{{1,30}}?[ ,\[(][^\n:：]{{0,20}}\b{_TIME}[\])]?[ \t]*(?:\n|(?<=\])[^\n]+\n?)"
    r"(?![ \t]*\n)",
    re.IGNORECASE | re.MULTILINE,
)
"""A line with a name and a time above what somebody wrote: "Tom 20:31", "[Tom] [8:10] …"."""
_HEADING = re.compile(
    r"^[^\S\n]*+(?:#{1,6} *\S|\*\*[^\n*]{1,60}\*\*:?[^\S\n]*$"
    r"|[-=_*~]{3,}+(?:[^\n]{1,60}[-=_*~]{3,})?[^\S\n]*$)[^\n]*",
    re.MULTILINE,
)
_BETWEEN_RULES = re.compile(r"\s*+([-=_*~])\1\1(?!\1)[^\n]{1,60}(?<!\1)\1{3}\s*$")
"""A title that the user wrote between three signs; programs write more of them."""


def foreign_lines(text: str) -> Iterator[Span]:
    """Yield the lines of another kind, each with what belongs to it."""
    at, in_output = 0, False
    for line in text.split("\n"):
        end = at + len(line)
        in_output = bool(line.strip()) and (in_output or _OUTPUT.match(line) is not None)
        if _DOCUMENT.match(text, at):
            yield at, len(text)
            return
        if in_output or _is_foreign_line(line):
            yield at, end
        at = end + 1


def chats(text: str) -> Iterator[Span]:
    """Yield the lines of a chat: a speaker returns in it, which no field of a form does."""
    said = [(found, (found["name"] or found["first"]).strip()) for found in _speakers(text)]
    names = [name.casefold() for _, name in said if not speaks_of_user(name)]
    if len(names) > len({*names}) and not words_of("own_labels").issuperset(names):
        yield said[0][0].start(), said[-1][0].end()
    headers = [found.start() for found in islice(_HEADER.finditer(text), MAX_MARKS)]
    if len(headers) > 1:
        end = text.find("\n\n", headers[-1])
        yield headers[0], len(text) if end < 0 else end


def _speakers(text: str) -> Iterator[re.Match[str]]:
    starts = (0, *(found.end() for found in re.finditer("\n", text)))
    return (found for at in starts if (found := _SPEAKER.match(text, at)))


def headings(text: str) -> Iterator[Span]:
    """Yield what a heading or a rule opens, to the end; or to the rule below a title in one."""
    found = _HEADING.search(text)
    if found is not None and not speaks_of_user(found[0]):
        title = _BETWEEN_RULES.match(found[0])
        rule = f"\n{title[1] * 3}\n" if title else ""
        only = bool(rule) and text.count(rule, found.start()) == 1
        yield found.start(), text.index(rule, found.start()) + len(rule) if only else len(text)


def _is_foreign_line(line: str) -> bool:
    if line.rstrip().endswith(_CODE_ENDS) and any(mark in line for mark in "=(<{}"):
        return True
    return _LINE.match(line) is not None


# Signs at the end of a text.

_CAPITAL = r"[A-ZÀ-ÞА-ЯŁŚŻÇĞİÖŞÜ][\w.'’-]{0,30}"
_NAMED = rf"{_CAPITAL}(?: {_CAPITAL}){{0,3}}"
_SIGNATURE = re.compile(
    rf"(?:^|[.!?…\"”»)。！？])[ \t]{{0,4}}(?:[—–~]|--|(?<=[^\s] )-) ?{_NAMED}"
    r"[ \t]{0,4}(?=\n\n|\n?\Z)",
    re.MULTILINE,
)
_SOURCE = re.compile(
    r"^-- ?$|^[ \t]{0,4}/s/ |^signed-off-by:|^sent from my |\bunsubscribe\b|^[^\n]{0,20}©"
    r"|[\[(](?:source|quelle|fuente|via|from|von|aus)\b[^\])\n]{0,60}[\])]",
    re.IGNORECASE | re.MULTILINE,
)
_FAREWELL = re.compile(
    rf"\A(?P<farewell>[^\n.!?:,，]{{2,40}})(?:[,，]?\n|[,，] ?)"
    rf"{_NAMED}[^\n.!?:]{{0,40}}\Z"
)
_GREETING = re.compile(r"\A\W{0,3}[^\n.!?:]{2,40}[,，][ \t]{0,4}\n")
_GREETING_LINE = re.compile(rf"[^\W\d][^\n.!?:,]{{1,30}},? {_NAMED}[,，!]")
_NAME_LINE = re.compile(rf"\A{_NAMED}\Z")


def signed(text: str) -> Iterator[Span]:
    """Yield what stands above a signature or the name of a source."""
    for pattern in (_SIGNATURE, _SOURCE):
        yield from ((0, found.end()) for found in islice(pattern.finditer(text), 3))
    lines = [line.strip() for line in text.strip().split("\n") if line.strip()]
    letter = len(lines) > 2 and (_is_farewell("\n".join(lines[-2:])) or _is_letter(text, lines[-1]))
    if letter or (len(lines) > 1 and _is_farewell(lines[-1])) or _has_letter(lines):
        yield 0, len(text)


_MAX_CLOSING = 80


def signed_off(text: str) -> Iterator[Span]:
    """Yield what stands above a last paragraph of a few words, such as "xoxo Tom"."""
    above, _, last = text.rstrip().rpartition("\n\n")
    words = _WORD.findall(last[:_MAX_CLOSING])
    short = 0 < len(words) <= TERM_WORDS + 1 and len(last) <= _MAX_CLOSING
    if above and short and words[-1][0].isupper() and not set(".!?:;。！？").intersection(last):
        yield 0, len(above)


def _is_farewell(lines: str) -> bool:
    found = _FAREWELL.match(lines)
    words = [word.casefold() for word in _WORD.findall(found["farewell"])] if found else []
    return 0 < len(words) <= TERM_WORDS and not words_of("thanks").issuperset(words)


def _has_letter(lines: list[str]) -> bool:
    """Return whether a line greets, and a later one, which is not the last, takes leave."""
    greeted = next((at for at, line in enumerate(lines) if _GREETING_LINE.fullmatch(line)), None)
    if greeted is None:
        return False
    behind = lines[greeted + 2 :]
    pairs = ("\n".join(behind[at : at + 2]) for at in range(len(behind) - 1))
    return any(map(_is_farewell, (*pairs, *behind)))


def _is_letter(text: str, last: str) -> bool:
    return _GREETING.match(text) is not None and _NAME_LINE.match(last) is not None
