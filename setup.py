"""Source archives hold the folders once, and the links of tilesmith/ as links; all else is in setup.cfg."""

import os
from pathlib import Path

from setuptools import __version__, setup
from setuptools.command.sdist import sdist

if int(__version__.partition(".")[0]) < 77:  # which --no-build-isolation takes from the environment, unasked
    raise SystemExit(f"tilesmith is built by setuptools 77 or newer, not {__version__}: pip install 'setuptools>=77'")

LINKS = [link for link in sorted(Path("tilesmith").iterdir()) if link.is_symlink()]


class Linked(sdist):  # type: ignore[misc]
    """An sdist whose tree has the same links as the repository."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        """The files but those behind links, and the links."""
        own = [name for name in files if not any(link in Path(name).parents for link in LINKS)]
        super().make_release_tree(base_dir, own)
        for link in LINKS:
            (Path(base_dir) / link).symlink_to(os.readlink(link))


setup(cmdclass={"sdist": Linked})
