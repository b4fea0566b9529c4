"""`verify()` of nests, regions, products of any size, and kernels on all cores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import tilesmith as ts
from tests.nest_cases import product_body
from tilesmith.runtime.loops import nest as nests
from tilesmith.runtime.loops.code import Address, Affine, Barrier, Call, Loop, Share, placed, without_barriers
from tilesmith.runtime.loops.job import Job
from tilesmith.runtime.ops.linear import linear
from tilesmith.runtime.ops.mlp import mlp

pytestmark = pytest.mark.slow

TARGETS = ("avx2", "neon")
LOOPS = {"a": (0, 2, 1), "b": (0, 3, 1, [2]), "c": (0, 2, 1)}


def product(target: str, string: str = "bBCa") -> Any:
    """Return C = relu(A B) in blocks of 2 x 3."""
    first, more = (ts.brgemm(2, 3, 2, beta=beta, target=target) for beta in (0, 1))
    relu = ts.unary("relu", 2, 3, target=target)

    loops = LOOPS if string.lower().count("b") > 1 else LOOPS | {"b": (0, 3, 1)}
    shapes = {"A": (3, 2, 2, 2), "B": (2, 2, 2, 3), "C": (3, 2, 2, 3)}
    return ts.nest(
        string, loops, product_body(first, more, relu), **{name: (shape, "f32") for name, shape in shapes.items()}
    )


@pytest.mark.parametrize("target", TARGETS)
def test_a_nest_leaves_what_the_calls_of_its_body_leave(target: str) -> None:
    proof = product(target).verify()
    assert proof and "1, 2, 3, 7 workers leave the same bits" in str(proof), str(proof)
    assert "every instruction and both ways of every branch were executed with 1, 2, 3, 7 workers" in str(proof)


@pytest.mark.parametrize(
    "string", ["b{R:2}c{C:2}a", "~BCa", "BCa@schedule(dynamic,2)", "aBC|@schedule(dynamic)", "abc"]
)
def test_grids_curves_and_schedules_are_proved(string: str) -> None:
    proof = product("avx2", string).verify()
    assert proof, str(proof)


def test_claims_that_race_are_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past the proof of the string: the code of a loop around claims, without a barrier, has a race, whoever claims."""
    monkeypatch.setattr(nests, "check_races", lambda *given: None)
    proof = product("avx2", "aBC@schedule(dynamic)").verify()
    assert not proof and "with the claimed number" in str(proof), str(proof)


def region(target: str) -> Any:
    """Return the region Y = X^2, then Z[i] = Y[2 - i] + Y[i], which other workers have written."""
    square, add = ts.unary("square", 2, 3, target=target), ts.binary("add", 2, 3, target=target)
    one = ts.nest(
        "A", {"a": (0, 3, 1)}, lambda i, X, Y: square(X[i.a], Y[i.a]), X=((3, 2, 3), "f32"), Y=((3, 2, 3), "f32")
    )
    two = ts.nest(
        "A",
        {"a": (0, 3, 1)},
        lambda i, Y, Z: add(Y[2 - i.a], Y[i.a], Z[i.a]),
        Y=((3, 2, 3), "f32"),
        Z=((3, 2, 3), "f32"),
    )
    return ts.region(one, two)


@pytest.mark.parametrize("target", TARGETS)
def test_nests_that_wait_for_each_other_are_proved(target: str) -> None:
    proof = region(target).verify()
    assert proof and "they meet at 1 barriers" in str(proof), str(proof)


@pytest.mark.parametrize("target", TARGETS)
def test_a_missing_barrier_is_a_race(target: str) -> None:
    whole = region(target)
    whole.__dict__["nodes"] = tuple(node for node in whole.nodes if not isinstance(node, Barrier))
    proof = whole.verify()
    assert not proof and "reads byte" in str(proof), str(proof)
    assert proof.refuted and "confirmed in the emulator" in str(proof), str(proof)


def changed(nodes: tuple[Any, ...], shift: int) -> tuple[Any, ...]:
    """Return the nodes with the second operand of each product `shift` bytes further on, which is another block."""
    made = []
    for node in nodes:
        if isinstance(node, Call):
            arguments = list(node.arguments)
            if len(arguments) == 3 and isinstance(arguments[1], Address) and arguments[1].operand == 1:
                arguments[1] = replace(arguments[1], offset=arguments[1].offset + Affine(shift))
            made.append(replace(node, arguments=tuple(arguments)))
        else:
            made.append(replace(node, body=changed(node.body, shift)))
    return tuple(made)


@pytest.mark.parametrize("target", TARGETS)
def test_a_wrong_block_is_refuted(target: str) -> None:
    whole = product(target)
    wrong = Job(changed(whole.nodes, -4), whole.target)
    assert whole.verify()
    whole.__dict__["job"] = wrong
    proof = whole.verify()
    assert proof.refuted, str(proof)


def test_an_iteration_that_is_left_out_is_no_proof() -> None:
    whole = product("avx2")
    loop = whole.nodes[0]
    header = replace(loop.header, stop=(Affine(2),))
    assert isinstance(loop, (Loop, Share))
    whole.__dict__["nodes"] = (replace(loop, header=header),)
    proof = whole.verify()
    assert not proof and "other calls than the body has iterations" in str(proof), str(proof)


@pytest.mark.parametrize("target", TARGETS)
def test_products_of_any_size_are_proved(target: str) -> None:
    proof = ts.gemm(13, 10, 7, target=target).verify()
    assert proof and "sums are those of the request" in str(proof), str(proof)
    assert "threads" in str(proof)


@pytest.mark.slow
def test_kernels_on_all_cores_are_proved() -> None:
    proof = ts.spread(ts.unary("square", 64, 64, target="avx2")).verify()
    assert proof and "1, 2, 3, 7 workers" in str(proof), str(proof)


# Networks


def network(target: str = "avx2") -> Any:
    """Return two layers whose first result is cut into blocks of columns, which several workers compute."""
    made: Any = ts.mlp(5, [6, 24, 5], activation=ts.relu, target=target)
    plan = made.layers[0].plan
    made.layers[0].__dict__["plan"] = replace(plan, nb=8, schedule=replace(plan.schedule, ng=8))
    linear.cache_clear()  # type: ignore[attr-defined]
    return made


@pytest.mark.parametrize("target", TARGETS)
def test_networks_are_proved(target: str) -> None:
    proof = network(target).verify()
    assert proof and "y1, y2: what 2 layers leave" in str(proof), str(proof)
    assert "they meet at 2 barriers" in str(proof) and "1, 2, 3, 7 workers leave the same bits" in str(proof)


def test_networks_of_like_layers_are_proved() -> None:
    proof = ts.mlp(3, [4, 4, 4, 4], target="avx2").verify()
    assert proof and "y1, y2, y3" in str(proof), str(proof)


def test_a_network_without_the_barrier_between_its_layers_is_a_race() -> None:
    net = network()
    net.__dict__["job"] = Job(without_barriers(net.job.blob.nodes), net.target)
    proof = net.verify()
    assert not proof and "of y1, which worker" in str(proof), str(proof)
    assert proof.refuted and "confirmed in the emulator" in str(proof), str(proof)


def test_a_network_whose_layer_reads_another_bias_is_refuted() -> None:
    net: Any = ts.mlp(3, [4, 4, 4], activation=ts.relu, target="avx2")
    places = {place: place for place in range(10)} | {8: 5}  # the bias of the second layer is that of the first
    net.__dict__["job"] = Job(placed(net.job.blob.nodes, places), net.target)
    mlp.cache_clear()  # type: ignore[attr-defined]
    proof = net.verify()
    assert not proof and "elements of y2 are not what the layers leave" in str(proof), str(proof)
    assert proof.refuted, str(proof)


def test_a_network_with_a_layer_that_is_wrong_is_not_proved() -> None:
    """Both read columns of the weights that lie too far left, so the network leaves what its layers leave."""
    net: Any = ts.mlp(4, [6, 56], activation=ts.relu, target="avx2")
    [layer] = net.layers
    shifted = replace(layer.nest, b=replace(layer.nest.b, column=layer.nest.b.column - 4))
    layer.packing.__dict__["job"] = Job(shifted.packing(), layer.target)
    linear.cache_clear()  # type: ignore[attr-defined]
    mlp.cache_clear()  # type: ignore[attr-defined]
    proof = net.verify()
    assert not proof and "layer 1: " in str(proof), str(proof)
