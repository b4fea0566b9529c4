"""The native path of AArch64 as every CI run sees it: a small part of what `make arm` runs."""

import os
import platform

import pytest

from tests.arm import native
from tests.arm.sysroot import SysrootError


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() == "aarch64", reason="all tests run natively here")
def test_native_path():
    try:
        passed = native.run(native.SMALL)
    except SysrootError as error:
        pytest.fail(str(error)) if os.environ.get("CI") == "true" else pytest.skip(str(error))
    assert passed, "see what was printed"
