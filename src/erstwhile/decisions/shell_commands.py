"""Split a shell script into its simple commands, without quoting tricks.

It reads what an agent runs in one call: lists, pipes, substitutions, subshells, quotes, redirects
and here-documents. Nothing is expanded: `$HOME` stays `$HOME`. Compound commands are only taken
apart, so that `if a; then b; fi` gives `if a`, `then b` and `fi`. A script that cannot be read
raises `UnreadableScriptError`. Reading takes linear time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

LONGEST_SCRIPT = 20_000
_DEEPEST = 20
_TOKEN = re.compile(
    r"""
    (?P<blank>[ \t\r]+ | \$\{IFS\} | \$IFS(?!\w))
  | (?P<joined>\\\r?\n)
  | (?P<hash>\#)
  | (?P<newline>\n)
  | (?P<process>[<>]\()
  | (?P<redirect>\d*(?:&>>? | <<<? | <<- | >> | >\| | [<>]& | <> | [<>])-?)
  | (?P<end>&&? | \|[|&]? | ;;? )
  | (?P<open>\()
  | (?P<close>\))
  | (?P<ansi>\$'(?:[^'\\]|\\.)*+')
  | (?P<literal>'[^']*')
  | (?P<quote>\$?")
  | (?P<escape>\\.)
  | (?P<substitution>\$\()
  | (?P<tick>`)
  | (?P<plain>[^\s'"\\$`;&|()<>\#]+ | [$\\\v\f])
    """,
    re.VERBOSE | re.DOTALL,
)
_QUOTED = re.compile(
    r"""
    (?P<plain>[^"\\$`]+ | \$(?!\())
  | (?P<escape>\\.)
  | (?P<substitution>\$\()
  | (?P<tick>`)
  | (?P<quote>")
    """,
    re.VERBOSE | re.DOTALL,
)
_TICKED = re.compile(r"(?:[^`\\]|\\.)*+", re.DOTALL)
_ANSI = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|u[0-9a-fA-F]{1,4}|.)", re.DOTALL)
_ANSI_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f"}


class UnreadableScriptError(ValueError):
    """The script is too long, too deep, or not closed."""


@dataclass(slots=True)
class SimpleCommand:
    """The words of one command, the files that it writes, and the texts that it reads."""

    words: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    """The here-documents and here-strings: the script of a shell that has no other."""


def split_script(script: str, depth: int = 0) -> list[SimpleCommand]:
    """Return all simple commands of a script, also those in substitutions."""
    if len(script) > LONGEST_SCRIPT:
        raise UnreadableScriptError
    reader = _Reader(script, 0, depth, [], [])
    reader.read()
    return [each for each in reader.commands if each.words]


class _Reader:
    """Reads one level of a script; a substitution has a reader of its own on the same text."""

    def __init__(
        self,
        text: str,
        at: int,
        depth: int,
        commands: list[SimpleCommand],
        bodies: list[tuple[SimpleCommand, str]],
    ) -> None:
        if depth > _DEEPEST:
            raise UnreadableScriptError
        self.text = text
        self.at = at
        self.commands = commands
        self._depth = depth
        self._bodies = bodies
        """The commands whose here-documents begin after this line, with their delimiters."""
        self._opened = 0
        self._command = SimpleCommand()
        self._word: list[str] | None = None
        self._redirect = ""

    def read(self, closing: bool = False) -> None:
        """Read to the end, or to the parenthesis that closes a substitution."""
        while self.at < len(self.text):
            token = _TOKEN.match(self.text, self.at)
            if token is None:
                raise UnreadableScriptError
            self.at = token.end()
            if token.lastgroup == "close" and closing and not self._opened:
                self._end_command()
                return
            self._take(str(token.lastgroup), token[0])
        if closing or self._opened:
            raise UnreadableScriptError
        self._end_command()

    def _take(self, kind: str, said: str) -> None:
        match kind:
            case "blank":
                self._end_word()
            case "joined":
                pass
            case "hash" if self._word is None:  # inside a word it is an ordinary character
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            case "newline" | "end" | "open" | "close" | "process":
                self._end_command()
                self._opened += (kind in ("open", "process")) - (
                    kind == "close" and self._opened > 0
                )
                if kind == "newline":
                    self._read_bodies()
            case "redirect":
                operator = said.lstrip("0123456789")
                if self._word is not None and said != operator:
                    self._add(said.removesuffix(operator))
                self._end_word()
                self._redirect = operator
            case "quote":
                self._add(self._read_quoted())
            case "literal":
                self._add(said[1:-1])
            case "ansi":
                self._add(_ANSI.sub(_ansi_letter, said[2:-1]))
            case _:
                self._add(self._read_part(kind, said))

    def _add(self, said: str) -> None:
        if self._word is None:
            self._word = []
        self._word.append(said)

    def _end_command(self) -> None:
        self._end_word()
        self.commands.append(self._command)
        self._command, self._redirect = SimpleCommand(), ""

    def _end_word(self) -> None:
        if self._word is None:
            return
        word, self._word = "".join(self._word), None
        operator, self._redirect = self._redirect, ""
        if not operator:
            self._command.words.append(word)
        elif operator in ("<<", "<<-"):
            self._bodies.append((self._command, word))
        elif operator == "<<<":
            self._command.scripts.append(word)
        elif ">" in operator and not word.isdigit() and word != "/dev/null":
            self._command.written.append(word)

    def _read_bodies(self) -> None:
        """Read the here-documents that follow the line."""
        for command, delimiter in self._bodies:
            end = re.compile(rf"^\t*{re.escape(delimiter)}$", re.MULTILINE)
            found = end.search(self.text, self.at)
            stop, after = found.span() if found else (len(self.text), len(self.text))
            command.scripts.append(self.text[self.at : stop])
            self.at = after
        self._bodies.clear()

    def _read_quoted(self) -> str:
        """Read the rest of a text in double quotes."""
        said = list[str]()
        while token := _QUOTED.match(self.text, self.at):
            self.at = token.end()
            if token.lastgroup == "quote":
                return "".join(said)
            said.append(self._read_part(str(token.lastgroup), token[0]))
        raise UnreadableScriptError

    def _read_part(self, kind: str, said: str) -> str:
        """Return the text of a part of a word; read the commands of a substitution in it."""
        match kind:
            case "escape":
                return said[1:].replace("\n", "")
            case "substitution":
                inner = _Reader(self.text, self.at, self._depth + 1, self.commands, self._bodies)
                inner.read(closing=True)
                start, self.at = self.at, inner.at
                return f"$({self.text[start : self.at]}"
            case "tick":
                found = _TICKED.match(self.text, self.at)
                if found is None or self.text[found.end() : found.end() + 1] != "`":
                    raise UnreadableScriptError
                self.at = found.end() + 1
                script = re.sub(r"\\([`$\\])", r"\1", found[0])
                self.commands += split_script(script, self._depth + 1)
                return f"$({script})"
        return said


def _ansi_letter(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] in "xu" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8) & 0xFF)
    return _ANSI_LETTERS.get(code, code)
