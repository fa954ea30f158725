"""Measure how well search and contexts find what was said, with public question sets.

Only the command line, tests and `bench` import it.
Begin with `trial.py`, which asks the questions of a `Haystack`; `report.py` scores the answers.
"""
