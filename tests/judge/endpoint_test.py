"""frx judge run --endpoint, beside a stand-in server that answers as a language model's endpoint would. No model is asked.

FRX names the program. The stand-in keeps what was sent to it, so that the tests see what left the machine.
"""

import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest

FRX = os.environ.get("FRX", "frx")

COUNTERS = {
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": 71.25,
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct": 24.4,
    "lts__t_sector_hit_rate.pct": 30.6,
    "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct": 61.44,
    "sm__warps_active.avg.pct_of_peak_sustained_active": 48.5,
    "l1tex__t_sector_hit_rate.pct": 12.5,
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": 14.86,
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": 71.25,
}
NAMES = list(COUNTERS)


def answer(dram="71.25%"):
    """A reply of the contract of two; right with the number of the profile."""
    return "Here it is:\n```json\n" + json.dumps({
        "bottleneck_1": {"category": "memory-bound", "root_cause": f"DRAM throughput is {dram}.", "suggestion": "Read neighbouring elements.",
                         "priority_metrics": NAMES[:3], "expected_improvement": "Up to 1.4x"},
        "bottleneck_2": {"category": "latency-bound", "root_cause": "Long scoreboard stalls are 61.4%.", "suggestion": "Prefetch the next index.",
                         "priority_metrics": NAMES[3:6], "expected_improvement": "Up to 1.2x"}}) + "\n```"


def completion(text):
    return 200, json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]})


class StandIn(http.server.ThreadingHTTPServer):
    """Gives the answers of a list in turn, the last one again and again."""

    daemon_threads = True

    def __init__(self, answers, delay=0):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers, self.delay, self.seen, self.location = answers, delay, [], None
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append({"path": self.path, "key": self.headers.get("Authorization"), "body": json.loads(body)})
        time.sleep(self.server.delay)
        status, text = self.server.answers[min(len(self.server.seen), len(self.server.answers)) - 1]
        data = text.encode()
        try:
            self.send_response(status)
            if self.server.location:
                self.send_header("Location", self.server.location)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except BrokenPipeError:
            pass  # the client has left

    def log_message(self, *_):
        pass


class Endpoint(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.profile = self.file("kernel.json", json.dumps({"metrics": {"gather_kernel": COUNTERS}}))

    def tearDown(self):
        self.folder.cleanup()

    def file(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def run_frx(self, server, *options, key=None):
        environment = {"PATH": "/usr/bin:/bin", "HOME": self.folder.name}
        if key:
            environment["FRX_JUDGE_API_KEY"] = key
        url = server if isinstance(server, str) else server.url
        done = subprocess.run([FRX, "judge", "run", "--ncu", self.profile, "--endpoint", url, *options], capture_output=True, text=True,
                              timeout=60, env=environment, check=False)
        if "needs libcurl" in done.stderr:
            self.skipTest("libcurl is not installed")
        return done

    def test_a_right_answer_is_taken(self):
        server = StandIn([completion(answer())])
        done = self.run_frx(server, "--model", "stand-in", "--json", key="secret-key")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)["result"]
        self.assertEqual([one["category"] for one in result["bottlenecks"]], ["memory-bound", "latency-bound"])
        self.assertEqual(result["bottlenecks"][0]["origin"], "llm")
        self.assertTrue(result["validation"]["valid"])
        self.assertEqual(server.seen[0]["path"], "/v1/chat/completions")
        self.assertEqual(server.seen[0]["key"], "Bearer secret-key")
        self.assertEqual(server.seen[0]["body"]["model"], "stand-in")
        self.assertNotIn("secret-key", done.stdout + done.stderr)

    def test_a_password_in_the_url_is_not_shown(self):
        server = StandIn([(403, "no")])
        url = server.url.replace("http://", "http://user:pass-word@") + "?key=secret-key"
        done = self.run_frx(url)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertNotIn("pass-word", done.stdout + done.stderr)
        self.assertNotIn("secret-key", done.stdout + done.stderr)
        self.assertIn(f"http://127.0.0.1:{server.server_address[1]}/v1", done.stderr)
        self.assertEqual(server.seen[0]["path"], "/v1/chat/completions?key=secret-key")

    def test_what_does_not_hold_is_asked_again(self):
        server = StandIn([completion(answer("91.25%")), completion(answer())])
        done = self.run_frx(server, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        again = server.seen[1]["body"]["messages"]
        self.assertEqual([one["role"] for one in again], ["system", "user", "assistant", "user"])
        self.assertIn("DRAM throughput is not 91.25%: the profile has 71.25%", again[-1]["content"])
        self.assertIn("attempt 1: 1 errors, asked again", json.loads(done.stdout)["result"]["notes"])

    def test_an_answer_that_stays_wrong_is_refused(self):
        server = StandIn([completion(answer("91.25%"))])
        done = self.run_frx(server, "--retries", "1")
        self.assertEqual(done.returncode, 4)
        self.assertEqual(len(server.seen), 2)
        self.assertIn("DRAM throughput is not 91.25%", " ".join(done.stdout.split()))

    def test_prose_without_an_answer_is_refused(self):
        done = self.run_frx(StandIn([completion("I would rather talk about the weather.")]), "--retries", "0")
        self.assertEqual(done.returncode, 4)
        self.assertIn("found none", " ".join(done.stdout.split()))

    def test_source_is_sent_only_where_that_was_said(self):
        source = self.file("kernel.cu", "__global__ void secret_algorithm() {}\n")
        server = StandIn([completion(answer())])
        self.assertEqual(self.run_frx(server).returncode, 0)
        self.assertEqual(self.run_frx(server, "--kernel-code", source).returncode, 2)
        self.assertEqual(len(server.seen), 1)
        self.assertEqual(self.run_frx(server, "--kernel-code", source, "--send-source").returncode, 0)
        sent = [json.dumps(one["body"]) for one in server.seen]
        self.assertNotIn("secret_algorithm", sent[0])
        self.assertIn("secret_algorithm", sent[1])
        self.assertNotIn(self.folder.name + "/kernel.json", sent[0])  # nor where the profile lies

    def test_a_busy_endpoint_is_asked_again(self):
        server = StandIn([(429, '{"error": {"message": "slow down"}}'), (503, "busy"), completion(answer())])
        self.assertEqual(self.run_frx(server).returncode, 0)
        self.assertEqual(len(server.seen), 3)

    def test_errors_of_the_endpoint_are_told(self):
        for status, text, told in [(401, '{"error": {"message": "no such key"}}', "status 401: no such key"), (404, "not here\nmore", "status 404: not here"),
                                   (200, "<html>", "expected choices[0].message.content"), (200, '{"choices": []}', "expected choices[0].message.content"),
                                   (200, '{"choices": [{"message": {"content": null}}]}', "expected choices[0].message.content")]:
            with self.subTest(told):
                done = self.run_frx(StandIn([(status, text)]))
                self.assertEqual(done.returncode, 4)
                self.assertIn(told, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_a_redirection_is_not_followed(self):
        other = StandIn([completion(answer())])
        server = StandIn([(307, "")])
        server.location = other.url + "/chat/completions"
        done = self.run_frx(server, key="secret-key")
        self.assertEqual(done.returncode, 4)
        self.assertIn("status 307", done.stderr)
        self.assertEqual(other.seen, [])

    def test_an_endpoint_that_hangs_ends(self):
        began = time.monotonic()
        done = self.run_frx(StandIn([completion(answer())], delay=20), "--timeout", "1")
        self.assertEqual(done.returncode, 4)
        self.assertIn("did not answer", done.stderr)
        self.assertLess(time.monotonic() - began, 15)

    def test_an_endpoint_that_is_not_there(self):
        server = StandIn([completion("")])
        server.shutdown()
        server.server_close()
        done = self.run_frx(server.url)
        self.assertEqual(done.returncode, 4)
        self.assertIn("did not answer", done.stderr)

    def test_an_answer_without_end_is_cut(self):
        done = self.run_frx(StandIn([(200, '{"choices": "' + "x" * (9 << 20) + '"}')]))
        self.assertEqual(done.returncode, 4)
        self.assertIn("did not answer", done.stderr)

    def test_a_key_does_not_go_unencrypted_to_another_machine(self):
        done = self.run_frx("http://example.invalid/v1", key="secret-key")
        self.assertEqual(done.returncode, 2)
        self.assertIn("does not go unencrypted", done.stderr)
        for url in ("http://127.0.0.1@example.invalid/v1", "http://localhost.example.invalid/v1", "http://127.example.invalid/v1"):
            self.assertIn("does not go unencrypted", self.run_frx(url, key="secret-key").stderr)

    def test_what_a_reply_says_does_not_act(self):
        done = self.run_frx(StandIn([completion(answer("71.25% \x1b[31m::error::"))]), "--retries", "0")
        self.assertNotIn("\x1b[31m", done.stdout)


if __name__ == "__main__":
    sys.exit(unittest.main())
