"""The version of the package, which setup.cfg, `ts.__version__` and `tilesmith --version` read."""

__version__ = "0.2.0"
