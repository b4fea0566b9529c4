"""Compare attention with 8 heads of size 64 with the peak of brgemm and, if it is installed, torch, in one run.

python -m tests.bench.attention [LENGTHS]
PYTHONPATH=... python -m tests.bench.attention      with torch in that path
"""

from tilesmith.runtime.bench.cases import attention
from tilesmith.runtime.bench.runner import Bench, main

LENGTHS = 128, 256, 512, 1024, 2048
BENCH = Bench("attention", __doc__, lambda run: [attention.table(None, ("f32", "bf16", "f16"), run.options.lengths)],
              {"lengths": {"type": int, "nargs": "*", "default": LENGTHS}}, seconds=0.3, quick=("128", "512"))

if __name__ == "__main__":
    main(BENCH)
