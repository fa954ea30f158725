"""The server passes the conformance suite of its protocol, where Node is there to run it."""

from __future__ import annotations

import pytest

from tests.servers.conformance import NOT_REQUIRED, REVISIONS, NotPossibleError, run_suite


@pytest.mark.filterwarnings("ignore:.* deprecated as of 2026-07-28")
@pytest.mark.parametrize("revision", REVISIONS)
def test_all_checks_of_the_suite_pass(revision: str) -> None:
    """All that the revision requires; an extension that is not offered is not."""
    try:
        checks = run_suite(revision)
    except NotPossibleError as reason:
        pytest.skip(str(reason))
    failed = [each for each in checks if each.status == "FAILURE"]
    assert [each for each in failed if each.scenario not in NOT_REQUIRED] == []
    passed = {each.scenario for each in checks if each.status == "SUCCESS"}
    assert {"tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"} <= passed
    assert len(passed - set(NOT_REQUIRED)) >= {"2025-11-25": 32, "2026-07-28": 40}[revision]
