"""The command line, `tilesmith info` and the other commands: see `_parser`."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ...encoder.deferred import lazy
from ...encoder.errors import EncodeError
from ...encoder.files.header import c_name
from ...encoder.files.store import content, store
from ...microkernels.errors import UnsupportedError
from ...microkernels.names import nearest
from ..api.brgemm import targets
from ..bench.options import add_common, seconds
from ..explorer.command import add_explore
from ..host import detect as host
from ..kernel.callable import Kernel
from ..system import environment
from ..system.progress import in_pipes
from ..system.version import __version__
from . import files
from .bench import add_bench, run_roofline, split
from .cache import add_cache
from .completion import add_completion
from .models import add_onnx
from .nests import KINDS, add_requests
from .pages import add_docs
from .papers import add_papers

if TYPE_CHECKING:
    from ..bench import measure
    from ..coverage import proofs, table
    from ..fastcall import entry
    from . import demo, objects, product

proofs = lazy(__package__, "..coverage.proofs")
table = lazy(__package__, "..coverage.table")
measure = lazy(__package__, "..bench.measure")
entry = lazy(__package__, "..fastcall.entry")
demo = lazy(__package__, ".demo")
objects = lazy(__package__, ".objects")
product = lazy(__package__, ".product")

_UNREAD = 128 + signal.SIGPIPE
_ARCHITECTURES = {"x86_64": "x86", "x86-64": "x86", "amd64": "x86", "aarch64": "a64", "arm64": "a64"}
"""Other names of architectures, mapped to those of this project."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. The exit status is 0 for success, 1 for a wrong result or a missing proof, 2 for a request that
    cannot be met.

    If the reader of the output has gone (`| head`), the status is 141, that of a program killed by SIGPIPE.
    """
    words, own = split([*sys.argv[1:]] if arguments is None else [*arguments])
    options = _parsed(words)
    options.own, options.words = own, words
    files.printable()
    try:
        files.flush()  # whether there is somebody who reads, before any work
        _share_target([options, *options.others])
        with in_pipes():
            status: int = options.command(options)
        files.flush()
    except (UnsupportedError, EncodeError, ValueError, OSError, MemoryError) as error:
        return _failed(error)
    except SystemExit as end:  # rich ends the program, with its own status, if it cannot print
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        return _failed(end.__context__)
    return status


def _share_target(requests: Sequence[argparse.Namespace]) -> None:
    """Let the target that one of several requests names be that of all. Raise ValueError if no target has its name, or
    if some name different ones and others none."""
    named = {each.target: None for each in requests if getattr(each, "target", None) is not None}
    for name in named:
        files.target(name, targets())
    without = [each for each in requests if getattr(each, "target", None) is None]
    if len(named) > 1 and without:
        raise ValueError(f"--target: one for all functions, or one of each, not {' and '.join(named)} beside none")
    for each in without if named else ():
        (each.target,) = named


def _failed(error: Exception) -> int:
    """Print the error and return the exit status."""
    with suppress(OSError):
        files.flush()
    if isinstance(error, BrokenPipeError):
        return _UNREAD
    print(f"tilesmith: {str(error) or type(error).__name__}", file=sys.stderr)  # a MemoryError may have no text
    return 2


# Modules that some commands alone need


# Commands

_FACTS = ("isa", "vector_bits", "fma_pipes", "fma_bits", "l1d", "l2", "l3")


def _info(options: argparse.Namespace) -> int:
    if options.proofs:
        return 1 if proofs.report(files.output("-o", options.output)) else 0
    if options.coverage:
        return 1 if table.report(path=files.output("-o", options.output)) else 0
    target = host.host()
    known = {
        "processor": host.brand(),
        **{name: getattr(target, name) for name in _FACTS},
        "features": sorted(target.features),
    }
    peaks = ((dtype, measure.fma_peak(target, dtype)) for dtype in ("f32", "f64"))
    native = ((name, host.runs(host.resolve(name))) for name in targets())
    if options.json:
        known |= {"calls": entry.refusal() or "native", "peak": dict(peaks)}
        known |= {"targets": {name: reason or "native" for name, reason in native}}
        print(json.dumps({"version": __version__, **known}, indent=2))
        return 0
    print(known["processor"])
    print(f"  {target.isa}, {target.vector_bits}-bit vectors, {target.fma_pipes} FMA pipes of {target.fma_bits} bits")
    print(f"  L1d {target.l1d >> 10} KiB, L2 {target.l2 >> 10} KiB, L3 {target.l3 >> 20} MiB")
    print(f"  features: {' '.join(known['features'])}")
    for dtype, peak in peaks:
        print(f"  measured peak {dtype}: {peak / 1e9:.1f} GFLOP/s")
    refusal = entry.refusal()
    print(f"  calls: through {f'Python, some microseconds each: {refusal}' if refusal else 'machine code'}")
    for name, reason in native:
        print(f"  target {name}: {reason.removeprefix(f'target {name} ') or 'runs natively'}")
    for name, value in environment.variables().items():
        near = nearest(name, environment.NAMES)
        hint = f"; did you mean {near}?" if near else ""
        print(f"  {name}={value}{'' if name in environment.NAMES else f': no variable that Tilesmith reads{hint}'}")
    return 0


def _demo(options: argparse.Namespace) -> int:
    return 0 if demo.run(options.target, options.output, options.seconds, options.json) else 1


def _asm(options: argparse.Namespace) -> int:
    path = files.output("-o", options.output)
    _check_symbol(options)
    syntax = files.assembly("-o", path, options.syntax, options.json)
    kernel = options.make(options)
    if options.json:
        return _asm_json(kernel, path)
    if path is not None and syntax is None:
        kernel.save(path, options.symbol)
        return 0
    comment = ";" if syntax == "intel" else "#" if kernel.target.arch == "x86" else "//"
    plan = "".join(f"{comment} {line}\n" for line in [*_plan(kernel), kernel.c_prototype])
    text = f"{plan}{kernel.listing(syntax or 'intel')}\n".replace(kernel.name, options.symbol or kernel.name)
    print(text, end="") if path is None else store(path, text)
    return 0


def _plan(kernel: Any) -> list[str]:
    """Return the lines that say how a kernel computes: its plan, or its loops and their calls."""
    return str(kernel.plan if isinstance(kernel, Kernel) else kernel).splitlines()


def _asm_json(kernel: Any, path: Path | None) -> int:
    """Print the facts about a kernel as JSON, or write them to a file."""
    found = {
        "name": kernel.name,
        "prototype": kernel.c_prototype,
        "target": kernel.target.name,
        "flops": kernel.flops,
        "plan": _plan(kernel),
        "code": kernel.code.hex(),
        "listing": kernel.listing().splitlines(),
    }
    text = json.dumps(found, indent=2) + "\n"
    print(text, end="") if path is None else store(path, text)
    return 0


_LINKED = ".o", ".a", ".so"


def _elf(options: argparse.Namespace) -> int:
    requests = [options, *options.others]
    paths = [each.output for each in requests if each.output is not None]
    if len(paths) != 1:
        raise ValueError(f"-o: one file for all functions, not {len(paths)}: -o k.o")
    if paths[0].suffix not in _LINKED:
        raise ValueError(f"-o: a name ending in {', '.join(_LINKED[:-1])} or {_LINKED[-1]}, not {str(paths[0])!r}")
    endings = (".h", ".f90") if any(each.fortran for each in requests) else (".h",)
    paths += [paths[0].with_suffix(ending) for ending in endings]
    for each in requests:
        _check_symbol(each)
    for path in paths:
        files.output("-o", path)
    functions = [each.make(each).declared(each.symbol) for each in requests]
    for path, made in [(path, content(path, functions)) for path in paths]:
        store(path, made)
    print(f"{', '.join(map(str, paths))}:", "\n".join(each.declaration for each in functions))
    return 0


def _check_symbol(options: argparse.Namespace) -> None:
    """Raise ValueError if --name is not the name of a C function."""
    try:
        c_name(options.symbol or "f")
    except ValueError as error:
        raise ValueError(str(error).replace("name:", "--name:", 1)) from None


def _verify(options: argparse.Namespace) -> int:
    kernel = options.make(options)
    proof = kernel.verify(timeout=options.timeout)
    print(proof)
    return 0 if proof else 1


def _disasm(options: argparse.Namespace) -> int:
    print(objects.listed(objects.read(options.file), options.arch), end="")
    return 0


def _matmul(options: argparse.Namespace) -> int:
    files.output("-o", options.output)
    a, b = files.load(options.a), files.load(options.b)
    c, kernels = product.product(a, b, options.target)
    files.save(options.output, c)
    print(f"{options.output}: {c.dtype} {c.shape} by {len(kernels)} kernels")
    if options.show:
        for kernel in kernels:
            print(f"\n{kernel.plan}\n{kernel.c_prototype}\n{kernel.listing()}")
    return 0


# Options


class _Parser(argparse.ArgumentParser):
    """Reports a wrong command line in one line, as other errors are."""

    def error(self, message: str) -> NoReturn:
        """End the program with status 2."""
        place = self.prog if self.prog != "tilesmith" else "tilesmith COMMAND"
        self.exit(2, f"{self.prog}: {message} ({place} --help lists what can be given)\n")


_MORE = "+"
"""The word between the requests of several functions."""
_SEVERAL = ["elf"], ["roofline"]
"""The commands that take several."""


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command. `others` are those of further requests of it."""
    parser = _parser()
    if words and words[0] in KINDS:
        parser.error(
            f"{words[0]!r} is a kind of kernel, for asm, elf, verify and roofline: tilesmith asm {words[0]} ..."
        )
    requests = [[*words]]
    while words[:1] in _SEVERAL and _MORE in requests[-1]:
        at = requests[-1].index(_MORE)
        requests[-1:] = [requests[-1][:at], [words[0], *requests[-1][at + 1 :]]]
    parser = parser if len(requests) == 1 else _parser(alone=False)
    options, *others = (parser.parse_args(each) for each in requests)
    options.others = others
    return options


def _parser(alone: bool = True) -> argparse.ArgumentParser:
    """Return the parser of all commands. A request that is not alone may leave the file to the others."""
    parser = _Parser(prog="tilesmith", description="Tensor kernels as raw machine code, with no compiler.")
    parser.add_argument("--version", action="version", version=f"tilesmith {__version__}")
    commands = parser.add_subparsers(required=True, metavar="command")

    information = _command(commands, "info", _info, "the CPU, its features, measured peaks, which targets run natively")
    information.add_argument(
        "--coverage", action="store_true", help="show instead which elementwise kernels work (all are tried)"
    )
    information.add_argument(
        "--proofs", action="store_true", help="show instead for which of these the bytes are proved"
    )
    information.add_argument("-o", "--output", type=Path, help="write the coverage or proofs to this Markdown file")
    information.add_argument("--json", action="store_true", help="the same for programs")

    demonstration = _command(commands, "demo", _demo, "the main job on this machine, checked against numpy")
    demonstration.add_argument("--target", help="a name from `tilesmith info`; default: this machine")
    demonstration.add_argument("-o", "--output", type=Path, help="folder for listings and objects; default: none")
    demonstration.add_argument("--json", action="store_true", help="the same for programs")
    demonstration.add_argument("--seconds", default=0.1, type=seconds, help="spent on each measurement")

    assembly = _command(commands, "asm", _asm, "print or save the code of a kernel")
    add_requests(assembly, _add_asm)

    elf = _command(
        commands, "elf", _elf, f"save kernels as an object, an archive or a shared library; {_MORE} between several"
    )
    add_requests(elf, partial(_add_elf, alone))

    proof = _command(commands, "verify", _verify, "prove that the bytes of a kernel compute what the request says")
    add_requests(proof, _add_verify)

    listing = _command(commands, "disasm", _disasm, "print the instructions in an object or in raw bytes")
    listing.add_argument("file", type=Path, help="ELF of either architecture, else raw bytes; - is the standard input")
    listing.add_argument(
        "--arch",
        choices=["x86", "a64"],
        type=lambda name: _ARCHITECTURES.get(name.lower(), name),
        help="of raw bytes; default: what they look like",
    )

    multiply = _command(commands, "matmul", _matmul, "multiply two .npy files")
    multiply.add_argument("a", type=Path)
    multiply.add_argument("b", type=Path)
    multiply.add_argument("-o", "--output", type=Path, required=True)
    multiply.add_argument("--target")
    multiply.add_argument("--show", action="store_true", help="print the kernels used")

    for add in (add_explore, add_cache, add_docs, add_papers, add_onnx):
        add(commands)
    add_completion(commands, parser)

    roofline = _command(
        commands, "roofline", run_roofline, f"kernels below this machine's measured ceilings; {_MORE} between several"
    )
    add_requests(roofline, add_common)

    add_bench(commands)
    return parser


def _add_asm(kind: argparse.ArgumentParser) -> None:
    kind.add_argument(
        "--syntax",
        choices=["intel", "gas"],
        help="a listing, or a source for GNU as and clang; default: by the name of the file, else intel",
    )
    kind.add_argument("--json", action="store_true", help="name, prototype, plan, code and listing, for programs")
    kind.add_argument(
        "-o", "--output", type=Path, help=f"a file, by its ending {files.ENDINGS}; default: print the listing"
    )
    _add_symbol(kind)


def _add_verify(kind: argparse.ArgumentParser) -> None:
    kind.add_argument(
        "--timeout",
        type=seconds,
        metavar="SECONDS",
        help="the most that the proof may take; default: bounds on instructions alone",
    )


def _add_elf(alone: bool, kind: argparse.ArgumentParser) -> None:
    kind.add_argument(
        "-o",
        "--output",
        type=Path,
        required=alone,
        help="the object, archive or library: name.o, name.a or name.so; the C header is name.h",
    )
    kind.add_argument("--fortran", action="store_true", help="also a Fortran module, name.f90")
    _add_symbol(kind)


def _add_symbol(kind: argparse.ArgumentParser) -> None:
    about = "the name of the function; default: one made from the request"
    kind.add_argument("--name", "--symbol", dest="symbol", metavar="name", help=about)


def _command(commands: Any, name: str, run: Any, about: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=about, description=about)
    parser.set_defaults(command=run)
    return parser
