"""The commands of `frx agent-guide` run as they are written, and its words name what there is.

    FRX=build/dev/frx python3 tests/mcp/guide_test.py
"""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FRX = os.environ.get("FRX", str(ROOT / "build/dev/frx"))


class Guide(unittest.TestCase):
    def setUp(self) -> None:
        self.guide = subprocess.run([FRX, "agent-guide"], capture_output=True, text=True, check=True).stdout

    def test_its_commands_run_as_written(self) -> None:
        commands = re.findall(r"^\$ frx (.*)$", self.guide, flags=re.M)
        self.assertGreater(len(commands), 7)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            shutil.copy(ROOT / "demos/ncu/strided_copy.csv", folder / "report.csv")
            shutil.copy(ROOT / "demos/ncu/strided_copy.csv", folder / "after.csv")
            shutil.copy(ROOT / "demos/cuda_zoo/01_uncoalesced/bad.cu", folder / "kernel.cu")
            for command in commands:
                done = subprocess.run([FRX, *shlex.split(command)], cwd=folder, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, f"frx {command}\n{done.stderr}")
                self.assertTrue(done.stdout, command)

    def test_it_is_short_and_begins_as_a_skill(self) -> None:
        self.assertRegex(self.guide, r"\A---\nname: frx\ndescription: .+\n---\n")
        self.assertLess(len(self.guide), 4000)

    def test_the_tools_it_names_are_those_of_the_server(self) -> None:
        named = re.findall(r"FRX_TOOL\((\w+)\)", (ROOT / "src/serve/mcp/tools.def").read_text())
        for tool in named:
            self.assertIn(f"`{tool}`", self.guide)


if __name__ == "__main__":
    unittest.main()
