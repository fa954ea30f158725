"""What a shell script does: its acts, and what else it may run.

Programs that only run another one, such as `sudo`, `bash -c` and `find -exec`, are looked into.
What can run any words, such as `curl … | sh`, makes a script `opaque`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from erstwhile.decisions.match_statements import tells
from erstwhile.decisions.program_table import (
    canonical,
    grouped,
    listed,
    pairs,
    patterns,
    runs_words,
    strip_wrappers,
)
from erstwhile.decisions.shell_acts import parse_act
from erstwhile.decisions.shell_effects import OPAQUE, Script, acts_after_cd, guess, merge
from erstwhile.decisions.shell_expansion import COMPUTED, GLOB, HOLE, MANY, ONE
from erstwhile.decisions.shell_parser import (
    Command,
    ParsedScript,
    UnreadableScriptError,
    parse_script,
)
from erstwhile.decisions.shell_words import (
    MARKS,
    found_files,
    inline_codes,
    is_hole,
    is_standard_input,
    printed,
    python_module,
    replaced_mark,
)

_DEEPEST, _MAX_SCRIPTS = 8, 20
"""How deep scripts are read, and how many words of a call are read as scripts."""
_OPTION_VALUE = re.compile(r"^(?:[\w.-]+=)+")
_MAY_BE_SCRIPT = re.compile(r"[\s'\"\\`$]")
_CONTINUED = "\\\n"


def read_script(text: str, depth: int = 0, known: Mapping[str, list[str]] | None = None) -> Script:
    """Return the acts of a script, and of the scripts in it; `known` are values of variables."""
    if depth > _DEEPEST:
        return OPAQUE
    if _CONTINUED in text:  # the grammar takes it for a blank, and bash for nothing
        joined = read_script(text.replace(_CONTINUED, ""), depth + 1)
        return merge([joined, read_script(text.replace(_CONTINUED, " \n"), depth + 1)])
    try:
        parsed = parse_script(text, nested=depth > 0, known=known)
    except UnreadableScriptError:
        return OPAQUE
    reader = _ScriptReader(parsed, depth)
    parts = [reader.read(command) for command in parsed.commands]
    whole = merge(parts)
    moved = tuple(acts_after_cd(parsed.commands, parts))
    return replace(whole, possible=whole.possible + moved, opaque=whole.opaque or parsed.unread)


class _ScriptReader:
    """Reads the commands of one script."""

    def __init__(self, parsed: ParsedScript, depth: int) -> None:
        self._parsed = parsed
        self._depth = depth
        self._aliases = {
            name: value
            for command in parsed.commands
            if command.words[:1] == ["alias"]
            for name, _, value in (word.partition("=") for word in command.words[1:])
        }

    def _script(self, text: str) -> Script:
        """Read a script inside of this one. Names of files are variables in it."""
        return read_script(text.replace(GLOB, "${_FILE}"), self._depth + 1)

    def read(self, command: Command) -> Script:
        words, wrappers = strip_wrappers(command.words)
        parts = [self._assigned(name, value) for name, value in command.assigned]
        added = [value for _, value in command.assigned if value[:1] == "-"]
        if words and added:  # variables such as TF_CLI_ARGS=-destroy
            parts.append(Script(calls=(["", *words, *" ".join(added).split()],)))
        fetched = ["install", *words[:1], *_packages(command.words)]
        for wrapper in set(wrappers) & pairs("fetching").keys():
            parts.append(Script(possible=(parse_act(pairs("fetching")[wrapper], fetched, ()),)))
        if wrappers:
            parts += self._scripts_in(["", *command.words[: len(command.words) - len(words)]])
        if words and words[0] in self._aliases:
            value = self._aliases[words[0]]
            parts += [self._script(value)]
            words = [*value.split(), *words[1:]]
        if words:
            words = self._fed_words(words, wrappers, command)
            parts.append(self._call(words, command))
        elif wrappers:
            parts.append(Script(calls=(command.words,), opaque=command.piped))
        return merge(parts)

    def _assigned(self, name: str, value: str) -> Script:
        """Read the value of a variable, which a program may run: GIT_EDITOR='npm publish'."""
        if not patterns("run_variables").fullmatch(name):
            return merge(self._scripts_in(["", value]))
        if COMPUTED.search(value) or not patterns("safe_values").fullmatch(value):
            return OPAQUE
        unsafe = frozenset(("git",) if name.startswith("GIT_CONFIG") else ())
        return replace(self._script(value), unsafe=unsafe)

    def _fed_words(
        self, words: Sequence[str], wrappers: Sequence[str], command: Command
    ) -> Sequence[str]:
        """Return a call with the words that `xargs` adds to it."""
        if listed("feeding").isdisjoint(wrappers):
            return words
        place = command.words.index(words[0])
        marks = [each for each in map(replaced_mark, command.words[:place]) if each]
        text = self._read_text(command)
        known = text and not COMPUTED.search(text)
        added = re.split(r"[\s\0]+", text.strip("\0 \n")) if known else [MANY]
        if listed("shells") & {canonical(words[0])} and MANY in added:
            return [*words, MANY]
        if marks:
            return [word.replace(marks[0], added[0] if added else "") for word in words]
        return [*words, *added]

    def _read_text(self, command: Command) -> str:
        """Return what a command reads from its standard input, as far as it is known."""
        texts = list(command.texts)
        if command.piped and not texts:
            texts.append(printed(command.source))
        return "\n".join(texts)

    def _call(self, words: Sequence[str], command: Command) -> Script:
        program = canonical(words[0].lstrip("!"))
        if not program or HOLE.search(program):
            return OPAQUE  # the name of the program is computed
        if _MAY_BE_SCRIPT.search(words[0]) and words[0] != command.words[0]:
            return self._script(" ".join(words))  # watch 'npm publish'
        if words[0] in (":::", "::::"):  # parallel without a program of its own
            return OPAQUE if words[0] == "::::" else merge(map(self._script, words[1:]))
        words = [program, *words[1:]]
        if program in grouped("wrappers") and (MANY in words or program == "parallel"):
            return OPAQUE
        if command.words[:1] == [program] and program in self._parsed.functions:
            return Script()
        if program in listed("shells"):
            return self._shell(words, command)
        if program in grouped("interpreters"):
            return self._interpreter(words, command)
        match program:
            case "eval":
                return self._eval(" ".join(words[1:]), command)
            case "trap":
                rest = [word for word in words[1:] if word not in ("--", "-")]
                later = rest[0] if rest and not rest[0].startswith("-") else ""
                return read_script(later, self._depth + 1, self._parsed.values)
            case "alias":
                computed = any(COMPUTED.search(word) or word in ("-g", "-s") for word in words)
                return OPAQUE if computed else Script()
            case "find":
                return self._find(words, command)
        if program in listed("sourcing"):
            files = [word for word in words[1:] if not patterns("known_sources").search(word)]
            if files or len(words) < 2:
                return OPAQUE
            return merge(self._written_file(word) for word in words[1:])
        if any(word[:2] in grouped("running_builtins").get(program, ()) for word in words[1:]):
            return OPAQUE
        return self._program(words, command)

    def _program(self, words: Sequence[str], command: Command) -> Script:
        program, text = words[0], "" if command.file_read else self._read_text(command)
        act = parse_act(program, words[1:], command.written)
        act.texts = [each for each in (text, *(value for _, value in command.assigned)) if each]
        act.texts += [
            text
            for word in words[1:]
            for text in self._written_texts(word)
            if not COMPUTED.search(text)
        ]
        act.variables = {name for name, _ in command.assigned}
        known = (value for name in command.expanded for value in self._parsed.values.get(name, ()))
        act.expanded = command.expanded.difference(act.variables).union(known)
        act.read = [*command.read, *_shown_files(command.source)]
        act.path = command.words[0]
        parts = [Script((act,))]
        if program == "git":
            parts += self._git_settings(words)
        elif program not in listed("texts") | {"cat"} and any(
            ".git/" in each for each in (*words, *command.written)
        ):
            parts.append(Script(unsafe=frozenset(("git",))))
        if "/" in words[0] or "/" in command.words[0]:
            parts.append(self._written_file(command.words[0]))
        names = {act.program, act.call}
        options = {part for word in words for part in (word[:2], word.partition("=")[0])}
        runs_option = any(runs_words(program, each) for each in options if each[:1] == "-")
        quiet = program in listed("silent") or (
            not names.isdisjoint(listed("texts")) and not runs_option
        )
        if not quiet or self._runs_written(command):
            unused = program in listed("writing") and not self._runs_written(command)
            fed = [text] if text and text != MANY and not unused else []
            fed += [printed(command)] if program in ("echo", "printf") else []
            codes = tuple(fed) if command.written else ()
            parts.append(Script(calls=([*command.words, *fed], words), codes=codes))
            parts += self._scripts_in([*words, *fed])
        if program in listed("runners") and (
            any((MANY in word and word[:2] != "-j") or word == ONE for word in words[1:])
            or MANY in text
        ):
            parts.append(OPAQUE)
        return merge(parts)

    def _scripts_in(self, words: Sequence[str]) -> Iterator[Script]:
        """Read the words of a call that may be scripts, as `ssh` and many other programs run them.

        That they cannot be read says nothing: most are no scripts, unless the program runs them.
        """
        runs = words[0] in listed("runners") or "alias" in words
        places = [
            at
            for at, (before, word) in enumerate(pairwise(words), start=1)
            if _MAY_BE_SCRIPT.search(word)
            and listed("text_options").isdisjoint((before, word.partition("=")[0]))
        ]
        texts = [_OPTION_VALUE.sub("", words[at]) for at in places[:_MAX_SCRIPTS]]
        if places and len(words) > places[0] + 1:
            texts.append(" ".join(words[places[0] :]))
        if "alias" in words:
            texts += [f"{words[0]} {text}" for text in texts]
        runs_statements = words[0] in listed("with_statements")
        for text in texts:
            if runs_statements and tells(text):
                continue
            found = self._script(text)
            yield replace(guess(found), opaque=found.opaque and runs)
        if len(places) > _MAX_SCRIPTS:
            yield OPAQUE

    def _runs_written(self, command: Command) -> bool:
        """Return whether another command may run what this one writes."""
        written = [*command.written, *(command.words[1:] if command.words[:1] == ["tee"] else ())]
        if not written or all(each.startswith("/dev/") for each in written):
            return False
        names = {canonical(each.words[0]) for each in self._parsed.commands if each.words}
        harmless = listed("silent") | listed("texts") | listed("writing")
        return bool(names - harmless) or any(".git/" in each for each in written)

    def _written_file(self, file: str) -> Script:
        """Read a file that another command of the script writes."""
        texts = self._written_texts(file)
        return merge(OPAQUE if COMPUTED.search(text) else self._script(text) for text in texts)

    def _written_texts(self, file: str) -> Iterator[str]:
        """Yield what the other commands of the script write to a file."""
        name = posixpath.basename(file)
        for other in self._parsed.commands:
            if name in {posixpath.basename(each) for each in other.written}:
                yield printed(other)
            elif other.words and canonical(other.words[0]) in listed("producing"):
                mentions = {re.split("[/=]", word)[-1] for word in other.words[1:]}
                yield from [MANY] if name in mentions else []

    def _git_settings(self, words: Sequence[str]) -> Iterator[Script]:
        """Read the settings of `git -c KEY=VALUE` and `git config KEY VALUE`."""
        given = [after for before, after in pairwise(words) if before == "-c"]
        given += [word[2:] for word in words if word[:2] == "-c" and "=" in word]
        if words[1:2] == ["config"] and not {"--get", "--list", "-l", "--unset"} & set(words):
            rest = [word for word in words[2:] if word[:1] != "-" and word != "set"]
            given += ["=".join(rest[:2])] if len(rest) > 1 else []
        if any(word.startswith(("--config-env", "--exec-path=")) for word in words):
            given.append("")
        for each in given:
            key, _, value = each.partition("=")
            if key.startswith("alias."):
                yield self._script(value[1:] if value[:1] == "!" else f"git {value}")
            elif not patterns("safe_settings").fullmatch(each.casefold()):
                computed = bool(COMPUTED.search(each))
                yield Script(opaque=computed, unsafe=frozenset(("git",)))
                yield from self._scripts_in(["", value])

    def _eval(self, text: str, command: Command) -> Script:
        if COMPUTED.search(text):
            names = [" ".join(each.words[:1]) for each in command.inner]
            known = is_hole(text) and len(names) == 1 and names[0] not in self._parsed.functions
            lines = " ".join(word for each in command.inner for word in each.words)
            settings = patterns("prints_settings").fullmatch(lines)
            return Script() if known and settings and not self._aliases else OPAQUE
        return self._script(text)

    def _find(self, words: Sequence[str], command: Command) -> Script:
        """Read a call of `find`, and the commands that it runs for each file."""
        files = found_files(words)
        if sum(word in listed("find_runs") for word in words) > _DEEPEST:
            return OPAQUE
        parts = [Script((parse_act("find", words[1:], command.written),), calls=(words,))]
        if "-delete" in words:
            removed = parse_act("rm", ["-rf", files], ())
            parts.append(Script(possible=(removed,)))
        for at, word in enumerate(words):
            if word in listed("find_runs"):
                rest = [each.replace("{}", files) for each in words[at + 1 :]]
                end = next((n for n, each in enumerate(rest) if each in (";", "+")), len(rest))
                parts.append(self.read(Command(words=rest[:end])))
        return merge(parts)

    def _shell(self, words: Sequence[str], command: Command) -> Script:
        """Read the script of `bash -c SCRIPT`, or of its standard input. A file is a target."""
        act = Script((parse_act(words[0], words[1:], command.written),), calls=(words,))
        if any(MANY in word for word in words):
            return OPAQUE
        for place, word in enumerate(words[1:], start=1):
            name, given, value = word.partition("=")
            if name == "--command" and given:
                return self._script(value)
            if re.fullmatch(r"-[A-Za-z]*c[A-Za-z]*|--command", word):
                rest = [each for each in words[place + 1 :] if each[:1] not in "-+"]
                return merge([act, self._script(rest[0])]) if rest else OPAQUE
            if re.match(r"-c\W|-c\w+\s", word):  # su -c'npm publish'
                return self._script(word[2:])
        files = [word for word in words[1:] if word[:1] not in "-+" and not is_standard_input(word)]
        users = words[0] in listed("user_shells")
        if files and not users and not any(re.fullmatch(r"-\w*s\w*", word) for word in words[1:]):
            return merge([act, self._written_file(files[0])])
        inner = self._scripts_in(words) if users else ()
        calls = Script(calls=(words,) if users else ())
        return merge([calls, *inner, self._standard_input(command)])

    def _standard_input(self, command: Command) -> Script:
        text = self._read_text(command)
        return OPAQUE if COMPUTED.search(text) else self._script(text)

    def _interpreter(self, words: Sequence[str], command: Command) -> Script:
        """Read a call of `python` and the like: a module, code, or a file."""
        program, inline = words[0], grouped("interpreters")[words[0]]
        module = python_module(words) if program == "python" else []
        if module:
            return self._call(module, command)
        codes = list(inline_codes(words, inline))
        if program in MARKS:
            codes += command.texts
        files = [word for word in words[1:] if word[:1] != "-"]
        if not codes and (not files or is_standard_input(files[0])):
            text = self._read_text(command)
            codes = [text] if text else []
            if MANY in text:
                return OPAQUE
        if not codes and files:
            codes = list(self._written_texts(files[0]))
            if MANY in codes:
                return OPAQUE
        if not codes:
            return self._program(words, command)
        act = Script((parse_act(program, words[1:], command.written),))
        runs = program in listed("running_languages") or any(
            patterns(MARKS.get(program, "running_code")).search(code) for code in codes
        )
        runs = runs or any(COMPUTED.fullmatch(code) for code in codes)
        if program in MARKS and not runs:
            return act  # it only writes
        fed = " ".join(command.source.words) if command.source else ""
        codes = [f"{code} {fed}" for code in codes]
        return replace(act, opaque=runs, codes=tuple(codes), calls=(words,))


def _shown_files(source: Command | None) -> Iterator[str]:
    """Yield the files that are read before a pipe: `cat FILE | PROGRAM`."""
    if source is not None and source.words[:1] == ["cat"]:
        yield from (word for word in source.words[1:] if word[:1] != "-")


def _packages(words: Sequence[str]) -> Iterator[str]:
    """Yield the packages that `npx -p PACKAGE` fetches."""
    for before, word in pairwise(words):
        if before in ("-p", "--package"):
            yield word
        elif word.startswith("--package="):
            yield word.partition("=")[2]
