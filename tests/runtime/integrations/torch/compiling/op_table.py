"""What becomes of torch's own table of operators: right by kernels, with operators left to torch, or left whole.

    python -m tests.runtime.integrations.torch.compiling.op_table [--dtype float32] [--samples 3]
        [--gradients] [--reasons] [--part 1/4] [--keep FILE] [name ...]

Each operator's samples go through aot_autograd and the importer, and the results, and with --gradients the gradients,
are compared with those of torch. torch.testing's table needs the package expecttest.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from torch._functorch.aot_autograd import aot_function
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import OpInfo, SampleInput
from torch.utils import _pytree as pytree

from tilesmith.runtime.integrations.torch.compiling.call import GraphCall, GraphOptions
from tilesmith.runtime.integrations.torch.compiling.decompositions import decompositions

TOLERANCES = {torch.bfloat16: (3e-2, 1e-2), torch.float16: (3e-3, 1e-3), torch.float32: (2e-5, 1e-4)}
"""Relative and absolute, where they are not those of torch.testing: one rounding of each result of a narrow type; f32
sums in another order."""
NARROW = (torch.bfloat16, torch.float16, torch.float32)
"""Types whose results are compared with those of f64 where they are further than that from torch's: a difference of two
numbers that are nearly the same, or a sum of many, may be further from the true one in either."""
SEED = 42
"""What torch.testing seeds random operators with."""
UNSTABLE = ("empty", "as_strided_partial_views", "new_empty_strided")
"""Operators whose results are memory as it was, or which read outside their samples."""
PLACES_OF_EQUALS = ("topk",)
"""Operators of which torch leaves open which places of equal elements they return: its places are replaced by the
elements there, and gradients, which go there, are compared where few elements are equal."""


class OpOutcome(NamedTuple):
    """right, fallback, left or untraced; and the reasons by operator."""

    kind: str
    reasons: frozenset[str] = frozenset()


def named(dtype: torch.dtype) -> dict[str, OpInfo]:
    """Return torch's operators that take a type, by name."""
    return {each.formatted_name: each for each in op_db if dtype in each.dtypes}


def outcome(operator: OpInfo, dtype: torch.dtype, samples: int, gradients: bool = False) -> OpOutcome:
    """Return what becomes of an operator. Raises AssertionError for a wrong result."""
    kinds, reasons = ["untraced"], set[str]()
    torch.manual_seed(0)
    wanted = gradients and operator.supports_autograd and dtype.is_floating_point
    for sample in itertools.islice(operator.sample_inputs("cpu", dtype, requires_grad=wanted), samples):
        for call in _checked(operator, sample, dtype, wanted):
            report = call.reports[-1]
            reasons |= {f"{each.name}: {each.reason}" for each in report.fallbacks}
            kinds.append("left" if report.compiled is None else "fallback" if report.fallbacks else "right")
    order = ["untraced", "right", "fallback", "left"]
    return OpOutcome(max(kinds, key=order.index), frozenset(reasons))


def _checked(operator: OpInfo, sample: SampleInput, dtype: torch.dtype, gradients: bool) -> Iterator[GraphCall]:
    """Compare one sample, and yield the graphs that it became."""
    flat, form = pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
    places = [place for place, each in enumerate(flat) if isinstance(each, torch.Tensor)]

    def function(*tensors: torch.Tensor) -> list[object]:
        given = list(flat)
        for place, tensor in zip(places, tensors):
            given[place] = tensor
        first, args, kwargs = pytree.tree_unflatten(given, form)
        return pytree.tree_leaves(operator(first, *args, **kwargs))

    def tensors() -> list[torch.Tensor]:
        return [flat[place].detach().clone().requires_grad_(flat[place].requires_grad) for place in places]

    calls: list[GraphCall] = []
    begun: list[str] = []

    def compiler(kind: str) -> Callable[[torch.fx.GraphModule, Sequence[torch.Tensor]], GraphCall]:
        def made(graph: torch.fx.GraphModule, _: Sequence[torch.Tensor]) -> GraphCall:
            begun.append(kind)
            calls.append(GraphCall(graph, kind, GraphOptions(), {}))
            return calls[-1]

        return made

    with torch.set_grad_enabled(gradients):
        try:
            torch.manual_seed(SEED)
            expected = _with_gradients(function, tensors(), gradients)
            compiled = aot_function(
                function,
                fw_compiler=compiler("forward"),
                bw_compiler=compiler("backward"),
                inference_compiler=compiler("inference"),
                decompositions=decompositions(),
            )
            torch.manual_seed(SEED)
            found = _with_gradients(compiled, tensors(), gradients)
        except Exception:  # what torch itself cannot trace, or not compute
            if begun:
                raise
            return
    if operator.name in PLACES_OF_EQUALS:
        dim = sample.args[1] if len(sample.args) > 1 else sample.kwargs.get("dim", -1)
        for each in (found, expected):
            each[1] = sample.input.detach().gather(dim, each[1])
            del each[len(each) if dtype.itemsize > 2 else 2 :]
    if operator.name not in UNSTABLE and "empty" not in operator.name:
        tolerances = dict(zip(("rtol", "atol"), TOLERANCES.get(dtype, ())))
        try:
            torch.testing.assert_close(found, expected, equal_nan=True, check_stride=False, **tolerances)
        except AssertionError:
            flat[:] = [_wide(each) for each in flat]
            with torch.set_grad_enabled(gradients):
                exact = _with_gradients(function, tensors(), gradients) if dtype in NARROW else expected
            if not _no_further(found, expected, exact):
                raise
    yield from calls


def _wide(given: object) -> object:
    """Return a float tensor, or a type, in f64."""
    if isinstance(given, torch.Tensor) and given.dtype in NARROW:
        return given.detach().double().requires_grad_(given.requires_grad)
    return torch.float64 if isinstance(given, torch.dtype) and given in NARROW else given


def _no_further(found: Sequence[object], expected: Sequence[object], exact: Sequence[object]) -> bool:
    """Whether no result is more than twice as far from that of f64 as torch's, and one rounding of the largest."""
    if len(found) != len(exact) or exact is expected:
        return False
    for ours, theirs, true in zip(found, expected, exact):
        if not isinstance(ours, torch.Tensor) or not isinstance(true, torch.Tensor) or not ours.is_floating_point():
            if not (torch.equal(ours, theirs) if isinstance(ours, torch.Tensor) else ours == theirs):  # type: ignore
                return False
            continue
        assert isinstance(theirs, torch.Tensor)
        if ours.shape != true.shape or ours.dtype != theirs.dtype:
            return False
        finite = true.double()[true.isfinite()].abs()
        rounding = torch.finfo(ours.dtype).eps * float(finite.max()) if finite.numel() else 0.0
        if _error(ours, true) > 2 * _error(theirs, true) + rounding:
            return False
    return True


def _error(found: torch.Tensor, exact: torch.Tensor) -> float:
    """Return the largest difference; infinity for a number in place of a NaN or the other way round."""
    same = (found == exact) | (found.isnan() & exact.isnan())
    off = (found.double() - exact.double()).abs().masked_fill(same, 0)
    return float(off.nan_to_num(torch.inf, torch.inf).max()) if off.numel() else 0.0


def _with_gradients(
    function: Callable[..., Sequence[object]], tensors: Sequence[torch.Tensor], gradients: bool
) -> list[object]:
    """Return the results of a function, and the gradients of a sum of them with other weights for each element."""
    made = list(function(*tensors))
    wanted = [each for each in tensors if each.requires_grad]
    parts = [each for each in made if isinstance(each, torch.Tensor) and each.requires_grad]
    if not gradients or not wanted or not parts or any(each.is_complex() for each in parts):
        return made
    weights = [torch.linspace(0.5, 1.5, each.numel(), dtype=each.dtype).view(each.shape) for each in parts]
    return [*made, *torch.autograd.grad(parts, wanted, weights, allow_unused=True)]


def _keep(path: Path | None, name: str, found: OpOutcome) -> None:
    """Add the outcome of an operator to a file."""
    if path is not None:
        with path.open("a") as file:
            print(json.dumps([name, found.kind, sorted(found.reasons)]), file=file)


def main() -> None:
    """Print the operators of each outcome."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--gradients", action="store_true")
    parser.add_argument("--reasons", action="store_true")
    parser.add_argument("--part", default="1/1", help="every fourth operator, from the first one on: 1/4")
    parser.add_argument("--keep", type=Path, help="a file to which the outcome of each operator is added, for op_page")
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    dtype = getattr(torch, asked.dtype)
    kinds: dict[str, list[str]] = {"right": [], "fallback": [], "left": [], "untraced": [], "wrong": []}
    reasons: Counter[str] = Counter()
    first, step = map(int, asked.part.split("/"))
    for name, operator in [*named(dtype).items()][first - 1 :: step]:
        if asked.names and name not in asked.names:
            continue
        try:
            found = outcome(operator, dtype, asked.samples, asked.gradients)
        except Exception as error:
            kinds["wrong"].append(f"{name}: {type(error).__name__}: {str(error)[:300]}")
            _keep(asked.keep, name, OpOutcome("wrong", frozenset([kinds["wrong"][-1]])))
            continue
        _keep(asked.keep, name, found)
        kinds[found.kind].append(name)
        reasons.update(found.reasons)
    for kind, names in kinds.items():
        print(f"{kind}: {len(names)}\n  " + ("\n  " if kind == "wrong" else " ").join(names))
    if asked.reasons:
        for reason, count in reasons.most_common():
            print(f"{count:4d} {reason}")


if __name__ == "__main__":
    main()
