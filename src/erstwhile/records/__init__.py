"""Records of an agent's work: outcomes, lessons, observations and limitations.

Context imports it to choose lessons and observations for a prompt.
Begin with `model.py` for the records; each collection is a module of its own.
"""
