"""Train the network of `erstwhile.learning.reading` on labelled turns."""
