"""Measure how well search and contexts find what was said, and how well learning keeps up.

Only the command line, tests and `bench` import it.
Begin with `trial.py`, which asks the questions of a `Haystack`; `report.py` scores the answers.
`dialogue_trial.py` plays dialogues in which facts change.
"""
