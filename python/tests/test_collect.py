"""A real PyTorch training loop under `frx collect`, and what `frx analyze` says of it: with a slow loader, and with the fault removed.

The last line of defence of the whole chain: SDK, collect, bundle, zip, diagnosis.
"""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import unittest
from pathlib import Path

from support import PACKAGE_ROOT, SdkTest, needs_torch

PROGRAM = os.environ.get("FRX_PROGRAM")
needs_frx = unittest.skipIf(not PROGRAM, "FRX_PROGRAM does not name a frx to test with")

# Ten steps of about 30 ms; the loader takes DELAY seconds for each batch of four.
TRAIN = """
    import sys, time
    import torch
    from torch.utils.data import DataLoader, Dataset
    import fournex as frx

    class Data(Dataset):
        def __len__(self):
            return 40
        def __getitem__(self, index):
            time.sleep(DELAY / 4)
            return torch.full((64,), float(index)), index % 2

    frx.init(job_name="loop")
    torch.manual_seed(0)
    model = torch.nn.Linear(64, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step, (x, y) in enumerate(frx.instrument_dataloader(DataLoader(Data(), batch_size=4))):
        with frx.step_context(step=step, batch={"x": x, "y": y}, model=model):
            with frx.phase("forward"):
                loss = torch.nn.functional.cross_entropy(model(x), y)
                time.sleep(0.03)
            with frx.phase("backward"):
                loss.backward()
            optimizer.step()
        print("step", step, flush=True)
"""


@needs_frx
@needs_torch
class ObservedLoop(SdkTest):
    def command(self, delay: float, run_id: str):
        script = Path(self.folder) / "train.py"
        script.write_text(textwrap.dedent(TRAIN).replace("DELAY", repr(delay)))
        return [PROGRAM, "collect", "--name", "loop", "--out", str(Path(self.folder) / "runs"), "--run-id", run_id, "--explain", "--", sys.executable, str(script)]

    def environment(self):
        return {**os.environ, "PYTHONPATH": str(PACKAGE_ROOT), "PYTHONDONTWRITEBYTECODE": "1"}

    def collect(self, delay: float, run_id: str) -> Path:
        done = subprocess.run(self.command(delay, run_id), env=self.environment(), cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("step 9", done.stdout)
        return Path(self.folder) / "runs" / run_id

    def analyze(self, path: Path):
        done = subprocess.run([PROGRAM, "analyze", str(path), "--json"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["result"]

    def test_a_slow_loader_is_found_in_the_folder_in_the_zip_and_in_the_summary(self):
        run = self.collect(0.1, "run-slow")
        for path in (run, run.with_suffix(".zip")):
            result = self.analyze(path)
            diagnosis = result["steady_state"]["diagnosis"]
            self.assertEqual(diagnosis["user_facing_bottleneck"], "input_bound", path)
            self.assertEqual(result["step_count"], 10)
            self.assertGreater(result["steady_state"]["facts"]["input_fraction"], 0.5)
            self.assertEqual(diagnosis["recommendations"][0]["id"], "rec_input_num_workers")
        evidence = json.loads((run / "frx_evidence.json").read_text())
        self.assertEqual(evidence["primary_bottleneck"], "input_bound")
        self.assertIn("data loader", (run / "frx_llm_prompt.txt").read_text())
        summary = json.loads((run / "derived/summary.json").read_text())
        self.assertEqual(summary["steady_state"]["diagnosis"]["primary_bottleneck"], "input_bound")

    def test_with_the_fault_removed_it_is_gone(self):
        result = self.analyze(self.collect(0.0, "run-fast"))
        self.assertNotEqual(result["steady_state"]["diagnosis"]["user_facing_bottleneck"], "input_bound")
        self.assertLess(result["steady_state"]["facts"]["input_fraction"], 0.2)

    def test_killed_at_any_time_the_steps_that_were_done_can_be_analysed(self):
        for run_id, kill_after, whom in (("run-frx", 3, "frx"), ("run-loop", 6, "loop")):
            with subprocess.Popen(self.command(0.02, run_id), env=self.environment(), cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True) as observed:
                for line in observed.stdout:
                    if line.startswith(f"step {kill_after}"):
                        break
                self.kill(observed.pid, whom)
                observed.stdout.read()
            result = self.analyze(Path(self.folder) / "runs" / run_id)
            self.assertGreaterEqual(result["step_count"], kill_after + 1, whom)

    def kill(self, frx: int, whom: str):
        children = Path(f"/proc/{frx}/task/{frx}/children").read_text().split()
        python = [int(pid) for pid in children if "train.py" in Path(f"/proc/{pid}/cmdline").read_text()]
        os.kill(frx if whom == "frx" else python[0], signal.SIGKILL)
        if whom == "frx":  # the workload may go on; it is not frx's any more
            time.sleep(0.05)
            for pid in python:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass


if __name__ == "__main__":
    unittest.main()
