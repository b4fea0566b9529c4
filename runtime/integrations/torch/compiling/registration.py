"""The name of the backend: torch finds it by the entry point of an installed package, or by this module."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING

import torch

from .....encoder.deferred import lazy

if TYPE_CHECKING:
    from . import backend as compiling

compiling = lazy(__package__, ".backend")
"""It imports torch._dynamo, which takes a second."""

NAME = "tilesmith"
_REGISTRY = "torch._dynamo.backends.registry"


def backend(
    module: torch.fx.GraphModule,
    inputs: Sequence[torch.Tensor],
    *,
    options: Mapping[str, bool] | None = None,
    mode: str | None = None,
) -> Callable[..., object]:
    """Compile a graph of torch.compile: `torch.compile(model, backend="tilesmith")`, or `backend=tst.backend`.

    options   {"freeze": True}: parameters and buffers never change, so that inference packs them once
              {"strict": True}: an operator that no kernel computes raises UnsupportedError. Otherwise torch computes
              it, and `explain` names it with the reason
    mode      torch's, which changes nothing here: machine code calls the kernels of a graph in every mode
    """
    return compiling.compiled(module, inputs, dict(options or {}))


def register() -> None:
    """Register the backend, as soon as torch's registry of backends is imported."""
    found = sys.modules.get(_REGISTRY)
    if found is None:
        sys.meta_path.insert(0, _AtImport())
    else:
        _enter(found)


def _enter(registry: ModuleType) -> None:
    if NAME not in registry._COMPILER_FNS:
        registry.register_backend(backend, name=NAME)


class _AtImport(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Registers the backend after the import of torch's registry: torch.compile imports it, at its first use."""

    _loader: importlib.abc.Loader

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of the registry, whose loader is this object; None for all other modules."""
        if name != _REGISTRY:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            self._loader, spec.loader = spec.loader, self
        return spec

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """Leave the making of the module to Python."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Import the registry, and register the backend."""
        self._loader.exec_module(module)
        _enter(module)
