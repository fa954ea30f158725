"""Measure how well recall finds facts, with public question sets.

Only the command line, tests and `bench` import it.
Begin with `trial.py`, which asks the questions of a `Haystack` and scores the answers.
"""
