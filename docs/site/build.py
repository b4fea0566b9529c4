"""Build the site: write the pages that are made from the code, run Sphinx, whose warnings are errors, check the HTML.

python -m docs.site.build        into .build/site/html; `make site` installs what it needs first
"""

from __future__ import annotations

from pathlib import Path

from sphinx.cmd.build import build_main

from docs.site import explorer, gallery, links, public_names
from tilesmith.encoder.a64 import reference as reference_a64
from tilesmith.encoder.x86 import reference as reference_x86

DOCS = Path(__file__).parents[1]
BUILT = DOCS / "built"
SITE = DOCS.parent / ".build" / "site"


def write_pages() -> None:
    """Write the pages of instructions, of public names and the gallery, which git ignores."""
    (DOCS / "instructions-x86.md").write_text(reference_x86.page())
    (DOCS / "instructions-a64.md").write_text(reference_a64.page())
    pictures = BUILT / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    (BUILT / "gallery.md").write_text(gallery.page(pictures))
    for name, text in public_names.pages().items():
        (BUILT / f"{name}.md").write_text(text)


def main() -> None:
    """Build and check."""
    write_pages()
    html = SITE / "html"
    # Quietly; warnings are errors, and all of them are printed; every page is read anew, since a page that is not read
    # has no warnings.
    options = ["-q", "-W", "--keep-going", "-E", "-a", "-c", str(DOCS / "site"), "-d", str(SITE / "doctrees")]
    status = build_main([*options, str(DOCS), str(html)])
    explorer.write(html / "explorer")
    wrong = links.check(html) if status == 0 else []
    print("\n".join(wrong) or f"{html / 'index.html'}")
    raise SystemExit(status or bool(wrong))


if __name__ == "__main__":
    main()
