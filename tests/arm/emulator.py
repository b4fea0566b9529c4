"""Provide the newest qemu-aarch64 that Debian has for released systems, besides the installed one.

    python -m tests.arm.emulator       fetches it if necessary (70 MB, of which 17 are kept) and prints its path

bookworm's qemu 7.2 computes SME's integer outer products wrongly and lacks SME2 and EBF16; docs/aarch64.md has the
list. The program is statically linked. It is unpacked into .build/qemu, and nothing is installed. The tests use this
emulator unless TILESMITH_QEMU names another one; if it is missing, they use the installed one.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

from tests.arm.sysroot import KEYRING, REPOSITORY, SysrootError, apt_get, run

SUITE = "trixie-backports"
ENVIRONMENT = "TILESMITH_QEMU"
PROGRAM = REPOSITORY / ".build" / "qemu" / "qemu-aarch64"
_MEMBER = "./usr/bin/qemu-aarch64"


def choose() -> None:
    """Make it the emulator of this process and its children, unless the environment names another one."""
    if PROGRAM.exists():
        os.environ.setdefault(ENVIRONMENT, str(PROGRAM))


def fetch() -> Path:
    """Download and unpack the emulator if it is not there. SysrootError says what is missing."""
    if PROGRAM.exists():
        return PROGRAM
    if not KEYRING.exists():
        raise SysrootError(f"no {KEYRING}: install debian-archive-keyring, which verifies the package")
    PROGRAM.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=PROGRAM.parent) as name:
        folder = Path(name)
        command = apt_get(folder, SUITE, "amd64")
        run([*command, "update"], f"fetch the list of {SUITE}")
        run([*command, "download", "qemu-user"], "download qemu-user", folder)
        (package,) = folder.glob("*.deb")
        data = run(["dpkg-deb", "--fsys-tarfile", str(package)], "unpack the package")
        with tarfile.open(fileobj=BytesIO(data)) as archive:
            found = archive.extractfile(_MEMBER)
            assert found is not None
            fresh = folder / "qemu-aarch64"
            fresh.write_bytes(found.read())
        fresh.chmod(0o755)
        fresh.replace(PROGRAM)
    return PROGRAM


def main() -> int:
    """Fetch the emulator where it is useful. Errors count as failures only on CI, since the installed one does most."""
    if platform.machine() != "x86_64" or os.environ.get(ENVIRONMENT) or not shutil.which("apt-get"):
        return 0
    try:
        print(fetch())
    except SysrootError as error:
        print(f"tests will use the installed qemu-aarch64: {error}", file=sys.stderr)
        return int(os.environ.get("CI") == "true")
    return 0


if __name__ == "__main__":
    sys.exit(main())
