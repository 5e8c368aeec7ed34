"""The same as `fournex.ptx`, by its other name in docs/contract.md."""

from .ptx import FrxError, FrxUnavailable, analyze_ptx_text, classify_ptx_bottlenecks

__all__ = ["FrxError", "FrxUnavailable", "analyze_ptx_text", "classify_ptx_bottlenecks"]
