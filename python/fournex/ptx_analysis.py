"""The same as `fournex.ptx`, by its other documented name."""

from .ptx import FrxError, FrxUnavailable, analyze_ptx_text, classify_ptx_bottlenecks

__all__ = ["FrxError", "FrxUnavailable", "analyze_ptx_text", "classify_ptx_bottlenecks"]
