"""The page of `frx serve`, and the HTML that answers are written as, in a real Chromium (Debian's), driven by playwright-core and judged by axe-core (npm)."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from judges_test import BUILD, judges
from server import TESTS, Server

FILES = {
    "report.ncu-rep": ("fuzz/corpus/fuzz_ncu_report/normal.ncu-rep", "Memory Bandwidth Saturation"),
    "report.csv": ("fuzz/corpus/fuzz_ncu_csv/wide_raw_page.csv", ""),
    "kernel.ptx": ("data/ptx/triton_style.ptx", ""),
    "kernel.cu": ("data/ptx/memory.cu", ""),
    "kernel.cubin": ("fuzz/corpus/fuzz_cubin_resources/spills_sm_80.cubin", ""),
    "run.zip": ("fuzz/corpus/fuzz_run_bundle/epochs.zip", ""),
    "trace.json": ("fuzz/corpus/fuzz_trace/two_steps", "input"),
}


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        modules, node = judges(), shutil.which("node")
        if not modules or not node:
            raise unittest.SkipTest("playwright-core cannot be fetched from npm")
        if not os.environ.get("CHROMIUM") and not Path("/usr/bin/chromium").exists():
            raise unittest.SkipTest("Chromium is not installed")
        cls.screenshots = BUILD / "screenshots"
        shutil.rmtree(cls.screenshots, ignore_errors=True)
        cls.screenshots.mkdir(parents=True)
        with Server() as server, tempfile.TemporaryDirectory() as folder:
            for name, (seed, _) in FILES.items():
                shutil.copy(TESTS / seed, Path(folder) / name)
            (Path(folder) / "nothing.txt").write_text("nothing that is known")
            command = [node, Path(__file__).parent / "page.mjs", modules, f"http://127.0.0.1:{server.port}/", folder, cls.screenshots]
            ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
            cls.left = server.uploads()
        if ended.returncode != 0:
            raise RuntimeError(ended.stderr[-3000:])
        cls.seen = json.loads(ended.stdout)

    def test_each_file_gets_its_answer(self) -> None:
        for name, (_, words) in FILES.items():
            answer = self.seen["answers"][name]
            self.assertEqual(answer["problem"], "", name)
            self.assertTrue(answer["headline"], name)
            self.assertIn(words.lower(), answer["headline"].lower())
            self.assertGreater(answer["sections"], 0, name)
            self.assertEqual(answer["focused"], "answer")
            self.assertTrue(answer["title"].startswith("frx: "))

    def test_what_cannot_be_read_says_why(self) -> None:
        answer = self.seen["answers"]["nothing.txt"]
        self.assertEqual(answer["headline"], "")
        self.assertIn("nothing.txt", answer["problem"])

    def test_answers_are_files_that_open_from_disk(self) -> None:
        self.assertTrue(self.seen["downloaded"].endswith(".frx.html"))
        self.assertTrue(self.seen["saved"])

    def test_nothing_on_the_console_nor_from_elsewhere(self) -> None:
        expected = "422 (Unprocessable Content)"  # of nothing.txt, said by the browser itself
        self.assertEqual([message for message in self.seen["messages"] if expected not in message], [])
        self.assertEqual(self.seen["foreign"], [])
        self.assertEqual(self.left, [])

    def test_axe_finds_nothing_serious(self) -> None:
        self.assertEqual(self.seen["serious"], [])

    def test_screenshots_are_kept(self) -> None:
        self.assertGreaterEqual(len(list(self.screenshots.glob("*.png"))), 13)


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if result.skipped else 0)
