"""frx layout trial with real PyTorch on the CPU: what each gate stops, and that nothing is left of a trial that is killed."""

import json
import os
import signal
import subprocess
import sys
import time
import unittest

from support import REPOSITORY, SdkTest, clean_environment, needs_torch, violations

FRX = os.environ.get("FRX_PROGRAM", str(REPOSITORY / "build/dev/frx"))
RESULT = json.loads((REPOSITORY / "data/schemas/layout_trial.v1.json").read_text())
AUDIT = json.loads((REPOSITORY / "data/schemas/layout_trial_audit.v1.json").read_text())
PLAN = {"schema": "layout_plan.v1", "changes": [{"kind": "memory_format", "modules": ["*"], "format": "channels_last", "inputs": True}]}

# `changed`: whether the plan is applied. WORK, AFTER: what a window does, and what follows all of them.
PROGRAM = """
import os, time
import torch
import fournex.layout

torch.set_num_threads(1)
fournex.layout.seed()
changed = bool(os.environ.get("FRX_LAYOUT_PLAN"))
kept = []
model = torch.nn.Sequential(torch.nn.Conv2d(8, 16, 3), torch.nn.ReLU(), torch.nn.Conv2d(16, 8, 3))
x = torch.randn(2, 8, 16, 16)
SETUP
with fournex.layout.Trial(model, compile_mode=MODE) as trial, torch.no_grad():
    while not trial.enough:
        with trial.window(items=2):
            y = model(x)
            WORK
    AFTER
    trial.output(y)
"""
# A stand-in for a gain: what is tested is which gate stops the rest, and the machine of a test is too busy for a real one.
GAIN = "time.sleep(0.006 if changed else 0.02)"


@needs_torch
class Trials(SdkTest):
    def start(self, work=GAIN, after="", setup="", mode="None", options=(), **keywords):
        program = PROGRAM.replace("WORK", work).replace("AFTER", after).replace("SETUP", setup).replace("MODE", mode)
        (self.folder / "train.py").write_text(program)
        (self.folder / "plan.json").write_text(json.dumps(PLAN))
        (self.folder / "tmp").mkdir(exist_ok=True)
        command = [FRX, "layout", "trial", "--plan", "plan.json", "--windows", "5", "--warmup", "2", *options, "--", sys.executable, "-B", "train.py"]
        env = clean_environment(TMPDIR=str(self.folder / "tmp"))
        return subprocess.Popen(command, cwd=self.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **keywords)

    def tried(self, *arguments, options=(), **keywords):
        process = self.start(*arguments, options=["--json", *options], **keywords)
        out, err = process.communicate(timeout=200)
        self.assertIn(process.returncode, (0, 1), err)
        result = json.loads(out)["result"]
        self.assertEqual(violations(result, RESULT), [])
        self.assertEqual(process.returncode, 0 if result["decision"] == "promoted" else 1)
        self.assertEqual(os.listdir(self.folder / "tmp"), [])
        return result

    def outcomes(self, result):
        return {gate["id"]: gate["outcome"] for gate in result["gates"]}

    def rejected(self, result, gate):
        self.assertEqual((result["decision"], result["decided_by"], result["status"]), ("rejected", gate, "not validated"), result["reason"])

    def test_a_real_channels_last_plan_keeps_the_results_and_its_gain_has_an_interval(self):
        result = self.tried(work="pass", options=["--windows", "20"])
        self.assertEqual(self.outcomes(result)["numerics"], "passed")
        self.assertEqual(self.outcomes(result)["kernel_identity"], "not_applicable")
        if result["decision"] != "promoted":
            self.assertEqual(result["decided_by"], "throughput_memory", result["reason"])
            self.assertRegex(result["reason"], r"^[+-][0-9.]+ % throughput \(99 % interval [+-][0-9.]+ % to [+-][0-9.]+ %\)")
        self.assertEqual([one["side"][0] for one in result["runs"]], ["b", "c", "c", "b", "b", "c"])
        self.assertGreater(len(result["runs"][0]["windows_ns"]), 20)

    def test_a_change_that_keeps_results_and_gains_time_is_validated_and_logged(self):
        (self.folder / "log").mkdir()
        (self.folder / "log/audit.jsonl").write_text('{"cut": "by a cra')
        result = self.tried(options=["--audit", "log/audit.jsonl"])
        self.assertEqual((result["decision"], result["status"], result["decided_by"]), ("promoted", "validated", None), result["reason"])
        before, line = (self.folder / "log/audit.jsonl").read_text().splitlines()
        self.assertEqual(before, '{"cut": "by a cra')
        self.assertEqual(violations(json.loads(line), AUDIT), [])
        self.assertEqual(json.loads(line)["plan_sha256"], result["plan_sha256"])

    def test_other_results_are_stopped_by_the_first_gate(self):
        result = self.tried(after="y = y * (1.001 if changed else 1)")
        self.rejected(result, "numerics")
        self.assertEqual(set(self.outcomes(result).values()), {"failed", "not_reached"})

    def test_a_leak_is_stopped_by_memory(self):
        result = self.tried(work=GAIN + "\n            if changed: kept.append(torch.ones(2_000_000))")
        self.rejected(result, "throughput_memory")
        self.assertIn("the peak of memory is", result["reason"])

    def test_recompilation_in_each_window_is_stopped_by_the_compiler_gate(self):
        # PyTorch before 2.0 has no compiler: the program counts for a made-up one.
        count = "trial.counters(unique_graphs=1, graph_breaks=0, recompiles=7 if changed else 0, cudagraph_skips=0)"
        result = self.tried(after=count, mode="'stand-in compiler'")
        self.rejected(result, "compile_stability")
        self.assertEqual(result["reason"], "7 recompilations, before 0")

    def test_an_operator_of_another_library_is_skipped(self):
        setup = """
library = torch.library.Library("mylib", "DEF")
library.define("twice(Tensor x) -> Tensor")
library.impl("twice", lambda x: x * 2, "CPU")
"""
        result = self.tried(work=GAIN + "\n            y = torch.ops.mylib.twice(y)", setup=setup)
        self.assertEqual((result["decision"], result["decided_by"]), ("skipped", "custom_ops"), result["reason"])
        self.assertIn("operators of mylib", result["reason"])

    def test_a_crash_ends_the_trial(self):
        result = self.tried(after="y.view(2, -1)")  # refused by PyTorch for channels-last alone
        self.rejected(result, "run")
        self.assertIn("the candidate failed: exit code 1: RuntimeError: view size is not compatible", result["reason"])
        self.assertEqual(len(result["runs"]), 2)

    def test_a_candidate_that_does_not_end_is_ended(self):
        result = self.tried(after="if changed: time.sleep(100)", options=["--timeout", "10"])
        self.rejected(result, "run")
        self.assertIn("no end within 10 s", result["reason"])

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


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


if __name__ == "__main__":
    unittest.main()
