"""Parts of `bench.questions` and `bench.learning`, which measure on labelled sets.

Questions: `readers` reads files into haystacks, `trial` stores and asks, `scores` computes metrics.
Learning: `turns`, `dialogues` and `statements` read one labelled set each, play it and judge it.
"""
