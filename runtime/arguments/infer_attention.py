"""Derive a request of attention from the arrays of a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .infer import Given, InferredRequest, needed, orders_of, type_of

TOLD = ("heads", "queries", "keys", "size", "kv_heads", "dtype", "order")
"""The names of keywords that follow from the arrays."""


def names_of(fixed: dict[str, Any], inverse: bool) -> tuple[str, ...]:
    """Return the names of the arguments of attention, or of its gradients."""
    mask = ("mask",) * (fixed.get("mask") is not None)
    numbers = ("seen",) * (fixed.get("seen") is not None) + ("seed",) * bool(fixed.get("dropout"))
    if inverse:
        return "g", "q", "k", "v", *mask, "out", "lse", *numbers, "gq", "gk", "gv"
    return "q", "k", "v", *mask, *numbers, "out"


def reader(inverse: bool) -> Callable[[Given, dict[str, Any]], InferredRequest]:
    """Return the function that derives the keywords of attention, or of its gradients, from a call's arguments."""

    def read(args: Given, fixed: dict[str, Any]) -> InferredRequest:
        arrays = dict(zip(names_of(fixed, inverse), args))
        q, k, v = (needed(args, position, name) for position, name in enumerate("qkv", start=inverse))
        for name, each in zip("qkv", (q, k, v)):
            if each.ndim != 3:
                rows = "queries" if name == "q" else "keys"
                raise ValueError(
                    f"{name}: an array of shape (heads, {rows}, size), not {each.shape}; "
                    f"{name}.reshape(-1, *{name}.shape[-2:]) makes one axis of "
                    "batches of heads"
                )
        (heads, queries, size), (kv_heads, keys, _) = q.shape, k.shape
        asked = {
            "heads": heads,
            "queries": queries,
            "keys": keys,
            "size": size,
            "kv_heads": kv_heads,
            "dtype": type_of("q", q),
        }
        order: dict[str, str] = {}
        for name, array in arrays.items():
            if (
                name not in ("mask", "seen", "seed")
                and array is not None
                and array.ndim == 3
                and array.strides[2] == array.itemsize
            ):
                found = orders_of(array, array.shape[2] * array.itemsize)
                order[name] = next(iter(found), "C")
                leading = found.get(order[name])
                if leading is not None:
                    asked[f"ld{name}"] = leading * array.shape[2]
        made = {"gq": "q", "gk": "k", "gv": "v"} if inverse else {"out": "q"}
        asked["order"] = {name: order.get(like, "C") for name, like in made.items()} | order
        return InferredRequest(asked)

    return read
