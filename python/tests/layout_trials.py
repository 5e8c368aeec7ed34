"""What the tests of layout trials share: a program of a few lines that takes part, and the trial of it."""

import json
import os
import subprocess
import sys

from support import REPOSITORY, SdkTest, clean_environment, violations

FRX = os.environ.get("FRX_PROGRAM", str(REPOSITORY / "build/dev/frx"))
RESULT = json.loads((REPOSITORY / "data/schemas/layout_trial.v1.json").read_text())
PLAN = {"schema": "layout_plan.v1", "changes": [{"kind": "memory_format", "modules": ["*"], "format": "channels_last", "inputs": True}]}

# `changed`: whether the plan is applied. WORK, AFTER: what a window does, and what follows all of them.
PROGRAM = """
import itertools, os, time, types
import torch
import fournex.layout

noise, made_ns = itertools.cycle((0, 3, 1, 4, 2)), 0
def spend(milliseconds):
    global made_ns
    made_ns += milliseconds * 1_000_000 + next(noise) * 50_000
if CLOCK_IS_MADE:
    fournex.layout.trial.time = types.SimpleNamespace(perf_counter_ns=lambda: made_ns)
torch.set_num_threads(1)
fournex.layout.seed()
changed = bool(os.environ.get("FRX_LAYOUT_PLAN"))
kept = []
model = torch.nn.Sequential(torch.nn.Conv2d(8, 16, 3), torch.nn.ReLU(), torch.nn.Conv2d(16, 8, 3))
x = torch.randn(2, 8, 16, 16)
SETUP
with fournex.layout.Trial(model, compile_mode=MODE) as trial, torch.no_grad():
    WRAP
    while not trial.enough:
        with trial.window(items=2):
            y = model(x)
            WORK
    AFTER
    trial.output(y)
"""
# A stand-in for a gain, by a clock that counts what a window says it spends, with noise of up to 0.2 ms: what is tested is which gate stops the rest,
# and the machine of a test is too busy for real times to agree.
GAIN = "spend(6 if changed else 20)"


class TrialTest(SdkTest):
    def start(self, work=GAIN, after="", setup="", mode="None", wrap="", options=(), **keywords):
        program = PROGRAM.replace("WRAP", wrap).replace("WORK", work).replace("AFTER", after).replace("SETUP", setup).replace("MODE", mode)
        program = program.replace("CLOCK_IS_MADE", str(work.startswith(GAIN)))
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
