"""Operators of a model on a GPU: a measured window for Nsight Systems and Nsight Compute, and the files of a capture.

    from fournex.operators import NvtxCapture, OperatorAttributedProfile

Nothing here imports PyTorch before it is needed: docs/operators.md.
"""

from .aggregate import AggregateReport
from .capture import NvtxCapture
from .clocks import ClockLock
from .layers import LayerPartition, find_layers
from .manifest import Manifest
from .profile import OperatorAttributedProfile
from .records import FormatError

__all__ = [
    "AggregateReport",
    "ClockLock",
    "FormatError",
    "LayerPartition",
    "Manifest",
    "NvtxCapture",
    "OperatorAttributedProfile",
    "find_layers",
]
