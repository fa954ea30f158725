"""Decode the arguments of a verb from the path, the query, the JSON body and If-Match."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn, get_args, get_origin
from urllib.parse import parse_qsl

from erstwhile.core.errors import InvalidInputError, TooLargeError
from erstwhile.rpc.codec import UNIONS, decode
from erstwhile.rpc.verbs import Verb, VerbParameter, bounds_of, max_items
from erstwhile.servers.problems import bad_request

_MAX_FIELDS = 200
_DEEPEST = 64
"""The most nested lists and objects."""
_INTEGER = re.compile(r"-?[0-9]{1,19}")
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,3})?")
_ETAG = re.compile(r'"([0-9]{1,18})"')


def read_arguments(
    verb: Verb, path: Mapping[str, str], query: bytes, body: bytes
) -> dict[str, Any]:
    """Return the decoded arguments of a verb by name."""
    if verb.has_body and query:
        raise bad_request("this path takes no query", "parameters go into the body or the headers")
    given = _parse_json(body or b"{}") if verb.has_body else _parse_query(verb, query)
    if not isinstance(given, dict):
        raise bad_request("the body is not an object", "send an object with the parameters")
    if twice := sorted(path.keys() & given.keys()):
        raise InvalidInputError(
            f"{twice[0]} is in the path already", remedy="leave it out of the rest"
        )
    given, known = {**path, **given}, verb.parameters
    if unknown := sorted(given.keys() - known.keys()):
        names = ", ".join(known) or "none"
        raise InvalidInputError(
            f"there is no parameter {unknown[0]!r}", remedy=f"the parameters are: {names}"
        )
    required = {name for name, each in known.items() if each.required}
    if missing := sorted(required - given.keys()):
        raise InvalidInputError(f"{missing[0]} is missing", remedy="give it")
    arguments = {
        name: decode(value, known[name].hint, name, strict=True) for name, value in given.items()
    }
    for name, value in arguments.items():
        _check_bounds(verb, name, value)
    return arguments


def _check_bounds(verb: Verb, name: str, value: Any) -> None:
    if isinstance(value, list | tuple):
        most = max_items(verb.name, name)
        if len(value) > most:
            remedy = f"send at most {most:,} in one request: others wait while it is stored"
            raise TooLargeError(f"{name} has {len(value):,} items", remedy=remedy)
    bounds = bounds_of(verb.name, name) if isinstance(value, int | float) else None
    if bounds is not None and not bounds[0] <= value <= bounds[1]:
        low, high, hint = *bounds, verb.parameters[name].hint
        is_whole = float not in (hint, *get_args(hint))
        expected = "be a whole number, between" if is_whole else "lie between"
        raise InvalidInputError(
            f"{name} must {expected} {low} and {high:,}, not {value!r}",
            remedy=f"give {low:,} to {high:,}",
        )


def _parse_json(body: bytes) -> Any:
    """Parse JSON strictly: without repeated fields, NaN or deep nesting."""
    try:
        value = json.loads(
            body.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_reject_constant
        )
    except RecursionError:
        raise bad_request("the JSON is nested too deeply") from None
    except ValueError:
        raise bad_request("the body is not JSON in UTF-8") from None
    level: list[Any] = [value]
    for _ in range(_DEEPEST):
        lists = [list(each.values()) if isinstance(each, dict) else each for each in level]
        level = [part for each in lists if isinstance(each, list) for part in each]
        if not level:
            return value
    raise bad_request("the JSON is nested too deeply", f"{_DEEPEST} levels are allowed")


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise bad_request("a field of the JSON occurs twice")
    return found


def _reject_constant(_name: str) -> NoReturn:
    raise bad_request("NaN and Infinity are not JSON")


def _parse_query(verb: Verb, query: bytes) -> dict[str, Any]:
    try:
        pairs = parse_qsl(
            query.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=_MAX_FIELDS,
        )
    except ValueError:
        remedy = "write it as name=value&…, in UTF-8"
        raise bad_request("the query cannot be read", remedy) from None
    texts: dict[str, list[str]] = {}
    for name, text in pairs:
        texts.setdefault(name, []).append(text)
    known = verb.parameters
    return {
        name: _query_value(known[name], several) if name in known else several
        for name, several in texts.items()
    }


def _query_value(parameter: VerbParameter, texts: list[str]) -> Any:
    """Return the value of a query parameter: a text, a number, true or false, or a list."""
    hint = parameter.hint
    hints = get_args(hint) if get_origin(hint) in UNIONS else (hint,)
    kinds = {get_origin(each) or each for each in hints}
    if kinds & {list, Sequence, Iterable} and (len(texts) > 1 or str not in kinds):
        return texts
    if len(texts) > 1:
        raise InvalidInputError(f"{parameter.name} is given twice", remedy="give it once")
    text = texts[0]
    if Mapping in kinds:
        return _parse_json(text.encode())
    if bool in kinds and text in ("true", "false"):
        return text == "true"
    if int in kinds and _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if float in kinds and _NUMBER.fullmatch(text) else text


def expected_version(verb: Verb, if_match: str, arguments: Mapping[str, Any]) -> dict[str, int]:
    """Return the argument `expected_version` of the If-Match header."""
    if if_match.strip() == "*":
        return {}
    if "version" not in verb.marks:
        raise bad_request("If-Match has no meaning here", "leave it out")
    found = _ETAG.fullmatch(if_match.strip())
    if found is None:
        raise bad_request("If-Match is not the ETag of a block", 'write it as "3"')
    if arguments.get("expected_version") is not None:
        raise InvalidInputError("the version is given twice", remedy="give it once")
    return {"expected_version": int(found[1])}
