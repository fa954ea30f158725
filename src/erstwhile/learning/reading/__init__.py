"""Reading: a small trained network that judges whether words say what a model proposes.

Word lists know the signs of many languages, but people say things in words that no list has. The
network reads the pieces of a text as the packaged embedder sees them, in all its languages. Begin
with `reader`. `passage` prepares a message, `network` computes, `bench/reading` trains it.
"""

from erstwhile.learning.reading.reader import Reader, ReadFate, reader_of

__all__ = ["ReadFate", "Reader", "reader_of"]
