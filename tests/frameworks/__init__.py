"""Adapters with the real frameworks; `scripts/frameworks` installs them."""
