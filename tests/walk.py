"""Print the modules that a request visits, in the order of the first visit, and where the walk climbs.

    python -m tests.walk brgemm 64 48 64
    python -m tests.walk unary gelu 64 48
    python -m tests.walk asm vfmadd231ps          one instruction of x86-64, with drawn operands
    ... --cold                                    first print what only the first requests of a process visit

The walk is that of a warm process, which has already made two other kernels of the kind on the same target: one with
twice the extents, and one with extents that are smaller by one. So everything that a process does only once is done:
detecting the processor's features, the facts of the target, owners of memory, new instructions and entries. The cache
on disk is off. The whole request is traced. No module is left out except packages, which contain no functions.

A module is visited when one of its functions is called. A visit is a climb if the caller is in a lower layer of
tests/layers.py; an import of a module of a higher layer is also a climb. Code that runs while a module is imported is
not a visit, since the request does not depend on it.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

import tilesmith as ts
from tests.encoder import draws
from tests.layers import LAYERS, rank
from tilesmith.encoder.features import TARGETS
from tilesmith.encoder.x86.assembler import X86Assembler

ROOT = Path(__file__).parents[1]
PACKAGE = f"{ROOT / 'tilesmith'}{os.sep}"
OTHER_INSTRUCTIONS = ("vaddps", "vmulpd")
CACHE = "TILESMITH_CACHE"


class Visit(NamedTuple):
    """The first visit of a module, or an import of a higher layer."""

    module: str  # its path without the suffix
    function: str
    caller: str  # a module, empty for the request itself
    caller_function: str

    @property
    def is_import(self) -> bool:
        return self.function == "<module>"

    @property
    def climbs(self) -> bool:
        return bool(self.caller) and rank(self.caller) < rank(self.module)

    def __str__(self) -> str:
        mark = "^" if self.climbs else " "
        how = "imported by" if self.is_import else f"{self.function} <-"
        origin = f"{how} {self.caller}: {self.caller_function}" if self.caller else f"{self.function} <- the request"
        return f"{mark} {LAYERS[rank(self.module)]:28} {self.module:44} {origin}"


class Walk:
    """The visits and imports during `run`."""

    def __init__(self) -> None:
        self.visits: dict[str, Visit] = {}
        self.imports: list[Visit] = []
        self._paths: dict[CodeType, str] = {}
        self._importing = 0

    def run(self, request: Callable[[], object]) -> None:
        """Run the request and note its visits."""
        sys.setprofile(self._event)
        try:
            request()
        finally:
            sys.setprofile(None)

    def _event(self, frame: FrameType, event: str, _: object) -> None:
        is_import = frame.f_code.co_name == "<module>"
        if event == "return" and is_import:
            self._importing -= 1
        if event != "call":
            return
        module = self._path(frame.f_code)
        if module and is_import:
            visit = self._visit(frame, module)
            self.imports += [visit] if visit.climbs else []
        elif module and not self._importing and module not in self.visits:
            self.visits[module] = self._visit(frame, module)
        self._importing += is_import

    def _visit(self, frame: FrameType, module: str) -> Visit:
        caller = frame.f_back
        while caller is not None and not self._path(caller.f_code):
            caller = caller.f_back
        origin = (self._path(caller.f_code), caller.f_code.co_qualname) if caller is not None else ("", "")
        return Visit(module, frame.f_code.co_qualname, *origin)

    def _path(self, code: CodeType) -> str:
        """Return the module of a function of the package; empty for other functions and for those that dataclasses
        generate."""
        if code not in self._paths:
            inside = code.co_filename.startswith(PACKAGE)
            self._paths[code] = code.co_filename.removeprefix(PACKAGE).removesuffix(".py") if inside else ""
        return self._paths[code]

    def beyond(self, other: Walk) -> Walk:
        """Return the visits of modules that the other walk does not visit, and all imports of this walk."""
        rest = Walk()
        rest.visits = {module: visit for module, visit in self.visits.items() if module not in other.visits}
        rest.imports = self.imports
        return rest

    @property
    def climbs(self) -> int:
        """The number of calls and imports from a lower layer into a higher one."""
        return sum(visit.climbs for visit in self.visits.values()) + len(self.imports)

    def __str__(self) -> str:
        visits = [visit for visit in self.visits.values() if visit.module.partition("/")[2] != "__init__"]
        lines = [f"{number:3} {visit}" for number, visit in enumerate(visits, 1)]
        return "\n".join(
            [*lines, *(f"    {visit}" for visit in self.imports), f"{len(visits)} modules, {self.climbs} climbs"]
        )


def request_of(words: list[str]) -> Callable[[], object]:
    """Return the request that the words of the command line describe."""
    name, *rest = words
    if name == "asm":
        return _instruction(rest[0])
    arguments = [int(word) if word.isdigit() else word for word in rest]
    return lambda: getattr(ts, name)(*arguments)


def preparation_of(words: list[str]) -> Callable[[], object]:
    """Return the requests that warm the process: the same words with numbers doubled and with numbers less one; or
    other instructions."""
    if words[0] == "asm":
        others = [_instruction(mnemonic) for mnemonic in OTHER_INSTRUCTIONS]
    else:
        others = [
            request_of([str(change(int(word))) if word.isdigit() else word for word in words])
            for change in (lambda n: 2 * n, lambda n: n - 1)
        ]
    return lambda: [other() for other in others]


def _instruction(mnemonic: str) -> Callable[[], object]:
    """Return a function that assembles one instruction. Its operands are drawn in a child process, so that this process
    has not seen the instruction yet."""
    reading, writing = os.pipe()
    if not os.fork():
        os.write(writing, pickle.dumps(draws.draws(X86Assembler.table.forms(mnemonic)[0], 1)[0]))  # type: ignore[arg-type]
        os._exit(0)
    os.wait()
    operands = pickle.loads(os.read(reading, 1 << 16))
    return lambda: getattr(X86Assembler(TARGETS["avx512"]), mnemonic)(*operands)


def main(words: list[str]) -> int:
    """Print the walk of a request. With `--cold`, first print the walk of what a process does only once."""
    os.environ[CACHE] = "off"
    cold = "--cold" in words
    words = [word for word in words if word != "--cold"]
    first, walk = Walk(), Walk()
    prepare, request = preparation_of(words), request_of(words)
    first.run(prepare)
    walk.run(request)
    if cold:
        once = first.beyond(walk)
        print(f"Once in a process:\n{once}\n\nThe request:")
    print(walk)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
