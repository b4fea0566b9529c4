"""Layers of ts.linear and ts.mlp could not be pickled, and copying a layer gave a product, which takes other
arguments."""

import copy
import pickle

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.ops import packed_weights

X, BIAS = np.random.default_rng(3).standard_normal((2, 30, 30)).astype(np.float32), np.ones(30, np.float32)
MAKE = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda each: pickle.loads(pickle.dumps(each))}


@pytest.mark.parametrize("make", MAKE)
def test_layers_and_their_weights(make):
    again = MAKE[make]
    layer = ts.linear(30, 30, 30, activation=ts.gelu)
    w = layer.pack(X[1])
    expected = layer(X[0], w, BIAS)
    same, packed = again(layer), again(w)
    assert type(same) is type(layer) and packed.array.ctypes.data % 64 == 0
    for one in (layer, same):
        for weights in (w, packed, one.pack(X[1])):
            assert np.array_equal(one(X[0], weights, BIAS), expected)


@pytest.mark.parametrize("make", MAKE)
def test_networks(make):
    net = ts.mlp(30, [30, 30, 30], activation=ts.relu, threads=1)
    weights = net.pack([*X])
    expected = net(X[0], weights, [BIAS, BIAS])
    same = MAKE[make](net)
    assert same.threads == 1 and np.array_equal(same(X[0], MAKE[make](weights), [BIAS, BIAS]), expected)


def test_weights_packed_for_another_processor_are_refused(monkeypatch):
    data = pickle.dumps(ts.linear(30, 30, 30).pack(X[0]))
    monkeypatch.setattr(packed_weights, "_blocks_of", lambda layer: ())
    with pytest.raises(ValueError, match="packed for another processor"):
        pickle.loads(data)
