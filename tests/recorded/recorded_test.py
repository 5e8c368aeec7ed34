#!/usr/bin/env python3
"""What was recorded on real GPUs, and what frx says of it.

zoo_h200/             ten kernels of demos/cuda_zoo on an H200: `ncu --set full` of Nsight Compute 2025.3.1, its page raw as CSV, without names of
                      processes and hosts and without counters that have no value. Each pair differs by one fault.
gpt2_h200/            one iteration of examples/operators/gpt2.py: the trace of the PyTorch profiler 2.11, operators, ranges, launches and kernels alone, and the
                      counters of the same iteration under ncu, which left out eleven of its twelve equal blocks
counters_of_chips.tsv which counters that version lists for which chip (ncu --query-metrics --chips)

Needs FRX, the program. coalescing_h200/ is that of tools/validate_coalescing --measured.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "python"))
sys.dont_write_bytecode = True
# The label of the fault, and whether it leads: what is slow beside it may cost more.
FAULTS = {
    "03_excess_sync": ("warp_stall_sync", False),
    "04_register_pressure": ("register_spills", True),
    "05_bank_conflict": ("shared_memory_bank_conflicts", True),
    "07_warp_divergence": ("warp_divergence", False),
    "08_subwarp_block": ("blocks_too_short", True),
}
# Compute capability of each chip, by the GPUs of data/gpus; chips of one capability list the same counters of ours but for TU116 and TU117, which have no
# tensor cores.
CHIPS = {
    "tu102": "7.5", "tu104": "7.5", "tu106": "7.5", "tu116": "7.5", "tu117": "7.5", "ga100": "8.0", "ga102": "8.6", "ga103": "8.6", "ga104": "8.6",
    "ga106": "8.6", "ga107": "8.6", "ga10b": "8.7", "ad102": "8.9", "ad103": "8.9", "ad104": "8.9", "ad106": "8.9", "ad107": "8.9", "gh100": "9.0",
    "gb100": "10.0", "gb102": "10.0", "gb110": "10.3", "gb10b": "11.0", "gb202": "12.0", "gb203": "12.0", "gb205": "12.0", "gb206": "12.0",
    "gb207": "12.0", "gb20b": "12.1",
}
WITHOUT_DRAM_COUNTERS = {"8.7", "11.0", "12.1"}
PRESETS = ("memory", "tensor", "occupancy", "stalls", "full")


def answer(*arguments):
    done = subprocess.run([os.environ["FRX"], *arguments, "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["result"]


class Diagnosis(unittest.TestCase):
    def labels(self, name):
        summary = answer("analyze", str(HERE / f"zoo_h200/{name}.csv.gz"))
        return [summary["primary_bottleneck"], *summary["secondary_bottlenecks"]]

    def test_faults_are_named_and_their_cures_are_not(self):
        for kernel, (label, leads) in FAULTS.items():
            with self.subTest(kernel):
                bad, good = self.labels(f"{kernel}-bad"), self.labels(f"{kernel}-good")
                self.assertIn(label, bad[:1] if leads else bad)
                self.assertNotIn(label, good)


class Operators(unittest.TestCase):
    def test_counters_of_one_block_reach_the_kernels_of_all(self):
        from fournex.operators import check_profile

        trace, counters = (str(HERE / "gpt2_h200" / name) for name in ("trace.json.gz", "counters.csv.gz"))
        with tempfile.TemporaryDirectory() as folder:
            layers, manifest, profile = (f"{folder}/{name}.json" for name in ("layers", "manifest", "profile"))
            answer("operators", "layers", trace, "--output", layers)
            answer("operators", "manifest", "--nsys-rep", trace, "--output", manifest)
            report = answer("operators", "map", manifest, "--ncu", counters, "--partition-map", layers, "--output", profile)
            self.assertEqual(check_profile.main([profile]), 0)
            made = json.loads(pathlib.Path(profile).read_text())
        kernels = [kernel for operator in made["operators"] for kernel in operator["kernels"]]
        self.assertEqual(len(kernels), 246)
        self.assertEqual({kernel["match_quality"] for kernel in kernels}, {"exact"})
        self.assertEqual(sum(kernel.get("inferred", False) for kernel in kernels), 220)
        for operator in report["operators"]:
            if 100 * operator["gpu_ns"] >= report["kernel_ns"]:
                self.assertIsNotNone(operator["diagnosis"], operator["name"])


class Counters(unittest.TestCase):
    """One name that ncu does not know makes it refuse the whole command."""

    @classmethod
    def setUpClass(cls):
        cls.chips_of = {}
        for line in (HERE / "counters_of_chips.tsv").read_text().splitlines():
            if not line.startswith("#"):
                name, chips = line.split("\t")
                cls.chips_of[name] = set(CHIPS) if chips == "all" else set(chips.split())

    def unknown(self, counters, chip):
        # Attributes of the launch, and limits that ncu computes from them, are in no list of counters.
        computed = ("launch__", "device__", "sm__maximum_warps_per_active_cycle_pct")
        return [name for name in counters if not name.startswith(computed) and chip not in self.chips_of.get(name.split(".")[0], set())]

    def test_without_a_gpu_a_preset_asks_for_what_every_chip_has(self):
        for preset in PRESETS:
            counters = answer("ncu-command", preset)["metrics"]
            for chip, capability in CHIPS.items():
                unknown = self.unknown(counters, chip)
                if capability in WITHOUT_DRAM_COUNTERS:
                    unknown = [name for name in unknown if not name.startswith("dram__")]
                self.assertEqual(unknown, [], f"{preset} on {chip}")

    def test_for_a_gpu_a_preset_asks_for_what_that_has(self):
        for preset in PRESETS:
            for capability in sorted(set(CHIPS.values())):
                counters = answer("ncu-command", preset, "--gpu-model", "sm_" + capability.replace(".", ""))["metrics"]
                for chip in [chip for chip, its in CHIPS.items() if its == capability]:
                    self.assertEqual(self.unknown(counters, chip), [], f"{preset} on {chip}")


if __name__ == "__main__":
    unittest.main()
