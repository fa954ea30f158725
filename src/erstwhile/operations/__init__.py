"""Operations on whole memories: copy, back up, export, examine, repair, maintain, erase.

Begin with `store.py`: the functions that take the location of a memory. The collection
`memory.snapshots` is in `snapshots.py`.
"""
