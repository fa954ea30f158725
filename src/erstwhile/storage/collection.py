"""The base class of every collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from erstwhile.storage.access import Access

if TYPE_CHECKING:
    from erstwhile.services import Services


class Collection:
    """Records of one kind, as one viewer sees them. A collection has no state."""

    def __init__(self, access: Access, services: Services) -> None:
        self._access = access
        self._services = services
