"""Destroying blocks: all their versions, and the facts that were archived from them."""

from __future__ import annotations

from collections import Counter

from erstwhile.blocks import table as block_table
from erstwhile.blocks.block import Block
from erstwhile.blocks.content import archived
from erstwhile.core.receipt import Receipt
from erstwhile.facts.table import FACTS
from erstwhile.storage.access import Access
from erstwhile.storage.erasure import forget, receipt_of, rewrite
from erstwhile.storage.unit import Unit

_ALL = 2**62


def erase(access: Access, name: str) -> Receipt:
    """The block that a name means, and deleted ones that had the name in its scope."""

    def erased(unit: Unit) -> Receipt:
        blocks = _find(unit, name)
        facts = [fact for block in blocks for fact in archived(unit, block)]
        removed = FACTS.destroy(unit, facts)
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
