"""The HTTP API answers what the command line prints, byte for byte, and follows its own OpenAPI document."""

import http.client
import json
import random
import shutil
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path

from server import FRX, TESTS, Answer, Server, form, printed

# One of each kind that is read, by the name that it is sent under.
FILES = {
    "report.ncu-rep": "fuzz/corpus/fuzz_ncu_report/normal.ncu-rep",
    "old.ncu-rep": "fuzz/corpus/fuzz_ncu_report/old.ncu-rep",
    "report.csv": "fuzz/corpus/fuzz_ncu_csv/wide_raw_page.csv",
    "kernel.ptx": "data/ptx/triton_style.ptx",
    "kernel.cu": "data/ptx/memory.cu",
    "kernel.cubin": "fuzz/corpus/fuzz_cubin_resources/spills_sm_80.cubin",
    "program.o": "fuzz/corpus/fuzz_fatbin/object.o",
    "run.zip": "fuzz/corpus/fuzz_run_bundle/epochs.zip",
    "trace.json": "fuzz/corpus/fuzz_trace/two_steps",
    "run.sqlite": "fuzz/corpus/fuzz_nsys_export/steps",
}


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server()
        cls.folder = Path(tempfile.mkdtemp())
        for name, seed in FILES.items():
            shutil.copy(TESTS / seed, cls.folder / name)

    @classmethod
    def tearDownClass(cls) -> None:
        uploads = cls.server.uploads()
        code = cls.server.end()
        shutil.rmtree(cls.folder)
        assert uploads == [], uploads
        assert code == 0, cls.server.said

    def content(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()

    def result(self, *arguments: str) -> dict:
        return json.loads(printed(self.folder, *arguments))["result"]


class Analyze(Case):
    def test_any_file_is_answered_as_on_the_command_line(self) -> None:
        for name in FILES:
            with self.subTest(name):
                expected = printed(self.folder, "analyze", name, "--json")
                self.assertGreater(len(expected), 100)
                self.assertEqual(self.server.ask("POST", f"/analyze?filename={name}", self.content(name)).body, expected)
                body, headers = form([("file", name, self.content(name))])
                self.assertEqual(self.server.ask("POST", "/analyze", body, headers).body, expected)

    def test_text_inside_of_json(self) -> None:
        for name in ("kernel.ptx", "kernel.cu", "report.csv", "trace.json"):
            answer = self.server.post_json("/analyze", {"files": [{"filename": name, "content": self.content(name).decode()}]})
            self.assertEqual(answer.body, printed(self.folder, "analyze", name, "--json"), name)

    def test_files_that_belong_together(self) -> None:
        names = ["kernel.cu", "kernel.ptx", "report.csv"]
        body, headers = form([("files", name, self.content(name)) for name in names])
        self.assertEqual(self.server.ask("POST", "/analyze", body, headers).body, printed(self.folder, "analyze", *names, "--json"))

    def test_loose_files_of_a_run_are_its_bundle(self) -> None:
        with zipfile.ZipFile(TESTS / "fuzz/corpus/fuzz_run_bundle/in_a_folder.zip") as archive:
            archive.extractall(self.folder)
            names = archive.namelist()
        body, headers = form([("files", name, self.content(name)) for name in names])
        expected = printed(self.folder, "analyze", "run-1", "--json")
        self.assertGreater(len(expected), 100)
        self.assertEqual(self.server.ask("POST", "/analyze", body, headers).body, expected)
        # Taken out of their folders they are found by their names.
        body, headers = form([("files", name.split("/")[-1], self.content(name)) for name in names])
        answer = self.server.ask("POST", "/analyze", body, headers).body
        self.assertEqual(answer.replace(b'"source": "run"', b'"source": "run-1"').replace(b'"run_id": "run"', b'"run_id": "run-1"'), expected)

    def test_large_files_lie_on_disk_and_go(self) -> None:
        large = self.content("kernel.ptx") + b"\n// filler\n" * 100_000
        (self.folder / "large.ptx").write_bytes(large)
        body, headers = form([("file", "large.ptx", large)])
        self.assertEqual(self.server.ask("POST", "/analyze", body, headers).body, printed(self.folder, "analyze", "large.ptx", "--json"))
        self.assertEqual(self.server.uploads(), [])

    def test_other_formats(self) -> None:
        sent = self.content("report.ncu-rep")
        for query, accept, format_, kind in (
            ("&format=text", "", "text", "text/plain; charset=utf-8"),
            ("", "text/markdown", "markdown", "text/markdown; charset=utf-8"),
            ("", "image/png, text/plain;q=0.5", "text", "text/plain; charset=utf-8"),
            ("", "text/html,application/xhtml+xml,*/*;q=0.8", "html", "text/html; charset=utf-8"),
            ("", "*/*", "json", "application/json"),
        ):
            answer = self.server.ask("POST", "/analyze?filename=report.ncu-rep" + query, sent, {"Accept": accept} if accept else {})
            self.assertEqual(answer.headers["content-type"], kind)
            self.assertEqual(answer.body.decode(), printed(self.folder, "analyze", "report.ncu-rep", "--format", format_).decode())
        sarif = self.server.ask("POST", "/analyze?filename=kernel.cu", self.content("kernel.cu"), {"Accept": "application/sarif+json"})
        self.assertEqual(sarif.json()["version"], "2.1.0")

    def test_progress_as_events(self) -> None:
        trace = json.dumps({"traceEvents": [{"ph": "X", "cat": "kernel", "name": f"k{i % 7}", "pid": 0, "tid": 7, "ts": i * 10, "dur": 9, "args": {"stream": 7, "device": 0}} for i in range(60_000)]}).encode()
        (self.folder / "long.json").write_bytes(trace)
        answer = self.server.ask("POST", "/analyze?filename=long.json", trace, {"Accept": "text/event-stream"})
        self.assertEqual((answer.status, answer.headers["content-type"]), (200, "text/event-stream"))
        events = [dict(line.split(": ", 1) for line in event.split("\n") if line.startswith("event: ")) for event in answer.body.decode().split("\n\n")[:-1]]
        self.assertEqual(events[-1]["event"], "result")
        self.assertGreater(len(events), 3)
        self.assertEqual({event["event"] for event in events[:-1]}, {"progress"})
        last = answer.body.decode().split("\n\n")[-2]
        told = "".join(line[len("data: ") :] + "\n" for line in last.split("\n")[1:])
        self.assertEqual(told.encode(), printed(self.folder, "analyze", "long.json", "--json"))
        # A failure is the last event, and the connection goes on.
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        for _ in range(2):
            connection.request("POST", "/analyze?filename=x.csv", b"nothing", {"Accept": "text/event-stream"})
            self.assertIn(b"event: problem\n", connection.getresponse().read())
        connection.close()

    def test_options(self) -> None:
        expected = printed(self.folder, "analyze", "kernel.cu", "--gpu-model", "H100", "--json")
        self.assertEqual(self.server.ask("POST", "/analyze?filename=kernel.cu&gpu_model=H100", self.content("kernel.cu")).body, expected)
        body, headers = form([("file", "kernel.cu", self.content("kernel.cu"))], {"gpu_model": "H100"})
        self.assertEqual(self.server.ask("POST", "/analyze", body, headers).body, expected)
        self.assertTrue(self.server.ask("POST", "/analyze?filename=kernel.cu&gpu_model=H9000", self.content("kernel.cu")).is_problem(400))
        self.assertTrue(self.server.ask("POST", "/analyze?scope=all", b"x").is_problem(400))

    def test_what_cannot_be_answered_says_what_the_command_line_says(self) -> None:
        answer = self.server.ask("POST", "/analyze?filename=cut.ncu-rep", self.content("report.ncu-rep")[:300])
        self.assertTrue(answer.is_problem(422), answer.body)
        self.assertIn("the file ends inside", answer.json()["detail"])
        self.assertIn("copy the report again", answer.json()["hint"])
        self.assertEqual(answer.json()["where"], "cut.ncu-rep")
        self.assertTrue(self.server.ask("POST", "/analyze").is_problem(400))


class Documented(Case):
    def test_ncu(self) -> None:
        expected = self.result("analyze", "report.csv", "--gpu-model", "NVIDIA H100", "--json")
        text = self.content("report.csv").decode()
        for body in ({"csv_text": text, "filename": "report.csv", "gpu_model": "NVIDIA H100"}, {"content": text, "filename": "report.csv", "environment": {"gpu_model": "NVIDIA H100"}}):
            answer = self.server.post_json("/ncu/analyze", body)
            self.assertEqual(answer.json(), expected)
            self.assertEqual(answer.json()["schema"], "ncu_analysis_v1")
        self.assertEqual(self.server.ask("POST", "/ncu/analyze?filename=report.ncu-rep", self.content("report.ncu-rep")).json(), self.result("analyze", "report.ncu-rep", "--json"))

    def test_ptx(self) -> None:
        answer = self.server.post_json("/ptx/analyze", {"ptx_text": self.content("kernel.ptx").decode(), "filename": "kernel.ptx"})
        self.assertEqual(answer.json(), self.result("analyze", "kernel.ptx", "--json"))
        for key in ("findings", "primary_bottleneck", "bottlenecks", "recommendations", "bundles"):
            self.assertIn(key, answer.json())

    def test_cuda(self) -> None:
        answer = self.server.post_json("/cuda/static-inspect", {"gpu_model": "H100", "files": [{"filename": "kernel.cu", "content": self.content("kernel.cu").decode()}]})
        got = answer.json()
        for key in ("kernels", "launch_configs", "indexing_patterns", "memory_tags", "atomics", "shared_memory_warnings", "launch_advice", "occupancy"):
            self.assertIn(key, got)
        self.assertEqual(got["summary"]["kernel_count"], len(got["kernels"]))
        self.assertEqual(got.pop("file_count"), 1)
        got.pop("summary")
        self.assertEqual(got, self.result("analyze", "kernel.cu", "--gpu-model", "H100", "--json"))
        self.assertTrue(self.server.post_json("/cuda/static-inspect", {"files": []}).is_problem(422))

    def test_operators(self) -> None:
        expected = self.result("operators", "report", "run.sqlite", "--json")
        self.assertEqual(self.server.ask("POST", "/operators/report?filename=run.sqlite", self.content("run.sqlite")).json(), expected)
        by_kernel = self.server.ask("POST", "/operators/report?filename=run.sqlite&by=kernel", self.content("run.sqlite")).json()
        self.assertEqual(by_kernel, self.result("operators", "report", "run.sqlite", "--by", "kernel", "--json"))
        self.assertTrue(self.server.ask("POST", "/operators/report?filename=run.sqlite&by=colour", self.content("run.sqlite")).is_problem(422))
        self.assertTrue(self.server.ask("POST", "/operators/report?filename=kernel.cu", self.content("kernel.cu")).is_problem(422))

    def test_compare(self) -> None:
        before, after = self.content("kernel.cu").decode(), self.content("kernel.cu").decode().replace("float4", "float2")
        (self.folder / "after.cu").write_text(after)
        sides = {"a": {"label": "old", "cuda_source": before, "cuda_filename": "kernel.cu"}, "b": {"label": "new", "cuda_source": after, "cuda_filename": "after.cu"}}
        answer = self.server.post_json("/compare", sides)
        command = ("analyze", "--before", "kernel.cu", "--after", "after.cu", "--before-label", "old", "--after-label", "new", "--json")
        self.assertEqual(answer.json(), self.result(*command))
        for key in ("static_diff", "ptx_diff", "ncu_diff", "scorecard", "verdict", "tradeoffs"):
            self.assertIn(key, answer.json())
        for one in ({}, {"a": {}, "b": {}}, {"a": sides["a"]}, {"a": sides["a"], "b": {"cuda_source": 1}}):
            self.assertTrue(self.server.post_json("/compare", one).is_problem(400), one)
        unlike = {"a": sides["a"], "b": {"ptx_text": self.content("kernel.ptx").decode()}}
        self.assertTrue(self.server.post_json("/compare", unlike).is_problem(422))

    def test_compare_recordings(self) -> None:
        (self.folder / "after.json").write_bytes(self.content("trace.json"))
        (self.folder / "after.csv").write_bytes(self.content("report.csv"))
        for before, after in (("trace.json", "after.json"), ("report.csv", "after.csv"), ("report.csv", "report.ncu-rep")):
            body, headers = form([("a", before, self.content(before)), ("b", after, self.content(after))])
            answer = self.server.ask("POST", "/compare", body, headers)
            self.assertEqual(answer.json(), self.result("compare", before, after, "--json"), (before, after))
        body, headers = form([("a", "trace.json", self.content("trace.json")), ("b", "report.csv", self.content("report.csv"))])
        self.assertTrue(self.server.ask("POST", "/compare", body, headers).is_problem(400))
        body, headers = form([("a", "kernel.cubin", self.content("kernel.cubin")), ("b", "kernel.cubin", self.content("kernel.cubin"))])
        self.assertTrue(self.server.ask("POST", "/compare", body, headers).is_problem(422))
        body, headers = form([("a", "report.csv", self.content("report.csv"))])
        self.assertTrue(self.server.ask("POST", "/compare", body, headers).is_problem(400))

    def test_reconcile(self) -> None:
        names = ["kernel.cu", "kernel.ptx", "report.csv"]
        body, headers = form([("files", name, self.content(name)) for name in names])
        self.assertEqual(self.server.ask("POST", "/reconcile", body, headers).json(), self.result("analyze", *names, "--json"))

    def test_reconcile_results(self) -> None:
        source = "__global__ void k(float* a, int n) { int i = threadIdx.x * 32; if (i < n) a[i] = 1.f; }\n"
        csv = '"Kernel Name","Metric Name","Metric Unit","Metric Value"\n' + "".join(
            f'"k(float *, int)","{metric}","{unit}","{value}"\n'
            for metric, unit, value in (
                ("gpu__time_duration.sum", "us", "100"),
                ("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", "", "32"),
                ("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "", "32"),
                ("dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", "40"),
            )
        )
        static = self.server.post_json("/cuda/static-inspect", {"files": [{"filename": "k.cu", "content": source}]}).json()
        ncu = self.server.post_json("/ncu/analyze", {"csv_text": csv, "filename": "k.csv"}).json()
        both = self.server.post_json("/reconcile", {"static": static, "ncu": ncu, "ptx": None}).json()
        self.assertEqual(both["layers_available"], ["source", "ncu"])
        found = {one["label"]: one for one in both["diagnoses"]}
        self.assertEqual(found["inefficient_global_memory_access"]["layers_confirming"], ["source", "ncu"])
        self.assertEqual(found["inefficient_global_memory_access"]["confidence"], "high")
        # The same as from the files.
        body, headers = form([("files", "k.cu", source.encode()), ("files", "k.csv", csv.encode())])
        of_files = self.server.ask("POST", "/reconcile", body, headers).json()
        short = lambda answer: [(one["label"], one["confidence"], one["kernel"], one["layers_confirming"]) for one in answer["diagnoses"]]  # noqa: E731
        self.assertEqual(short(both), short(of_files))
        alone = self.server.post_json("/reconcile", {"static": static}).json()
        self.assertEqual(alone["diagnoses"][0]["confidence"], "medium")
        # What the command line printed, with "mode" around it, is taken as well.
        self.assertEqual(short(self.server.post_json("/reconcile", {"static": {"mode": "cuda_source", "result": static}, "ncu": ncu}).json()), short(both))
        self.assertTrue(self.server.post_json("/reconcile", {"static": [1]}).is_problem(400))

    def test_export(self) -> None:
        self.assertEqual(self.server.ask("POST", "/export?filename=report.ncu-rep", self.content("report.ncu-rep")).body, printed(self.folder, "export", "report.ncu-rep"))
        self.assertTrue(self.server.ask("POST", "/export", b"no report").is_problem(422))

    def test_feedback(self) -> None:
        given = {"run_id": "run-1", "rec_id": "rec_x", "outcome": "helped"}
        self.assertTrue(self.server.post_json("/feedback", given).is_problem(501))
        with Server("--feedback", str(self.folder / "feedback.jsonl")) as server:
            kept = server.post_json("/feedback", given)
            self.assertEqual((kept.status, kept.json()["ok"]), (200, True))
            self.assertEqual(server.ask("GET", "/feedback").json()["feedback"], [{**given, "notes": None, "id": kept.json()["id"]}])
            self.assertTrue(server.post_json("/feedback", {"run_id": 1}).is_problem(400))


class Starting(unittest.TestCase):
    def test_it_says_where_it_listens(self) -> None:
        with subprocess.Popen([FRX, "serve", "-p", "0", "--json"], stdout=subprocess.PIPE) as process:
            text = b""
            while not text.endswith(b"\n}\n"):
                text += process.stdout.readline()
            process.terminate()
            said = json.loads(text)
            self.assertEqual(said["mode"], "serve")
            self.assertEqual(said["result"]["url"], f"http://127.0.0.1:{said['result']['port']}/")
            self.assertEqual(process.wait(30), 0)

    def test_a_port_that_is_taken(self) -> None:
        with Server() as server:
            ended = subprocess.run([FRX, "serve", "-p", str(server.port)], capture_output=True, check=False)
            self.assertEqual(ended.returncode, 1)
            self.assertIn(b"cannot listen", ended.stderr)


class Watching(Case):
    def test_alive_and_ready(self) -> None:
        for path in ("/health", "/healthz", "/readyz"):
            self.assertEqual(self.server.ask("GET", path).json(), {"status": "ok"})
        head = self.server.ask("HEAD", "/healthz")
        self.assertEqual((head.status, head.body, head.headers["content-length"]), (200, b"", "17"))

    def test_etag(self) -> None:
        first = self.server.ask("GET", "/openapi.json")
        again = self.server.ask("GET", "/openapi.json", headers={"If-None-Match": first.headers["etag"]})
        self.assertEqual((again.status, again.body), (304, b""))

    def test_headers_that_browsers_obey(self) -> None:
        headers = self.server.ask("GET", "/").headers
        self.assertIn("default-src 'self'", headers["content-security-policy"])
        self.assertEqual(headers["x-content-type-options"], "nosniff")
        self.assertNotIn("access-control-allow-origin", headers)

    def test_metrics(self) -> None:
        self.server.ask("GET", "/nowhere")
        text = self.server.ask("GET", "/metrics").body.decode()
        self.assertIn('frx_http_requests_total{route="other",status="404"}', text)
        self.assertNotIn("nowhere", text)


# Values of JSON of every type, and then some.
VALUES = [None, True, 0, -1, 1.5, 1e300, "", "text", "\u0000", "\ud800", [], [1], {}, {"a": 1}, "x" * 5000, [[[[]]]]]


def valid_for(schema: dict, components: dict, dice: random.Random) -> object:
    """A value that the schema allows, as far as this test needs it."""
    if "$ref" in schema:
        return valid_for(components[schema["$ref"].rsplit("/", 1)[1]], components, dice)
    if "enum" in schema:
        return dice.choice(schema["enum"])
    kind = schema.get("type", "object")
    kind = dice.choice(kind) if isinstance(kind, list) else kind
    if kind == "array":
        return [valid_for(schema["items"], components, dice) for _ in range(dice.randint(1, 3))]
    if kind == "object":
        needed = set(schema.get("required", []))
        if "anyOf" in schema:
            needed |= set(dice.choice(schema["anyOf"])["required"])
        return {name: valid_for(inner, components, dice) for name, inner in schema.get("properties", {}).items() if name in needed or dice.random() < 0.4}
    return {"null": None, "string": dice.choice(["H100", "kernel.cu", "x,y\n1,2\n", ".version 7.0\n"]), "boolean": True, "integer": 1, "number": 1.5}[kind]


class OwnDocument(Case):
    def test_requests_made_from_the_document_get_answers_that_it_knows(self) -> None:
        document = self.server.ask("GET", "/openapi.json").json()
        components = document["components"]["schemas"]
        dice = random.Random(7)
        for path, item in document["paths"].items():
            operation = item.get("post")
            schema = operation and operation["requestBody"]["content"].get("application/json", {}).get("schema")
            if not schema:
                continue
            for _ in range(60):
                body = valid_for(schema, components, dice)
                if dice.random() < 0.6:  # something of it is wrong
                    body = dice.choice(VALUES) if dice.random() < 0.1 or not body else {**body, dice.choice(list(body)): dice.choice(VALUES)}
                self.check(path, self.server.ask("POST", path, json.dumps(body), {"Content-Type": "application/json"}), operation)

    def check(self, path: str, answer: Answer, operation: dict) -> None:
        self.assertIn(str(answer.status), operation["responses"], path)
        self.assertNotEqual(answer.status, 500, answer.body)
        if answer.status != 200:
            self.assertTrue(answer.is_problem(answer.status), answer.body)


if __name__ == "__main__":
    unittest.main()
