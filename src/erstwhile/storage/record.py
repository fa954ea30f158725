"""The fields that all records have, and the base classes of collections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import wraps
from inspect import unwrap
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, cast, get_args

from erstwhile.core.errors import AmbiguousIdError, NotFoundError, ScopeError
from erstwhile.core.ids import short_id
from erstwhile.core.public_record import PublicRecord, public_record
from erstwhile.core.scope import Scope, Viewer
from erstwhile.core.time import Moment
from erstwhile.core.verb_arguments import argument_check
from erstwhile.core.verb_help import add_help
from erstwhile.secrets.masking import found_secrets, secrets_noted

if TYPE_CHECKING:
    from erstwhile.core.results import Receipt
    from erstwhile.services import Services
    from erstwhile.storage.access import Access
    from erstwhile.storage.table import Table


class IdRecord(PublicRecord):
    """A value with an id. Its subclass declares the field."""

    __slots__ = ()
    id: str

    @property
    def short_id(self) -> str:
        return short_id(self.id)


@public_record
class Record(IdRecord):
    """A record of a scope; `changed_at` is the time of its last change."""

    id: str
    scope: Scope
    created_at: datetime
    changed_at: datetime
    deleted_at: datetime | None = None


class Identified(Protocol):
    """A dataclass that has an id and belongs to a scope."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def id(self) -> str: ...
    @property
    def short_id(self) -> str: ...
    @property
    def scope(self) -> Scope: ...


Found = TypeVar("Found", bound=Identified)


def the_one(found: Sequence[Found], noun: str, given: str, *, remedy: str) -> Found:
    """Return the only record found; raise an error if there is none or several."""
    if len(found) > 1:
        raise AmbiguousIdError(given, tuple(record.id for record in found))
    if not found:
        raise NotFoundError(f"no {noun} {given!r} is visible here", remedy=remedy)
    return found[0]


def owned(viewer: Viewer, record: Found, name: str = "", otherwise: str = "") -> Found:
    """Return the record; raise ScopeError if the viewer may see it but not change it."""
    if not viewer.may_change(record.scope):
        raise ScopeError(
            f"{name or record.short_id} is visible here but belongs to another scope "
            f"({record.scope})",
            remedy=f"change it from exactly that scope{otherwise}",
        )
    return record


def scope_for_new(viewer: Viewer, verb: str = "remember") -> Scope:
    """Return the scope of new records; raise ScopeError for an administrator's view."""
    if viewer.everything:
        raise ScopeError(
            f"an administrator's view has no scope to {verb} in", remedy="use memory.scoped(…)"
        )
    return viewer.scope


class Collection:
    """Records of one kind, as one viewer sees them. A collection has no state."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name, verb in [*vars(cls).items()]:
            if isinstance(verb, FunctionType) and not name.startswith("_"):
                setattr(cls, name, _checked_verb(verb))
        add_help(cls)

    def __init__(self, access: Access, services: Services) -> None:
        self._access = access
        self._services = services


def _checked_verb(verb: FunctionType) -> Callable[..., Any]:
    """Return a verb that checks its arguments, and notes the secrets in its texts.

    It notes them only if the memory does more than mask them.
    """
    check = argument_check(verb)

    @wraps(verb)
    def called(self: Collection, *args: Any, **given: Any) -> Any:
        check(args, given)
        policy = self._access.secrets
        if policy is None or found_secrets() is not None:  # another verb calls this one
            return verb(self, *args, **given)
        with secrets_noted(policy.kept):
            return verb(self, *args, **given)

    return called


class RecordCollection(Collection, Generic[Found]):
    """Records of one kind, with the verbs that all such collections share.

    Each collection has copies of these verbs that name its records: `class Facts(
    RecordCollection[Fact], noun="fact")` has "Return one fact by its id." and `-> Fact`.
    """

    def __init_subclass__(cls, *, noun: str = "") -> None:
        if noun:  # a subclass of such a collection inherits its verbs
            [record_type] = get_args(cls.__orig_bases__[0])  # type: ignore[attr-defined]
            for name, verb in vars(RecordCollection).items():
                if isinstance(verb, FunctionType) and name not in vars(cls):
                    setattr(cls, name, _verb_of(cls, verb, noun, record_type))
        super().__init_subclass__()

    @property
    def _table(self) -> Table[Found]:
        raise NotImplementedError

    def get(self, id: str) -> Found:
        """Return one {noun} by its id."""
        return self._table.get(self._access, id)

    def delete(self, id: str, *, reason: str | None = None) -> Found:
        """Hide one {noun} until it is restored, erased or purged."""
        return self._table.delete(self._access, id, reason)

    def restore(self, id: str, *, reason: str | None = None) -> Found:
        """Restore a deleted {noun}."""
        return self._table.restore(self._access, id, reason)

    def purge(self, older_than: Moment | timedelta = "30 days") -> Receipt:
        """Erase the {noun}s of exactly this scope deleted longer ago than `older_than`."""
        return self._table.purge(self._access, older_than)

    def erase(self, *ids: str) -> Receipt:
        """Destroy {noun}s, down to their bytes in the file. There is no undo."""
        return self._table.erase(self._access, ids)


def _verb_of(owner: type, verb: FunctionType, noun: str, record_type: type) -> FunctionType:
    """Return a copy of a shared verb with the noun and the record type of a collection."""
    own = cast("FunctionType", unwrap(verb))
    copied = FunctionType(own.__code__, own.__globals__, own.__name__, own.__defaults__)
    copied.__kwdefaults__ = own.__kwdefaults__
    copied.__qualname__ = f"{owner.__name__}.{verb.__name__}"
    copied.__doc__ = (verb.__doc__ or "").format(noun=noun)
    returned = verb.__annotations__["return"]
    replaced = {"return": record_type} if returned == Found.__name__ else {}
    copied.__annotations__ = {**verb.__annotations__, **replaced}
    return copied
