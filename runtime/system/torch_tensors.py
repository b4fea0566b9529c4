"""The memory layout of torch tensors, if torch is loaded: whether a tensor is plain numbers, and where they are.

    Tensor object   16 TensorImpl *
    TensorImpl      16 StorageImpl *        24 autograd metadata (NULL: it has never been part of a gradient)
                    56 rank       64 shape, up to five axes      104 strides in elements     144 offset in elements
                   160 number of the type (uint16)              168 dispatch keys (bits)
    Autograd        64 tangents of forward mode (NULL: it has never been a dual number)
    StorageImpl     16 data      48 bytes that it holds
                    56 flags; bit 24: the first access to the data must copy it, or is refused

The keys of a dense tensor on the CPU always have the same value, and another one in inference mode. Tensors that are
sparse, quantized, lazily negated or conjugated, on another device, or wrapped by a transformation have other bits.
`plain_keys` and `numbers` read all of this back from tensors of each sort; if one differs, nothing here is used.

Sources: torch's c10/core/TensorImpl.h, StorageImpl.h, impl/SizesAndStrides.h and torch/csrc/autograd/variable.h, 2.13.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any, TypeVar

from ...encoder.deferred import uninterrupted
from .cpython import int32, word

T = TypeVar("T")

TENSOR = 16
STORAGE, AUTOGRAD, RANK, SHAPE, STEPS, OFFSET, DTYPE, KEYS = 16, 24, 56, 64, 104, 144, 160, 168
TANGENT = 64
DATA, HELD, STORAGE_FLAGS, LAZY = 16, 48, 56, 1 << 24
MOST_AXES = 5
DTYPES = 64
"""Only numbers of types below this are looked up."""


def plain_keys() -> tuple[int, int] | None:
    """Return the keys of plain tensors, outside and inside inference mode; None if tensors have another layout."""
    return _probed(_plain_keys)


def _probed(probe: Callable[[Any], T | None]) -> T | None:
    """Return what a function finds out about torch; None if it fails. No signal handler interrupts it, whose exception
    would look like a failure."""
    found: list[T | None] = []

    def run() -> None:
        try:
            found.append(probe(sys.modules.get("torch")))
        except Exception:  # a mode of torch that changes what its functions make, or an older torch
            found.append(None)

    uninterrupted(run)
    return found[0]


def _plain_keys(torch: Any) -> tuple[int, int] | None:
    def zeros(*shape: int, **options: Any) -> Any:
        return torch.zeros(*shape, **{"device": "cpu", **options})

    with torch.inference_mode(False), torch.enable_grad():
        plain = [zeros(3), zeros(2, 2, dtype=torch.bfloat16), zeros(0), zeros(5)[1:], zeros(2, dtype=torch.int8)]
        root = zeros(2, 2, requires_grad=True)
        recorded = [root, root * 2, root[1:], root.T]
        complex_ = zeros(2, dtype=torch.complex64)
        special = [
            torch._neg_view(zeros(2)),
            complex_.conj(),
            complex_.conj().imag,
            zeros(2, 2).to_sparse(),
            zeros(2, device="meta"),
        ]
        detached = [root.detach(), (root * 2).detach()]
        dual = _dual(torch, zeros(2, 2))
    with torch.inference_mode():
        inference = [zeros(3), zeros(2, 2, dtype=torch.float16)]
    every = [*plain, *recorded, *special, *detached, *inference, dual]
    if any(type(tensor) is not torch.Tensor or word(id(tensor) + TENSOR) != tensor._cdata for tensor in every):
        return None
    usual, other = _keys(plain[0]), _keys(inference[0])
    fits = (
        all(_keys(tensor) == usual for tensor in (*plain, *recorded, *detached))
        and all(_keys(tensor) == other for tensor in inference)
        and not any(_keys(tensor) in (usual, other) for tensor in special)
        and not any(word(tensor._cdata + AUTOGRAD) for tensor in (*plain[:3], *inference))
        and all(word(tensor._cdata + AUTOGRAD) for tensor in (*recorded, dual))
        and not any(word(word(tensor._cdata + AUTOGRAD) + TANGENT) for tensor in recorded)
        and word(word(dual._cdata + AUTOGRAD) + TANGENT) != 0
    )
    return (usual, other) if fits else None


def _dual(torch: Any, primal: Any) -> Any:
    """Return a tensor with a tangent, of the caller's level of forward mode or of one that has ended."""
    forward = torch.autograd.forward_ad
    with nullcontext() if forward._current_level >= 0 else forward.dual_level():
        return forward.make_dual(primal, torch.zeros_like(primal))


def _keys(tensor: Any) -> int:
    return word(tensor._cdata + KEYS)


def numbers(names: Mapping[str, str]) -> dict[str, int] | None:
    """Return torch's numbers of the types that it has, keyed by our names; None if plain tensors cannot be read."""
    return _probed(lambda torch: _numbers(torch, names))


def _numbers(torch: Any, names: Mapping[str, str]) -> dict[str, int] | None:
    found = {}
    for name, spelled in names.items():
        dtype = getattr(torch, spelled, None)
        if dtype is None:
            continue
        numbers = {_number(torch, each, dtype) for each in _shapes(torch, dtype)}
        if len(numbers) != 1 or not 0 <= (number := numbers.pop()) < DTYPES:
            return None
        found[name] = number
    return found if len(set(found.values())) == len(found) and _tells_lazy(torch) else None


def _shapes(torch: Any, dtype: Any) -> list[Any]:
    """Return views of several ranks, strides and offsets."""
    with torch.inference_mode(False):
        whole = torch.zeros(3, 4, 2, 1, 5, device="cpu").to(dtype)
        return [whole, whole[1:, ::2, :, :, 3:], whole[2, 1, 1, 0], whole[0].permute(3, 0, 2, 1), whole[1, 1, 1, 0, 1]]


def _number(torch: Any, tensor: Any, dtype: Any) -> int:
    """Return the number of a tensor's type, or -1 if anything is not where it should be."""
    impl, rank = tensor._cdata, tensor.dim()
    shape, steps = (tuple(word(impl + start + 8 * i) for i in range(rank)) for start in (SHAPE, STEPS))
    offset, storage = word(impl + OFFSET), word(impl + STORAGE)
    told = (word(impl + RANK), shape, steps, offset, word(storage + HELD), type(tensor), tensor.dtype)
    held = tensor.untyped_storage().nbytes()
    meant = (rank, tuple(tensor.shape), tensor.stride(), tensor.storage_offset(), held, torch.Tensor, dtype)
    if told != meant or word(storage + DATA) + offset * tensor.element_size() != tensor.data_ptr():
        return -1
    return int32(impl + DTYPE) & 0xFFFF


def _tells_lazy(torch: Any) -> bool:
    """Whether tensors that share memory until one of them is written can be recognized."""
    with torch.inference_mode(False):
        plain = torch.zeros(64, device="cpu")
        before, shared = _lazy(plain), torch._lazy_clone(plain)
        return not before and _lazy(shared) and _lazy(plain)


def _lazy(tensor: Any) -> bool:
    return bool(int32(word(tensor._cdata + STORAGE) + STORAGE_FLAGS) & LAZY)
