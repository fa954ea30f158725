"""Settings of hypothesis: fewer examples, of longer lives."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "steady",
    settings.default,  # of all tests, or with --hypothesis-profile=shrinking
    max_examples=40,
    stateful_step_count=20,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("steady")
