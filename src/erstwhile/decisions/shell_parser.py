"""Parse a shell script into its commands with tree-sitter and its bash grammar.

Whatever the grammar does not explain makes the script `unread`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from erstwhile.core.errors import InvalidInputError
from erstwhile.decisions.program_table import listed
from erstwhile.decisions.shell_expansion import MANY, RESERVED, WordReader, descend, node_text

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_SCRIPT = 20_000
_DEEPEST, _MAX_COMMANDS, _MAX_PIPES, _MAX_TEXTS = 60, 2_000, 500, 50
_HEREDOC_END = re.compile(r"""(\\?|['"]?)([\w.-]+)(['"]?)""")
_COMPUTED_TEXT = re.compile(r"\$\([^)]*\)?|`[^`]*`?|\$\{[^}]*\}?|\$\w+")
_SUBSTITUTED = frozenset(("command_substitution", "process_substitution"))
_EVALUATED = frozenset(("binary_expression", "unary_expression", "subscript", "ternary_expression"))
_ODD_BLANK = re.compile(
    r"[\x01-\x08\x0b-\x1f\x7f\x85]|[\xa0\u1680\u2000-\u200b\u2028-\u202f\u205f\u3000\ufeff]#"
)
"""What the grammar takes for a blank, and bash for a part of a word."""
_MISREAD_WORD = re.compile(r"^\n|^\{\w+\}[<>]|(?<!\\)\$[\w({]\Z")
"""A line of its own, the variable for a descriptor in `{fd}>file`, or half of one in `-a$b`."""
_SUBSCRIPT = re.compile(r"\[[^][]*(?:\$\(|`)")
"""What arithmetic runs, though it is quoted."""
_LITERAL = frozenset(("raw_string", "comment", "ansi_c_string", "heredoc_end", "heredoc_start"))
_SUBSTITUTION = re.compile(r"(?<!\\)(?:`|\$\()")
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
    read: list[str] = field(default_factory=list)
    """The files that it reads by a redirect."""
    source: Command | None = None
    """The command that it reads from, by a pipe."""
    piped: bool = False
    file_read: bool = False
    """Whether it reads from a file, by a redirect."""
    expanded: set[str] = field(default_factory=set)
    """The names of the variables in its words."""
    inner: list[Command] = field(default_factory=list)
    """The commands in its words, which run before it."""


@dataclass(slots=True)
class ParsedScript:
    """The commands of a script in their order, also those in substitutions and functions."""

    commands: list[Command] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)
    values: Mapping[str, list[str]] = field(default_factory=dict)
    """What it sets variables to."""
    unread: bool = False


def parse_script(
    text: str, *, nested: bool = False, known: Mapping[str, list[str]] | None = None
) -> ParsedScript:
    """Return the commands of a script; a `nested` one may have any environment.

    `known` are the values of variables that the script around it sets.
    """
    if (
        len(text) > MAX_SCRIPT
        or _ODD_BLANK.search(text)
        or RESERVED.search(text)
        or _is_costly(text)
    ):
        raise UnreadableScriptError
    root = _parse(text)
    reader = _Reader(WordReader(root, known or {}, nested=nested))
    reader.read(root)
    reader.check_all_read(root)
    reader.script.unread |= root.has_error
    return reader.script


def _is_costly(text: str) -> bool:
    """Return whether a script has what the parser takes quadratic time for."""
    return text.count("|") > _MAX_PIPES or text.count("<<") > _MAX_TEXTS


def _parse(text: str) -> Node:
    try:
        from erstwhile.decisions.shell_grammar import parse_bash  # only after a denied command
    except ImportError as error:
        raise InvalidInputError(
            f"commands cannot be compared with denials: the package {error.name} is missing",
            remedy="pip install tree-sitter tree-sitter-bash",
        ) from None
    return parse_bash(text)


def _list_parts(node: Node) -> list[Node]:
    """Return the parts of a list such as `a && b && c`, which is nested to the left."""
    parts: list[Node] = []
    while node.type == "list" and node.named_children:
        first, *rest = node.named_children
        parts += reversed(rest)
        node = first
    return [node, *reversed(parts)]


def _is_misread(node: Node, raw: bytes) -> bool:
    """Return whether bash reads a part of a script otherwise than the grammar."""
    if node.type == "word":
        text = raw[node.start_byte : node.end_byte + 1].decode("utf-8", "replace")
        if _MISREAD_WORD.search(text):
            return True
    if node.type == "concatenation" and node.children[-1].type == "$":
        return True  # the name of the variable stands in the next word
    if node.type in ("simple_expansion", "concatenation"):  # bash takes no blanks in them
        return any(
            one.end_byte != other.start_byte
            or (node_text(one)[-1:] == "$" and other.type.endswith("string"))  # `$""`
            for one, other in pairwise(node.children)
        )
    if node.type == "heredoc_start":
        return _is_quoted_in_part(node)
    if node.type in _QUOTES and _SUBSCRIPT.search(node_text(node)):
        return True
    if node.child_count or not node.is_named or node.type in _LITERAL:
        return False
    hides = bool(_SUBSTITUTION.search(node_text(node)))
    in_document = node.type in ("heredoc_content", "heredoc_body")
    return hides and not (in_document and _is_quoted_document(node))


def _is_quoted_in_part(start: Node) -> bool:
    """Return whether the end of a here-document has more parts, such as `'A'B`."""
    document = start.parent
    raw = (document.text or b"") if document else b""
    after = raw[start.end_byte - (document.start_byte if document else 0) :]
    return bool(after) and after[:1] not in b" \t\n;&|<>)"


def _is_quoted_document(node: Node) -> bool:
    document = node.parent
    while document is not None and document.type != "heredoc_redirect":
        document = document.parent
    parts = document.children if document else []
    return any(node_text(each)[:1] in "'\"\\" for each in parts if each.type == "heredoc_start")


class _Reader:
    """Reads one tree."""

    def __init__(self, words: WordReader) -> None:
        self.script = ParsedScript(values=words.values)
        self._words = words
        self._seen: set[int] = set()
        self._depth = 0

    def check_all_read(self, root: Node) -> None:
        """Mark the script as unread if a command of it was not read, or the grammar misread it."""
        raw = root.text or b""
        if any(
            each.id not in self._seen if each.type == "command" else _is_misread(each, raw)
            for each in descend(root)
        ):
            self.script.unread = True

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
            case kind if kind in listed("script_parts"):
                if kind == "function_definition" and (name := node.child_by_field_name("name")):
                    self.script.functions.add(node_text(name))
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
            if child.type in listed("script_parts") or child.type in listed("statement_parts"):
                found += self.read(child)
            else:
                self._expand(child)
        return found

    def _check(self, node: Node) -> None:
        """Mark the script as unread if the grammar leaves out a part of its text."""
        if node.is_error or node.is_missing:
            self.script.unread = True
        text, start = node_text(node), node.start_byte
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
            made = [self._add(Command(words=[":"]))]
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
                texts = [self._words.words(each, split=False) for each in node.named_children]
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
        words = [word for each in places for word in self._words.words(each)]
        self._expand(node)
        messages = any(
            each.type == "file_descriptor" and node_text(each) == "2" for each in node.children
        )
        signs = "".join(node_text(each) for each in node.children if not each.is_named)
        closes = signs.endswith("-")  # `2>&- word`: the word is none of the redirect
        for command in made:
            command.words += words if closes else words[1:]
            if ">" in signs and not (closes or messages) and "&" not in signs.removeprefix("&"):
                command.written += words[:1]
            elif "<" in signs and not closes:
                command.piped = command.file_read = True
                command.read += words[:1]

    def _heredoc(self, node: Node, made: list[Command]) -> list[Command]:
        parts = {each.type: each for each in node.children}
        start, body = parts.get("heredoc_start"), parts.get("heredoc_body")
        name = _HEREDOC_END.fullmatch(node_text(start)) if start else None
        text = node_text(body) if body else ""
        lines = [line.lstrip("\t") for line in text.split("\n")]
        if not name or name[2] in lines or "heredoc_end" not in parts:
            self.script.unread = True
        if sum(each.type == "heredoc_start" for each in node.children) != 1:
            self.script.unread = True
        quoted = bool(name and name[1])
        if body and not quoted:
            for each in body.named_children:
                self._expand(each)
            text = _COMPUTED_TEXT.sub(MANY, text)
        for command in made:
            command.texts.append(text)
        found = []
        for child in node.named_children:
            if child.type == "pipeline":
                found += self._pipeline(child.named_children, made[-1] if made else None)
            elif child.type.endswith("_redirect"):
                found += self._redirects([child], made)
            elif not child.type.startswith("heredoc_") and child.type != "file_descriptor":
                if child.type in listed("script_parts") | {"command", "redirected_statement"}:
                    found += self.read(child)
                else:  # words that follow the operator
                    for command in made:
                        command.words += self._words.words(child)
        return found

    def _add(self, command: Command) -> Command:
        self.script.commands.append(command)
        if len(self.script.commands) > _MAX_COMMANDS:
            raise UnreadableScriptError
        return command

    def _command(self, node: Node) -> list[Command]:
        command, behind = Command(), list[Command]()
        self._seen.add(node.id)
        if node.type in ("declaration_command", "unset_command"):
            command.words.append(node_text(node.children[0]))
        for child in node.children if node.type != "variable_assignment" else [node]:
            if child.type == "variable_assignment":
                name, values = self._words.assignment(child)
                command.assigned += [(name, each) for each in values]
                self._expand(child)
            elif child.type.endswith("_redirect"):
                behind += self._redirects([child], [command])
            elif child.type == "command_name":
                for each in child.children:
                    sure = len(self._words.texts(each, quoted=False)) == 1
                    command.words += self._words.words(each) if sure else [MANY]
            elif child.type not in listed("parts_without_words"):
                command.words += self._words.words(child)
        inner = descend(node)
        command.expanded = {node_text(each) for each in inner if each.type == "variable_name"}
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
                if node_text(each).startswith(">("):
                    for command in made:
                        command.piped = True
            elif each.type in _EVALUATED:
                waiting += each.children
                for inner in descend(each):  # [[ 'a[$(…)]' -eq 0 ]] runs what is quoted
                    if inner.type in _QUOTES and re.search(r"\$\(|`", node_text(inner)):
                        self.script.unread = True
            else:
                waiting += each.children
