"""The one exception class of the microkernels room."""


class UnsupportedError(ValueError):
    """A request outside what tilesmith generates or this host runs; the message has the reason and what would work."""
