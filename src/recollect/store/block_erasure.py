"""Destroying blocks: all their versions, and the facts that were archived from them."""

from __future__ import annotations

from collections import Counter

from recollect.model.block import Block
from recollect.model.erasure import Receipt
from recollect.store import block_table
from recollect.store.access import Access
from recollect.store.block_content import archived
from recollect.store.erasure import destroy, forget, receipt_of, rewrite
from recollect.store.unit import Unit

_ALL = 2**62


def erase(access: Access, name: str) -> Receipt:
    """The block that a name means, and deleted ones that had the name in its scope."""

    def erased(unit: Unit) -> Receipt:
        blocks = _find(unit, name)
        facts = [fact for block in blocks for fact in archived(unit, block)]
        removed = destroy(unit, facts)
        for block in blocks:
            removed += _destroy_block(unit, block)
        ids = [block.id for block in blocks] + [fact.id for fact in facts]
        return receipt_of(unit.now, ids, removed)

    receipt = access.change(erased, alone=True)
    rewrite(access)
    return receipt


def _find(unit: Unit, name: str) -> list[Block]:
    states = block_table.PRESENT_OR_REMOVED
    meant = block_table.find_own(unit, name, among=states)
    alike = [each for state in states for each in block_table.named(unit, name, state, _ALL)]
    return [block for block in alike if block.scope == meant.scope]


def _destroy_block(unit: Unit, block: Block) -> Counter[str]:
    versions = unit.run("remove_block_versions", {"id": block.id})
    unit.run("remove_block", {"id": block.id})
    emptied = forget(unit, block.id, block.scope)
    return Counter(blocks=1, versions=versions, audit_entries=emptied)
