"""Which of the processes of a distributed run this one is, according to its launcher."""

from __future__ import annotations

import os
from typing import Dict, Mapping, Optional

# torchrun, Slurm, Open MPI.
_VARIABLES = {
    "rank": ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK"),
    "local_rank": ("LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK"),
    "world_size": ("WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE"),
}


def _number(text: Optional[str]) -> Optional[int]:
    return int(text) if text is not None and text.isdecimal() else None


def distributed(environment: Mapping[str, str] = os.environ) -> Dict[str, int]:
    """``{"rank": 1, "local_rank": 1, "world_size": 8}``; unknown values are left out."""
    found = {}
    for key, names in _VARIABLES.items():
        for name in names:
            value = _number(environment.get(name))
            if value is not None:
                found[key] = value
                break
    return found


def rank_above_zero(environment: Mapping[str, str] = os.environ) -> Optional[int]:
    """The rank of a process that is not the first of its run, else None."""
    known = distributed(environment)
    return known["rank"] if known.get("rank", 0) > 0 and known.get("world_size", 1) > 1 else None
