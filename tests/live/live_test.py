"""frx collect --metrics-file: the real program beside a FAKE nvidia-smi that replays rounds.csv. FRX names the program. No GPU is looked at."""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from prometheus import Families

HERE = os.path.dirname(os.path.realpath(__file__))
FRX = os.environ.get("FRX", "frx")
PROGRAM = [sys.executable, os.path.join(HERE, "program.py")]


class Live(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.metrics = os.path.join(self.folder.name, "metrics", "run.prom")

    def tearDown(self):
        self.folder.cleanup()

    def command(self, *options, program=None):
        return [FRX, "collect", "--out", os.path.join(self.folder.name, "runs"), "--no-zip", *options, "--",
                *(program or [*PROGRAM, "50", "2"])]

    def environment(self, smi=True, **more):
        path = (os.path.join(HERE, "replay_smi") + ":" if smi else "") + "/usr/bin:/bin"
        return {"PATH": path, "HOME": self.folder.name, **more}

    def collect(self, *options, program=None, **more):
        return subprocess.run(self.command(*options, program=program), capture_output=True, text=True, timeout=120, check=False,
                              env=self.environment(**more))

    def read(self):
        with open(self.metrics, encoding="utf-8") as file:
            return Families(file.read())

    def test_a_run_is_seen_while_it_runs_and_every_read_is_whole(self):
        run = subprocess.Popen(self.command("--metrics-file", self.metrics, "--metrics-interval", "0.1", "--sample-interval-ms", "100",
                                            "--name", 'a "job"\\\n\x1b', "--run-id", "run-7", program=[*PROGRAM, "50", "3", "5"]),
                               env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        seen, reads = [], 0
        while run.poll() is None:
            try:
                with open(self.metrics, encoding="utf-8") as file:
                    text = file.read()
                    file.seek(0)
                    self.assertEqual(file.read(), text, "an open file changed")
            except FileNotFoundError:
                self.assertFalse(seen, "the file was gone for a moment")
                continue
            reads += 1
            if not seen or seen[-1] != text:
                seen.append(text)
        output, messages = run.communicate()
        self.assertEqual(run.returncode, 5, messages)
        self.assertIn("took ", output)
        moments = [Families(text) for text in seen]
        self.assertGreater(len(moments), 15)
        self.assertGreater(reads, 100)
        steps = [sum(one.get("frx_run_steps_total", kind="train", status="ok")) for one in moments]
        self.assertEqual(steps, sorted(steps))
        self.assertGreater(len(set(steps)), 10, "the steps were not seen while they went on")
        power = {value for one in moments for value in one.get("frx_run_gpu_power_watts", gpu="0")}
        self.assertEqual(power, {71.52, 688.03})
        for one in moments:
            self.assertEqual(one.get("frx_run_gpu_power_watts", gpu="1"), [], "a GPU that tells no power has none")
            self.assertEqual(one.get("frx_run_gpu_slowed", gpu="1"), [])
            self.assertEqual([labels["run_id"] for name in ("frx_run_info",) for labels in one.labels(name)], ["run-7"])
        self.assertIn(0.7, {value for one in moments for value in one.get("frx_run_gpu_utilization_ratio", gpu="0")})
        self.assertEqual({value for one in moments for value in one.get("frx_run_gpu_memory_used_bytes", gpu="1")}, {512 * 2**20})
        self.check_end(moments)
        print(f"{reads} reads, {len(moments)} files, all whole", file=sys.stderr)

    def check_end(self, moments):
        for one in moments[:-1]:
            self.assertEqual(one.get("frx_run_ended_timestamp_seconds") + one.get("frx_run_exit_code"), [])
        last = self.read()
        self.assertEqual(last.get("frx_run_exit_code"), [5])
        self.assertLess(abs(last.get("frx_run_ended_timestamp_seconds")[0] - time.time()), 60)
        self.assertEqual(last.get("frx_run_steps_total", kind="train", status="ok"), [50], "a step that is written again is one step")
        self.assertEqual(last.get("frx_run_steps_total", kind="train", status="error"), [1])
        self.assertEqual(last.get("frx_run_steps_total", kind="other", status="unknown"), [1])
        self.assertEqual(last.get("frx_run_step_duration_seconds_count"), [50])
        self.assertAlmostEqual(last.get("frx_run_step_duration_seconds_sum")[0], 1.0)
        self.assertEqual(last.get("frx_run_step_duration_seconds_bucket", le="0.01"), [0])
        self.assertEqual(last.get("frx_run_step_duration_seconds_bucket", le="0.03"), [50])
        self.assertEqual(last.get("frx_run_gpu_utilization_ratio"), [], "a run that has ended uses no GPU")
        self.assertEqual(last.labels("frx_run_info")[0]["job_name"], 'a "job"\\ \\x1b')

    def test_promtool_has_nothing_to_say(self):
        promtool = shutil.which("promtool")
        if not promtool:
            self.skipTest("promtool (Debian package prometheus) is not installed")
        self.collect("--metrics-file", self.metrics, "--metrics-interval", "0.1", "--sample-interval-ms", "100",
                     program=["/bin/sh", "-c", f"{sys.executable} {HERE}/program.py 5 1; cp {self.metrics} {self.metrics}.while"])
        for name in (self.metrics, self.metrics + ".while"):
            with open(name, encoding="utf-8") as file:
                done = subprocess.run([promtool, "check", "metrics"], stdin=file, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_without_gpus_and_steps_their_metrics_are_absent(self):
        done = self.collect("--metrics-file", self.metrics, program=["true"], smi=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({name for name, _ in self.read().samples},
                         {"frx_run_info", "frx_run_started_timestamp_seconds", "frx_run_updated_timestamp_seconds",
                          "frx_run_ended_timestamp_seconds", "frx_run_exit_code"})

    def test_kill_9_leaves_no_half_written_file(self):
        randomly = random.Random(7)
        for _ in range(20):
            run = subprocess.Popen(self.command("--metrics-file", self.metrics, "--metrics-interval", "0.1", program=[*PROGRAM, "500", "5"]),
                                   env=self.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(randomly.uniform(0.02, 0.6))
            run.send_signal(signal.SIGKILL)
            run.wait()
            folder = os.path.dirname(self.metrics)
            named = [name for name in os.listdir(folder) if name.endswith(".prom")] if os.path.isdir(folder) else []
            self.assertLessEqual(set(named), {"run.prom"})
            if named:
                self.assertEqual(self.read().get("frx_run_ended_timestamp_seconds"), [])

    def test_a_file_that_cannot_be_written_is_one_warning_and_no_failure(self):
        folder = os.path.dirname(self.metrics)
        # frx may write to the folder, or make it again, at any moment.
        in_its_place = f"until rm -rf {folder} 2>/dev/null && (echo x > {folder}) 2>/dev/null; do :; done"
        done = self.collect("--metrics-file", self.metrics, "--metrics-interval", "0.1",
                            program=["/bin/sh", "-c", f"sleep 0.5; {in_its_place}; sleep 0.5; exit 3"])
        self.assertEqual(done.returncode, 3)
        notes = [line for line in done.stderr.splitlines() if "--metrics-file" in line]
        self.assertEqual(len(notes), 1, done.stderr)
        self.assertRegex(notes[0], r"note: --metrics-file: \d+ of \d+ times it could not be written: ")

    def test_a_program_that_cannot_start_leaves_no_file(self):
        done = self.collect("--metrics-file", self.metrics, program=["/no/such/program"])
        self.assertEqual(done.returncode, 1)
        self.assertEqual(os.listdir(os.path.dirname(self.metrics)), [])

    def test_what_is_no_textfile_is_refused(self):
        os.mkfifo(os.path.join(self.folder.name, "pipe.prom"))
        for options, words in ((["--metrics-file", "train.py"], "expected a name that ends in .prom"),
                               (["--metrics-file", ".prom"], "expected a name that ends in .prom"),
                               (["--metrics-file", os.path.join(self.folder.name, "pipe.prom")], "this is no regular file"),
                               (["--metrics-file", self.metrics, "--metrics-interval", "0.05"], "expected 0.1 to 3600 seconds"),
                               (["--metrics-file", self.metrics, "--metrics-interval", "nan"], "expected "),
                               (["--metrics-interval", "5"], "--metrics-interval goes with ")):
            done = self.collect(*options, program=["true"])
            self.assertEqual(done.returncode, 2, (options, done.stderr))
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
