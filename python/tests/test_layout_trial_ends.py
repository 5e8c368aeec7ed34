"""Layout trials that end early, or run on several ranks, with real PyTorch on the CPU; nothing is left of one that is killed."""

import os
import signal
import time
import unittest

from layout_trials import GAIN, TrialTest
from support import needs_torch


@needs_torch
class Ends(TrialTest):
    def test_two_ranks_whose_collectives_are_not_recorded_are_skipped(self):
        # Each rank is a process of its own with gloo and DistributedDataParallel. Without Kineto, or NCCL, no sizes of collectives are recorded.
        if not torch_has_gloo():
            self.skipTest("this PyTorch has no gloo")
        setup = """
import subprocess, sys
import torch.distributed as dist
others = [subprocess.Popen([sys.executable, "-B", __file__], env=dict(os.environ, RANK="1"))] if "RANK" not in os.environ else []
os.environ.setdefault("RANK", "0")
dist.init_process_group("gloo", init_method="file://" + os.environ["FRX_LAYOUT_TRIAL_OUT"] + "/meet", rank=int(os.environ["RANK"]), world_size=2)
"""
        work = GAIN + "\n            y = parallel(x)"
        result = self.tried(work=work, setup=setup, after="pass", wrap="parallel = torch.nn.parallel.DistributedDataParallel(model)\n    ")
        self.assertEqual((result["decision"], result["decided_by"]), ("skipped", "distributed"), result["reason"])
        self.assertEqual({one["ranks"] for one in result["runs"]}, {2})
        self.assertIn("no collectives with their sizes were recorded", result["reason"])

    def test_a_crash_ends_the_trial(self):
        result = self.tried(after="y.view(2, -1)")  # refused by PyTorch for channels-last alone
        self.rejected(result, "run")
        self.assertIn("the candidate failed: exit code 1: RuntimeError: view size is not compatible", result["reason"])
        self.assertEqual(len(result["runs"]), 2)

    def test_a_candidate_that_does_not_end_is_ended(self):
        for seconds in (10, 40):
            result = self.tried(after="if changed: time.sleep(100)", options=["--timeout", str(seconds)])
            if result["decision"] != "skipped":
                break  # else a busy machine needed longer to import PyTorch
        self.rejected(result, "run")
        self.assertIn(f"no end within {seconds} s", result["reason"])

    def test_kill_9_leaves_no_process_and_no_changed_file(self):
        setup = ("import subprocess\nif changed:\n    child = subprocess.Popen(['sleep', '100'], start_new_session=True)\n"
                 "    print(os.getpid(), child.pid, file=open(os.environ['TMPDIR'] + '/pids', 'w'), flush=True)\n    time.sleep(100)")
        frx = self.start(setup=setup)
        pids = self.folder / "tmp/pids"
        deadline = time.monotonic() + 60
        while not (pids.exists() and pids.read_text().endswith("\n")) and time.monotonic() < deadline:
            time.sleep(0.02)
        program, child = map(int, pids.read_text().split())
        before = {name: (self.folder / name).read_bytes() for name in ("train.py", "plan.json")}
        frx.send_signal(signal.SIGKILL)
        frx.communicate(timeout=20)
        while (alive(program) or alive(child)) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertFalse(alive(program) or alive(child))
        self.assertEqual({name: (self.folder / name).read_bytes() for name in before}, before)
        self.assertEqual(sorted(one for one in os.listdir(self.folder) if one != "tmp"), sorted(before))


def torch_has_gloo() -> bool:
    import torch

    return torch.distributed.is_available() and getattr(torch.distributed, "is_gloo_available", lambda: True)()


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


if __name__ == "__main__":
    unittest.main()
