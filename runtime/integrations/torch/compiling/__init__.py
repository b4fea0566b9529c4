"""torch.compile(model, backend="tilesmith"): graphs of ATen operators become graphs of `runtime/graph`."""
