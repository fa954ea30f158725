"""Base class of language models behind a vendor's package, which is loaded on first use.

Each call has a client of its own. That costs 30 milliseconds, while an answer takes seconds, and
leaves no connection that a fork would share. The key is read for each call and never stored.
"""

from __future__ import annotations

import os
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from threading import Thread
from typing import Any, ClassVar, TypeVar
from urllib.parse import parse_qsl

from erstwhile.adapters.http_common import check_address, is_loopback, url_for_messages
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
from erstwhile.core.installing import install_extra
from erstwhile.core.ports import MAX_TOKENS, Completion, Prompt, Tokens
from erstwhile.core.text import sendable

TIMEOUT = 120.0
"""Seconds for one answer. A small model on a small machine may need most of them."""
_CHECK_EVERY = 0.1
"""Seconds between two checks whether the call was cancelled."""
NO_KEY = "none"
"""The key for a local server that needs no key: the packages require one."""
_NO_PROXY = dict.fromkeys(("all://", "http://", "https://"))
"""No proxy, even if the environment names one."""
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor:
    """The package of a vendor, and the conventions of servers with its interface."""

    package: str
    client: str
    create: str
    """The method of the client that creates an answer."""
    home: str
    adds: tuple[str, ...]
    """Paths that the package appends to an address. A user may have written one already."""
    refusable: Mapping[str, re.Pattern[str]]
    """The optional parameters, with the words by which servers refuse them."""
    endings: Mapping[str, StopReason]
    """The words by which servers name a stop reason, in lower case."""

    @property
    def key_variable(self) -> str:
        """OPENAI_API_KEY or ANTHROPIC_API_KEY."""
        return f"{self.package.upper()}_API_KEY"


class VendorLlm(ABC):
    """A language model that is called through its vendor's package.

    Compatible servers differ in the parameters that they support, and so do the models of one
    vendor. They cannot be asked for the list, so the first call has all parameters. A parameter
    counts as refused only if the same call succeeds without it.
    """

    _vendor: ClassVar[Vendor]

    def __init__(self, model: str, base_url: str = "", timeout: float = TIMEOUT) -> None:
        if not model.strip():
            raise InvalidInputError("the model's name is blank", remedy="give it after the colon")
        vendor = self._vendor
        given = base_url or os.environ.get(f"{vendor.package.upper()}_BASE_URL") or vendor.home
        url = check_address(given, "")
        ending = next((each for each in vendor.adds if url.path.endswith(each)), "")
        url = url._replace(path=url.path.removesuffix(ending))
        self.model = model
        self._place = url_for_messages(url)
        self._is_home = self._place == vendor.home
        self._is_local = is_loopback(url.hostname or "")
        self._query = dict(parse_qsl(url.query))
        self._timeout = timeout
        self._refused: frozenset[str] = frozenset()
        if find_spec(vendor.package) is None:
            raise self._not_installed()
        self._key()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.model} at {self._place}>"

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        sdk = self._load()

        def ask() -> Completion:
            try:
                with self._client(sdk) as client:
                    answer = self._send(prompt, attrgetter(self._vendor.create)(client))
                completion, ending = self._parse_answer(answer)
                return self._check_complete(_with_tokens(completion, prompt), ending)
            except Exception as error:  # the packages have no common base class
                raise translated(error, sdk, place=self._place, timeout=self._timeout) from None

        return run_cancellable(ask, cancelled, self._timeout)

    def chat(self, messages: Sequence[Mapping[str, str]]) -> Iterator[str]:
        """Yield the answer to chat messages piece by piece, as the model writes it."""
        sdk = self._load()
        said = [{**each, "content": sendable(each["content"])} for each in messages]
        try:
            with self._client(sdk) as client:
                create = attrgetter(self._vendor.create)(client)
                for event in create(model=self.model, stream=True, **self._chat_arguments(said)):
                    if piece := self._piece(event):
                        yield piece
        except Exception as error:  # the packages have no common base class
            raise translated(error, sdk, place=self._place, timeout=self._timeout) from None

    def _load(self) -> Any:
        try:
            return import_module(self._vendor.package)
        except ImportError:
            raise self._not_installed() from None

    @abstractmethod
    def _chat_arguments(self, messages: Sequence[Mapping[str, str]]) -> dict[str, Any]:
        """Return the arguments of a chat."""

    @abstractmethod
    def _piece(self, event: Any) -> str | None:
        """Return the text in an event of a stream."""

    @abstractmethod
    def _arguments(self, prompt: Prompt, refused: frozenset[str]) -> dict[str, Any]:
        """Return the arguments that create an answer, without the refused ones."""

    @abstractmethod
    def _parse_answer(self, answer: Any) -> tuple[Completion, object]:
        """Return the completion, and the server's word for its stop reason."""

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
            base_url=self._place,
            default_query=self._query,
            timeout=self._timeout,
            max_retries=0,
            http_client=http,
        )

    def _key(self) -> str:
        key = os.environ.get(self._vendor.key_variable, "").strip()
        if not key and self._is_local:
            return NO_KEY
        if not (key and key.isascii() and key.isprintable()):
            raise LlmError(
                f"there is no usable key for {self._place}",
                remedy=f"set {self._vendor.key_variable}, to any word if the server asks for none",
                retryable=False,
            )
        return key

    def _not_installed(self) -> LlmError:
        package = self._vendor.package
        return LlmError(
            f"the package {package} is not installed, or cannot be loaded",
            remedy=install_extra(package),
            retryable=False,
        )

    def _send(self, prompt: Prompt, create: Callable[..., Any]) -> Any:
        """Create an answer, leaving out parameters until none is refused."""
        refused = self._refused
        while True:
            arguments = self._arguments(prompt, refused)
            try:
                answer = create(**arguments)
            except Exception as error:
                name = self._refused_parameter(error, arguments)
                if name is None:
                    raise
                refused |= {name}
            else:
                self._refused |= refused
                return answer

    def _refused_parameter(self, error: Any, arguments: Mapping[str, Any]) -> str | None:
        """Return the parameter that the server names first in its error."""
        if getattr(error, "status_code", None) not in (400, 422) or is_too_long(error):
            return None
        param = getattr(error, "param", None)
        text = param if isinstance(param, str) and param else complaint(error)
        found = [
            (match.start(), name)
            for name, pattern in self._vendor.refusable.items()
            if name in arguments and (match := pattern.search(text))
        ]
        return min(found)[1] if found else None

    def _check_complete(self, completion: Completion, ending: object) -> Completion:
        """Return the answer. Raise LlmError if it is empty or incomplete."""
        reason = self._vendor.endings.get(str(ending).lower())
        if reason is None and not completion.text.strip():
            reason = StopReason.EMPTY
        if reason is not None:
            raise reason.error(self._place, completion.tokens)
        return completion


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


def run_cancellable(
    call: Callable[[], Result], cancelled: Callable[[], bool], longest: float
) -> Result:
    """Return the result of a call. Raise LlmError if it takes too long or is `cancelled`.

    The call runs on a thread of its own. If it is cancelled, the thread continues until the server
    answers or the connection times out, and the answer is lost.
    """
    future: Future[Result] = Future()

    def work() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # the waiting thread raises it
            future.set_exception(error)

    try:
        Thread(target=work, name="erstwhile-llm", daemon=True).start()
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
