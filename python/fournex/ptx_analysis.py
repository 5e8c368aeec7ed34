"""The same as `fournex.ptx`, by its other name in docs/contract.md."""

from .ptx import *  # noqa: F401,F403
from .ptx import __all__ as __all__
