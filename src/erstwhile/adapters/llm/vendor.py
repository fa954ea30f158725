"""Base class of language models behind a vendor's package, which is loaded on first use.

Each call has a client of its own. That costs 30 milliseconds, while an answer takes seconds, and
leaves no connection that a fork would share. The key is read for each call and never stored.
"""

from __future__ import annotations

import os
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from threading import Thread
from typing import Any, ClassVar, TypeVar
from urllib.parse import parse_qsl

from erstwhile.adapters.http_client import check_address, is_loopback, url_for_messages
from erstwhile.adapters.llm.failures import (
    StopReason,
    complaint,
    is_too_long,
    too_slow,
    translated,
    was_cancelled,
)
from erstwhile.adapters.tokenizers import EstimatingTokenizer
from erstwhile.core.errors import InvalidInputError, LlmError
from erstwhile.core.ports import MAX_TOKENS, Completion, Prompt, Tokens

TIMEOUT = 120.0
"""Seconds for one answer. A small model on a small machine may need most of them."""
_CHECK_EVERY = 0.1
"""Seconds between two checks whether the call was cancelled."""
_NO_KEY = "none"
"""The key for a local server that needs no key: the packages require one."""
_NO_PROXY = dict.fromkeys(("all://", "http://", "https://"))
"""No proxy, even if the environment names one."""
Result = TypeVar("Result")


class VendorLlm(ABC):
    """A language model that is called through its vendor's package."""

    _vendor: ClassVar[Vendor]
    _refusable: ClassVar[Mapping[str, re.Pattern[str]]]
    """The optional parameters, with the words by which servers refuse them."""
    _endings: ClassVar[Mapping[str, StopReason]]
    """The words by which servers name a stop reason, in lower case."""

    def __init__(self, model: str, base_url: str = "", timeout: float = TIMEOUT) -> None:
        if not model.strip():
            raise InvalidInputError("the model's name is blank", remedy="give it after the colon")
        self.model = model
        self._server = Server(self._vendor, base_url, timeout)
        self._refusals = Refusals(self._refusable)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.model} at {self._server.place}>"

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        def question(client: Any) -> Completion:
            answer = self._refusals.ask(partial(self._arguments, prompt), self._create(client))
            completion, ending = self._parse_answer(answer)
            return self._check_complete(_with_tokens(completion, prompt), ending)

        return self._server.ask(question, cancelled)

    def _check_complete(self, completion: Completion, ending: object) -> Completion:
        """Return the answer. Raise LlmError if it is empty or incomplete."""
        reason = self._endings.get(str(ending).lower())
        if reason is None and not completion.text.strip():
            reason = StopReason.EMPTY
        if reason is not None:
            raise reason.error(self._server.place, completion.tokens)
        return completion

    @abstractmethod
    def _create(self, client: Any) -> Callable[..., Any]:
        """Return the method of the vendor's client that creates an answer."""

    @abstractmethod
    def _arguments(self, prompt: Prompt, refused: frozenset[str]) -> dict[str, Any]:
        """Return the arguments of that method, without the refused ones."""

    @abstractmethod
    def _parse_answer(self, answer: Any) -> tuple[Completion, object]:
        """Return the completion, and the server's word for its stop reason."""


def token_count(usage: object, name: str) -> int:
    """Return a count that a server gives; 0 if it is missing or impossible."""
    value = getattr(usage, name, None)
    if isinstance(value, bool) or not isinstance(value, int):
        return 0
    return value if 0 <= value <= MAX_TOKENS else 0


def _with_tokens(completion: Completion, prompt: Prompt) -> Completion:
    """Estimate the tokens if the server counts none: a limit must hold there, too."""
    if completion.tokens != Tokens():
        return completion
    count = EstimatingTokenizer().count
    return replace(
        completion, input=count(prompt.system) + count(prompt.user), output=count(completion.text)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor:
    """The package of a vendor, and the environment variables that it reads."""

    package: str
    client: str
    key_variable: str
    url_variable: str
    home: str
    adds: tuple[str, ...]
    """Paths that the package appends to an address. A user may have written one already."""


class Server:
    """The address of one server, and the way to call it."""

    def __init__(self, vendor: Vendor, base_url: str, timeout: float) -> None:
        if not 0 < timeout <= 3600:
            raise InvalidInputError("timeout must lie between 0 and 3600 seconds")
        url = check_address(base_url or os.environ.get(vendor.url_variable) or vendor.home, "")
        ending = next((each for each in vendor.adds if url.path.endswith(each)), "")
        url = url._replace(path=url.path.removesuffix(ending))
        self.place = url_for_messages(url)
        self.is_home = self.place == vendor.home
        self._is_local = is_loopback(url.hostname or "")
        self._url = url
        self._vendor = vendor
        self._timeout = timeout
        if find_spec(vendor.package) is None:
            raise self._not_installed()
        self._key()

    def ask(self, question: Callable[[Any], Result], cancelled: Callable[[], bool]) -> Result:
        """Return the result of `question` for a client. Raise every failure as an LlmError."""
        sdk = self._sdk()

        def work() -> Result:
            try:
                with self._client(sdk) as client:
                    return question(client)
            except Exception as error:  # the packages have no common base class
                raise translated(error, sdk, place=self.place, timeout=self._timeout) from None

        return run_cancellable(work, cancelled, self._timeout)

    def _client(self, sdk: Any) -> Any:
        # We retry ourselves. A redirect could send the prompt anywhere, and so could a proxy, which
        # a local server does not need.
        http = sdk.DefaultHttpxClient(
            follow_redirects=False,
            timeout=self._timeout,
            mounts=_NO_PROXY if self._is_local else {},
        )
        return getattr(sdk, self._vendor.client)(
            api_key=self._key(),
            base_url=self.place,
            default_query=dict(parse_qsl(self._url.query)),
            timeout=self._timeout,
            max_retries=0,
            http_client=http,
        )

    def _key(self) -> str:
        key = os.environ.get(self._vendor.key_variable, "").strip()
        if not key and self._is_local:
            return _NO_KEY
        if not (key and key.isascii() and key.isprintable()):
            raise LlmError(
                f"there is no usable key for {self.place}",
                remedy=f"set {self._vendor.key_variable}, to any word if the server asks for none",
                retryable=False,
            )
        return key

    def _sdk(self) -> Any:
        try:
            return import_module(self._vendor.package)
        except ImportError:
            raise self._not_installed() from None

    def _not_installed(self) -> LlmError:
        package = self._vendor.package
        return LlmError(
            f"the package {package} is not installed, or cannot be loaded",
            remedy=f'pip install "erstwhile[{package}]"',
            retryable=False,
        )


def sendable(text: str) -> str:
    """Replace the characters that cannot be encoded."""
    return text.encode("utf-8", "replace").decode("utf-8")


class Refusals:
    """The parameters that one model at one server has refused so far.

    Compatible servers differ in the parameters that they support, and so do the models of one
    vendor. They cannot be asked for the list, so the first call has all parameters. A parameter
    counts as refused only if the same call succeeds without it.
    """

    def __init__(self, patterns: Mapping[str, re.Pattern[str]]) -> None:
        """Take a pattern per optional parameter: the words by which servers refuse it."""
        self._patterns = patterns
        self._known: frozenset[str] = frozenset()

    def ask(
        self, build: Callable[[frozenset[str]], dict[str, Any]], send: Callable[..., Result]
    ) -> Result:
        """Send the arguments from `build`, leaving out parameters until none is refused."""
        refused = self._known
        while True:
            arguments = build(refused)
            try:
                answer = send(**arguments)
            except Exception as error:
                name = self._refused(error, arguments)
                if name is None:
                    raise
                refused |= {name}
            else:
                self._known |= refused
                return answer

    def _refused(self, error: Any, arguments: Mapping[str, Any]) -> str | None:
        """Return the parameter that the server names first in its error."""
        if getattr(error, "status_code", None) not in (400, 422) or is_too_long(error):
            return None
        param = getattr(error, "param", None)
        text = param if isinstance(param, str) and param else complaint(error)
        found = [
            (match.start(), name)
            for name, pattern in self._patterns.items()
            if name in arguments and (match := pattern.search(text))
        ]
        return min(found)[1] if found else None


def run_cancellable(
    call: Callable[[], Result], cancelled: Callable[[], bool], longest: float
) -> Result:
    """Return the result of a call. Raise LlmError if it takes too long or is `cancelled`.

    The call runs on a thread of its own. If it is cancelled, the thread continues until the server
    answers or the connection times out, and the answer is lost.
    """
    future: Future[Result] = Future()
    thread = Thread(target=_fulfil, args=(future, call), name="erstwhile-llm", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # too many threads, or the program is about to end
        raise LlmError("no thread can be started to ask the language model") from None
    deadline = time.monotonic() + longest
    while not future.done():
        left = deadline - time.monotonic()
        if left <= 0:
            raise too_slow(longest)
        if cancelled():
            raise was_cancelled()
        wait([future], timeout=min(left, _CHECK_EVERY))
    return future.result()


def _fulfil(future: Future[Result], call: Callable[[], Result]) -> None:
    try:
        future.set_result(call())
    except BaseException as error:  # the waiting thread raises it
        future.set_exception(error)
