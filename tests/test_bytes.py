"""The golden file of code has lines for every activation, and a difference from it is found."""

from itertools import islice

from tests import bytes as requests
from tilesmith.microkernels.functions.activations import CATALOGUE


def test_every_activation_is_recorded():
    recorded = requests.GOLDEN.read_text().splitlines()
    for request in requests.standard():
        assert any(line.endswith(f" {request}") for line in recorded), request
    named = {request.positional[0] for request in requests.standard()}
    assert named == {*CATALOGUE, *(f"{name}_inv" for name in CATALOGUE)}


def test_differences(monkeypatch):
    monkeypatch.setattr(requests, "DRAWN", 3)
    monkeypatch.setattr(requests, "attentions", list)
    monkeypatch.setattr(requests, "dot_products", list)
    monkeypatch.setattr(requests, "fixed_matrices", list)
    monkeypatch.setattr(requests, "standard", lambda: list(islice(requests.requests(2), 1)))
    first, second, third, fourth = found = list(requests.lines(1))
    assert requests.differences(1, wanted=found) == []
    other = f"0123456789abcdef{first[first.index(' ') :]}"
    assert requests.differences(1, wanted=[other, fourth, third, "f unary('tanh', 1)"]) == [
        f"- {other}\n+ {first}",
        f"+ {second}",
        "- f unary('tanh', 1)",
    ]
    assert requests.differences(1, step=2, wanted=found) == []
