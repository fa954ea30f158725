"""Learning: from the turns of conversations to facts.

Above it only `context`, `memory` and the command line import this package. Begin with `loop`, which
takes one waiting conversation after the other, then `learn_turn`, `evaluate_turn`, `extraction` and
`apply_changes`. The rules are in `guard`, `patterns` and `reconcile`.
"""
