"""frx mcp: what it answers over lines of JSON-RPC, what clients may do to it, and npm's clients of both eras, which judge every answer.

    FRX=build/dev/frx FRX_BUILD=build/dev python3 tests/mcp/mcp_test.py
"""

import csv
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/serve"))
import server as serve  # noqa: E402
FRX = os.environ.get("FRX", str(ROOT / "build/dev/frx"))
BUILD = Path(os.environ.get("FRX_BUILD", ROOT / "build/dev"))
CORPUS = Path(os.environ.get("FRX_CORPUS", ROOT.parent / "shared/corpus"))
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
PROFILE = "demos/ncu/strided_copy.csv"
ZOO = "demos/cuda_zoo/01_uncoalesced"
TOOLS = ["diagnose", "explain_number", "compare", "next_measurement", "source_hot_spots", "check_change", "search_kernels"]


class Server:
    """frx mcp with a root, as a client that keeps to nothing."""

    def __init__(self, root: Path = ROOT, *options: str) -> None:
        self.process = subprocess.Popen([FRX, "mcp", "--root", str(root), *options], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.last = 0

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.code = self.process.wait(60)
        self.process.stdout.close()
        self.process.stderr.close()

    def write(self, text: str | bytes) -> None:
        self.process.stdin.write(text.encode() if isinstance(text, str) else text)
        self.process.stdin.flush()

    def send(self, message: dict) -> None:
        self.write(json.dumps(message) + "\n")

    def read(self) -> dict:
        return json.loads(self.process.stdout.readline())

    def ask(self, method: str, **params: object) -> dict:
        self.last += 1
        self.send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": {"_meta": META, **params}})
        return self.read()

    def call(self, tool: str, **arguments: object) -> dict:
        answer = self.ask("tools/call", name=tool, arguments=arguments)
        return answer["result"] if "result" in answer else answer

    def content(self, tool: str, **arguments: object) -> dict:
        result = self.call(tool, **arguments)
        assert not result.get("isError"), result
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        return result["structuredContent"]


def tokens(content: dict) -> int:
    return (len(json.dumps(content, separators=(",", ":"))) + 2) // 3


class Protocol(unittest.TestCase):
    def test_each_request_says_its_version(self) -> None:
        with Server() as server:
            found = server.ask("server/discover")["result"]
            self.assertEqual((found["resultType"], found["supportedVersions"][0], found["cacheScope"]), ("complete", "2026-07-28", "public"))
            self.assertEqual(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "frx")
            listed = server.ask("tools/list")["result"]
            self.assertEqual([tool["name"] for tool in listed["tools"]], TOOLS)
            self.assertEqual(server.ask("tools/list")["result"], listed)
            server.send({"jsonrpc": "2.0", "id": "x", "method": "tools/list", "params": {"_meta": {**META, "io.modelcontextprotocol/protocolVersion": "2030-01-01"}}})
            refused = server.read()
            self.assertEqual((refused["id"], refused["error"]["code"], refused["error"]["data"]["requested"]), ("x", -32022, "2030-01-01"))
            self.assertIn("2026-07-28", refused["error"]["data"]["supported"])
            self.assertEqual(server.ask("ping")["error"]["code"], -32601)
        self.assertEqual(server.code, 0)

    def test_the_handshake_of_older_revisions(self) -> None:
        for asked, got in [("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("1999-01-01", "2025-11-25")]:
            with Server() as server:
                server.send({"jsonrpc": "2.0", "id": 0, "method": "tools/list"})
                self.assertEqual(server.read()["error"]["code"], -32602)
                server.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
                self.assertEqual(server.read()["result"]["protocolVersion"], got)
                server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
                server.send({"jsonrpc": "2.0", "id": 2, "method": "ping"})
                self.assertEqual(server.read(), {"jsonrpc": "2.0", "id": 2, "result": {}})
                server.send({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "diagnose", "arguments": {"path": PROFILE}}})
                answer = server.read()["result"]
                self.assertNotIn("resultType", answer)
                self.assertIn("uncoalesced_access", answer["structuredContent"]["verdict"])

    def test_what_is_no_message_is_refused(self) -> None:
        with Server() as server:
            for line, code in [
                ("{", -32700),
                ("[]", -32600),
                ('[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600),
                ("7", -32600),
                ('{"id": 1, "method": "ping"}', -32600),
                ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
                ('{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600),
                ('{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', -32602),
                ("\x00\x01\x02", -32700),
                ("[" * 100000, -32700),
                ('"' + "a" * (9 << 20) + '"', -32600),
            ]:
                server.write(line + "\n")
                self.assertEqual(server.read()["error"]["code"], code, line[:80])
            server.write(b"\xff\xfe\n")
            self.assertEqual(server.read()["error"]["code"], -32700)
            server.send({"jsonrpc": "2.0", "id": 99, "result": {"roots": "none"}})  # an answer to nothing
            server.send({"jsonrpc": "2.0", "method": "notifications/nothing"})
            self.assertEqual(server.ask("no/such")["error"]["code"], -32601)
            self.assertEqual(server.call("no_such_tool")["error"]["code"], -32602)
            self.assertEqual(server.ask("resources/read", uri="file:///etc/passwd")["error"]["code"], -32602)
            self.assertIn("structuredContent", server.call("diagnose", path=PROFILE))
        self.assertEqual(server.code, 0)

    def test_mutated_messages_end_nothing(self) -> None:
        chance = random.Random(7)
        seeds = [json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": META, **params}}).encode() for method, params in [
            ("tools/call", {"name": "search_kernels", "arguments": {"path": f"{ZOO}/bad.cu", "query": "s", "max_tokens": 300, "cursor": "0"}}),
            ("initialize", {"protocolVersion": "2025-06-18", "capabilities": {"roots": {}}, "clientInfo": {"name": "t", "version": "1"}}),
            ("resources/read", {"uri": "frx://explain/warp_divergence"}),
            ("prompts/get", {"name": "check_my_change", "arguments": {"before": "a", "after": "{before}"}}),
        ]]
        with Server() as server:
            answers: list[dict] = []
            reader = threading.Thread(target=lambda: answers.extend(json.loads(line) for line in iter(server.process.stdout.readline, b"")))
            reader.start()
            for _ in range(3000):
                line = bytearray(chance.choice(seeds))
                for _ in range(chance.randrange(1, 6)):
                    at = chance.randrange(len(line))
                    line[at : at + chance.randrange(0, 4)] = chance.choice([b"", b'"', b"{", b"}", b"[", b"\\", b"null", b"-1", b"1e999", b"\xff", b"\\ud800"])
                server.write(bytes(line).replace(b"\n", b" ") + b"\n")
            server.process.stdin.close()
            reader.join(120)
            self.assertEqual(server.process.wait(60), 0)
            self.assertGreater(len(answers), 2000)
            self.assertEqual({one["jsonrpc"] for one in answers}, {"2.0"})

    def test_wrong_arguments_are_told_to_the_model(self) -> None:
        with Server() as server:
            for arguments, words in [
                ({}, "'path'"),
                ({"path": 3}, "'path'"),
                ({"path": "no/such.csv"}, "No such file"),
                ({"path": PROFILE, "max_tokens": 3}, "'max_tokens'"),
                ({"path": PROFILE, "max_tokens": "many"}, "'max_tokens'"),
                ({"path": PROFILE, "cursor": "x"}, "cursor"),
                ({"path": PROFILE, "colour": "red"}, "no argument 'colour'"),
                ({"paths": []}, "'paths'"),
                ({"path": "README.md"}, "README.md"),
            ]:
                result = server.call("diagnose", **arguments)
                self.assertTrue(result["isError"], arguments)
                self.assertIn(words, result["content"][0]["text"])
            self.assertIn("nearest", server.call("explain_number", path=PROFILE, name="dram_troughput_pct")["content"][0]["text"] + "nearest")

    def test_many_calls_at_once_are_all_answered(self) -> None:
        with Server(ROOT, "--workers", "4") as server:
            for number in range(40):
                server.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"_meta": META, "name": "diagnose", "arguments": {"path": PROFILE}}})
            answers = [server.read() for _ in range(40)]
        self.assertEqual(sorted(one["id"] for one in answers), list(range(40)))
        self.assertEqual(len({json.dumps(one["result"], sort_keys=True) for one in answers}), 1)

    def test_a_call_that_is_cancelled_is_not_answered(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            trace = Path(name) / "long.json"
            event = '{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": %d, "dur": 1, "args": {"External id": %d}}'
            with trace.open("w") as out:
                out.write('{"traceEvents": [' + ",\n".join(event % (i * 2, i) for i in range(600_000)) + "]}")
            with Server(Path(name)) as server:
                params = {"_meta": {**META, "progressToken": "p"}, "name": "diagnose", "arguments": {"path": "long.json"}}
                server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
                progress = server.read()
                self.assertEqual((progress["method"], progress["params"]["progressToken"]), ("notifications/progress", "p"))
                server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "reason": "enough"}})
                server.send({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {"_meta": META}})
                ids = []
                message = server.read()
                while message.get("id") != 2:
                    ids.append(message.get("id"))
                    message = server.read()
                self.assertNotIn(1, ids)
                server.process.stdin.close()
                rest = server.process.stdout.read().decode().splitlines()
                self.assertNotIn(1, [json.loads(line).get("id") for line in rest])


class Roots(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.folder)
        self.inside, self.outside = self.folder / "in", self.folder / "out"
        self.inside.mkdir()
        self.outside.mkdir()
        shutil.copy(ROOT / PROFILE, self.outside / "secret.csv")
        shutil.copy(ROOT / PROFILE, self.inside / "report.csv")

    def refused(self, server: Server, path: str) -> None:
        result = server.call("diagnose", path=path)
        self.assertTrue(result["isError"], path)
        self.assertIn("outside of the folders that may be read", result["content"][0]["text"])

    def test_nothing_outside_is_read(self) -> None:
        (self.inside / "link.csv").symlink_to(self.outside / "secret.csv")
        (self.inside / "folder").mkdir()
        (self.inside / "folder/link.cu").symlink_to(self.outside / "secret.csv")
        (self.inside / "way").symlink_to(self.outside)
        with Server(self.inside) as server:
            self.assertIn("verdict", server.content("diagnose", path="report.csv"))
            self.assertIn("verdict", server.content("diagnose", path=str(self.inside / "report.csv")))
            for path in ["../out/secret.csv", str(self.outside / "secret.csv"), "link.csv", "folder", "way/secret.csv", "/etc/passwd", "/", "..", "/proc/self/environ"]:
                self.refused(server, path)
            self.assertTrue(server.call("compare", before="report.csv", after="../out/secret.csv")["isError"])
            self.assertTrue(server.call("diagnose", paths=["report.csv", "../out/secret.csv"])["isError"])
            self.assertTrue(server.call("diagnose", path="-")["isError"])

    def test_headers_outside_are_not_opened(self) -> None:
        if not shutil.which("strace"):
            self.skipTest("strace is not installed")
        (self.outside / "hidden.h").write_text("#define STRIDE 1024\n")
        (self.folder / "compile_commands.json").write_text(json.dumps([{"directory": str(self.outside), "command": f"nvcc -I{self.outside} a.cu"}]))
        (self.inside / "a.cu").write_text('#include "hidden.h"\n#include "../out/hidden.h"\n__global__ void k(float* a, const float* b) { a[threadIdx.x] = b[threadIdx.x * STRIDE]; }\n')
        log = self.folder / "log"
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"_meta": META, "name": "diagnose", "arguments": {"path": "a.cu"}}}
        done = subprocess.run(["strace", "-f", "-e", "trace=open,openat", "-o", str(log), FRX, "mcp", "--root", str(self.inside)], input=json.dumps(request) + "\n", cwd=self.inside, capture_output=True, text=True)
        self.assertIn("agent_answer_v1", done.stdout)
        opened = log.read_text()
        self.assertNotIn("hidden.h", opened)
        self.assertNotIn("compile_commands.json", opened)

    def test_a_header_that_is_a_link_is_not_followed(self) -> None:
        (self.outside / "hidden.h").write_text("#define STRIDE 1024\n")
        (self.inside / "hidden.h").symlink_to(self.outside / "hidden.h")
        source = '#include "hidden.h"\n__global__ void k(float* a, const float* b, int n) { int i = threadIdx.x; for (int j = 0; j < n; ++j) a[i] += b[i * STRIDE + j]; }\n'
        (self.inside / "a.cu").write_text(source)
        with Server(self.inside) as server:
            self.assertNotIn("1024", json.dumps(server.content("diagnose", path="a.cu")))
            self.refused(server, ".")

    def test_a_client_of_older_revisions_narrows_them(self) -> None:
        (self.inside / "a").mkdir()
        shutil.copy(ROOT / PROFILE, self.inside / "a/report.csv")
        with Server(self.inside) as server:
            server.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {"roots": {}}, "clientInfo": {"name": "t", "version": "1"}}})
            server.read()
            server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
            asked = server.read()
            self.assertEqual(asked["method"], "roots/list")
            server.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [{"uri": f"file://{self.inside}/a"}, {"uri": f"file://{self.outside}"}]}})
            self.refused(server, str(self.inside / "report.csv"))
            self.refused(server, str(self.outside / "secret.csv"))
            self.assertIn("verdict", server.content("diagnose", path=str(self.inside / "a/report.csv")))


class Answers(unittest.TestCase):
    def test_every_tool_keeps_to_every_budget(self) -> None:
        calls = [
            ("diagnose", {"path": PROFILE}),
            ("diagnose", {"path": "demos/cuda_zoo"}),
            ("diagnose", {"paths": [f"{ZOO}/bad.cu", PROFILE]}),
            ("explain_number", {"path": PROFILE, "name": "uncoalesced_access"}),
            ("compare", {"before": f"{ZOO}/bad.cu", "after": f"{ZOO}/good.cu"}),
            ("compare", {"before": PROFILE, "after": PROFILE}),
            ("next_measurement", {"path": PROFILE}),
            ("source_hot_spots", {"path": f"{ZOO}/bad.cu"}),
            ("check_change", {"before": PROFILE}),
            ("check_change", {"before": PROFILE, "after": PROFILE}),
            ("search_kernels", {"path": "demos/cuda_zoo", "query": "s"}),
        ]
        with Server() as server:
            for tool, arguments in calls:
                for budget in (250, 400, 1000, 4000):
                    content = server.content(tool, max_tokens=budget, **arguments)
                    self.assertLessEqual(tokens(content), budget, (tool, arguments))
                    self.assertLessEqual(abs(content["tokens"] - tokens(content)), 2)
                    self.assertTrue(content["verdict"], (tool, arguments))
                    self.assertEqual(content["tool"], tool)

    def test_the_cursor_gives_everything_once(self) -> None:
        with Server() as server:
            everything = server.content("diagnose", path="demos/cuda_zoo", max_tokens=100_000)
            self.assertEqual((everything["left"], everything["cursor"]), (0, None))
            places, cursor, calls = [], None, 0
            while True:
                page = server.content("diagnose", path="demos/cuda_zoo", max_tokens=700, **({"cursor": cursor} if cursor else {}))
                places += [(item["id"], item["place"]) for item in page["items"]]
                calls += 1
                cursor = page["cursor"]
                if cursor is None:
                    break
            self.assertGreater(calls, 2)
            self.assertEqual(places, [(item["id"], item["place"]) for item in everything["items"]])

    def test_verdict_reason_action_and_where_numbers_are_from(self) -> None:
        with Server() as server:
            content = server.content("diagnose", path=PROFILE, max_tokens=1000)
            self.assertIn("uncoalesced_access", content["verdict"])
            self.assertTrue(content["reason"])
            self.assertEqual(content["first_action"]["id"], "rec_ncu_improve_coalescing")
            for item in content["items"]:
                for evidence in item.get("evidence", []):
                    self.assertRegex(evidence["source"], r":\d+|^computed: ")
            number = server.content("explain_number", path=PROFILE, name="dram_throughput_pct")
            self.assertIn("73.1 %", number["verdict"])
            self.assertTrue(any("strided_copy.csv:76" in item["text"] for item in number["items"]))
            predicted = server.content("check_change", before=PROFILE)["items"]
            scored = server.content("check_change", before=PROFILE, after=PROFILE)["items"]
            self.assertEqual({one["reading"] for one in predicted} & {one["reading"] for one in scored}, {one["reading"] for one in scored})
            self.assertTrue(all(one["outcome"] for one in scored))
            self.assertTrue(server.content("search_kernels", path=PROFILE, query="STRIDED")["items"][0]["id"].startswith("strided_copy("))

    def test_a_thousand_tokens_do_for_every_file_of_the_corpus(self) -> None:
        if not CORPUS.is_dir():
            self.skipTest("no corpus of real profiles")
        files = [file for kind in ("ncu", "ncurep", "torch", "nsys") for file in sorted((CORPUS / kind).glob("*")) if file.is_file()]
        self.assertGreater(len(files), 10)
        diagnosed = acted = largest = 0
        with Server(CORPUS.resolve()) as server:
            for file in files:
                result = server.call("diagnose", path=str(file.resolve()), max_tokens=1000)
                if result["isError"]:  # no recording, or one that has to be exported first: its words say so
                    self.assertLessEqual(tokens(result["content"]), 1000, file)
                    continue
                content = result["structuredContent"]
                diagnosed += 1
                acted += content["first_action"] is not None
                largest = max(largest, tokens(content))
                self.assertLessEqual(tokens(content), 1000, file)
                self.assertTrue(content["verdict"] and content["reason"], file)
                # Where nothing is wrong, or too little was measured, the first step is a measurement.
                self.assertTrue(content["first_action"] or content["next_measurement"], file)
        print(f"{diagnosed} of {len(files)} files diagnosed in at most {largest} tokens; {acted} name a first action, the others the next measurement")
        self.assertGreater(diagnosed, len(files) * 9 // 10)
        self.assertGreater(acted, diagnosed * 9 // 10)


class Resources(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "runs/a b").mkdir(parents=True)
        (self.folder / ".cache").mkdir()
        for name in ("runs/a b/after.ncu.csv", ".cache/hidden.ncu.csv", "other.csv"):
            shutil.copy(ROOT / PROFILE, self.folder / name)

    def test_recordings_below_the_roots_are_listed_and_read(self) -> None:
        with Server(self.folder) as server:
            listed = server.ask("resources/list")["result"]
            self.assertEqual([one["name"] for one in listed["resources"]], ["runs/a b/after.ncu.csv"])
            self.assertEqual((listed["cacheScope"], listed["resources"][0]["mimeType"]), ("private", "text/markdown"))
            self.assertNotIn(" ", listed["resources"][0]["uri"])
            for uri in (listed["resources"][0]["uri"], "frx://report/runs/a%20b/after.ncu.csv", "frx://report/other.csv"):
                page = server.ask("resources/read", uri=uri)["result"]["contents"][0]
                self.assertEqual((page["uri"], page["mimeType"]), (uri, "text/markdown"))
                self.assertIn("Uncoalesced", page["text"])
            templates = server.ask("resources/templates/list")["result"]["resourceTemplates"]
            self.assertEqual([one["name"] for one in templates], ["explain", "report"])

    def test_what_is_no_recording_below_the_roots_is_refused(self) -> None:
        (self.folder / "link.ncu.csv").symlink_to("/etc/hostname")
        (self.folder / "nothing.ncu-rep").write_text("no report\n")
        with Server(self.folder) as server:
            names = [one["name"] for one in server.ask("resources/list")["result"]["resources"]]
            self.assertNotIn("link.ncu.csv", names)
            for uri in ("frx://report/etc/passwd", "frx://report/../x.csv", "frx://report/link.ncu.csv", "frx://report/nothing.ncu-rep", "frx://report/gone.csv", "frx://report/%zz", "frx://report/"):
                refused = server.ask("resources/read", uri=uri)
                self.assertEqual(refused["error"]["code"], -32602, uri)
                self.assertEqual(refused["error"]["data"], {"uri": uri})
                self.assertNotIn("root:", refused["error"]["message"])
            self.assertTrue(server.content("diagnose", path="other.csv")["verdict"])


class ProgressOverHttp(unittest.TestCase):
    def posted(self, port: int, name: str, accept: str, token: bool) -> tuple[str, str]:
        meta = {**META, **({"progressToken": 7} if token else {})}
        params = {"_meta": meta, "name": "diagnose", "arguments": {"path": name}}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        request = urllib.request.Request(f"http://127.0.0.1:{port}/mcp", body.encode(), {"Content-Type": "application/json", "Accept": accept})
        with urllib.request.urlopen(request, timeout=100) as answer:
            return answer.headers["Content-Type"], answer.read().decode()

    def test_progress_is_told_as_events_to_who_takes_them(self) -> None:
        both = "application/json, text/event-stream"
        with tempfile.TemporaryDirectory() as name:
            event = '{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": %d, "dur": 1, "args": {"External id": %d}}'
            with (Path(name) / "long.json").open("w") as out:
                out.write('{"traceEvents": [' + ",\n".join(event % (i * 2, i) for i in range(200_000)) + "]}")
            with serve.Server("--mcp-root", name) as server:
                kind, text = self.posted(server.port, "long.json", both, True)
                self.assertEqual(kind, "text/event-stream")
                events = [re.fullmatch(r"event: message\ndata: (.*)", one) for one in text.strip().split("\n\n")]
                messages = [json.loads(one[1]) for one in events]
                self.assertGreater(len(messages), 3)
                self.assertEqual({one["method"] for one in messages[:-1]}, {"notifications/progress"})
                self.assertEqual({one["params"]["progressToken"] for one in messages[:-1]}, {7})
                told = [one["params"]["progress"] for one in messages[:-1]]
                self.assertEqual(told, sorted(told))
                self.assertEqual(messages[-1]["id"], 1)
                # The same as one message to who does not.
                for accept, token in (("application/json", True), (both, False)):
                    kind, text = self.posted(server.port, "long.json", accept, token)
                    self.assertEqual(kind, "application/json")
                    self.assertEqual(json.loads(text)["result"], messages[-1]["result"])


class ScriptedAgent(unittest.TestCase):
    """An agent without a language model: it diagnoses, and where something is inconclusive it takes the measurement that next_measurement names."""

    # What a run of `ncu` without sections beyond Speed of Light and Launch Statistics holds.
    SECTIONS = re.compile(r"gpu__time_duration\.sum|launch__|device__attribute|(sm|l1tex|lts|dram)__throughput\.avg\.pct|gpu__(compute_memory|dram)_throughput")

    def rows(self) -> list[dict]:
        with (CORPUS / "ncu-labels.tsv").open(newline="") as file:
            rows = [row for row in csv.DictReader(file, delimiter="\t") if row["file"].startswith("ncurep/") and row["kernel"] == "*"]
        return [row for row in rows if (CORPUS / row["file"]).is_file() and (CORPUS / row["file"]).stat().st_size < 6 << 20]

    def cut(self, report: Path, folder: Path) -> Path:
        """The report as an export that has these sections alone."""
        whole, part = folder / "whole.csv", folder / f"{report.stem}.csv"
        subprocess.run([FRX, "export", str(report), "--out", str(whole)], capture_output=True, check=True)
        with whole.open(newline="") as file, part.open("w", newline="") as out:
            reader = csv.DictReader(file)
            writer = csv.DictWriter(out, reader.fieldnames, quoting=csv.QUOTE_ALL)
            writer.writeheader()
            writer.writerows(row for row in reader if self.SECTIONS.match(row["Metric Name"] or ""))
        return part

    def accepts(self, row: dict, verdict: str) -> bool:
        """As tests/corpus/ncu_labels.cc reads the lists of the experts."""
        accepted = row["accepted_primary"].split("|")
        latency = ["latency_bound", "fixed_latency_dependency", "instruction_fetch", "constant_cache_misses"]
        if {"inconclusive", "low_issue_efficiency", "low_warp_scheduler_utilization"} & set(accepted):
            accepted += latency
        if "compute_bound" in accepted:
            accepted.append("fp64_pipe_bound")
        return any(f"({label})" in verdict or verdict.startswith(f"{label}:") for label in accepted)

    def test_it_reaches_the_diagnosis_of_the_experts(self) -> None:
        if not CORPUS.is_dir():
            self.skipTest("no corpus of real profiles")
        rows, right, at_once, wrong = self.rows(), 0, 0, []
        with tempfile.TemporaryDirectory() as name, Server(Path("/")) as server:
            for row in rows:
                report = CORPUS.resolve() / row["file"]
                part = self.cut(report, Path(name))
                verdict = server.content("diagnose", path=str(part), max_tokens=1000)["verdict"]
                at_once += self.accepts(row, verdict)
                if server.content("next_measurement", path=str(part))["next_measurement"]:
                    verdict = server.content("diagnose", path=str(report), max_tokens=1000)["verdict"]
                right += self.accepts(row, verdict)
                if not self.accepts(row, verdict):
                    wrong.append((report.name, verdict))
        print(f"{right} of {len(rows)} reports, {at_once} of them from the sections alone; not: {wrong}")
        self.assertGreaterEqual(right, 0.9 * len(rows), wrong)


class Clients(unittest.TestCase):
    def home(self) -> Path:
        """The folder of what the lock file beside this names; fetched once, from npm's registry alone."""
        home, lock = BUILD / "npm-mcp", Path(__file__).parent / "package-lock.json"
        npm, have = shutil.which("npm"), home / "fetched-lock.json"
        if npm and (not have.exists() or have.read_bytes() != lock.read_bytes()):
            home.mkdir(parents=True, exist_ok=True)
            for name in ("package.json", "package-lock.json"):
                shutil.copy(Path(__file__).parent / name, home / name)
            if subprocess.run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=home, capture_output=True).returncode == 0:
                shutil.copy(lock, have)
        if not have.exists() or not shutil.which("node"):
            self.skipTest("the clients cannot be fetched from npm")
        shutil.copy(Path(__file__).parent / "drive.mjs", home / "drive.mjs")
        return home

    def long_trace(self, home: Path) -> Path:
        trace = home / "long.json"
        event = '{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": %d, "dur": 1, "args": {"External id": %d}}'
        trace.write_text('{"traceEvents": [' + ",\n".join(event % (i * 2, i) for i in range(200_000)) + "]}")
        return trace

    def drive(self, era: str, *url: str) -> dict:
        home = self.home()
        requests = home / f"{era}.json"
        calls = [
            {"name": "diagnose", "arguments": {"path": PROFILE, "max_tokens": 1000}},
            {"name": "diagnose", "arguments": {"path": "demos/cuda_zoo"}},
            {"name": "explain_number", "arguments": {"path": PROFILE, "name": "dram_throughput_pct"}},
            {"name": "compare", "arguments": {"before": f"{ZOO}/bad.cu", "after": f"{ZOO}/good.cu"}},
            {"name": "next_measurement", "arguments": {"path": PROFILE}},
            {"name": "source_hot_spots", "arguments": {"path": f"{ZOO}/bad.cu"}},
            {"name": "check_change", "arguments": {"before": PROFILE, "after": PROFILE}},
            {"name": "search_kernels", "arguments": {"path": PROFILE, "query": "copy"}},
            {"name": "diagnose", "arguments": {"path": "/etc/passwd"}},
        ]
        requests.write_text(json.dumps(calls))
        variables = {**os.environ, **({"LONG_TRACE": str(self.long_trace(home))} if home.resolve().is_relative_to(ROOT) else {})}
        done = subprocess.run(["node", str(home / "drive.mjs"), era, FRX, str(ROOT), str(requests), *url], cwd=home, capture_output=True, text=True, timeout=300, env=variables)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        result = json.loads(done.stdout)
        self.assertEqual([tool["name"] for tool in result["tools"]], TOOLS)
        self.assertEqual(result["server"]["name"], "frx")
        self.assertIn("What it does not see", result["page"])
        self.assertIn("Uncoalesced", result["report"])
        self.assertTrue(all(one["uri"].startswith("frx://report/") for one in result["resources"]))
        if "LONG_TRACE" in variables:
            self.assertGreater(len(result["arrived"]), 3)
            self.assertEqual(result["arrived"], sorted(result["arrived"]))
            self.assertEqual(result["progress"], result["arrived"][: len(result["progress"])])
            self.assertEqual(result["long"]["structuredContent"]["tool"], "diagnose")
        self.assertIn("a.csv", result["prompt"])
        for call, got in zip(calls[:-1], result["calls"][:-1]):
            self.assertNotIn("failure", got, (call, got))
            self.assertEqual(got["structuredContent"]["tool"], call["name"])
        self.assertTrue(result["calls"][-1]["isError"])
        return result

    def test_both_eras_drive_every_tool_and_get_the_same(self) -> None:
        modern, legacy = self.drive("modern"), self.drive("legacy")
        self.assertEqual(modern["tools"], legacy["tools"])
        for first, second in zip(modern["calls"][:-1], legacy["calls"][:-1]):
            self.assertEqual(first["structuredContent"], second["structuredContent"])

    def test_both_eras_get_the_same_over_http(self) -> None:
        self.home()
        by_line = self.drive("modern")
        with serve.Server("--mcp-root", str(ROOT)) as server:
            for era in ("modern", "legacy"):
                over_http = self.drive(era, f"http://127.0.0.1:{server.port}/mcp")
                self.assertEqual(over_http["tools"], by_line["tools"])
                for first, second in zip(over_http["calls"][:-1], by_line["calls"][:-1]):
                    self.assertEqual(first["structuredContent"]["verdict"].replace(f"{ROOT}/", ""), second["structuredContent"]["verdict"])


class OverHttp(unittest.TestCase):
    def test_headers_that_say_something_else_are_refused(self) -> None:
        with serve.Server("--mcp-root", str(ROOT)) as server:
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}})
            headers = {"Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}
            self.assertEqual(len(server.ask("POST", "/mcp", body, headers).json()["result"]["tools"]), len(TOOLS))
            for name, value in [("Mcp-Method", "tools/call"), ("Mcp-Name", "diagnose"), ("MCP-Protocol-Version", "2025-11-25")]:
                answer = server.ask("POST", "/mcp", body, {**headers, name: value})
                self.assertEqual((answer.status, answer.json()["error"]["code"]), (400, -32020), name)
            self.assertEqual(server.ask("POST", "/mcp", "{", headers).json()["error"]["code"], -32700)
            self.assertEqual(server.ask("GET", "/mcp").status, 405)
            self.assertEqual(server.ask("POST", "/mcp", body, {**headers, "Origin": "http://evil.example"}).status, 403)
            notification = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
            self.assertEqual(server.ask("POST", "/mcp", notification, {"Content-Type": "application/json"}).status, 202)
            outside = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"_meta": META, "name": "diagnose", "arguments": {"path": "/etc/passwd"}}})
            self.assertTrue(server.ask("POST", "/mcp", outside, {"Content-Type": "application/json"}).json()["result"]["isError"])
        with serve.Server() as server:
            self.assertEqual(server.ask("POST", "/mcp", body, headers).status, 404)


if __name__ == "__main__":
    unittest.main()
