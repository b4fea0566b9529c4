"""`tilesmith bench matmul` with its own options: see runtime/bench/cases/matmul.py."""

from tilesmith.runtime.bench.cases.matmul import BENCH
from tilesmith.runtime.bench.runner import main

if __name__ == "__main__":
    main(BENCH)
