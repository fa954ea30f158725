"""Parse a shell script into its commands with tree-sitter and its bash grammar.

Words are literal texts. A part that is known only when the script runs is a hole: `ONE` stands for
any text, `MANY` for any words, `GLOB` for a part of the name of a file. A variable that the script
itself sets to literal texts is replaced by them. Whatever the grammar does not explain makes the
script `unread`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise, product
from typing import TYPE_CHECKING

from erstwhile.core.errors import InvalidInputError
from erstwhile.decisions.program_table import listed, pairs

if TYPE_CHECKING:
    from tree_sitter import Node

ONE, MANY, GLOB = "\ue000", "\ue001", "\ue006"
HOLE = re.compile(f"[{ONE}{MANY}{GLOB}]")
COMPUTED = re.compile(f"[{ONE}{MANY}]")
LONGEST_SCRIPT = 20_000
_MOST_WORDS = 64
_DEEPEST = 60
_MOST_COMMANDS, _MOST_PIPES, _MOST_TEXTS = 2_000, 500, 50
_SPLIT, _OPEN, _COMMA, _CLOSE = "\ue002", "\ue003", "\ue004", "\ue005"
_MARKS = _OPEN + _COMMA + _CLOSE + "\ue007\ue008"
_MARKED = str.maketrans("{,}[]", _MARKS)
_UNMARKED = str.maketrans(_MARKS, "{,}[]")
_INNER_BRACE = re.compile(f"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}")
_PATTERN = re.compile(r"[*?]+|\[[^\]]*\]")
_CLASS = re.compile("\ue007[^\ue008]*\ue008")
_UNQUOTED = re.compile(r"\\(\r?\n|.)|([^\\]+)|\\", re.DOTALL)
_IN_QUOTES = re.compile(r"\\([$`\"\\])|\\\r?\n")
_ANSI = re.compile(
    r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|c.|.)", re.DOTALL
)
_ANSI_LETTERS = dict(zip("ntrabefv", "\n\t\r\a\b\x1b\f\v", strict=True))
_DEFAULT = re.compile(r"\$\{\w+:?=")
_RESERVED = re.compile("[\ue000-\ue008\0]")
_PARTS = frozenset(
    ("program", "list", "pipeline", "subshell", "compound_statement", "if_statement", "elif_clause",
     "else_clause", "while_statement", "case_statement", "do_group", "negated_command",
     "function_definition", "c_style_for_statement", "variable_assignments")
)  # fmt: skip
_NO_WORDS = frozenset(
    ("export", "declare", "local", "readonly", "typeset", "unset", "unsetenv", "comment")
)
_STATEMENTS = frozenset(
    ("command", "redirected_statement", "for_statement", "declaration_command", "unset_command",
     "test_command")
)  # fmt: skip
_SUBSTITUTED = frozenset(("command_substitution", "process_substitution"))
_EVALUATED = frozenset(("binary_expression", "unary_expression", "subscript", "ternary_expression"))
_PLAIN = frozenset(("word", "number", "test_operator", "variable_name", "regex", "file_descriptor"))
_QUOTES = frozenset(("raw_string", "string_content"))


class UnreadableScriptError(ValueError):
    """The script is too long, or not a script."""


@dataclass(slots=True)
class Command:
    """One command: its words, the files that it writes, and what it reads."""

    words: list[str] = field(default_factory=list)
    assigned: list[tuple[str, str]] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    """The here-documents and here-strings that it reads."""
    source: Command | None = None
    """The command that it reads from, by a pipe."""
    piped: bool = False
    file_read: bool = False
    """Whether it reads from a file, by a redirect."""
    inner: list[Command] = field(default_factory=list)
    """The commands in its words, which run before it."""


@dataclass(slots=True)
class ParsedScript:
    """The commands of a script in their order, also those in substitutions and functions."""

    commands: list[Command] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)
    unread: bool = False


def parse_script(text: str, *, nested: bool = False) -> ParsedScript:
    """Return the commands of a script; a `nested` one may have any environment."""
    if len(text) > LONGEST_SCRIPT or _RESERVED.search(text) or _is_costly(text):
        raise UnreadableScriptError
    root = _parse(text)
    reader = _Reader(nested=nested)
    reader.collect_variables(root)
    reader.read(root)
    reader.check_all_read(root)
    reader.script.unread |= root.has_error
    return reader.script


def _is_costly(text: str) -> bool:
    """Return whether a script has what the parser takes quadratic time for."""
    return text.count("|") > _MOST_PIPES or text.count("<<") > _MOST_TEXTS


@cache
def _parser() -> Callable[[bytes], Node]:
    try:
        import tree_sitter_bash  # the hook needs it only after a denial of a command
        from tree_sitter import Language, Parser
    except ImportError as error:
        raise InvalidInputError(
            f"commands cannot be compared with denials: the package {error.name} is missing",
            remedy="pip install tree-sitter tree-sitter-bash",
        ) from None

    parser = Parser(Language(tree_sitter_bash.language()))
    return lambda text: parser.parse(text).root_node


def _parse(text: str) -> Node:
    return _parser()((text + "\n").encode("utf-8", "replace"))


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _descend(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += each.children


def _list_parts(node: Node) -> list[Node]:
    """Return the parts of a list such as `a && b && c`, which is nested to the left."""
    parts: list[Node] = []
    while node.type == "list" and node.named_children:
        first, *rest = node.named_children
        parts += reversed(rest)
        node = first
    return [node, *reversed(parts)]


class _Reader:
    """Reads one tree."""

    def __init__(self, *, nested: bool) -> None:
        self.script = ParsedScript()
        self._values: dict[str, list[str]] = {}
        self._known = {} if nested else pairs("variables")
        self._seen: set[int] = set()
        self._depth = 0

    def check_all_read(self, root: Node) -> None:
        """Mark the script as unread if a command in the tree was not read."""
        if any(each.type == "command" and each.id not in self._seen for each in _descend(root)):
            self.script.unread = True

    def collect_variables(self, root: Node) -> None:
        """Find the values of all variables that the script sets, wherever it does."""
        for node in _descend(root):
            for name, values in self._settings(node):
                self._values.setdefault(name, []).extend(values)

    def _settings(self, node: Node) -> Iterator[tuple[str, list[str]]]:
        match node.type:
            case "variable_assignment":
                yield self._assignment(node)
            case "for_statement" if variable := node.child_by_field_name("variable"):
                given = node.children_by_field_name("value")
                words = [word for each in given for word in self._words(each)]
                yield _text(variable), words or [MANY]
            case "expansion" if _DEFAULT.match(_text(node)):
                yield _text(node).strip("${}").partition("=")[0].rstrip(":"), [MANY]
            case "command":
                name = node.child_by_field_name("name")
                if name and _text(name) in listed("setting"):  # such as `read x`
                    for each in node.children_by_field_name("argument"):
                        yield _text(each).partition("=")[0], [MANY]

    def _assignment(self, node: Node) -> tuple[str, list[str]]:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or name.type != "variable_name" or "+=" in map(_text, node.children):
            return _text(name or node).partition("[")[0], [MANY]
        if value is None:
            return _text(name), [""]
        if value.type == "array":
            return _text(name), [word for one in value.named_children for word in self._words(one)]
        return _text(name), self._words(value, split=False)

    def read(self, node: Node) -> list[Command]:
        """Read a part of the script; return its commands, without those of substitutions."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise UnreadableScriptError
        found = self._read_part(node)
        self._depth -= 1
        return found

    def _read_part(self, node: Node) -> list[Command]:
        self._check(node)
        match node.type:
            case "list":
                return [each for part in _list_parts(node) for each in self._inner(part)]
            case "command":
                return self._command(node)
            case "redirected_statement":
                return self._redirected(node)
            case "pipeline":
                return self._pipeline(node.named_children, None)
            case "variable_assignment" | "declaration_command" | "unset_command":
                return self._command(node)
            case "for_statement" | "case_item" | "test_command":
                return self._mixed(node)
            case "comment" | "heredoc_body" | "word" | "variable_name":
                return []
            case kind if kind in _PARTS:
                if kind == "function_definition" and (name := node.child_by_field_name("name")):
                    self.script.functions.add(_text(name))
                if kind == "case_statement":
                    self._expand(node.child_by_field_name("value"))
                inner = node.named_children
                return [each for child in inner for each in self._inner(child)]
        self.script.unread = True
        return []

    def _inner(self, node: Node) -> list[Command]:
        if node.type in _EVALUATED or node.type.endswith("_expression"):
            self._expand(node)
            return []
        if node.type.endswith(("expansion", "string", "concatenation", "number", "substitution")):
            self._expand(node)
            return []
        if node.type.endswith("_redirect"):
            return self._redirects([node], [])
        return self.read(node)

    def _mixed(self, node: Node) -> list[Command]:
        """Read a part that has both words and commands."""
        found = []
        for child in node.named_children:
            if child.type in _PARTS or child.type in _STATEMENTS:
                found += self.read(child)
            else:
                self._expand(child)
        return found

    def _check(self, node: Node) -> None:
        """Mark the script as unread if the grammar leaves out a part of its text."""
        if node.is_error or node.is_missing:
            self.script.unread = True
        text, start = _text(node), node.start_byte
        raw = text.encode()
        for before, after in pairwise(node.children):
            gap = raw[before.end_byte - start : after.start_byte - start]
            if gap.replace(b"\\\n", b"").strip() and "heredoc" not in after.type:
                self.script.unread = True

    def _pipeline(self, parts: Iterable[Node], source: Command | None) -> list[Command]:
        found: list[Command] = []
        for number, part in enumerate(parts):
            made = self._inner(part)
            if number or source:
                for command in made:
                    command.piped = True
                    command.source = source if command.source is None else command.source
            source = made[-1] if len(made) == 1 else None
            found += made
        return found

    def _redirected(self, node: Node) -> list[Command]:
        body = node.child_by_field_name("body")
        made = self._inner(body) if body else []
        if not made:
            made = [self._add(Command())]
        return made + self._redirects([each for each in node.named_children if each != body], made)

    def _redirects(self, nodes: Iterable[Node], made: list[Command]) -> list[Command]:
        """Read redirects for these commands; return the commands that stand behind them."""
        behind: list[Command] = []
        for node in nodes:
            self._check(node)
            if node.type == "file_redirect":
                self._file_redirect(node, made)
            elif node.type == "herestring_redirect":
                self._expand(node)
                texts = [self._words(each, split=False) for each in node.named_children]
                for command in made:
                    command.texts += [text for group in texts for text in group]
            elif node.type == "heredoc_redirect":
                behind += self._heredoc(node, made)
            else:
                self.script.unread = True
        return behind

    def _file_redirect(self, node: Node, made: list[Command]) -> None:
        places = [
            each for each in node.named_children if each.type not in ("file_descriptor", "comment")
        ]
        words = [word for each in places for word in self._words(each)]
        self._expand(node)
        messages = any(
            each.type == "file_descriptor" and _text(each) == "2" for each in node.children
        )
        signs = "".join(_text(each) for each in node.children if not each.is_named)
        closes = signs.endswith("-")  # `2>&- word`: the word is none of the redirect
        for command in made:
            command.words += words if closes else words[1:]
            if ">" in signs and not (closes or messages) and "&" not in signs.removeprefix("&"):
                command.written += words[:1]
            elif "<" in signs and not closes:
                command.piped = command.file_read = True

    def _heredoc(self, node: Node, made: list[Command]) -> list[Command]:
        parts = {each.type: each for each in node.children}
        start, body = parts.get("heredoc_start"), parts.get("heredoc_body")
        name = re.fullmatch(r"""(\\?|['"]?)([\w.-]+)(['"]?)""", _text(start)) if start else None
        text = _text(body) if body else ""
        lines = [line.lstrip("\t") for line in text.split("\n")]
        if not name or name[2] in lines or "heredoc_end" not in parts:
            self.script.unread = True
        if sum(each.type == "heredoc_start" for each in node.children) != 1:
            self.script.unread = True
        quoted = bool(name and name[1])
        if body and not quoted:
            for each in body.named_children:
                self._expand(each)
            text = re.sub(r"\$\(.*?\)|`[^`]*`|\$\{[^}]*\}|\$\w+", MANY, text)
        for command in made:
            command.texts.append(text)
        found = []
        for child in node.named_children:
            if child.type == "pipeline":
                found += self._pipeline(child.named_children, made[-1] if made else None)
            elif child.type.endswith("_redirect"):
                found += self._redirects([child], made)
            elif not child.type.startswith("heredoc_") and child.type != "file_descriptor":
                if child.type in _PARTS or child.type in ("command", "redirected_statement"):
                    found += self.read(child)
                else:  # words that follow the operator
                    for command in made:
                        command.words += self._words(child)
        return found

    def _add(self, command: Command) -> Command:
        self.script.commands.append(command)
        if len(self.script.commands) > _MOST_COMMANDS:
            raise UnreadableScriptError
        return command

    def _command(self, node: Node) -> list[Command]:
        command, behind = Command(), list[Command]()
        self._seen.add(node.id)
        if node.type in ("declaration_command", "unset_command"):
            command.words.append(_text(node.children[0]))
        for child in node.children if node.type != "variable_assignment" else [node]:
            if child.type == "variable_assignment":
                name, values = self._assignment(child)
                command.assigned += [(name, each) for each in values]
                self._expand(child)
            elif child.type.endswith("_redirect"):
                behind += self._redirects([child], [command])
            elif child.type == "command_name":
                for each in child.children:
                    sure = len(self._texts(each, quoted=False)) == 1
                    command.words += self._words(each) if sure else [MANY]
            elif child.type not in _NO_WORDS:
                command.words += self._words(child)
        before = len(self.script.commands)
        self._expand_in(node)
        command.inner = self.script.commands[before:]
        return [self._add(command), *behind]

    def _expand_in(self, node: Node) -> None:
        for child in node.children:
            if child.type != "variable_assignment" and not child.type.endswith("_redirect"):
                self._expand(child)

    def _expand(self, node: Node | None) -> None:
        """Read the commands that run when words are expanded."""
        waiting = [node] if node else []
        while waiting:
            each = waiting.pop()
            if each.is_error or each.is_missing:
                self.script.unread = True
            if each.type in _SUBSTITUTED:
                made = [one for child in each.named_children for one in self._inner(child)]
                if _text(each).startswith(">("):
                    for command in made:
                        command.piped = True
            elif each.type in _EVALUATED:
                waiting += each.children
                for inner in _descend(each):  # [[ 'a[$(…)]' -eq 0 ]] runs what is quoted
                    if inner.type in _QUOTES and re.search(r"\$\(|`", _text(inner)):
                        self.script.unread = True
            else:
                waiting += each.children

    def _words(self, node: Node, *, split: bool = True) -> list[str]:
        """Return the words that a node becomes."""
        texts = self._texts(node, quoted=not split)
        words = [word for text in texts for word in _expand_braces(text)]
        parts = [part for word in words for part in (word.split(_SPLIT) if split else [word])]
        if split:
            parts = [each for each in parts if each or node.type != "simple_expansion"]
        return parts if len(parts) <= _MOST_WORDS else [MANY]

    def _texts(self, node: Node, *, quoted: bool) -> list[str]:
        """Return the possible texts of a part of a word."""
        match node.type:
            case kind if kind in _PLAIN:
                if node.children:
                    return self._joined(node.children, quoted=quoted)
                return [self._home(_unquoted(_text(node)))]
            case "special_variable_name":
                return [_text(node)]
            case "raw_string":
                return [_text(node)[1:-1]]
            case "ansi_c_string":
                return [_ANSI.sub(_unescaped, _text(node)[2:-1])]
            case "string" | "translated_string":
                return self._string(node)
            case "string_content":
                return [_IN_QUOTES.sub(lambda found: found[1] or "", _text(node))]
            case "concatenation":
                return self._joined(node.children, quoted=quoted)
            case "command_substitution":
                return [_known_output(_text(node)) or (ONE if quoted else MANY)]
            case "simple_expansion" | "expansion":
                return self._variable(node, quoted=quoted)
            case "arithmetic_expansion":
                return [ONE]
            case "brace_expression":
                return [MANY]
            case "array":
                return [MANY]
        if not node.is_named:
            return [_unquoted(_text(node))]
        return [MANY]

    def _home(self, word: str) -> str:
        """Return a word without its tilde if that is not the folder of the user."""
        moved = "HOME" in self._values or word[1:2] in ("+", "-") or word[1:2].isdigit()
        return ONE + word[1:] if word[:1] == "~" and moved else word

    def _string(self, node: Node) -> list[str]:
        """Return the texts of a string in double quotes, with the blanks that the tree omits."""
        raw, start = _text(node).encode(), node.start_byte
        inner = node.children[1:-1] if node.type == "string" else node.children
        if node.type == "translated_string":
            return self._joined([each for each in inner if each.type == "string"], quoted=True)
        ends = [node.children[0].end_byte, *(each.end_byte for each in inner)]
        texts = [""]
        for at, child in zip(ends, inner, strict=False):
            gap = raw[at - start : child.start_byte - start].decode()
            texts = _product([texts, [gap], self._texts(child, quoted=True)])
        last = raw[ends[-1] - start : node.children[-1].start_byte - start].decode()
        return [text + last for text in texts]

    def _joined(self, nodes: Iterable[Node], *, quoted: bool) -> list[str]:
        return _product([self._texts(each, quoted=quoted) for each in nodes])

    def _variable(self, node: Node, *, quoted: bool) -> list[str]:
        name = next((_text(each) for each in _descend(node) if each.type == "variable_name"), "")
        plain = _text(node) in (f"${name}", f"${{{name}}}", f"${{{name}[@]}}", f"${{{name}[*]}}")
        hole = ONE if quoted and "@" not in _text(node) else MANY
        if name in self._values and plain:
            values = [each if each not in (ONE, MANY) else hole for each in self._values[name]]
            if quoted:
                return values
            if "IFS" in self._values:
                return [MANY]
            return [_PATTERN.sub(GLOB, _SPLIT.join(each.split()) or "") for each in values]
        if name == "IFS" and plain:
            return [" " if quoted else _SPLIT]
        default = re.fullmatch(r"\$\{\w+:?-([\w./~-]+)\}", _text(node))
        if name in self._known and (plain or default):
            return [default[1] if default else self._known[name]]
        return [hole]


def _product(parts: list[list[str]]) -> list[str]:
    size = 1
    for part in parts:
        size *= max(len(part), 1)
    return ["".join(each) for each in product(*parts)] if size <= _MOST_WORDS else [MANY]


def _unquoted(text: str) -> str:
    """Return an unquoted part of a word: escapes are removed, patterns and braces are marked."""

    def mark(found: re.Match[str]) -> str:
        if found[2] is None:
            return (found[1] or "").replace("\r", "").replace("\n", "")
        return re.sub(r"[*?]+", GLOB, found[2]).translate(_MARKED)

    return _UNQUOTED.sub(mark, text)


def _expand_braces(word: str) -> list[str]:
    words = [word]
    while len(words) <= _MOST_WORDS:
        matches = ((n, _INNER_BRACE.search(each)) for n, each in enumerate(words))
        place, found = next(((n, match) for n, match in matches if match), (0, None))
        if found is None:
            return [_CLASS.sub(GLOB, each).translate(_UNMARKED) for each in words]
        choices = found[1].split(_COMMA)
        if len(choices) == 1:
            choices = [MANY if ".." in found[1] else "{" + found[1] + "}"]
        before, after = words[place][: found.start()], words[place][found.end() :]
        words[place : place + 1] = [before + each + after for each in choices]
    return [MANY]


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
    return f"~/tmp.{GLOB}" if re.fullmatch(r"mktemp( -[dut]+)?", inner) else ""
