"""Test doubles for programs that use Erstwhile: a clock that you set, a scripted language model."""
