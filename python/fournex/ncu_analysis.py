"""The same as `fournex.ncu`, by its documented name."""

from .ncu import *  # noqa: F401,F403
from .ncu import __all__ as __all__
