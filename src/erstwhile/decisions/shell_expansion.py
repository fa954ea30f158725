"""Read the words of a shell script: quotes, escapes, braces, patterns and variables.

Words are literal texts. A part that is known only when the script runs is a hole: `ONE` stands for
any text, `MANY` for any words, `GLOB` for a part of the name of a file. A variable that the script
itself sets to literal texts is replaced by them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING

from erstwhile.decisions.program_table import listed, pairs

if TYPE_CHECKING:
    from tree_sitter import Node

ONE, MANY, GLOB = "\ue000", "\ue001", "\ue006"
HOLE = re.compile(f"[{ONE}{MANY}{GLOB}]")
COMPUTED = re.compile(f"[{ONE}{MANY}]")
_MAX_WORDS = 64
_SPLIT, _OPEN, _COMMA, _CLOSE = "\ue002", "\ue003", "\ue004", "\ue005"
_MARKS = _OPEN + _COMMA + _CLOSE + "\ue007\ue008"
_MARKED = str.maketrans("{,}[]", _MARKS)
_UNMARKED = str.maketrans(_MARKS, "{,}[]")
_INNER_BRACE = re.compile(f"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}")
_WILDCARDS = re.compile(r"[*?]+")
_CLASS = re.compile(
    "\ue007(?=.)[!^]?\ue008?(?:\ue007[:.=]\\w*[:.=]\ue008|[^\ue008])*(?:\ue008|\\Z)", re.DOTALL
)
"""A class such as `[a-z]` or `[[:digit:]]`; one that is not closed reaches to the end."""
_UNQUOTED = re.compile(r"\\(\r?\n|.)|([^\\]+)|\\", re.DOTALL)
_IN_QUOTES = re.compile(r"\\([$`\"\\])|\\\r?\n")
_ANSI = re.compile(
    r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|c.|.)", re.DOTALL
)
_ANSI_LETTERS = dict(zip("ntrabefv", "\n\t\r\a\b\x1b\f\v", strict=True))
_WHICH = re.compile(r"(?:which|command -v|type -[pP]) ([\w.-]+)")
_MKTEMP = re.compile(r"mktemp(?: -[dut]+)?")
_REFERENCE = re.compile(r"-.*n")
_DECLARING = frozenset(("local", "declare", "typeset"))
_VARIABLE = re.compile(r"[A-Za-z_]\w*(?=[=\[+]|$)")
_SETS_ANY = re.compile(r"\w=")
_DEFAULT = re.compile(r"\$\{\w+:?=")
RESERVED = re.compile("[\ue000-\ue008\0]")
_PLAIN = frozenset(("word", "number", "test_operator", "variable_name", "regex", "file_descriptor"))


def node_text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def descend(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += each.children


class WordReader:
    """Reads the words of one script, with the values of all variables that it sets anywhere."""

    def __init__(self, root: Node, known: Mapping[str, list[str]], *, nested: bool) -> None:
        self._values = {name: [*values] for name, values in known.items()}
        self._known = {} if nested else pairs("variables")
        for node in descend(root):
            for name, values in self._settings(node):
                self._values.setdefault(name, []).extend(values)

    @property
    def values(self) -> Mapping[str, list[str]]:
        return self._values

    def _settings(self, node: Node) -> Iterator[tuple[str, list[str]]]:
        match node.type:
            case "variable_assignment":
                yield self.assignment(node)
            case "for_statement" if variable := node.child_by_field_name("variable"):
                given = node.children_by_field_name("value")
                words = [word for each in given for word in self.words(each)]
                yield node_text(variable), words or [MANY]
            case "expansion" if _DEFAULT.match(node_text(node)):
                yield node_text(node).strip("${}").partition("=")[0].rstrip(":"), [MANY]
            case "command" | "declaration_command" | "unset_command":
                yield from self._set_by_call(node)

    def _set_by_call(self, node: Node) -> Iterator[tuple[str, list[str]]]:
        """Yield the variables that a builtin sets, such as `read x`; `*` stands for any."""
        parts = [each for each in node.named_children if each.type != "variable_assignment"]
        names = [each.children[0] if each.type == "command_name" else each for each in parts]
        words = [word for each in names for word in self.texts(each, quoted=True)]
        if node.type == "command" and listed("setting").isdisjoint(words[:3]):
            return
        declares = node.type != "command" or not _DECLARING.isdisjoint(words[:3])
        if declares and any(_REFERENCE.match(word) for word in words):
            yield "*", [MANY]
        for word in words:
            name = _VARIABLE.match(word.removeprefix("-v"))
            whole = name is None and bool(COMPUTED.search(word))
            yield name[0] if name else "*" if whole or _SETS_ANY.search(word) else "", [MANY]

    def assignment(self, node: Node) -> tuple[str, list[str]]:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or name.type != "variable_name" or "+=" in map(node_text, node.children):
            return node_text(name or node).partition("[")[0], [MANY]
        if value is None:
            return node_text(name), [""]
        if value.type == "array":
            return node_text(name), [
                word for one in value.named_children for word in self.words(one)
            ]
        return node_text(name), self.words(value, split=False)

    def words(self, node: Node, *, split: bool = True) -> list[str]:
        """Return the words that a node becomes."""
        texts = self.texts(node, quoted=not split)
        words = [word for text in texts for word in _expand_braces(text)]
        parts = [part for word in words for part in (word.split(_SPLIT) if split else [word])]
        if split:
            parts = [each for each in parts if each or node.type != "simple_expansion"]
        return parts if len(parts) <= _MAX_WORDS else [MANY]

    def texts(self, node: Node, *, quoted: bool) -> list[str]:
        """Return the possible texts of a part of a word."""
        match node.type:
            case kind if kind in _PLAIN:
                if node.children:
                    return self._joined(node.children, quoted=quoted)
                return [self._home(_unquoted(node_text(node)))]
            case "special_variable_name":
                return [node_text(node)]
            case "raw_string":
                return [node_text(node)[1:-1]]
            case "ansi_c_string":
                return [unescaped(node_text(node)[2:-1])]
            case "string" | "translated_string":
                return self._string(node)
            case "string_content":
                return [_IN_QUOTES.sub(lambda found: found[1] or "", node_text(node))]
            case "concatenation":
                return self._joined(node.children, quoted=quoted)
            case "command_substitution":
                return [_known_output(node_text(node)) or (ONE if quoted else MANY)]
            case "simple_expansion" if node_text(node) == "$!":
                return ["$!"]  # a command that the script itself started
            case "simple_expansion" | "expansion":
                return self._variable(node, quoted=quoted)
            case "arithmetic_expansion":
                return [ONE]
            case "brace_expression":
                return [MANY]
            case "array":
                return [MANY]
        if not node.is_named:
            return [_unquoted(node_text(node))]
        return [MANY]

    def _home(self, word: str) -> str:
        """Return a word without its tilde if that is not the folder of the user."""
        moved = "HOME" in self._values or word[1:2] in ("+", "-") or word[1:2].isdigit()
        return ONE + word[1:] if word[:1] == "~" and moved else word

    def _string(self, node: Node) -> list[str]:
        """Return the texts of a string in double quotes, with the blanks that the tree omits."""
        raw, start = node_text(node).encode(), node.start_byte
        inner = node.children[1:-1] if node.type == "string" else node.children
        if node.type == "translated_string":
            return self._joined([each for each in inner if each.type == "string"], quoted=True)
        ends = [node.children[0].end_byte, *(each.end_byte for each in inner)]
        texts = [""]
        for at, child in zip(ends, inner, strict=False):
            gap = raw[at - start : child.start_byte - start].decode()
            texts = _product([texts, [gap], self.texts(child, quoted=True)])
        last = raw[ends[-1] - start : node.children[-1].start_byte - start].decode()
        return [text + last for text in texts]

    def _joined(self, nodes: Iterable[Node], *, quoted: bool) -> list[str]:
        return _product([self.texts(each, quoted=quoted) for each in nodes])

    def _variable(self, node: Node, *, quoted: bool) -> list[str]:
        name = next((node_text(each) for each in descend(node) if each.type == "variable_name"), "")
        text = node_text(node)
        plain = text in (f"${name}", f"${{{name}}}", f"${{{name}[@]}}", f"${{{name}[*]}}")
        hole = ONE if quoted and "@" not in text else MANY
        if "*" in self._values:
            return [hole]
        if name in self._values and plain:
            values = [each if each not in (ONE, MANY) else hole for each in self._values[name]]
            if quoted:
                return values
            if "IFS" in self._values:
                return [MANY]
            return [hide_patterns(_SPLIT.join(each.split())) for each in values]
        if name == "IFS" and plain:
            return [" " if quoted else _SPLIT]
        default = re.fullmatch(r"\$\{\w+:?-([\w./~-]+)\}", text)
        if name in self._known and (plain or default):
            return [default[1] if default else self._known[name]]
        return [hole]


def _product(parts: list[list[str]]) -> list[str]:
    size = 1
    for part in parts:
        size *= max(len(part), 1)
    return ["".join(each) for each in product(*parts)] if size <= _MAX_WORDS else [MANY]


def _unquoted(text: str) -> str:
    """Return an unquoted part of a word: escapes are removed, patterns and braces are marked."""

    def mark(found: re.Match[str]) -> str:
        if found[2] is None:
            return (found[1] or "").replace("\r", "").replace("\n", "")
        return _marked(found[2])

    return _UNQUOTED.sub(mark, text)


def _marked(text: str) -> str:
    return _WILDCARDS.sub(GLOB, text).translate(_MARKED)


def _unmarked(text: str) -> str:
    return _CLASS.sub(GLOB, text).translate(_UNMARKED)


def hide_patterns(text: str) -> str:
    """Return a text with a hole for each pattern of names of files."""
    return _unmarked(_marked(text))


def _expand_braces(word: str) -> list[str]:
    words = [word]
    while len(words) <= _MAX_WORDS:
        matches = ((n, _INNER_BRACE.search(each)) for n, each in enumerate(words))
        place, found = next(((n, match) for n, match in matches if match), (0, None))
        if found is None:
            return [_unmarked(each) for each in words]
        choices = found[1].split(_COMMA)
        if len(choices) == 1:
            choices = [MANY if ".." in found[1] else "{" + found[1] + "}"]
        before, after = words[place][: found.start()], words[place][found.end() :]
        words[place : place + 1] = [before + each + after for each in choices]
    return [MANY]


def unescaped(text: str) -> str:
    """Return a text with what its escapes stand for."""
    return _ANSI.sub(_unescaped, text)


def _unescaped(found: re.Match[str]) -> str:
    said = found[1]
    if said[0] in "xuU" and len(said) > 1:
        number = int(said[1:], 16)
        return chr(number) if 0 < number < 0x110000 and not 0xD800 <= number < 0xE009 else MANY
    if said[0].isdigit():
        return chr(int(said, 8) & 0xFF)
    return _ANSI_LETTERS.get(said, MANY if said[0] == "c" else said)


def _known_output(substitution: str) -> str:
    """Return what a command prints as far as it is known."""
    inner = substitution.removeprefix("$(").removesuffix(")").strip("`").strip()
    if inner == "pwd":
        return "."
    if inner in listed("prints_branch"):
        return "HEAD"
    if found := _WHICH.fullmatch(inner):
        return found[1]
    return f"~/tmp.{GLOB}" if _MKTEMP.fullmatch(inner) else ""
