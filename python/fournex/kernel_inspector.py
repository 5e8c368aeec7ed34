"""The same as `fournex.cuda_source`, by its documented name."""

from .cuda_source import *  # noqa: F401,F403
from .cuda_source import __all__ as __all__
