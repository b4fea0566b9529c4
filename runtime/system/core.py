"""The wheel `tilesmith-core`, which has the encoder, the kernels and the emulator: `import tilesmith` begins here, so
that one error says how to install it where it is missing."""

from __future__ import annotations

from .version import __version__

try:
    from ...encoder.deferred import attributes as attributes
    from ...encoder.records import seldom as seldom
except ModuleNotFoundError as missing:
    if not str(missing.name).endswith(".encoder"):
        raise
    raise ImportError(
        "tilesmith is installed without the part that makes kernels: "
        f"pip install --force-reinstall --no-deps tilesmith-core=={__version__}"
    ) from None
