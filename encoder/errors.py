"""The one exception class of the encoder room."""


class EncodeError(ValueError):
    """An instruction, operand, label or target that cannot be encoded; the message names it and what would do."""
