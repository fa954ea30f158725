"""Benchmarks. Run one from the checkout as `python -m bench.NAME`; see README.md."""
