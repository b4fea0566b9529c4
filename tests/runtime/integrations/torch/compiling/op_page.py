"""Writes docs/torch-operators.md from what `op_table --keep` has kept, a file for each type.

python -m tests.runtime.integrations.torch.compiling.op_page float32.jsonl bfloat16.jsonl
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

PAGE = Path(__file__).parents[5] / "docs" / "torch-operators.md"
SIGNS = {"right": "=", "fallback": "+", "left": "t", "untraced": "-", "wrong": "!"}
HEAD = """# Operators of torch by type

Written by `python -m tests.runtime.integrations.torch.compiling.op_page`. The samples of torch's own table of operators
(`torch.testing._internal.common_methods_invocations.op_db`) are computed through
[torch.compile](torch-compile.md), of floats with gradients, and compared with torch. A result of a narrow float type
that is further from torch's than its tolerance is compared with torch in f64, and may be at most twice as far from it
as torch's own, and one rounding.

| sign | |
|---|---|
| = | right, by kernels alone |
| + | right, some operators of the graph left to torch |
| t | right, the whole graph left to torch |
| - | not traced by torch itself, or without a sample that it computes |
| ! | wrong |
| | the operator does not take the type |
"""


def kept(path: Path) -> dict[str, str]:
    """Return the outcome of each operator; a later line of a file is that of a later run."""
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.startswith("[")]
    return {name: kind for name, kind, *_ in lines}


def page(outcomes: dict[str, dict[str, str]]) -> str:
    """Return the page for outcomes by type."""
    types = list(outcomes)
    counts = {each: Counter(found.values()) for each, found in outcomes.items()}
    rows = [HEAD, "| | " + " | ".join(types) + " |", "|---|" + "--:|" * len(types)]
    rows += [f"| {sign} | {' | '.join(str(counts[each][kind]) for each in types)} |" for kind, sign in SIGNS.items()]
    rows += ["", "| operator | " + " | ".join(types) + " |", "|---|" + "---|" * len(types)]
    for name in sorted({name for found in outcomes.values() for name in found}):
        shown = " | ".join(SIGNS.get(outcomes[each].get(name, ""), "") for each in types)
        rows.append(f"| {name.replace('_', chr(92) + '_')} | {shown} |")
    return "\n".join(rows) + "\n"


def main() -> None:
    """Write the page from the files that are named."""
    PAGE.write_text(page({Path(each).stem: kept(Path(each)) for each in sys.argv[1:]}))


if __name__ == "__main__":
    main()
