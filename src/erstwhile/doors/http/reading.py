"""The arguments of a verb, from the path, the query and the JSON body of a request."""

from __future__ import annotations

import json
import re
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn, Union, get_args, get_origin
from urllib.parse import parse_qsl

from erstwhile.core.errors import InvalidInputError
from erstwhile.doors.http.refusals import malformed
from erstwhile.wire.decoding import decoded
from erstwhile.wire.verbs import WireParameter, WireVerb

_MOST_FIELDS = 200
_DEEPEST = 64
"""The most lists and objects inside of each other."""
_WHOLE = re.compile(r"-?[0-9]{1,19}")
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,3})?")


def read_arguments(
    verb: WireVerb, path: Mapping[str, str], query: bytes, body: bytes
) -> dict[str, Any]:
    """Return the arguments of a verb by name, each of the type that the verb takes."""
    given = dict[str, Any](path)
    if verb.has_body:
        check_no_query(query)
        given = _joined(given, _body(body))
    else:
        given = _joined(given, _from_query(verb, _query(query)))
    return _checked(verb, given)


def check_no_query(query: bytes) -> None:
    """Refuse a query where none is read: what it asks for would be left out silently."""
    if query:
        raise malformed("this path takes no query", "parameters go into the body or the headers")


def _checked(verb: WireVerb, given: Mapping[str, Any]) -> dict[str, Any]:
    known = verb.parameters
    if unknown := sorted(given.keys() - known.keys()):
        names = ", ".join(known) or "none"
        raise InvalidInputError(
            f"there is no parameter {unknown[0]!r}", remedy=f"the parameters are: {names}"
        )
    needed = {name for name, each in known.items() if each.required}
    if missing := sorted(needed - given.keys()):
        raise InvalidInputError(f"{missing[0]} is missing", remedy="give it")
    return {
        name: decoded(value, _hint(known[name]), name, strict=True) for name, value in given.items()
    }


def _hint(parameter: WireParameter) -> Any:
    return list[parameter.hint] if parameter.many else parameter.hint  # type: ignore[name-defined]


def _joined(path: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    if twice := sorted(path.keys() & more.keys()):
        raise InvalidInputError(
            f"{twice[0]} is in the path already", remedy="leave it out of the rest"
        )
    return {**path, **more}


def _body(body: bytes) -> Mapping[str, Any]:
    if not body:
        return {}
    value = parsed_json(body)
    if not isinstance(value, dict):
        raise malformed("the body is not an object", "send an object with the parameters")
    return value


def parsed_json(body: bytes) -> Any:
    """Return the value of a JSON text that is not ambiguous. Refuse any other."""
    try:
        value = json.loads(
            body.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_no_number
        )
    except RecursionError:
        raise malformed("the JSON is nested too deeply") from None
    except ValueError:
        raise malformed("the body is not JSON in UTF-8") from None
    _check_depth(value)
    return value


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise malformed("a field of the JSON occurs twice")
    return found


def _no_number(_name: str) -> NoReturn:
    raise malformed("NaN and Infinity are not JSON")


def _check_depth(value: Any) -> None:
    level: list[Any] = [value]
    for _ in range(_DEEPEST):
        level = [part for each in level for part in _parts(each)]
        if not level:
            return
    raise malformed("the JSON is nested too deeply", f"{_DEEPEST} levels are allowed")


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _query(query: bytes) -> dict[str, list[str]]:
    try:
        pairs = parse_qsl(
            query.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=_MOST_FIELDS,
        )
    except ValueError:
        raise malformed("the query cannot be read", "write it as name=value&…, in UTF-8") from None
    found: dict[str, list[str]] = {}
    for name, text in pairs:
        found.setdefault(name, []).append(text)
    return found


def _from_query(verb: WireVerb, texts: Mapping[str, list[str]]) -> dict[str, Any]:
    known = verb.parameters
    return {
        name: _valued(name, several, _kinds(known[name])) if name in known else several
        for name, several in texts.items()
    }


def _kinds(parameter: WireParameter) -> set[Any]:
    """Return the types that a parameter takes, one by one."""
    hint = parameter.hint
    hints = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    return {list} if parameter.many else {get_origin(each) or each for each in hints}


def _valued(name: str, texts: list[str], kinds: set[Any]) -> Any:
    """Return the value of a parameter in the query: a text, a number, true or false, or a list."""
    if kinds & {list, Sequence, Iterable} and (len(texts) > 1 or str not in kinds):
        return texts
    if len(texts) > 1:
        raise InvalidInputError(f"{name} is given twice", remedy="give it once")
    text = texts[0]
    if bool in kinds and text in ("true", "false"):
        return text == "true"
    if int in kinds and _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if float in kinds and _NUMBER.fullmatch(text) else text
