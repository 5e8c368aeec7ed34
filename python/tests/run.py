#!/usr/bin/env python3
"""run.py TEST_FILE...: runs tests for ctest. Skipped ones say why; exit code 77 when every one was skipped."""

import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]


def main(files: list) -> int:
    if sys.version_info < (3, 9):
        print(f"Skipped: Python 3.9 or newer is needed, this is {sys.version.split()[0]}")
        return 77
    names = [Path(one).stem for one in files] or sorted(path.stem for path in HERE.glob("test_*.py"))
    result = unittest.TextTestRunner(verbosity=2, buffer=True).run(unittest.defaultTestLoader.loadTestsFromNames(names))
    for test, reason in result.skipped:
        print(f"Skipped {test}: {reason}")
    if not result.wasSuccessful() or result.testsRun + len(result.skipped) == 0:
        return 1
    return 77 if len(result.skipped) >= result.testsRun else 0  # Python 3.12 does not count what it skips


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
