"""Requests on concrete numbers: operand values (`draws`), the expected results by numpy (`definition`), and trials in
the emulator (`trials`)."""
