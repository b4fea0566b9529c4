"""The steps of products whose factors are packed, transposed or copied into scratch memory first."""

from __future__ import annotations

from collections.abc import Iterator

from ....microkernels.codegen.laid_by import line
from ....microkernels.dtypes import ELEMENT_BYTES
from ....microkernels.gemm.plan import scratch_sizes
from ....microkernels.prepack.operand_plan import CopiedElements, OperandPrepackPlan, PackLoop
from .chains import SCRATCH
from .claims import Claims, PlacedFactor, factor, packed, result, tiles_of
from .memory import IN_TURN, THROUGHOUT, MatrixAccess, PlacedStep

_TWICE = 2
"""The iterations of a loop that are walked: the second one meets what the first one left."""


def steps_of_packed(plan: OperandPrepackPlan) -> Iterator[PlacedStep]:
    """Yield the steps of a product with packed factors."""
    claims = Claims()
    if plan.loop is None:
        yield from claims.around(_operand(plan, claims))
    else:
        yield from claims.around(_pair(plan, plan.loop, claims) if plan.loop.by_pairs else _block(plan, claims))


def _operand(plan: OperandPrepackPlan, claims: Claims) -> Iterator[PlacedStep]:
    """Yield the changes of whole operands, then the product. That of rows which the call counts reads the packed factor
    as the one of NOMINAL_ROWS does."""
    if not plan.count:
        return
    product = plan.product
    places = {}
    for name, change in plan.changes.items():
        places[name] = at = claims.claim(plan.scratch_of[name])
        if isinstance(change, CopiedElements):
            yield _copies(change, ELEMENT_BYTES[plan.spec.dtype], at, f"packed {name}")
            continue
        size, y = ELEMENT_BYTES[change.spec.dtype], change.spec.arguments[1]
        assert isinstance(change.spec.ldy, int)
        distance = y.rows * change.spec.ldy * size
        for number in range(plan.count):
            write = packed(change, at + number * distance, f"packed {name}", number * y.rows)
            yield PlacedStep(f"pack {name} of pair {number}", (), (write,))
    reads = [
        each
        for name, at in places.items()
        for each in factor(product, name, PlacedFactor(at, f"packed {name}"), plan.count)
    ]
    size = sum(scratch_sizes(product))
    yield PlacedStep("the product", tuple(reads), (), tiles_of(product, claims.claim(size) if size else 0))


def _with_levels(
    plan: OperandPrepackPlan, base: int, lines: int, length: int, steps: Iterator[PlacedStep]
) -> Iterator[PlacedStep]:
    """Yield the steps of a part of C of so many lines and columns, between the clearing of its levels at `base`, if it
    has any, and their end."""
    if plan.laid_by is None:
        yield from steps
        return
    laid_by, size = plan.laid_by, ELEMENT_BYTES[plan.laid_by.compute]
    pitch = line(length, laid_by.vector, laid_by.compute)
    first = MatrixAccess(SCRATCH, base, lines, length, size, pitch, "", when=THROUGHOUT)
    every = range(laid_by.levels.depth)
    levels = tuple(first._replace(offset=base + n * lines * pitch, value=f"level {n}") for n in every)
    yield PlacedStep("levels are cleared", (), levels)
    yield from steps
    for level, (below, above) in enumerate(zip(levels, levels[1:])):
        yield PlacedStep(f"level {level} is laid by", (below, above), ())
    yield PlacedStep("levels are brought back", levels, ())


def _pair(plan: OperandPrepackPlan, loop: PackLoop, claims: Claims) -> Iterator[PlacedStep]:
    """Yield the zeroing of the sums, pairs, and C from the sums."""
    places = {name: claims.claim(size) for name, size in plan.scratch_of.items() if size}
    levels = claims.claim(plan.laid_by.bytes) if plan.laid_by is not None else 0
    own = tiles_of(plan.product, places.get("tiles", 0))
    sums = result(plan.product, places.get("sums", 0), "the sums", SCRATCH if "sums" in places else "c")
    if loop.first is not None:
        zeros = result(loop.first, sums.offset, "the sums", sums.space)
        yield PlacedStep("the sums start", (), (zeros,), tiles_of(loop.first, places.get("tiles", 0)))
    else:
        yield PlacedStep("the call", (), (sums,))
    lines, length = (plan.spec.m, plan.spec.n) if plan.spec.order[2] == "C" else (plan.spec.n, plan.spec.m)
    pairs = plan.spec.batch if isinstance(plan.spec.batch, int) else _TWICE

    def of_pairs() -> Iterator[PlacedStep]:
        for number in range(min(pairs, _TWICE)):
            reads = [sums]
            for name, change in plan.changes.items():
                value = f"packed {name} of pair {number}"
                yield PlacedStep(f"pack {name} of pair {number}", (), (packed(change, places[name], value),))
                reads += factor(plan.product, name, PlacedFactor(places[name], value), 1)
            yield PlacedStep(f"the product of pair {number}", tuple(reads), (sums,), own)

    yield from _with_levels(plan, levels, lines, length, of_pairs())
    if loop.finish:  # lines of C, one after the other
        size = ELEMENT_BYTES[plan.spec.acc_dtype]
        read = MatrixAccess(SCRATCH, places["sums"], lines, length, size, length * size, "the sums")
        yield PlacedStep("C from the sums", (read,), ())


def _block(plan: OperandPrepackPlan, claims: Claims) -> Iterator[PlacedStep]:
    """Yield the blocks of rows, each between the beginning and the end of its levels."""
    base = claims.claim(plan.scratch_of[plan.packed])
    levels = claims.claim(plan.laid_by.bytes) if plan.laid_by is not None else 0
    lines = plan.spec.m if plan.spec.order[2] == "C" else plan.spec.n
    for rows in _sizes(plan.extents[0], plan.part[0]):
        yield from _with_levels(plan, levels, lines, rows, _rows_of_block(plan, base, rows))


def _rows_of_block(plan: OperandPrepackPlan, base: int, rows: int) -> Iterator[PlacedStep]:
    """Yield the groups of pairs and blocks of k of a block of rows: each is packed, and then multiplied."""
    name, k, (_, most, pairs) = plan.packed, plan.extents[1], plan.part
    batch = plan.spec.batch if isinstance(plan.spec.batch, int) else _TWICE if plan.spec.batch is not None else 1
    for group in range(min(batch // pairs, _TWICE)):
        for steps in _sizes(k, most):
            part = plan.parts[rows, steps, pairs]
            change, value = part.changes[name], f"packed {name} of {rows} rows, group {group}, {steps} steps"
            y = change.spec.arguments[1]
            assert isinstance(change.spec.ldy, int)
            distance = y.rows * change.spec.ldy * ELEMENT_BYTES[change.spec.dtype]
            for number in range(pairs):
                write = packed(change, base + number * distance, value, number * y.rows)
                yield PlacedStep(f"pack {value}, pair {number}", (), (write,))
            reads = factor(part.product, name, PlacedFactor(base, value), pairs)
            yield PlacedStep(f"the product of {value}", reads, ())


def _sizes(extent: int, block: int) -> list[int]:
    """Return the sizes of the blocks that are walked."""
    full, rest = divmod(extent, block)
    return [block] * min(full, _TWICE) + [rest] * bool(rest)


def _copies(change: CopiedElements, size: int, base: int, value: str) -> PlacedStep:
    """Return the copies of each element side by side, in whole vectors."""
    known, elements = change.length * change.copies, change.pitch * change.copies
    write = MatrixAccess(SCRATCH, base, change.lines, known, size, elements * size, value, when=IN_TURN)
    rest = write._replace(offset=base + known * size, columns=elements - known, value="zeros")
    return PlacedStep("the copies", (), (write, rest))


PACKED: tuple[type, ...] = (OperandPrepackPlan,)
