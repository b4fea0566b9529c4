"""A tensor whose storage was resized reads and wrote memory behind it, as torch's own functions do."""

import pytest

import tilesmith as ts
from tests.guard import run_forked


def attempt(kernel, args, small):
    """The call is an error that tells both sizes; a child process takes the fault if it is none."""

    def child():
        with pytest.raises(TypeError, match=f"storage holds {small} bytes, and its elements reach to byte"):
            kernel(*args)

    return run_forked(child)


@pytest.mark.parametrize("small", [0, 8, 95])
@pytest.mark.parametrize("operand", [0, 1, 2])
def test_the_storage_was_made_smaller(small, operand):
    torch = pytest.importorskip("torch")
    mm, made = ts.brgemm(4, 6, 4), (lambda: [torch.ones(2, 4, 4)[1], torch.ones(4, 6), torch.zeros(4, 6)])
    mm(*made())  # from the second call on, tensors of this type are read by machine code
    args = made()
    args[operand].untyped_storage().resize_(small)
    assert attempt(mm, args, small) == 0
    assert attempt(ts.dispatch(ts.brgemm), args, small) == 0


def test_views_may_end_with_the_storage():
    torch = pytest.importorskip("torch")
    relu = ts.dispatch(ts.unary, "relu")
    whole = torch.arange(-15.0, 15.0)
    last = whole.as_strided((3, 4), (10, 1), 6)
    for view in (whole[4:28].view(4, 6), last, whole.view(6, 5).T, whole[29:].view(1, 1)):
        assert torch.equal(relu(view), torch.relu(view))
    last = torch.zeros(30).as_strided((3, 4), (10, 1), 6)  # its last row ends with the storage
    last.untyped_storage().resize_(4 * 29)
    assert attempt(relu, [last], 4 * 29) == 0
