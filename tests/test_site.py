"""The tools that build the site: `make site` runs them on all pages, and Sphinx with every warning as an error."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

import tilesmith as ts
from docs.site import docstrings, gallery, links, navigation, public_names

RIGHT = '<html><body><p id="a"><a href="other.html#b">x</a><br><img src="p.svg"><p><a href="#a">y</a></body></html>'
OTHER = '<html><body><svg><path/></svg><h1 id="b">z</h1><a href="https://example.org/none">far</a></body></html>'


@pytest.mark.parametrize(
    ("before", "after", "wrong"),
    [
        ("", "", []),
        ("other.html#b", "other.html#c", ["page.html: other.html#c leads nowhere"]),
        ("other.html#b", "another.html", ["page.html: another.html leads nowhere"]),
        ("p.svg", "q.svg", ["page.html: q.svg leads nowhere"]),
        ('"#a"', '"#aa"', ["page.html: #aa leads nowhere"]),
        ("<br>", '<br id="a">', ["page.html: id 'a' stands 2 times"]),
        ("<br>", "</b>", ["page.html: line 1: </b> closes nothing"]),
        ("<br>", "<div>", ["page.html: line 1: </body> closes nothing", "page.html: line 1: </html> closes nothing"]),
    ],
)
def test_links_and_elements_of_html_are_checked(tmp_path: Path, before: str, after: str, wrong: list[str]) -> None:
    (tmp_path / "page.html").write_text(RIGHT.replace(before, after) if before else RIGHT)
    (tmp_path / "other.html").write_text(OTHER)
    (tmp_path / "p.svg").write_text("<svg/>")
    assert set(wrong) <= set(links.check(tmp_path)) and bool(wrong) == bool(links.check(tmp_path))


def test_links_to_what_is_no_page_become_text(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / "examples").mkdir(parents=True)
    text = "[a](examples) [b](../README.md) ![c](d.svg) [e](f.md#g) [h](../i.py) [j](https://example.org/k.md)"
    shown = "a b ![c](d.svg) [e](f.md#g) [h](../i.py) [j](https://example.org/k.md)"
    assert navigation.without_folders(text, docs / "page.md", docs) == shown


def test_docstrings_become_markdown() -> None:
    """Paragraphs in one line, code in fences, rows of arguments as a list, and characters of markup as characters."""

    def documented() -> None:
        """Return a *b* c_d `e*f`.

            g = ts.graph()

            g + 1

        m, n     the extents, and
                 more of them
        numerics exact
        A second paragraph [x](y).
        """

    assert docstrings.markdown(inspect.getdoc(documented) or "") == (
        "Return a \\*b\\* c\\_d `e*f`.\n\n"
        "```python\ng = ts.graph()\n\ng + 1\n```\n\n"
        "- `m, n`: the extents, and more of them\n"
        "- `numerics`: exact\n\n"
        "A second paragraph \\[x\\](y)."
    )


def test_a_page_has_an_entry_for_each_public_name() -> None:
    """With the parameters of `inspect.signature`, and the types as the source has them."""
    module = ModuleType("tilesmith", "Some names.")
    entries = {"transpose": "function", "matmul": "function", "UnsupportedError": "class", "STRIDE": "data"}
    vars(module).update({name: getattr(ts, name) for name in entries}, __all__=list(entries))
    page = public_names.module_page(module)
    found = dict(re.findall(r"^`+{py:(?:function|class|data)} tilesmith\.(\w+)(.*)$", page, re.MULTILINE))
    assert found.keys() == entries.keys()
    assert all(f"{{py:{kind}}} tilesmith.{name}" in page for name, kind in entries.items())
    parameters = inspect.signature(ts.transpose).parameters.values()
    assert all(f"{each.name}: {each.annotation}" in found["transpose"] for each in parameters)
    vars(module).update(undocumented=type("undocumented", (), {}), __all__=["undocumented"])
    with pytest.raises(ValueError, match="no docstring"):
        public_names.module_page(module)


def test_pictures_of_registers_have_a_bar_for_each_line() -> None:
    table = "offsets   role    registers\n   0 to 31   A & B         zmm0-zmm3\n  32 to 63   accumulators  zmm4\n"
    drawn = ElementTree.fromstring(gallery.register_picture(table, 0x64))
    bars = [each for each in drawn if each.tag.endswith("rect") and each.get("y")]
    widths = [float(each.get("width") or 0) for each in bars]
    assert len(bars) == 2 and widths[0] == widths[1] and bars[0].get("fill") != bars[1].get("fill")
    assert float(bars[1].get("x") or 0) - float(bars[0].get("x") or 0) == pytest.approx(widths[0])
    assert [each.text for each in drawn if each.text] == ["A & B: zmm0-zmm3", "accumulators: zmm4"]
    with pytest.raises(ValueError, match="no registers"):
        gallery.register_picture("offsets   registers\n", 8)
