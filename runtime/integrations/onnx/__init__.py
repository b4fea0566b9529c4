"""ONNX models computed by kernels, with the names of `tilesmith.integrations.onnx`."""
