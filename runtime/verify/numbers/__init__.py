"""Requests on numbers: `draws` for their operands, their `definition` by numpy, `trials` of code in the emulator."""
