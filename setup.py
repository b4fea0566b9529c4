"""Source archives hold the folders once, and the links of tilesmith/ as links; and `make wheel` builds two wheels that
hold the package together. All else is in setup.cfg."""

import os
from pathlib import Path

from setuptools import Distribution, __version__, setup
from setuptools.command.sdist import sdist

if int(__version__.partition(".")[0]) < 77:  # which --no-build-isolation takes from the environment, unasked
    raise SystemExit(f"tilesmith is built by setuptools 77 or newer, not {__version__}: pip install 'setuptools>=77'")

LINKS = [link for link in sorted(Path("tilesmith").iterdir()) if link.is_symlink()]
CORE, LOWER = "tilesmith-core", ("emulation", "encoder", "microkernels")
"""The wheel that `tilesmith` depends on, and its packages: all that runtime is built on (tests/layers.py)."""
PART = os.environ.get("TILESMITH_WHEEL")
"""The one of the two wheels that is built; None: one with everything, as `pip install .` and editable installs need."""


class Linked(sdist):  # type: ignore[misc]
    """An sdist whose tree has the same links as the repository."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        """The files but those behind links, and the links."""
        own = [name for name in files if not any(link in Path(name).parents for link in LINKS)]
        super().make_release_tree(base_dir, own)
        for link in LINKS:
            (Path(base_dir) / link).symlink_to(os.readlink(link))


class Part(Distribution):  # type: ignore[misc]
    """What setup.cfg says of the package, for one of the wheels that hold it."""

    def parse_config_files(self, *given: object, **named: object) -> None:
        """Read setup.cfg, and keep what belongs to the part."""
        super().parse_config_files(*given, **named)
        if PART is None:
            return
        lower = tuple(f"{self.metadata.name}.{each}" for each in LOWER)
        self.packages = [each for each in self.packages if each.startswith(lower) == (PART == CORE)]
        if PART != CORE:
            self.install_requires.append(f"{CORE}=={self.metadata.version}")
            return
        self.extras_require.clear()
        self.entry_points = {}
        self.metadata.name = CORE
        self.metadata.description = "The part of tilesmith that makes, decodes and emulates machine code"
        self.metadata.long_description = (
            "tilesmith depends on it, and has the documentation: `pip install tilesmith`.\n"
        )


setup(cmdclass={"sdist": Linked}, distclass=Part)
