"""The second look: a language model is asked again about its proposals that are in doubt.

It sees the user's own words and the proposals alone: no tool, no pasted text, and not its first
answer. `evaluate_turn` uses it, and `weighing` its answers. Begin with `look`.
"""
