"""The command line starts fast, and every command has help."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

import erstwhile
from erstwhile.cli.app import app
from erstwhile.cli.command_data import group_data, is_group, panels, summaries, top_command
from erstwhile.cli.options import global_options_first
from erstwhile.rpc.verbs import describe_parameter, verbs
from tests.cli.conftest import Cli
from tests.loaded_modules import loaded


def _commands(
    command: click.Command, *path: str
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for name, each in command.commands.items():
            yield from _commands(each, *path, name)


COMMANDS = dict(_commands(app))


WITHOUT_COMMAND = {
    "remember_many": "`remember -`",
    "why_not": "`recall --why-not`",
    "ping": "`doctor` checks that the store can be written",
    "flush": "a command waits for its own work",
    "observe": "`import --from conversations --learn`",
    "observe_turn": "`conversations exchange`, then `learn`",
    "conversations.get": "`conversations show` also shows the messages",
    "conversations.add_many": "`import --from conversations`",
    "profile.set_language": "`profile language --set`",
    "profile.notice_language": "`profile language --notice`",
}
"""The verbs without a command of their own, and what to use instead."""
CREATING = {
    "init", "install", "chat", "remember", "import", "mcp", "serve", "facts set", "blocks add",
    "decisions record",
    "conversations start", "conversations add", "conversations exchange", "sessions set",
    "identities link", "tasks add", "checkpoints plan", "checkpoints start", "checkpoints record",
    "outcomes add", "lessons add", "observations add", "limitations add", "usage record",
    "onboarding next", "snapshots create",
}  # fmt: skip
"""The commands that store something new. Another command creates no memory."""
DATA = {name: top_command(name) for name in summaries() if not is_group(name)} | {
    f"{group} {name}": command
    for group in filter(is_group, summaries())
    for name, command in group_data(group).commands.items()
}


def _examples(text: str) -> list[str]:
    block = text.partition("Examples:\n")[2].partition("\n\n")[0]
    lines = block.replace("\\\n", "").splitlines()
    return [line.strip() for line in lines if line.strip().startswith("erstwhile ")]


def test_help_loads_nothing_heavy() -> None:
    code = """
import contextlib, io
from erstwhile.cli.start import main
import sys
sys.argv = ["erstwhile", "--help"]
with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.suppress(SystemExit):
    main()
assert "Usage: erstwhile" in said.getvalue()
assert "erstwhile.memory" not in sys.modules
assert not [name for name in sys.modules if name.startswith("erstwhile.cli.commands.")]
"""
    names = loaded(code)
    assert "click" in names
    assert not names & {"rich", "apsw", "platformdirs", "dateutil", "numpy"}


def test_importing_erstwhile_loads_nothing_heavy() -> None:
    names = loaded("import erstwhile")
    assert {name for name in names if name.startswith("erstwhile")} == {
        "erstwhile",
        "erstwhile.lazy_names",
    }
    assert not names & {"apsw", "click", "rich", "numpy", "platformdirs", "dateutil", "dataclasses"}


def test_a_command_loads_itself_and_no_other() -> None:
    code = """
import contextlib, sys
from erstwhile.cli.start import main
sys.argv = ["erstwhile", "--db", ":memory:", "--json", "facts", "list"]
with contextlib.suppress(SystemExit):
    main()
"""
    names = loaded(code)
    assert "erstwhile.facts.collection" in names
    assert not [name for name in names if name.startswith("erstwhile.cli.commands.")]
    assert not names & {
        "rich",
        "numpy",
        "erstwhile.cli.views.records",
        "erstwhile.blocks.collection",
    }


def test_each_verb_has_a_command() -> None:
    called = {command.verb_name for command in DATA.values()}
    assert verbs().keys() - called == WITHOUT_COMMAND.keys()


def test_only_commands_that_store_something_new_create_a_memory() -> None:
    assert {name for name, command in DATA.items() if command.creates} == CREATING
    assert {" ".join(path) for path in COMMANDS} >= CREATING


def test_each_parameter_of_a_verb_is_described() -> None:
    for name, verb in verbs().items():
        for parameter in verb.parameters:
            assert describe_parameter(name, parameter).endswith("."), name


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("remember", "--key TEXT Make the fact the only live value of this key."),
        ("remember", "Kind of the fact; a state is temporary."),
        ("recall", "State of the fact; live by default."),
        ("recall", "summaries, or all; facts by default. Repeatable."),
        ("facts list", "State of the fact; live by default."),
        ("facts find", "State of the fact; live by default."),
        ("blocks add", "--description TEXT Purpose of the block."),
        ("blocks add", "--limit TOKENS Limit in tokens; 4096 by default."),
        ("blocks update", "--expected-version N "),
        ("blocks prune", "--keep N "),
        ("conflicts settle", "--keep FACT Id of the fact that stays; both stay by default."),
        ("conversations list", "--channel NAME "),
        ("outcomes add", "--source NAME "),
        ("tasks add", "] Type of the task; reminder by default."),
        ("tasks list", "] Type of the task. "),
        ("tasks claim-due", "] Type of the task. "),
    ],
)
def test_the_help_of_an_option_says_what_it_does(command: str, option: str, cli: Cli) -> None:
    assert option in " ".join(cli(*command.split(), "--help").out.split())


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_an_example(path: tuple[str, ...], cli: Cli) -> None:
    ended = cli(*path, "-h")
    assert ended.code == 0
    assert f"Usage: {' '.join(('erstwhile', *path))}" in ended.out
    assert cli(*path, "--help") == ended
    examples = _examples(ended.out)
    assert examples
    assert [line for line in ended.out.splitlines() if len(line) > 80 and "[" not in line] == []
    for example in examples:
        typed = re.split(" [<>] ", example)[0]
        words = global_options_first(app, shlex.split(typed)[1:])
        assert _parsed(app, words)[: len(path)] == path


def _parsed(
    command: click.Command, words: list[str], parent: click.Context | None = None
) -> tuple[str, ...]:
    """Return the path to the command that the words call. Raise a usage error if none."""
    with command.make_context(command.name, list(words), parent) as context:
        if not isinstance(command, click.Group):
            return ()
        rest = [*getattr(context, "_protected_args", ()), *context.args]
        name, found, rest = command.resolve_command(context, rest)
        assert name
        assert found
        return (name, *_parsed(found, rest, context))


def test_every_command_fits_on_its_line_of_help() -> None:
    """The terminal has 80 columns. A longer summary would be cut."""
    for path, command in COMMANDS.items():
        beside = max(len(other[-1]) for other in COMMANDS if other[:-1] == path[:-1] and other)
        assert not command.get_short_help_str(72 - beside).endswith("..."), path


def test_commands_are_listed_in_the_order_of_their_use(cli: Cli) -> None:
    listed = cli("facts", "--help").out.partition("Commands:\n")[2]
    names = [line.split()[0] for line in listed.splitlines()]
    assert names == [path[1] for path in COMMANDS if path[:1] == ("facts",) and path[1:]]
    assert names != sorted(names)


def test_version(cli: Cli) -> None:
    assert cli("--version").out == f"erstwhile {erstwhile.__version__}\n"


def test_every_group_with_delete_can_list_the_deleted_records() -> None:
    groups = {path[0] for path in COMMANDS if path[1:] == ("delete",)}
    for group in groups:
        listing = COMMANDS[group, "runs" if group == "checkpoints" else "list"]
        assert "--deleted" in {option for each in listing.params for option in each.opts}
        assert {(group, name) for name in ("restore", "purge", "erase")} <= COMMANDS.keys()


def test_the_help_lists_each_command_with_its_own_summary(cli: Cli) -> None:
    told = cli("--help").out
    for name, summary in summaries().items():
        assert summary == COMMANDS[name,].get_short_help_str(100)
        assert re.search(rf"^  {name} +{re.escape(summary)}$", told, re.MULTILINE)
    assert [panel for panel in panels() if f"\n{panel}:\n" not in told] == []
    assert max(map(len, panels().values())) <= 8


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("rec", "recall"),
        ("facts ret", "retire"),
        ("--us", "--user"),
        ("facts list --con", "--contains"),
        ("facts list --us", "--user"),
    ],
)
def test_a_shell_completes_commands_and_options(typed: str, found: str) -> None:
    *before, incomplete = f"erstwhile {typed}".split()
    assert f"plain,{found}" in completed(" ".join(before), incomplete)


def completed(typed: str, incomplete: str = "") -> list[str]:
    """Return what bash gets, in a process of its own."""
    words = [*typed.split(), incomplete]
    found = {"_ERSTWHILE_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(words)}
    environment = os.environ | found | {"COMP_CWORD": str(len(words) - 1)}
    done = subprocess.run(
        [sys.executable, "-m", "erstwhile"], env=environment, capture_output=True, check=True
    )
    return done.stdout.decode().split()


@pytest.mark.parametrize(
    "typed", ["--db", "facts list --db", "import", "restore", "serve --tokens"]
)
def test_a_shell_completes_files(typed: str) -> None:
    assert completed(f"erstwhile {typed}", "a") == ["file,a"]


def test_a_shell_completes_ids_of_the_scope(cli: Cli) -> None:
    mine = cli("--user", "ana", "remember", "Ana likes tea").data["short_id"]
    others = cli("--user", "bob", "remember", "Bob likes tea").data["short_id"]
    assert completed("erstwhile --user ana facts show") == [f"plain,{mine}"]
    assert completed("erstwhile facts show --user ana", mine[:-2]) == [f"plain,{mine}"]
    assert completed("erstwhile facts show --user bob") == [f"plain,{others}"]
    assert completed("erstwhile --user ana facts show", "zzz") == []
    assert completed("erstwhile --db /nowhere/x.db facts show") == []
    talk = cli("--user", "ana", "conversations", "start").data["short_id"]
    assert completed("erstwhile --user ana conversations show") == [f"plain,{talk}"]
    cli("--user", "ana", "blocks", "add", "notes", "x")
    assert completed("erstwhile --user ana blocks show", "n") == ["plain,notes"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_calls_the_command(shell: str, cli: Cli) -> None:
    assert f"_ERSTWHILE_COMPLETE={shell}_complete" in cli("completion", shell).out
