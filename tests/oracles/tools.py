"""How tests drive other people's assemblers: a missing one skips the test, and fails it where CI=true."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import NoReturn

import pytest


def missing(reason: str) -> NoReturn:
    """End a test that lacks what it compares with: skipped with the reason, failed on CI."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def require(tool: str) -> str:
    """The path of a tool; without it the test ends here."""
    return shutil.which(tool) or missing(f"{tool} is not installed: `make oracles`")


def run(tool: str, *arguments: str, stdin: str = "", check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a tool to its end. With `check`, a failure shows what it said."""
    done = subprocess.run([require(tool), *arguments], input=stdin, capture_output=True, text=True, timeout=300)
    if check and done.returncode:
        raise AssertionError(f"{tool} {' '.join(arguments)}: exit {done.returncode}\n{done.stderr[:4000]}")
    return done


def version(tool: str) -> str:
    """The line of `tool --version` that names a number."""
    lines = run(tool, "--version").stdout.splitlines()
    return next(line.strip() for line in lines if any(c.isdigit() for c in line))


def byte_directives(chunks: list[bytes]) -> str:
    """Assembler source with exactly these bytes."""
    return "".join(f".byte {','.join(map(str, chunk))}\n" for chunk in chunks if chunk)
