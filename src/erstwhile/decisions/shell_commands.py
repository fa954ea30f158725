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
    if len(script) > LONGEST_SCRIPT or depth > _DEEPEST:
        raise UnreadableScriptError
    reader = _Reader(script, depth)
    reader.read()
    return [each for each in reader.commands if each.words]


class _Reader:
    def __init__(self, text: str, depth: int) -> None:
        self.text = text
        self.at = 0
        self.depth = depth
        self.commands: list[SimpleCommand] = []
        self._bodies: list[tuple[SimpleCommand, str]] = []
        """The here-documents that begin after this line."""

    def read(self, closing: bool = False) -> None:
        """Read to the end, or to the parenthesis that closes a substitution."""
        line = _Line(self)
        while self.at < len(self.text):
            token = _TOKEN.match(self.text, self.at)
            if token is None:
                raise UnreadableScriptError
            self.at = token.end()
            if token.lastgroup == "close" and closing and not line.opened:
                line.end_command()
                return
            line.take(str(token.lastgroup), token[0])
        if closing or line.opened:
            raise UnreadableScriptError
        line.end_command()

    def await_body(self, command: SimpleCommand, delimiter: str) -> None:
        self._bodies.append((command, delimiter))

    def read_bodies(self) -> None:
        """Read the here-documents that follow the line."""
        for command, delimiter in self._bodies:
            end = re.compile(rf"^\t*{re.escape(delimiter)}$", re.MULTILINE)
            found = end.search(self.text, self.at)
            stop, after = found.span() if found else (len(self.text), len(self.text))
            command.scripts.append(self.text[self.at : stop])
            self.at = after
        self._bodies.clear()

    def skip_line(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end

    def read_quoted(self) -> str:
        """Read the rest of a text in double quotes."""
        said = list[str]()
        while token := _QUOTED.match(self.text, self.at):
            self.at = token.end()
            if token.lastgroup == "quote":
                return "".join(said)
            said.append(self.read_part(str(token.lastgroup), token[0]))
        raise UnreadableScriptError

    def read_part(self, kind: str, said: str) -> str:
        """Return the text of a part of a word; read the commands of a substitution in it."""
        match kind:
            case "escape":
                return said[1:].replace("\n", "")
            case "substitution":
                return self._read_substitution()
            case "tick":
                return self._read_ticked()
        return said

    def _read_substitution(self) -> str:
        start, self.depth = self.at, self.depth + 1
        if self.depth > _DEEPEST:
            raise UnreadableScriptError
        self.read(closing=True)
        self.depth -= 1
        return f"$({self.text[start : self.at]}"

    def _read_ticked(self) -> str:
        found = _TICKED.match(self.text, self.at)
        if found is None or self.text[found.end() : found.end() + 1] != "`":
            raise UnreadableScriptError
        self.at = found.end() + 1
        inner = re.sub(r"\\([`$\\])", r"\1", found[0])
        self.commands += split_script(inner, self.depth + 1)
        return f"$({inner})"


class _Line:
    """The command and the word that are being read."""

    def __init__(self, reader: _Reader) -> None:
        self.opened = 0
        self._reader = reader
        self._command = SimpleCommand()
        self._word: list[str] | None = None
        self._redirect = ""

    def take(self, kind: str, said: str) -> None:
        match kind:
            case "blank":
                self._end_word()
            case "joined":
                pass
            case "hash":
                self._take_hash()
            case "newline" | "end" | "open" | "close" | "process":
                self._take_border(kind)
            case "redirect":
                self._take_redirect(said)
            case "quote":
                self._add(self._reader.read_quoted())
            case "literal":
                self._add(said[1:-1])
            case "ansi":
                self._add(_ANSI.sub(_ansi_letter, said[2:-1]))
            case _:
                self._add(self._reader.read_part(kind, said))

    def end_command(self) -> None:
        self._end_word()
        self._reader.commands.append(self._command)
        self._command, self._redirect = SimpleCommand(), ""

    def _add(self, said: str) -> None:
        if self._word is None:
            self._word = []
        self._word.append(said)

    def _take_hash(self) -> None:
        if self._word is not None:  # inside a word it is an ordinary character
            self._add("#")
        else:
            self._reader.skip_line()

    def _take_border(self, kind: str) -> None:
        self.end_command()
        self.opened += (kind in ("open", "process")) - (kind == "close" and self.opened > 0)
        if kind == "newline":
            self._reader.read_bodies()

    def _take_redirect(self, said: str) -> None:
        operator = said.lstrip("0123456789")
        if self._word is not None and said != operator:
            self._add(said[: len(said) - len(operator)])
        self._end_word()
        self._redirect = operator

    def _end_word(self) -> None:
        if self._word is None:
            return
        word, self._word = "".join(self._word), None
        operator, self._redirect = self._redirect, ""
        if not operator:
            self._command.words.append(word)
        elif operator in ("<<", "<<-"):
            self._reader.await_body(self._command, word)
        elif operator == "<<<":
            self._command.scripts.append(word)
        elif ">" in operator and not word.isdigit() and word != "/dev/null":
            self._command.written.append(word)


def _ansi_letter(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] in "xu" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8) & 0xFF)
    return _ANSI_LETTERS.get(code, code)
