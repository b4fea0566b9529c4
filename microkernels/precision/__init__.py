"""Products in a precision that is composed of several narrower ones: see `bf16x3`, `ozaki_plan`, `composed_plan`."""
