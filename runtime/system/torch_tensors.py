"""What a torch tensor looks like in memory, where torch is loaded: whether it is an array of plain numbers.

    Tensor object   16 TensorImpl *
    TensorImpl      24 autograd metadata (NULL: it has never been part of a gradient)    168 dispatch keys (bits)

The keys of a dense tensor on the CPU are always the same two words, one in inference mode. Tensors that are sparse,
quantized, lazily negated or conjugated, on another device, or wrapped by a transformation, have other bits.
`plain_keys` reads all of this back from tensors of each sort: where one differs, nothing here is used.

Source: torch's c10/core/TensorImpl.h, 2.13.
"""

from __future__ import annotations

import sys
from typing import Any

from .cpython import word

TENSOR, AUTOGRAD, KEYS = 16, 24, 168


def plain_keys() -> tuple[int, int] | None:
    """The keys of plain tensors, outside of inference mode and in it; None where tensors are laid out differently."""
    torch = sys.modules.get("torch")
    try:
        return _plain_keys(torch)
    except Exception:  # a mode of torch's that changes what its functions make, or an older torch
        return None


def _plain_keys(torch: Any) -> tuple[int, int] | None:
    def zeros(*shape: int, **options: Any) -> Any:
        return torch.zeros(*shape, **{"device": "cpu", **options})

    with torch.inference_mode(False), torch.enable_grad():
        plain = [zeros(3), zeros(2, 2, dtype=torch.bfloat16), zeros(0), zeros(5)[1:], zeros(2, dtype=torch.int8)]
        root = zeros(2, 2, requires_grad=True)
        recorded = [root, root * 2, root[1:], root.T]
        complex_ = zeros(2, dtype=torch.complex64)
        special = [torch._neg_view(zeros(2)), complex_.conj(), complex_.conj().imag, zeros(2, 2).to_sparse(),
                   zeros(2, device="meta")]  # fmt: skip
        detached = [root.detach(), (root * 2).detach()]
    with torch.inference_mode():
        inference = [zeros(3), zeros(2, 2, dtype=torch.float16)]
    every = [*plain, *recorded, *special, *detached, *inference]
    if any(type(tensor) is not torch.Tensor or word(id(tensor) + TENSOR) != tensor._cdata for tensor in every):
        return None
    usual, other = _keys(plain[0]), _keys(inference[0])
    fits = (
        all(_keys(tensor) == usual for tensor in (*plain, *recorded, *detached))
        and all(_keys(tensor) == other for tensor in inference)
        and not any(_keys(tensor) in (usual, other) for tensor in special)
        and not any(word(tensor._cdata + AUTOGRAD) for tensor in (*plain[:3], *inference))
        and all(word(tensor._cdata + AUTOGRAD) for tensor in recorded)
    )
    return (usual, other) if fits else None


def _keys(tensor: Any) -> int:
    return word(tensor._cdata + KEYS)
