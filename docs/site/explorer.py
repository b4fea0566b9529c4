"""The explorer as a folder of static files: the page of `tilesmith explore`, with Python and Tilesmith in the browser.

    python -m docs.site.explorer FOLDER [PYODIDE]

PYODIDE is where pyodide.mjs lies: an address, or a path relative to the folder.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "runtime" / "explorer" / "page"
ROOMS = "encoder", "microkernels", "emulation", "runtime"
PYODIDE = "https://cdn.jsdelivr.net/pyodide/v314.0.7/full/"
"""The version that tests/explorer runs under node: `npm install pyodide@314.0.7`."""
_USED = (
    *("encoder", "microkernels", "emulation/__init__.py", "emulation/instruction_classes.py", "runtime/__init__.py"),
    *(f"runtime/{name}" for name in ("api", "arguments", "cache", "cli", "debug", "explorer", "fastcall", "host")),
    *(f"runtime/{name}" for name in ("kernel", "memory", "scalar", "system", "threads")),
)
"""What kernels are planned, emitted and shown with."""
_NEEDS_MORE = re.compile("^(?:import|from) (?:numpy|cffi|ml_dtypes|rich)", re.MULTILINE)
"""What modules import that cannot be imported in the browser."""
_BEGINNING = 1980, 1, 1, 0, 0, 0


PACKAGE = ROOT / ".build/explorer/node_modules/pyodide"
"""The npm package, where `make explore-check` has fetched it."""


def write(folder: Path, pyodide: str = PYODIDE) -> None:
    """Write the files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in PAGE.iterdir():
        if path.name != "native.js":
            name = "backend.js" if path.name == "pyodide.js" else path.name
            (folder / name).write_bytes(path.read_bytes())
    (folder / "settings.js").write_text(f"export const settings = {json.dumps({'pyodide': pyodide})};\n")
    sources(folder / "tilesmith.zip")


def sources(path: Path) -> None:
    """Write the modules that planning and listing may need as an archive. Equal modules make equal bytes. They are
    compiled if the interpreter is here: else the browser compiles them whenever they are imported."""
    found = {_name(module): module.read_bytes() for module in modules()}
    if (node := shutil.which("node")) and PACKAGE.is_dir():
        found = _compiled(node, found)
    else:
        print("the explorer's modules are not compiled: `make explore-check` fetches what compiles them")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(found.items()):
            entry = zipfile.ZipInfo(name, _BEGINNING)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)


def _name(module: Path) -> str:
    name = module.relative_to(ROOT)
    return str(name if name.parts[0] == "tilesmith" else Path("tilesmith", name))


def _compiled(node: str, found: dict[str, bytes]) -> dict[str, bytes]:
    """Return the modules as bytecode of the interpreter that the page loads."""
    with tempfile.TemporaryDirectory() as folder:
        for name, source in found.items():
            place = Path(folder, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(source)
        script = Path(__file__).with_name("compile.mjs")
        subprocess.run([node, script, PACKAGE, folder], input=json.dumps([*found]), text=True, check=True)
        return {f"{name}c": Path(folder, f"{name}c").read_bytes() for name in found}


def modules() -> list[Path]:
    """Return the modules of the archive."""
    found = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    kept = [path for path in found if str(path.relative_to(ROOT)).startswith(_USED)]
    kept = [path for path in kept if not _NEEDS_MORE.search(path.read_text())]
    return sorted([*kept, *(ROOT / "tilesmith").glob("*.py")])


if __name__ == "__main__":
    write(Path(sys.argv[1]), *sys.argv[2:])
