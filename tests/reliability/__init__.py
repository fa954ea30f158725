"""What a memory survives: power cuts, kills, full disks, I/O errors, and many processes at once.

The tests here are a short version. `scripts/reliability` runs the long one, and writes
docs/reliability.md. Begin with `long_run.py`.
"""
