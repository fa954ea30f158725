"""Attacks on memory by text that a model obeys: nothing of it may become a trusted fact.

Begin with `attack.py`. Each file has one group of scenarios.
"""
