"""Ways in: readers of what other memory programs store, each a module of its own.

A reader turns a file into `Arrivals`; `arriving.py` stores them. Begin with `registry.py`; to add a
program, write a reader and add its line there.
"""
