"""``python -m fournex.operators.check_profile profile.json ...``: whether the aggregates of profiles follow from their kernels."""

from __future__ import annotations

import sys
from typing import List, Optional

from .profile import OperatorAttributedProfile
from .records import FormatError


def main(arguments: Optional[List[str]] = None) -> int:
    """0 when every aggregate is reproduced, 1 when some are not, 2 when a file cannot be read."""
    paths = sys.argv[1:] if arguments is None else arguments
    if not paths or any(path.startswith("-") for path in paths):
        print("usage: python -m fournex.operators.check_profile PROFILE.json ...", file=sys.stderr)
        return 2
    code = 0
    for path in paths:
        try:
            report = OperatorAttributedProfile.load(path).check_aggregates()
        except (OSError, FormatError) as error:
            print(error, file=sys.stderr)
            code = 2
            continue
        print(f"{path}: {report.summary()}")
        code = max(code, 1 if report.differences() else 0)
    return code


if __name__ == "__main__":
    sys.exit(main())
