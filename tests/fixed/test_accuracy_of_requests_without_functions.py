"""brgemm without an epilogue, transpose and transform accepted any text as `accuracy`."""

import pytest

import tilesmith as ts

REQUESTS = {"brgemm": (4, 4, 4), "transpose": (4, 4), "transform": ("vnni2", 4, 4)}


@pytest.mark.parametrize("name", REQUESTS)
def test_accuracy_is_checked(name):
    request, extents = getattr(ts, name), REQUESTS[name]
    with pytest.raises(ValueError, match="accuracy: one of 'standard', 'accurate', 'fast', not 'best'"):
        request(*extents, accuracy="best")
    assert request(*extents, accuracy="fast")
    with pytest.raises(ValueError, match="accuracy: one of"):
        ts.dispatch(ts.brgemm, accuracy="best")
