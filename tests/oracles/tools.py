"""Run external assemblers in tests: a missing one skips the test, or fails it if CI=true."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import NoReturn

import pytest


def missing(reason: str) -> NoReturn:
    """End a test whose reference tool is missing: skip it with the reason, or fail it on CI."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def require(tool: str) -> str:
    """Return the path of a tool; if it is missing, the test ends here."""
    return shutil.which(tool) or missing(f"{tool} is not installed: `make oracles`")


def run(tool: str, *arguments: str, stdin: str = "", check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a tool to its end. With `check`, raise an error with its messages if it fails."""
    done = subprocess.run([require(tool), *arguments], input=stdin, capture_output=True, text=True, timeout=300)
    if check and done.returncode:
        raise AssertionError(f"{tool} {' '.join(arguments)}: exit {done.returncode}\n{done.stderr[:4000]}")
    return done


def version(tool: str) -> str:
    """Return the first line of `tool --version` that contains a number."""
    lines = run(tool, "--version").stdout.splitlines()
    return next(line.strip() for line in lines if any(c.isdigit() for c in line))


def byte_directives(chunks: list[bytes]) -> str:
    """Return assembler source for exactly these bytes."""
    return "".join(f".byte {','.join(map(str, chunk))}\n" for chunk in chunks if chunk)
