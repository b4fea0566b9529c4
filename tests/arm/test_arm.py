"""The native path of AArch64 in every CI run: a small part of what `make arm` runs."""

import platform

import pytest

from tests.arm import native
from tests.arm.sysroot import SysrootError
from tests.oracles.tools import missing


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() == "aarch64", reason="all tests run natively here")
def test_native_path():
    try:
        passed = native.run(native.SMALL)
    except SysrootError as error:
        missing(str(error))
    assert passed, "see what was printed"
