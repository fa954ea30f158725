"""Tasks with due times, recurrence and leases for workers; checkpoints of longer runs.

Context imports it for the tasks in a prompt.
Begin with `collection.py` (`memory.tasks`) and `checkpoints.py` (`memory.checkpoints`).
"""
