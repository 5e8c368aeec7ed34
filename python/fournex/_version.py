"""The version of the package; the same as frx's, which a test of python/tests checks."""

__version__ = "0.1.0"
