"""Learning: from the turns of conversations to facts, one file a stage.

salience → extract (or patterns) → provenance → guard → verify → reconcile → apply. Rules decide
whose words they are, a language model decides what they mean. Begin with `pipeline`, which runs the
stages for one turn; `worker` takes one waiting conversation after the other. Only `context`,
`memory` and the packages above them import this one.
"""
