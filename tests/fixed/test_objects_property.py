"""Saved objects and listings had no .note.gnu.property, so linking one removed IBT, SHSTK or BTI from the whole
output."""

import pytest

import tilesmith as ts
from tests.oracles import tools
from tests.oracles.unwinder import COMPILERS

X86 = ("avx2", ("-fcf-protection=full",), ("-z", "cet-report=error"), "x86 feature: IBT, SHSTK")
A64 = ("sve256", ("-mbranch-protection=bti",), ("-z", "force-bti"), "AArch64 feature: BTI")


@pytest.mark.parametrize("suffix", [".o", ".s"])
@pytest.mark.parametrize(("target", "protected", "checked", "kept"), [X86, A64], ids=["x86", "a64"])
def test_a_linked_kernel_keeps_the_protection(tmp_path, suffix, target, protected, checked, kept):
    kernel = ts.brgemm(13, 7, 5, target=target)
    kernel.save(tmp_path / f"k{suffix}")
    (tmp_path / "other.c").write_text("int other(int (*function)(void)) { return function() + 1; }\n")
    linker = [f"-Wl,{','.join((*checked, '--fatal-warnings'))}"]
    files = [str(tmp_path / name) for name in ("other.c", f"k{suffix}")]
    made = str(tmp_path / "linked.so")
    tools.run(COMPILERS[kernel.target.arch], *protected, "-shared", "-nostdlib", *linker, "-o", made, *files)
    assert kept in tools.run("readelf", "-nW", made).stdout
