"""frx collect --otlp: the real program, a FAKE nvidia-smi that replays rounds.csv, and a stand-in for a collector. FRX names the program."""

import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from collector import Collector

HERE = os.path.dirname(os.path.realpath(__file__))
FRX = os.environ.get("FRX", "frx")
QUICK = ["--metrics-interval", "0.1", "--sample-interval-ms", "100"]


class Otlp(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def collect(self, *options, seconds=1.0, code=0, **more):
        path = os.path.join(HERE, "replay_smi") + ":/usr/bin:/bin"
        began = time.monotonic()
        done = subprocess.run([FRX, "collect", "--out", os.path.join(self.folder.name, "runs"), "--no-zip", "--name", "job", "--run-id", f"run-{began}",
                               *options, "--", sys.executable, os.path.join(HERE, "program.py"), "20", str(seconds), str(code)],
                              capture_output=True, text=True, timeout=120, check=False,
                              env={"PATH": path, "HOME": self.folder.name, **more})
        self.took = time.monotonic() - began
        if "needs libcurl" in done.stderr:
            self.skipTest("libcurl is not installed")
        program = re.search(r"took ([0-9.]+)", done.stdout)
        self.program_took = float(program.group(1)) if program else None
        return done

    def notes(self, done):
        return [line for line in done.stderr.splitlines() if "--otlp" in line]

    def test_what_is_seen_arrives(self):
        collector = Collector()
        done = self.collect("--otlp", collector.url + "/", *QUICK, code=3)
        self.assertEqual((done.returncode, self.notes(done)), (3, []), done.stderr)
        self.assertEqual(collector.wrong, [])
        self.assertGreater(len(collector.taken), 5)
        metrics, resource = collector.taken[-1]
        self.assertEqual(resource["service.name"], "job")
        self.assertTrue(resource["frx.run.id"].startswith("run-"))
        self.assertIn("host.name", resource)
        self.assertEqual(metrics["frx.run.exit_code"], [({}, 3.0)])
        self.assertIn("frx.run.ended", metrics)
        self.assertNotIn("hw.power", metrics)
        self.assertEqual({its["frx.step.status"]: value for its, value in metrics["frx.run.steps"]}, {"ok": 20, "error": 1, "unknown": 1})
        self.assertEqual(metrics["frx.run.step.duration"], [({"frx.step.kind": "train"}, 20)])
        power = [one["hw.power"] for one, _ in collector.taken if "hw.power" in one]
        self.assertTrue(power)
        for points in power:
            self.assertEqual([its["hw.id"] for its, _ in points], ["GPU-0a1b"], "a GPU that tells no power has no point")
        memory = [dict((its["hw.id"], value) for its, value in one["hw.gpu.memory.usage"]) for one, _ in collector.taken if "hw.power" in one]
        self.assertEqual({one["GPU-2c3d"] for one in memory}, {512 * 2**20})
        collector.kill()

    def test_busy_twice_then_everything_arrives(self):
        collector = Collector([503, 503, 200])
        done = self.collect("--otlp", collector.url, *QUICK, seconds=4)
        self.assertEqual((done.returncode, self.notes(done), collector.wrong), (0, [], []), done.stderr)
        self.assertIn("frx.run.ended", collector.taken[-1][0])
        self.assertEqual(collector.requests, len(collector.taken) + 2)
        collector.kill()

    def test_a_collector_that_is_killed_and_started_again(self):
        first = Collector()
        port = first.port
        second = []

        def restart():
            time.sleep(1)
            first.kill()
            time.sleep(1)
            second.append(Collector(port=port))

        thread = threading.Thread(target=restart)
        thread.start()
        done = self.collect("--otlp", first.url, *QUICK, seconds=6)
        thread.join()
        self.assertEqual(done.returncode, 0)
        self.assertEqual((first.wrong, second[0].wrong, self.notes(done)), ([], [], []), done.stderr)
        self.assertTrue(first.taken)
        self.assertIn("frx.run.ended", second[0].taken[-1][0])
        print(f"restart: {len(first.taken)} + {len(second[0].taken)} exports", file=sys.stderr)
        second[0].kill()

    def test_a_collector_that_never_answers_slows_nothing(self):
        collector = Collector([None])
        done = self.collect("--otlp", collector.url, *QUICK, seconds=1, code=4)
        self.assertEqual(done.returncode, 4)
        self.assertLess(self.program_took, 1.5)
        self.assertLess(self.took, 1 + 6)
        self.assertEqual(len(self.notes(done)), 1, done.stderr)
        self.assertRegex(self.notes(done)[0], r"note: --otlp: (\d+) of \1 exports were not delivered to http://127.0.0.1:\d+/v1/metrics: ")
        print(f"never answers: the program took {self.program_took:.3f} s, frx {self.took:.3f} s", file=sys.stderr)

    def test_a_collector_that_is_not_there_slows_nothing(self):
        done = self.collect("--otlp", "http://127.0.0.1:9", *QUICK, seconds=1)
        self.assertEqual(done.returncode, 0)
        self.assertLess(self.program_took, 1.5)
        self.assertEqual(len(self.notes(done)), 1, done.stderr)
        self.assertRegex(self.notes(done)[0], r"(\d+) of \1 exports were not delivered")
        print(f"not there: the program took {self.program_took:.3f} s, frx {self.took:.3f} s", file=sys.stderr)

    def test_what_waits_is_bounded(self):
        done = self.collect("--otlp", "http://127.0.0.1:9", *QUICK, seconds=8)
        lost, added = map(int, re.search(r"(\d+) of (\d+) exports", self.notes(done)[0]).groups())
        self.assertEqual(lost, added)
        self.assertGreater(added, 70, "more than are kept")

    def test_what_is_refused_is_not_sent_again(self):
        collector = Collector([400, 200])
        done = self.collect("--otlp", collector.url, *QUICK)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(self.notes(done)[0], r"--otlp: 1 of \d+ exports were not delivered to .*: the endpoint answers with status 400")
        self.assertEqual(collector.requests, len(collector.taken) + 1)
        collector.kill()

    def test_points_that_are_refused_are_counted(self):
        collector = Collector(body=b'{"partialSuccess":{"rejectedDataPoints":"2","errorMessage":"no"}}')
        done = self.collect("--otlp", collector.url, *QUICK)
        self.assertRegex(self.notes(done)[0], rf"--otlp: http://.* refused {2 * len(collector.taken)} data points")
        collector.kill()

    def test_headers_are_sent_and_never_shown(self):
        collector = Collector([200, 400])
        done = self.collect("--otlp", "env", *QUICK, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url.replace("http://", "http://user:pass-word@") + "?key=query-key",
                            OTEL_EXPORTER_OTLP_HEADERS="x-key=secret%20one, Authorization=Bearer%20secret-two")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.notes(done))
        self.assertEqual((collector.headers[0].get("x-key"), collector.headers[0].get("Authorization")), ("secret one", "Bearer secret-two"))
        kept = done.stdout + done.stderr
        for folder, _, files in os.walk(self.folder.name):
            for name in files:
                with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                    kept += file.read()
        for secret in ("secret", "pass-word", "query-key"):
            self.assertNotIn(secret, kept)
        collector.kill()

    def test_what_cannot_be_a_target_is_refused_before_the_run(self):
        for url, words, more in (("ftp://h", "expected http:// or https://", {}), ("http://", "and a host", {}), ("env", "is not set", {}),
                                 ("http://example.com", "headers do not go unencrypted", {"OTEL_EXPORTER_OTLP_HEADERS": "k=secret"}),
                                 ("http://127.example.com", "headers do not go unencrypted", {"OTEL_EXPORTER_OTLP_HEADERS": "k=secret"}),
                                 ("http://127.0.0.1:9", "expected name=value", {"OTEL_EXPORTER_OTLP_HEADERS": "secret"}),
                                 ("http://127.0.0.1:9", "expected name=value", {"OTEL_EXPORTER_OTLP_HEADERS": "k=secret%0d%0ax: y"})):
            done = self.collect("--otlp", url, **more)
            self.assertEqual((done.returncode, self.program_took), (2, None), (url, done.stderr))
            self.assertIn(words, done.stderr)
            self.assertNotIn("secret", done.stderr)

    def test_without_otlp_the_environment_sends_nothing(self):
        collector = Collector()
        self.collect(OTEL_EXPORTER_OTLP_ENDPOINT=collector.url)
        self.assertEqual(collector.requests, 0)
        collector.kill()


if __name__ == "__main__":
    unittest.main()
