"""The explorer as a folder of static files: the page of `tilesmith explore`, with Python and Tilesmith in the browser.

    python -m docs.site.explorer FOLDER [PYODIDE]

PYODIDE is where pyodide.mjs lies: an address, or a path relative to the folder.
"""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "runtime" / "explorer" / "page"
ROOMS = "encoder", "microkernels", "emulation", "runtime"
PYODIDE = "https://cdn.jsdelivr.net/pyodide/v314.0.7/full/"
"""The version that tests/explorer runs under node: `npm install pyodide@314.0.7`."""
_ONLY_NATIVE = "runtime/bench", "runtime/integrations", "runtime/coverage"
_BEGINNING = 1980, 1, 1, 0, 0, 0


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
    """Write the modules that planning and listing may need as an archive. Equal modules make equal bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for module in modules():
            name = module.relative_to(ROOT)
            entry = zipfile.ZipInfo(str(name if name.parts[0] == "tilesmith" else Path("tilesmith", name)), _BEGINNING)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, module.read_bytes())


def modules() -> list[Path]:
    """Return the modules of the archive."""
    found = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    kept = [path for path in found if not str(path.relative_to(ROOT)).startswith(_ONLY_NATIVE)]
    return sorted([*kept, *(ROOT / "tilesmith").glob("*.py")])


if __name__ == "__main__":
    write(Path(sys.argv[1]), *sys.argv[2:])
