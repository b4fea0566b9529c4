"""The exception class of `microkernels`, and a reason that several machines give."""


class UnsupportedError(ValueError):
    """A request outside the range of tilesmith or of this host. The message says why, and what would work."""


class TooMuchToHold(UnsupportedError):
    """A kernel has more pointers, leading dimensions and counters than a machine has places for."""


def too_much_to_hold(what: str) -> TooMuchToHold:
    """Return the error for a kernel with more pointers, leading dimensions and counters than a machine has places for.
    `what` names the one without a place."""
    return TooMuchToHold(f"{what}; a kernel with fewer operands, or with numbers as leading dimensions, takes fewer")
