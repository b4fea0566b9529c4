"""The one exception class of the microkernels room, and a reason that several machines give."""


class UnsupportedError(ValueError):
    """A request outside what tilesmith generates or this host runs; the message has the reason and what would work."""


def too_much_to_hold(what: str) -> UnsupportedError:
    """A kernel has more pointers, leading dimensions and counters than a machine has places for: `what` has none."""
    return UnsupportedError(f"{what}; a kernel with fewer operands, or with numbers as leading dimensions, takes fewer")
