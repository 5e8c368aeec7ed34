"""Building and timing two programs of CUDA: with a stand-in for nvcc whose programs are shell scripts, and no GPU."""

import json
import os
import unittest

import fournex
from fournex import bench
from support import REPOSITORY, SdkTest, environment, violations

PROGRAM = os.environ.get("FRX_PROGRAM")
FAKES = f"{REPOSITORY / 'tests/support/fake_nvcc'}:{REPOSITORY / 'tests/support/fake_ncu'}"


@unittest.skipIf(not PROGRAM, "FRX_PROGRAM does not name a frx to test with")
class Bench(SdkTest):
    def setUp(self):
        super().setUp()
        change = environment(FRX_LIBRARY=None, FRX_PROGRAM=PROGRAM, PATH=f"{FAKES}:/usr/bin:/bin")
        change.__enter__()
        self.addCleanup(change.__exit__, None, None, None)

    def source(self, name, *lines):
        path = self.folder / name
        path.write_text("".join(f"// fake nvcc: {line}\n" for line in lines))
        return str(path)

    def test_two_programs_are_compared(self):
        slow = self.source("naive.cu", 'run echo "FRX_KERNEL_US: 118.4"')
        fast = self.source("tiled.cu", 'run echo "FRX_KERNEL_US: 22.1"')
        result = fournex.bench_compare(slow, fast, runs=3, warmup=0, gpu_model="H100", time_limit_s=20)
        schema = json.loads((REPOSITORY / "data/schemas/frx_bench_v0.json").read_text())
        self.assertEqual(violations(json.loads(json.dumps(result)), schema), [])
        self.assertEqual((result["before"]["src"], result["before"]["runs"], result["arch"]), (slow, 3, "sm_90"))
        self.assertAlmostEqual(result["primary_speedup_x"], 118.4 / 22.1, delta=0.001)
        self.assertIsNone(result["ncu_diff"])

    def test_what_does_not_compile_is_a_result_and_what_is_missing_an_error(self):
        broken, good = self.source("broken.cu", "error expected ';'"), self.source("good.cu", "run true")
        result = fournex.bench_compare(broken, good, runs=1)
        self.assertEqual([one["side"] for one in result["compile_errors"]], ["before"])
        self.assertIsNone(result["speedup_x"])
        with self.assertRaisesRegex(fournex.FrxError, "gone.cu") as caught:
            fournex.bench_compare(str(self.folder / "gone.cu"), good)
        self.assertEqual(caught.exception.exit_code, 1)

    def test_the_steps_one_by_one(self):
        source = self.source("copy.cu", 'run echo "FRX_KERNEL_US: 12.5"')
        built = bench.compile_kernel(source, str(self.folder / "copy"), arch="sm_80")
        self.assertEqual((built["src"], built["binary"], built["error"]), (source, str(self.folder / "copy"), None))
        self.assertGreater(built["compile_ms"], 0)
        timing = bench.time_binary([built["binary"]], runs=3, warmup=1)
        self.assertEqual((timing["runs"], timing["warmup"], timing["kernel_event_us"]), (3, 1, 12.5))
        self.assertTrue(0 < timing["min_ms"] <= timing["median_ms"] <= timing["max_ms"])
        self.assertEqual(bench.time_binary("/bin/true", runs=1, warmup=0)["stdev_ms"], 0)
        self.assertIsNone(bench.time_binary("/bin/true", runs=1, warmup=0)["kernel_event_us"])

    def test_failures_of_the_steps(self):
        built = bench.compile_kernel(self.source("broken.cu", "error expected ';'"), str(self.folder / "out"))
        self.assertEqual(built["binary"], None)
        self.assertIn("expected ';'", built["error"])
        with self.assertRaisesRegex(fournex.FrxError, "gone.cu"):
            bench.compile_kernel(str(self.folder / "gone.cu"))
        with self.assertRaisesRegex(fournex.FrxError, "no-nvcc"):
            bench.compile_kernel(self.source("a.cu"), nvcc="no-nvcc")
        with self.assertRaisesRegex(fournex.FrxError, "exit code 3: why"):
            bench.time_binary(["/bin/sh", "-c", "echo why >&2; exit 3"])
        with self.assertRaisesRegex(fournex.FrxError, "still running after 0.1 s"):
            bench.time_binary(["/bin/sleep", "5"], time_limit_s=0.1)
        with self.assertRaisesRegex(fournex.FrxError, "cannot be started"):
            bench.time_binary([str(self.folder / "gone")])
        with self.assertRaises(ValueError):
            bench.time_binary("/bin/true", runs=0)

    def test_a_program_is_profiled(self):
        csv = self.folder / "profile.csv"
        csv.write_bytes((REPOSITORY / "demos/ncu/strided_copy.csv").read_bytes())
        source = self.source("copy.cu", "run true")
        built = bench.compile_kernel(source, str(self.folder / "copy"))
        with environment(FAKE_NCU_CSV=str(csv)):
            result = bench.profile_with_ncu([built["binary"]], "memory")
        self.assertEqual(result["primary_bottleneck"], "uncoalesced_access")
        with environment(PATH=str(self.folder)), self.assertRaisesRegex(fournex.FrxError, "ncu"):
            bench.profile_with_ncu(["/bin/true"])


if __name__ == "__main__":
    unittest.main()
