"""Every verb that reads, on every surface: all answers are those of Python.

The surfaces are `AsyncMemory`, the client of a server, plain HTTP, and the command line with JSON.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any, TypeAlias, get_origin
from urllib.parse import quote, urlencode

import click
import pytest
from click.testing import CliRunner

from erstwhile import AsyncMemory, DecisionRequest, Memory
from erstwhile.cli.app import app
from erstwhile.cli.call import Call
from erstwhile.cli.command_data import CommandData, group_data, is_group, summaries, top_command
from erstwhile.cli.verb_commands import verb_command
from erstwhile.core.errors import ErstwhileError, InvalidInputError
from erstwhile.core.json_values import SINGLE
from erstwhile.core.public_record import to_json
from erstwhile.core.results import Page
from erstwhile.core.time import moment_asked
from erstwhile.rpc.codec import encode_argument
from erstwhile.rpc.verbs import Verb, verbs
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, unchanged
from tests.contracts.storage.whole_life import live
from tests.servers.http_server import HttpServers

Answer: TypeAlias = "tuple[str, Any]"
"""The word "ok" and a JSON value, or the code of an error and its message."""
READING = [verb for verb in verbs().values() if verb.reads]
LISTING = [verb for verb in READING if get_origin(verb.result) is Page]
LIMITS = (1, 19, 20, 21, 100, 1_000)
"""Around the sizes in which a server reads a long page."""
EARLIER, LATER = "2026-03-01T13:00:00Z", "2026-03-02"
UNKNOWN = "00000000-0000-7000-8000-000000000000"
REQUEST = DecisionRequest(goal="Nemo", tool="Bash", input={"command": "echo Nemo"})
VALUES: Mapping[str, Sequence[Any]] = {
    **dict.fromkeys(("since", "until", "as_of", "due_by"), (EARLIER, LATER, "yesterday")),
    "known_at": (EARLIER, LATER, "rubbish"),
    "now": (EARLIER, LATER, "rubbish"),
    **dict.fromkeys(("deleted", "settled", "ended", "unfinished", "partial"), (True, False)),
    **dict.fromkeys(("graph", "recent", "include_retired", "explain", "fill"), (True,)),
    "limit": (0, *LIMITS),
    "cursor": ("rubbish", ""),
    "kind": ("fact", "state", ["fact", "profile"]),
    "state": ("live", "retired", "upcoming", "quarantined", "any", "deleted"),
    "tag": ("tag nemo", "even"),
    "entity": ("Nemo", "alias of Nemo", "nobody"),
    "key": ("home/Nemo", "nothing"),
    "metadata": ({"Nemo": "Nemo"}, {"number": 3}),
    "contains": ("NEMO", "100%"),
    "exclude": (UNKNOWN,),
    "among": ("all", ["facts", "messages"]),
    "floor": (0.0, 1.0),
    "tokens": (100, 4_000),
    "needs": (["facts", "blocks"],),
    "channel": ("long", "closed", "nothing"),
    "language": ("de",),
    "overflow": ("drop",),
    "outcome": ("learned",),
    "version": (1, 9),
    "from_version": (1,),
    "to_version": (1, 2),
    "other": ("later", "nothing"),
    **dict.fromkeys(("goal", "model", "domain", "prefix", "session"), ("Nemo", "run")),
    "tool": ("Bash",),
    "choice": ("deny",),
    "decided_by": ("person",),
    "namespace": ("global",),
    "denials": (1,),
    "share": (0.1,),
    "status": ("open", "closed", "active", "failed"),
    "role": ("user",),
    "type": ("reminder", "discovery"),
    "score": (1,),
    "by": ("day", "model"),
    "action": ("remember",),
    "query": ("where does Nemo live?", "number 3"),
    "text": ("Nemo has retired", "Nemo lives in the hills", "Nemo"),
    "person": ("Nemo",),
    "request": (REQUEST,),
    "run": ("run of Nemo", "nothing"),
    "phase": ("Nemo",),
}
"""Values of parameters, besides ids and names, by their name."""
NAMES = {
    "blocks": ("notes/Nemo", "gone/Nemo", "nothing"),
    "snapshots": ("before Nemo", "nothing"),
    "entities": ("Nemo", "alias of Nemo", "nothing"),
    "identities": ("mail:nemo", "nothing"),
}
OWN_OUTPUT = ("decisions.export",)
"""Verbs whose command prints lines for a file."""


def fill(memory: Memory, clock: FakeClock) -> None:
    """Store a life in every table, and enough of some records for several pages."""
    live(memory, "Nemo")
    said = [{"role": "user", "content": f"Nemo says number {n}"} for n in range(150)]
    memory.conversations.add_many(said, channel="long")
    many = [{"text": f"Nemo counts number {n}", "metadata": {"number": n}} for n in range(45)]
    memory.remember_many(
        {**each, "tags": ["even"]} if n % 2 else each for n, each in enumerate(many)
    )
    memory.remember("Nemo is on holiday", kind="state", expires_at="in 3 hours")
    memory.remember("Nemo will move", valid_from="in 30 days")
    clock.advance(days=1)
    memory.facts.set("home/Nemo", "a reef")
    memory.facts.delete(memory.facts.find("Nemo counts number 7").id)
    memory.snapshots.create("later")
    for number in range(22):
        memory.tasks.add(f"Feed fish {number}", due=f"in {number + 1} hours")
        memory.decisions.record(memory.decisions.list(limit=1)[0].__class__(
            goal="Nemo", tool="Bash", input={"n": number}, choice="observe", key=f"k{number}"
        ))  # fmt: skip
    clock.advance(days=1)


class Surfaces:
    """One memory, and the ways to ask it."""

    def __init__(self, view: Memory, servers: HttpServers) -> None:
        self.view = view
        self._servers, self._token = servers, servers.token(view)
        self._client = servers.client(view)

    def all(self) -> Mapping[str, Callable[[Verb, Mapping[str, Any]], Answer | None]]:
        return {
            "asyncio": self._asyncio,
            "client": lambda verb, given: answer(verb, self._client, given),
            "HTTP": self.http,
            "command line": self._command_line,
        }

    def _asyncio(self, verb: Verb, given: Mapping[str, Any]) -> Answer:
        async def ask() -> Any:
            memory: Any = AsyncMemory(self.view)
            return await verb.call(memory, given)

        return result(lambda: asyncio.run(ask()), given)

    def http(self, verb: Verb, given: Mapping[str, Any]) -> Answer:
        sent = {name: encode_argument(value) for name, value in given.items()}
        parts = [quote(sent.pop(p[1:-1]), "") if p[0] == "{" else p for p in verb.route]
        query = "" if verb.has_body else f"?{urlencode(list(_query(sent)))}"
        body = sent if verb.has_body else None
        path = f"/{'/'.join(parts)}{query}"
        found = self._servers.ask(verb.method, path, None, body, token=self._token)
        return ("ok", found.json) if found.status == 200 else _error(found.json, "detail")

    def _command_line(self, verb: Verb, given: Mapping[str, Any]) -> Answer | None:
        """Return None if the command has not these options, or checks them in its own words."""
        data = COMMANDS.get(verb.name)
        words = None if data is None else command_words(data, given)
        if data is None or words is None or verb.name in OWN_OUTPUT:
            return None
        ended = CliRunner().invoke(app, ["--json", *words])
        if ended.exit_code:
            told = json.loads(ended.stderr)
            is_own = told["error"] == "usage" or data.missing
            return None if is_own else _error({**told, "code": told["error"]}, "message")
        found = json.loads(ended.stdout)
        for name, source in data.fields.items():
            found = found[name] if source == "result" else found
        if verb.name == "stats":
            found["location"] = None
        is_page = get_origin(verb.result) in (list, tuple) and isinstance(found, dict)
        return "ok", found["items"] if is_page else found


def result(ask: Callable[[], Any], given: Mapping[str, Any]) -> Answer:
    """Return what a call returns or raises."""
    try:
        value = ask()
    except ErstwhileError as error:
        return error.code, error.message
    return "ok", json.loads(json.dumps(to_json(value, moment_asked(given))))


def answer(verb: Verb, memory: Memory, given: Mapping[str, Any]) -> Answer:
    return result(lambda: verb.call(memory, given), given)


def _error(told: Mapping[str, Any], name: str) -> Answer:
    return told["code"], told[name]


def _query(sent: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in sent.items():
        for each in value if isinstance(value, list) else [value]:
            is_text = isinstance(each, str)
            yield name, each if is_text else json.dumps(each)


def _commands() -> dict[str, CommandData]:
    named = [
        group_data(name).commands.values() if is_group(name) else [top_command(name)]
        for name in summaries()
    ]
    every = [each for several in named for each in several if not each.without_verb]
    return {each.verb_name: each for each in reversed(every)}


COMMANDS = _commands()


def command_words(data: CommandData, given: Mapping[str, Any]) -> list[str] | None:
    """Return the words of a command with these arguments, or None if it has not all of them."""
    parameters = {each.name: each for each in verb_command(data).params}
    options, arguments = list[str](), list[str]()
    for name, value in given.items():
        each = parameters.get(name)
        if each is None or value is False or not isinstance(value, (*SINGLE, list)):
            return None
        texts = [str(part) for part in (value if isinstance(value, list) else [value])]
        if isinstance(each, click.Argument):
            arguments += texts
        elif isinstance(each, click.Option) and each.is_flag:
            options.append(each.opts[0])
        else:
            options += [f"{each.opts[0]}={text}" for text in texts]
    group = [data.group] if data.group else []
    return [*group, data.name, *options, "--", *arguments]


def choices(memory: Memory, verb: Verb) -> Iterator[dict[str, Any]]:
    """Yield arguments: each value of each parameter, besides one of each required parameter."""
    known = {**VALUES, **_records(memory, verb)}
    required = [name for name, each in verb.parameters.items() if each.required]
    first = [
        dict(zip(required, each, strict=True))
        for each in product(*(known[each] for each in required))
    ]
    yield from first
    for name in verb.parameters.keys() - required:
        yield from ({**first[0], name: value} for value in known[name])


def _records(memory: Memory, verb: Verb) -> dict[str, Sequence[str]]:
    """Return the ids and names of records that a verb may be asked about."""
    talks = [each.id for each in memory.conversations.list(limit=3)]
    found: dict[str, Sequence[str]] = {
        "conversation": talks,
        "name": NAMES.get(verb.collection, ()),
    }
    if verb.name == "conversations.message":
        ids = [each.id for each in memory.conversations.messages(talks[0], limit=1)]
    elif verb.name.startswith("conversations"):
        ids = talks
    else:
        owner = getattr(memory, verb.collection) if verb.collection else memory.facts
        ids = [each.id for each in owner.list(limit=2)] if "id" in verb.parameters else []
    return {**found, "id": [*ids, UNKNOWN], "subject": [memory.facts.list(limit=1)[0].id]}


def _lasting(found: Answer | None) -> Answer | None:
    """Return an answer without the size of the store, which a server changes when it tidies up."""
    match found:
        case (code, {"bytes": _, **rest}):
            return code, rest
    return found


class SurfacesContract(Contract):
    @pytest.fixture
    def asked(
        self, memory: Memory, clock: FakeClock, servers: HttpServers,
        monkeypatch: pytest.MonkeyPatch,
    ) -> Iterator[Surfaces]:  # fmt: skip
        memory.identities.link("mail:nemo", "Nemo")
        fill(memory, clock)
        monkeypatch.setattr(Call, "store", property(lambda _call: memory))
        monkeypatch.setenv("ERSTWHILE_DB", ":memory:")
        yield Surfaces(memory, servers)
        servers.forget()

    def test_every_surface_answers_as_python(self, asked: Surfaces) -> None:
        for verb in READING:
            for given in choices(asked.view, verb):
                expected = _lasting(answer(verb, asked.view, given))
                for surface, ask in asked.all().items():
                    found = _lasting(ask(verb, given))
                    assert found in (None, expected), (surface, verb.name, given)

    def test_pages_are_the_parts_of_a_long_page(self, asked: Surfaces) -> None:
        for verb in LISTING:
            [required, *_] = choices(asked.view, verb)
            for ask, limit in product(
                (partial(answer, verb, asked.view), partial(asked.http, verb)), (7, 21)
            ):
                _, whole = ask({**required, "limit": 1_000})
                parts = list[Any]()
                cursor: dict[str, str] | None = {}
                while cursor is not None:
                    _, page = ask({**required, "limit": limit, **cursor})
                    items = page["items"]
                    parts = items + parts if "ascending" in verb.marks else parts + items
                    cursor = {"cursor": page["next"]} if page["next"] else None
                assert parts == whole["items"], (verb.name, limit)

    def test_the_states_of_facts_are_those_that_were_asked_for(self, asked: Surfaces) -> None:
        """Also of facts that were deleted, or ended, after the time in question."""
        listing, recalling = verbs()["facts.list"], verbs()["recall"]
        times = ({"known_at": LATER}, {"as_of": LATER}, {"as_of": EARLIER, "known_at": LATER})
        states = ("live", "retired", "upcoming", "quarantined")
        filters: list[dict[str, Any]] = [{"deleted": True}, *({"state": each} for each in states)]
        for when, wanted in product(times, filters):
            _, page = asked.http(listing, {**when, **wanted})
            state = wanted.get("state", "deleted")
            assert {each["state"] for each in page["items"]} <= {state}, (when, wanted)
        for name in ("now", "as_of", "known_at"):
            _, hits = asked.http(recalling, {"query": "Nemo on holiday", name: EARLIER})
            assert {each["record"]["state"] for each in hits["hits"]} == {"live"}, name

    def test_a_flag_is_a_bool_and_nothing_required_is_none(self, asked: Surfaces) -> None:
        """The text "false" would count as true: a preview would destroy, an agent be a person."""
        with unchanged(asked.view):
            for verb in verbs().values():
                needed = {name: "x" for name, each in verb.parameters.items() if each.required}
                for name, each in verb.parameters.items():
                    is_flag = each.hint is bool
                    wrong: list[Any] = ["false", 0, []] if is_flag else []
                    wrong += [None] if is_flag and each.default is not None else []
                    wrong += [None] if each.required and each.hint is str else []
                    for value in wrong:
                        with pytest.raises(InvalidInputError, match=name):
                            verb.call(asked.view, {**needed, name: value})
            with pytest.raises(InvalidInputError, match="person"):
                asked.view.acting_as("bot", person="false")  # type: ignore[arg-type]
