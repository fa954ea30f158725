"""The base class of collections whose records can be deleted, restored, purged and erased."""

from __future__ import annotations

from datetime import timedelta
from typing import Generic

from erstwhile.core.results import Receipt
from erstwhile.core.time import Moment
from erstwhile.storage.record import Collection
from erstwhile.storage.table import Item, Table


class RecordCollection(Collection, Generic[Item]):
    """Records of one kind, with the verbs that all such collections share."""

    @property
    def _table(self) -> Table[Item]:
        raise NotImplementedError

    def get(self, id: str) -> Item:
        """Return one record by its id."""
        return self._table.get(self._access, id)

    def delete(self, id: str, *, reason: str | None = None) -> Item:
        """Hide a record until it is restored, erased or purged."""
        return self._table.delete(self._access, id, reason)

    def restore(self, id: str, *, reason: str | None = None) -> Item:
        """Restore a deleted record."""
        return self._table.restore(self._access, id, reason)

    def purge(self, older_than: Moment | timedelta = "30 days") -> Receipt:
        """Erase the records of exactly this scope deleted longer ago than `older_than`."""
        return self._table.purge(self._access, older_than)

    def erase(self, *ids: str) -> Receipt:
        """Destroy records, down to their bytes in the file. There is no undo."""
        return self._table.erase(self._access, ids)
