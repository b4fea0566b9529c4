"""What a layer for another processor says of its weights: `pack` did not say how to pack them, the error of a call did
not say what works, and the header of a network named `layer.packing`, which a network does not have.
"""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts


def test_weights_for_another_processor():
    layer = ts.linear(8, 12, 5, target="sve256" if ts.host().arch == "x86" else "avx2")
    weights = np.arange(60, dtype=np.float32).reshape(5, 12)
    with pytest.raises(ts.UnsupportedError, match=r"pack: target .*; layer.packing.run\(weights\) packs the weights"):
        layer.pack(weights)
    packed, x = layer.packing.run(weights), np.ones((8, 5), np.float32)
    with pytest.raises(ts.UnsupportedError, match=r"What works here: listings, objects, and run\(...\)"):
        layer(x, packed, np.zeros(12, np.float32))
    assert (layer.run(x, packed, np.zeros(12, np.float32)) == x @ weights).all()


def test_the_header_of_a_network_names_packings_that_exist(tmp_path):
    network = ts.mlp(8, [5, 12, 3], target="avx2")
    network.save(tmp_path / "network.h", name="network")
    text = (tmp_path / "network.h").read_text()
    for number, layer in enumerate(network.layers):
        assert f"as {layer.packing.name} (layers[{number}].packing) packs them" in text
    assert "layer.packing" not in text
