"""The contracts over HTTP: the client of a server, whose memory is on a SQLite file.

Each memory that a contract makes is served, with its models and its clock, and the contract gets a
client of it. Input that is refused before any engine sees it is checked on one engine only. What
storage and search decide runs on a file without a server, in `test_sqlite_file.py`. Each verb is
called here all the same, by the contract about isolation.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from erstwhile.core.ports import Engine
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.memory import Memory
from tests import contracts
from tests.contracts.secrets.masking import SECRETS
from tests.doors.http_server import HttpServers

MAKERS = ("assemble", "embedding_memory")
"""The functions by which contracts make memories."""
_ACTOR = "over HTTP the actor is the holder of the token"
_KEY = "over HTTP the key of each change is stored, too"
_OUTBOX = "the test drains the outbox as a thread of the server does"
_PROGRESS = "a function that follows the progress stays in its process"
_TYPE = "the type of an argument is checked by the server, in other words"
_SEARCH = "the answers travel in the same way, whether words or meaning found them"
_MASKS = "secrets of all kinds are masked in one place; the one with slashes is in paths, too"
_SENT = "of a database"
"""The secret that is sent in every parameter."""
LEFT_OUT = {
    "test_an_administrator_changes_blocks_but_adds_none": _ACTOR,
    "test_the_history_has_the_block_before_and_after_each_change": _ACTOR,
    "test_the_actor_is_named": _ACTOR,
    "test_the_trail_tells_who_erased_and_keeps_no_reason": _ACTOR,
    "test_a_ping_is_a_round_trip_that_leaves_no_record": _KEY,
    "test_trouble_with_the_embedder_costs_nothing_but_meaning": _OUTBOX,
    "test_pauses_grow_while_it_fails": _OUTBOX,
    "test_it_may_say_when_to_try_again": _OUTBOX,
    "test_what_was_added_without_a_wish_is_learned_when_asked_for": _PROGRESS,
    "test_the_new_model_serves_when_it_has_embedded_all": _PROGRESS,
    "test_the_old_model_serves_until_then_and_a_stopped_run_goes_on": _PROGRESS,
    "test_what_comes_in_meanwhile_is_embedded_too": _PROGRESS,
    "test_an_earlier_version_can_be_read": _TYPE,
    "test_a_content_is_text": _TYPE,
    "test_a_line_that_is_not_there_is_refused": _TYPE,
    "test_what_cannot_be_meant_is_refused": _TYPE,
    "test_a_time_that_nobody_can_read_is_refused": _TYPE,
    "test_a_wrong_detail_is_refused": _TYPE,
    "test_one_wrong_item_stores_none_and_is_named": _TYPE,
    "test_what_ana_does_changes_no_answer_to_bob[meaning]": _SEARCH,
    "test_what_bob_does_changes_nothing_of_ana_s[meaning]": _SEARCH,
    "test_bob_cannot_change_what_is_ana_s[meaning]": _SEARCH,
    **{f"test_no_secret_is_stored_or_embedded[{kind}]": _MASKS for kind in {*SECRETS} - {_SENT}},
}
"""The tests that cannot run or need not, and why."""
ABOVE = {
    "context/budget": "the text of a context is packed by pure functions, and takes long to fill",
    "context/summaries": "the tests call the step of a context that has no verb of its own",
    "learning/progress": "the tests call the steps of a learner, which have no verbs of their own",
    "learning/story": "each test tells thirty turns by a verb that the other tests call, too",
}
"""What is decided above the engine, so that neither a file nor a server is needed, and why."""
BELOW = (
    *("conversations/erasing", "decisions/advice", "decisions/precedents", "facts/belief"),
    *("facts/forgetting", "facts/states", "recall/among", "recall/filters", "recall/indexing"),
    *("recall/passages", "storage/atomicity", "storage/clearing", "storage/clock"),
    *("storage/engine", "storage/erasing", "storage/maintaining"),
)
"""What storage and search decide, below the verbs that a server calls."""


@pytest.fixture
def engine(empty_file: Path) -> Iterator[Engine]:
    engine = SqliteEngine(empty_file, synchronous="NORMAL")
    yield engine
    engine.close()


class OverHttp:
    """Puts a server between a contract and each memory that it makes."""

    @pytest.fixture(autouse=True)
    def over_http(
        self,
        servers: HttpServers,
        monkeypatch: pytest.MonkeyPatch,
        request: pytest.FixtureRequest,
    ) -> Iterator[None]:
        for name in (request.node.originalname, request.node.name):
            if name in LEFT_OUT:
                pytest.skip(LEFT_OUT[name])
        for name, module in sys.modules.copy().items():
            if name.startswith("tests.contracts."):
                _put_between(servers, module, monkeypatch)
        yield
        servers.forget()


def _put_between(servers: HttpServers, module: object, monkeypatch: pytest.MonkeyPatch) -> None:
    for maker in MAKERS:
        if make := getattr(module, maker, None):
            monkeypatch.setattr(module, maker, _served(servers, make))
    if hasattr(module, "inside"):
        monkeypatch.setattr(module, "inside", servers.inside)


def _served(servers: HttpServers, make: Callable[..., Memory]) -> Callable[..., Memory]:
    return lambda *args, **kwargs: servers.client(make(*args, **kwargs))


TAKEN = contracts.classes(input_checks=False, without=(*ABOVE, *BELOW))
globals().update(
    {
        name: type(name, (OverHttp, *each.__bases__), dict(vars(each)))
        for name, each in TAKEN.items()
    }
)
