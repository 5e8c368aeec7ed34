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
from server import FRX, TESTS, Server

REAL = Path(os.environ.get("FRX_CORPUS", TESTS.parent.parent / "shared/corpus"))

FILES = {
    "report.ncu-rep": ("fuzz/corpus/fuzz_ncu_report/normal.ncu-rep", "Memory Bandwidth Saturation"),
    "report.csv": ("fuzz/corpus/fuzz_ncu_csv/wide_raw_page.csv", ""),
    "kernel.ptx": ("data/ptx/triton_style.ptx", ""),
    "kernel.cu": ("data/ptx/memory.cu", ""),
    "kernel.cubin": ("fuzz/corpus/fuzz_cubin_resources/spills_sm_80.cubin", ""),
    "run.zip": ("fuzz/corpus/fuzz_run_bundle/epochs.zip", ""),
    "trace.json": ("fuzz/corpus/fuzz_trace/two_steps", "input"),
    "run.sqlite": ("fuzz/corpus/fuzz_nsys_export/steps", "copy"),
}
# One of each kind in the corpus of real files, and the figures of its answer; lists are chosen together.
CORPUS = {
    "ncu/csv_rawwide_b200_torch_sdpa_flash__gqa_bf16_b32_ctx8k_p64.csv": ["kernels"],
    "ncu/csv_tall12_v100_2020_hotspot_64.log": ["kernels"],
    "ncu/csv_tall15_5070_win_gemm_tiled.csv": ["kernels"],
    "ncu/csv_tall20_a100_clima_mod_2026-07-28.csv": ["kernels"],
    "ncu/csv_tall21_bodyitem_v100_cutlass_analysis.csv": ["kernels"],
    "ncu/csv_user_4090_final_reduceInteger.csv": ["kernels"],
    "ncu/text_details_a10g_esmm_256.txt": ["kernels"],
    "ncu/log_slurm_ncu_a100_clima.out": [],  # the report went elsewhere
    "ncu/nvprof_csv_metrics_poly_gemm.csv": ["kernels"],
    "ncu/nvprof_text_v100_lu_managed.txt": ["kernels"],
    "ncu/nvvp_csv_saxpy_cuda.csv": ["kernels"],
    "ncu/text_3070_transpose_task1.txt": ["kernels"],
    "ncurep/llmc_3060ti_adamw_coarsened_shared.ncu-rep": ["kernels", "roofline", "source"],
    "ncurep/montecarlo_3080_a.ncu-rep": ["kernels", "roofline", "source"],
    "ncurep/evozone_2070_matmul_2019.nsight-cuprof-report": ["kernels"],
    "ptxas/ptxas_2023_nvfuser_transpose.log": [],
    "torch/adam_unsloth_cpu_only.json": ["timeline"],
    "torch/hta_amd_mi250_rocm62.json.gz": ["kernels", "timeline"],
    "torch/kineto_resnet50_b32_num_workers_0.run1.pt.trace.json.gz": ["kernels", "steps", "timeline"],
    "torch/spiking_cpu_mem.json": ["memory", "timeline"],
    "torch/wings_compile_steady_4090D.json": ["kernels", "timeline"],
    "nsys/sqlite_cs336_lecture_2025.sqlite": ["kernels", "steps", "timeline"],
    "nsys/text_cs336_nsys_stats_all.txt": ["kernels"],
    "ranks": [f"torch/megatron_tp8_A100.rank{i}.json" for i in range(8)],
}


MANY = 300_000  # records of a trend; frx history trend --last takes up to a million


def trend_report(folder: Path) -> Path:
    """The report of a trend, whose figure is given the values of many records."""
    answers = (json.dumps({"schema": "gpu_measurement_v1", "command": "./train", "seconds": 10 + number}) for number in range(3))
    (folder / "answers.ndjson").write_text("\n".join(answers))
    environment = os.environ | {"FRX_HISTORY": str(folder / "history.db")}
    subprocess.run([FRX, "history", "record", folder / "answers.ndjson", "--series", "s"], env=environment, stdout=subprocess.DEVNULL, check=True)
    page = subprocess.run([FRX, "history", "trend", "s", "--format", "html"], env=environment, capture_output=True, text=True, check=True).stdout
    data = {
        "metric": "seconds",
        "times_ms": [1795000000000 + 60000 * i for i in range(MANY)],
        "points": [{"value": 10 + i % 7, "id": f"{i:012x}", "commit": ""} for i in range(MANY)],
        "changes": [],
    }
    section = page.index('data-figure="trend"')
    begin = page.index('<script type="application/json">', section) + len('<script type="application/json">')
    report = folder / "trend.html"
    report.write_text(page[:begin] + json.dumps(data) + page[page.index("</script>", begin) :])
    return report


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
        with Server() as server, tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
            for name, (seed, _) in FILES.items():
                shutil.copy(TESTS / seed, Path(folder) / name)
            (Path(folder) / "nothing.txt").write_text("nothing that is known")
            two = Path(folder) / "two"
            two.mkdir()
            for name, seed in (("before.csv", "wide_raw_page.csv"), ("after.csv", "wide_raw_page.csv")):
                shutil.copy(TESTS / "fuzz/corpus/fuzz_ncu_csv" / seed, two / name)
            cls.corpus = {}
            for name, figures in CORPUS.items() if REAL.exists() else ():
                if name == "ranks":
                    (Path(folder) / name).mkdir()
                    for one in figures:
                        (Path(folder) / name / Path(one).name).symlink_to(REAL / one)
                    cls.corpus[name] = ["ranks", "timeline"]
                else:
                    (Path(folder) / Path(name).name).symlink_to(REAL / name)
                    cls.corpus[Path(name).name] = figures
            command = [node, Path(__file__).parent / "page.mjs", modules, f"http://127.0.0.1:{server.port}/", folder, cls.screenshots, trend_report(Path(other))]
            ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=560)
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

    def test_real_files_get_their_answers_and_figures(self) -> None:
        if not self.corpus:
            self.skipTest("the corpus is not there")
        for name, figures in self.corpus.items():
            answer = self.seen["answers"][name]
            with self.subTest(name):
                if not figures:
                    self.assertIn(name, answer["problem"])
                    continue
                self.assertEqual(answer["problem"], "")
                self.assertTrue(answer["headline"])
                self.assertLessEqual(set(figures), set(answer["figures"]), answer["figures"])

    def test_figures_are_drawn_and_fit(self) -> None:
        for name, answer in self.seen["answers"].items():
            with self.subTest(name):
                for kind, elements in answer["figures"].items():
                    self.assertGreater(elements, 0, kind)
                self.assertLessEqual(answer["wide"], 0, "the page is wider than the window")
        self.assertGreater(self.seen["compared"]["figures"]["intervals"], 0)
        self.assertTrue(self.seen["compared"]["headline"].startswith("after against before"), self.seen["compared"]["headline"])

    def test_a_trend_of_many_records_is_drawn(self) -> None:
        self.assertGreater(self.seen["trend"]["trend"], 0)

    def test_links_carry_what_is_looked_at(self) -> None:
        self.assertIn("kernel=0", self.seen["link"])

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
