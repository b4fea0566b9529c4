"""Build an arm64 Python with the packages that the tests import, to run the native path under qemu on x86-64 Debian.

    python -m tests.arm.sysroot                  builds it if it is not there, and prints the path of its Python
    .build/arm64/root/usr/bin/python -m pytest   runs under the emulator, as do the Pythons that it starts

Debian packages come from apt-get with a separate state directory, wheels from `pip download`. Nothing is installed on
this system, and no root rights are needed. Downloads stay in the folder, so a second build needs no network.

The folder is .build/arm64, or the one that TILESMITH_ARM64 names. TILESMITH_QEMU names the emulator (default:
qemu-aarch64), and QEMU_CPU its CPU model. On an Arm machine nothing is built: the running Python is used.
"""

from __future__ import annotations

import configparser
import fcntl
import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
FOLDER = "TILESMITH_ARM64"
SUITE, PYTHON = "bookworm", "python3.11"
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
PACKAGES = (PYTHON, "libstdc++6")  # ml_dtypes is C++
PLATFORMS = tuple(f"manylinux{version}_aarch64" for version in ("_2_28", "_2_27", "_2_17", "2014"))
TOOLS = ("mypy", "ruff", "pytest-xdist", "scikit-learn")  # requirements that no test of the native path imports
REST = r"/tests?/|/lib2to3/|/pygments/lexers/"  # modules that none of them imports, which need no byte code

_SITECUSTOMIZE = '''\
"""tilesmith's packages lie in the repository: what an editable install does, without installing."""
import importlib.machinery, importlib.util, sys

FOLDERS = {folders!r}


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        folder = FOLDERS.get(name)
        return folder and importlib.util.spec_from_file_location(
            name, folder + "/__init__.py", submodule_search_locations=[folder])


sys.meta_path.append(Finder)
'''

# qemu-user cannot run programs that a guest starts, so sys.executable must be a program of the host: this script, which
# passes on its own name (-0). NEON is refused in streaming mode, as on real machines (sme_fa64). qemu 7.2 aborts if a
# process with several threads forks, as tests do, so OpenBLAS gets no threads.
_LAUNCHER = """\
#!/bin/sh
export TILESMITH_QEMU="${{TILESMITH_QEMU-qemu-aarch64}}"
export QEMU_CPU="${{QEMU_CPU-max,sme_fa64=off}}"
export OPENBLAS_NUM_THREADS="${{OPENBLAS_NUM_THREADS-1}}"
export PYTHONPATH={site}${{PYTHONPATH:+:$PYTHONPATH}}
exec $TILESMITH_QEMU -L {root} -0 "$0" {root}/usr/bin/{python} "$@"
"""


class SysrootError(RuntimeError):
    """The sysroot cannot be built here. The message says what is missing and what would help."""


def python() -> Path:
    """Return the Python for native tests: on an Arm the running one, else that of the sysroot, built if necessary."""
    if platform.machine() == "aarch64":
        return Path(sys.executable)
    folder = Path(os.environ.get(FOLDER) or REPOSITORY / ".build" / "arm64").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    root, stamp = folder / "root", folder / "root" / "stamp"
    with _alone(folder / "lock"):
        if not stamp.exists() or stamp.read_text() != _recipe():
            shutil.rmtree(root, ignore_errors=True)
            _build(folder, root)
            stamp.write_text(_recipe())
        _write(root / "site" / "sitecustomize.py", _SITECUSTOMIZE.format(folders=_packages()))
        launcher = root / "usr" / "bin" / "python"
        _write(
            launcher, _LAUNCHER.format(site=shlex.quote(str(root / "site")), root=shlex.quote(str(root)), python=PYTHON)
        )
        launcher.chmod(0o755)
    return launcher


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Hold a lock, so that only one process builds at a time."""
    with open(lock, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _write(path: Path, text: str) -> None:
    """Replace a file atomically, since others may be reading it."""
    if not path.exists() or path.read_text() != text:
        fresh = path.with_suffix(".new")
        fresh.write_text(text)
        fresh.replace(path)


# What goes in


def _setup() -> configparser.ConfigParser:
    setup = configparser.ConfigParser()
    setup.read(REPOSITORY / "setup.cfg")
    return setup


def _packages() -> dict[str, str]:
    """Return every package of tilesmith, and its folder."""
    return {name: str(REPOSITORY / name.replace(".", "/")) for name in _setup()["options"]["packages"].split()}


def requirements() -> list[str]:
    """Return the requirements of tilesmith and its tests, from setup.cfg."""
    setup = _setup()
    lines = f"{setup['options']['install_requires']}\n{setup['options.extras_require']['test']}".split()
    return [line for line in lines if not line.startswith(TOOLS)]


def _recipe() -> str:
    """Return a hash of everything from which the sysroot is built."""
    return hashlib.sha256(repr((Path(__file__).read_text(), requirements())).encode()).hexdigest()


# Building


def _build(folder: Path, root: Path) -> None:
    for tool, package in (("apt-get", "apt"), ("dpkg-deb", "dpkg"), (_emulator(), "qemu-user")):
        if not shutil.which(tool):
            raise SysrootError(
                f"no {tool} here: the arm64 Python needs Debian's {package} (`make oracles` installs qemu)"
            )
    if not KEYRING.exists():
        raise SysrootError(f"no {KEYRING}: install debian-archive-keyring, which verifies the packages")
    for package in _debian_packages(folder / "apt"):
        run(["dpkg-deb", "--extract", str(package), str(root)], "unpack a package")
    site = root / "site"
    for wheel in _wheels(folder / "wheels"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(site)
    _compile([root / "usr" / "lib" / PYTHON, site], root)


def _emulator() -> str:
    return (os.environ.get("TILESMITH_QEMU", "qemu-aarch64").split() or ["qemu-aarch64"])[0]


def _debian_packages(apt: Path) -> list[Path]:
    """Return the Debian packages of Python and its dependencies, downloaded now or earlier."""
    archives = apt / "archives"
    command = apt_get(apt, SUITE, "arm64")
    download = [*command, "install", "--yes", "--no-install-recommends", "--download-only", *PACKAGES]
    complete = archives / "complete"
    if not complete.exists() or complete.read_text() != repr((SUITE, PACKAGES)):
        run([*command, "update"], "fetch Debian's list of arm64 packages")
        run(download, "download Debian's arm64 packages")
        complete.write_text(repr((SUITE, PACKAGES)))
    return sorted(archives.glob("*.deb"))


def apt_get(folder: Path, suite: str, architecture: str) -> list[str]:
    """Return an apt-get command with its state in a folder. It knows one suite of Debian and no installed packages."""
    archives, state, sources = folder / "archives", folder / "state", folder / "sources.list"
    for partial in (archives / "partial", state / "lists" / "partial"):
        partial.mkdir(parents=True, exist_ok=True)
    sources.write_text(f"deb [arch={architecture} signed-by={KEYRING}] http://deb.debian.org/debian {suite} main\n")
    (folder / "status").write_text("")  # nothing is installed: all dependencies are wanted
    options = {
        "Dir::State": state,
        "Dir::State::status": folder / "status",
        "Dir::Cache": folder,
        "Dir::Cache::archives": archives,
        "Dir::Etc::sourcelist": sources,
        "Dir::Etc::sourceparts": "-",
        "Dir::Etc::preferencesparts": "-",
        "APT::Architecture": architecture,
        "APT::Architectures": architecture,
        "APT::Sandbox::User": "",
        "Debug::NoLocking": "1",
        "Acquire::Languages": "none",
        "Acquire::Retries": "3",
    }
    return ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in options.items())]


def _wheels(wheels: Path) -> list[Path]:
    """Return the wheels of the requirements and their dependencies, downloaded now or earlier."""
    listed = wheels / "requirements"
    if not listed.exists() or listed.read_text() != repr(requirements()):
        shutil.rmtree(wheels, ignore_errors=True)
        platforms = [part for name in PLATFORMS for part in ("--platform", name)]
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:", "--dest", str(wheels)]
        version = ["--implementation", "cp", "--python-version", PYTHON.removeprefix("python")]
        run([*command, *version, *platforms, *requirements()], "download aarch64 wheels")
        listed.write_text(repr(requirements()))
    return sorted(wheels.glob("*.whl"))


def _compile(folders: Sequence[Path], root: Path) -> None:
    """Compile the byte code, using this Python if it has the same version, since the emulator would take a minute."""
    same = f"python{sys.version_info.major}.{sys.version_info.minor}" == PYTHON
    compiler = [sys.executable] if same else [_emulator(), "-L", str(root), str(root / "usr" / "bin" / PYTHON)]
    arguments = [
        "-m",
        "compileall",
        "-q",
        "-j",
        str(os.cpu_count()),
        "-x",
        REST,
        *map(str, folders),
    ]
    run([*compiler, *arguments], "compile the modules")


def run(command: Sequence[str], purpose: str, folder: Path | None = None) -> bytes:
    """Run a command and return its standard output."""
    result = subprocess.run(command, capture_output=True, cwd=folder)
    if not result.returncode:
        return result.stdout
    text = "\n".join((result.stdout + result.stderr).decode(errors="replace").strip().splitlines()[-12:])
    raise SysrootError(f"could not {purpose} (is there a network?): {shlex.join(command)}\n{text}")


if __name__ == "__main__":
    print(python())
