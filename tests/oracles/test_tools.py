"""A missing oracle skips the test with the reason, and fails it if CI=true."""

from __future__ import annotations

import pytest

from tests.oracles import tools

MISSING = "no-such-assembler"


def test_missing_tool_skips(monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=f"{MISSING} is not installed: `make oracles`"):
        tools.require(MISSING)


def test_missing_tool_fails_on_ci(monkeypatch):
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match=f"{MISSING} is not installed: `make oracles`"):
        tools.require(MISSING)
