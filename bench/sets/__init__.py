"""Labelled sets that only tests and benchmarks use."""
