"""A server that is called through its vendor's package, which is loaded on first use.

Each call has a client of its own. That costs 30 milliseconds, while an answer takes seconds, and
leaves no connection that a fork would share. The key is read for each call and never stored.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from ipaddress import ip_address
from typing import Any, TypeVar
from urllib.parse import SplitResult, parse_qsl

from erstwhile.adapters.address import address, shown
from erstwhile.adapters.llm.cancellable_call import run_cancellable
from erstwhile.adapters.llm.failures import translated
from erstwhile.core.errors import InvalidInputError, LlmError

_NO_KEY = "none"
"""The key for a local server that needs no key: the packages require one."""
_DIRECT = dict.fromkeys(("all://", "http://", "https://"))
"""No proxy, even if the environment names one."""
Result = TypeVar("Result")


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
        url = _without(
            vendor.adds, address(base_url or os.environ.get(vendor.url_variable) or vendor.home, "")
        )
        self.place = shown(url)
        self.is_home = self.place == vendor.home
        self._is_local = _is_loopback(url.hostname or "")
        self._url = url
        self._vendor = vendor
        self._timeout = timeout
        self._check_package_and_key()

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
            follow_redirects=False, timeout=self._timeout, mounts=_DIRECT if self._is_local else {}
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

    def _check_package_and_key(self) -> None:
        if find_spec(self._vendor.package) is None:
            raise self._missing()
        self._key()

    def _sdk(self) -> Any:
        try:
            return import_module(self._vendor.package)
        except ImportError:
            raise self._missing() from None

    def _missing(self) -> LlmError:
        package = self._vendor.package
        return LlmError(
            f"the package {package} is not installed, or cannot be loaded",
            remedy=f'pip install "erstwhile[{package}]"',
            retryable=False,
        )


def _without(endings: tuple[str, ...], url: SplitResult) -> SplitResult:
    """Remove the first of these endings that the address has."""
    ending = next((each for each in endings if url.path.endswith(each)), "")
    return url._replace(path=url.path.removesuffix(ending))


def sendable(text: str) -> str:
    """Replace the characters that cannot be encoded."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
