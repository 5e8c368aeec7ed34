"""What clients may do to `frx serve`, and what it has to survive: it stays up, answers others, keeps its memory, and leaves nothing behind."""

import http.client
import json
import shutil
import signal
import socket
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from server import TESTS, Server, form, wait_until

PTX = (TESTS / "data/ptx/triton_style.ptx").read_bytes()
MEGABYTE = 1 << 20


class Attack(unittest.TestCase):
    options: tuple[str, ...] = ("--receive-timeout", "2", "--max-upload", "64M")

    def setUp(self) -> None:
        self.server = Server(*self.options)

    def tearDown(self) -> None:
        self.assertEqual(self.server.ask("GET", "/healthz").status, 200)
        self.assertTrue(wait_until(lambda: not self.server.uploads()), self.server.uploads())
        self.assertEqual(self.server.end(), 0, self.server.said)
        self.assertEqual(self.server.said, "")

    def post(self, path: str = "/ptx/analyze", body: bytes = PTX, **headers: str) -> int:
        return self.server.ask("POST", path, body, headers).status


class Requests(Attack):
    def test_json_that_is_none(self) -> None:
        deep = "[" * 200_000
        for text in ("", "{", "nul", "[]", "1", '"x"', '{"ptx_text": "\\ud800"}', "{}{}", '{"a":1,}', "\x00", "\ufeff{}", deep, '{"files":' + deep):
            answer = self.server.ask("POST", "/analyze", text.encode(), {"Content-Type": "application/json"})
            self.assertIn(answer.status, (400, 422), text[:20])
            self.assertTrue(answer.is_problem(answer.status))

    def test_members_of_wrong_type(self) -> None:
        for value in (1, True, [], {}, 1.5, [{"filename": 1}], [1]):
            for path, member in (("/ncu/analyze", "csv_text"), ("/ptx/analyze", "ptx_text"), ("/cuda/static-inspect", "files"), ("/analyze", "files"), ("/compare", "a")):
                answer = self.server.post_json(path, {member: value})
                self.assertIn(answer.status, (400, 422), (path, value))
                self.assertTrue(answer.is_problem(answer.status))

    def test_names_are_no_paths(self) -> None:
        for name in ("../../../../etc/passwd", "/etc/passwd", "..\\..\\x", "a\x1b[31m.ptx", ".", "x" * 4000):
            body, headers = form([("file", name, PTX)])
            answer = self.server.ask("POST", "/analyze", body, headers)
            self.assertEqual(answer.status, 200, name)
            self.assertNotIn(b"root:", answer.body)
            self.assertNotIn(b"\x1b", answer.body)
        self.assertTrue(self.server.ask("GET", "/../../etc/passwd").is_problem(404))
        self.assertTrue(self.server.ask("GET", "/%2e%2e/%2e%2e/etc/passwd").is_problem(404))

    def test_forms_that_are_damaged(self) -> None:
        whole, headers = form([("file", "a.ptx", PTX)])
        for cut in (0, 1, 20, len(whole) // 2, len(whole) - 4):
            self.assertTrue(self.server.ask("POST", "/analyze", whole[:cut], headers).is_problem(400), cut)
        self.assertTrue(self.server.ask("POST", "/analyze", whole, {"Content-Type": "multipart/form-data"}).is_problem(400))
        many = b"".join(b'--b\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\n\r\n' for _ in range(10_000)) + b"--b--\r\n"
        self.assertTrue(self.server.ask("POST", "/analyze", many, {"Content-Type": "multipart/form-data; boundary=b"}).is_problem(400))

    def test_a_boundary_that_is_nearly_there(self) -> None:
        started = time.monotonic()
        content = b"\r\n--frx-boundary-7d3x" * 200_000  # 4 MB
        body, headers = form([("file", "a.ptx", content)])
        self.assertEqual(self.server.ask("POST", "/analyze", body, headers).status, 422)
        self.assertLess(time.monotonic() - started, 10)

    def test_what_is_no_http(self) -> None:
        for text in (b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00", b"GET / HTTP/9.9\r\n\r\n", b"POST /ptx/analyze HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", b"x" * 100_000):
            answer = self.server.raw(text)
            self.assertTrue(not answer or answer.startswith((b"HTTP/1.1 4", b"HTTP/1.1 5")), answer[:60])
        long = b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X-A: " + b"b" * 100_000 + b"\r\n\r\n"
        self.assertTrue(self.server.raw(long).startswith(b"HTTP/1.1 431"))

    def test_requests_that_a_proxy_would_read_differently(self) -> None:
        for headers in (b"Content-Length: 4\r\nContent-Length: 5\r\n", b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", b"Transfer-Encoding: gzip\r\n", b"Host: evil.example\r\n"):
            answer = self.server.raw(b"POST /ptx/analyze HTTP/1.1\r\nHost: localhost\r\n" + headers + b"\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 3)
            self.assertNotIn(b'"status": "ok"', answer.split(b"\r\n\r\n", 2)[-1] if answer.startswith(b"HTTP/1.1 200") else b"", headers)
            self.assertTrue(answer.startswith(b"HTTP/1.1 4") or b"HTTP/1.1 200" not in answer, (headers, answer[:80]))

    def test_two_requests_at_once_are_answered_in_turn(self) -> None:
        one = b"POST /ptx/analyze HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(PTX) + PTX
        answer = self.server.raw(one + b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        self.assertEqual(answer.count(b"HTTP/1.1 200"), 2)
        self.assertTrue(answer.endswith(b'{"status": "ok"}\n'))

    def test_continue(self) -> None:
        with self.server.connect() as connection:
            connection.sendall(b"POST /ptx/analyze HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(PTX))
            self.assertEqual(connection.recv(1000), b"HTTP/1.1 100 Continue\r\n\r\n")
            connection.sendall(PTX)
            self.assertTrue(connection.recv(65536).startswith(b"HTTP/1.1 200"))
        self.assertEqual(self.post(Expect="the impossible"), 417)

    def test_foreign_hosts_and_origins(self) -> None:
        for host in ("evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example", "", "[::1", "metadata.google.internal"):
            self.assertIn(self.post(Host=host), (400, 421), host)
        for host in ("localhost", f"127.0.0.1:{self.server.port}", "[::1]:80", "LOCALHOST.", "10.0.0.1"):
            self.assertEqual(self.post(Host=host), 200, host)
        for origin in ("http://evil.example", "null", "http://localhost:1", "https://localhost.evil.example"):
            self.assertEqual(self.post(Origin=origin), 403, origin)
        own = f"127.0.0.1:{self.server.port}"
        self.assertEqual(self.post(Host=own, Origin=f"http://{own}"), 200)
        self.assertEqual(self.post(**{"Sec-Fetch-Site": "cross-site"}), 403)
        preflight = self.server.ask("OPTIONS", "/analyze", headers={"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"})
        self.assertEqual(preflight.status, 403)


class Sizes(Attack):
    def test_two_gigabytes(self) -> None:
        with self.server.connect() as connection:
            connection.sendall(b"POST /analyze HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2147483648\r\n\r\n")
            sent = 0
            try:
                for _ in range(256):  # as if it did not listen
                    connection.sendall(b"x" * MEGABYTE)
                    sent += 1
            except OSError:
                pass
            try:
                self.assertIn(b"413", connection.recv(65536)[:20])
            except ConnectionResetError:
                pass
        self.assertLess(sent, 256)
        self.assertTrue(self.server.ask("POST", "/analyze", b"", {"Content-Length": "99999999999999"}).is_problem(413))

    def test_chunks_without_end(self) -> None:
        with self.server.connect() as connection:
            connection.sendall(b"POST /analyze HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
            got = b""
            connection.settimeout(20)
            for _ in range(400):
                try:
                    connection.sendall(b"100000\r\n" + b"x" * MEGABYTE + b"\r\n")
                except OSError:
                    break
            try:
                got = connection.recv(65536)
            except ConnectionResetError:
                got = b"HTTP/1.1 413"
            self.assertIn(b"413", got[:20])

    def test_memory_does_not_grow_with_uploads(self) -> None:
        for _ in range(4):
            self.post("/analyze?filename=a.csv", b"x" * (60 * MEGABYTE))
        before = self.server.megabytes()
        for _ in range(8):
            self.post("/analyze?filename=a.csv", b"x" * (60 * MEGABYTE))
        self.assertLess(self.server.megabytes() - before, 120)
        self.assertLess(self.server.megabytes(), 512)

    def test_bombs(self) -> None:
        import gzip  # noqa: PLC0415
        import zipfile  # noqa: PLC0415
        from io import BytesIO  # noqa: PLC0415

        bomb = gzip.compress(b"0" * (200 * MEGABYTE), 9)
        self.assertTrue(self.server.ask("POST", "/analyze?filename=trace.json.gz", bomb).is_problem(422))
        archive = BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("derived/summary.json", b"0" * (200 * MEGABYTE))
        self.assertTrue(self.server.ask("POST", "/analyze?filename=run.zip", archive.getvalue()).is_problem(422))
        self.assertLess(self.server.megabytes(), 700)


class Clients(Attack):
    def test_slow_ones_hold_nobody_up(self) -> None:
        connections = [self.server.connect() for _ in range(200)]
        try:
            for number, connection in enumerate(connections):
                connection.sendall(b"POST /ptx/analyze HTTP/1.1\r\nHost: localhost\r\n" + (b"Content-Length: 1000000\r\n\r\n" if number % 2 else b""))
            started = time.monotonic()
            while time.monotonic() - started < 4:
                for connection in connections:
                    try:
                        connection.sendall(b"x")
                    except OSError:
                        pass
                asked = time.monotonic()
                self.assertEqual(self.post(), 200)
                self.assertLess(time.monotonic() - asked, 1)
                time.sleep(0.5)
            said = connections[1].recv(65536)
            self.assertTrue(said.startswith(b"HTTP/1.1 408"), said[:40])
        finally:
            for connection in connections:
                connection.close()

    def test_many_at_once(self) -> None:
        def ask(_: int) -> int:
            return self.post()

        with ThreadPoolExecutor(500) as pool:
            statuses = list(pool.map(ask, range(2000)))
        self.assertEqual(set(statuses) - {200, 429}, set())
        self.assertGreater(statuses.count(200), 200)
        self.assertLess(self.server.megabytes(), 512)

    def test_those_that_go(self) -> None:
        for size in (0, 100, 300_000, 3 * MEGABYTE):
            for _ in range(20):
                with self.server.connect() as connection:
                    connection.sendall(b"POST /ptx/analyze HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000000\r\n\r\n" + b"x" * size)
                    if size % 3 == 0:
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        self.assertTrue(wait_until(lambda: not self.server.uploads()))

    def test_those_that_go_before_their_answer(self) -> None:
        large = PTX + b"// filler\n" * 2_000_000
        for _ in range(10):
            connection = self.server.connect()
            connection.sendall(b"POST /ptx/analyze HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(large) + large)
            connection.close()
        self.assertTrue(wait_until(lambda: b"frx_analyses_running 0\n" in self.server.ask("GET", "/metrics").body))

    def test_those_that_ask_for_events_and_do_not_listen(self) -> None:
        large = PTX + b"// filler\n" * 300_000
        connections = []
        for _ in range(20):
            connection = self.server.connect()
            connection.sendall(b"POST /analyze?filename=a.ptx HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nContent-Length: %d\r\n\r\n" % len(large) + large)
            connections.append(connection)
        self.assertEqual(self.post(), 200)
        for connection in connections:
            connection.close()
        self.assertTrue(wait_until(lambda: b"frx_analyses_running 0\n" in self.server.ask("GET", "/metrics").body))

    def test_a_busy_server_says_so(self) -> None:
        with Server("--workers", "1", "--queue", "1") as server:
            large = PTX + b"// filler\n" * 3_000_000
            answers = []
            threads = [threading.Thread(target=lambda: answers.append(server.ask("POST", "/ptx/analyze", large))) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            statuses = {answer.status for answer in answers}
            self.assertLessEqual(statuses, {200, 429})
            for answer in answers:
                if answer.status == 429:
                    self.assertTrue(answer.is_problem(429))
                    self.assertEqual(answer.headers["retry-after"], "1")


class Ends(unittest.TestCase):
    def test_signals_end_it_and_leave_nothing(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            server = Server()
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
            connection.request("GET", "/healthz")
            connection.getresponse().read()  # stays open
            half = server.connect()
            half.sendall(b"POST /ptx/analyze HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000000\r\n\r\n" + b"x" * 1_000_000)
            self.assertTrue(wait_until(lambda server=server: server.uploads()))
            half.close()
            self.assertEqual(server.end(number), 0)
            self.assertEqual(server.uploads(), [])
            connection.close()

    def test_what_runs_is_answered_first(self) -> None:
        server = Server()
        large = PTX + b"// filler\n" * 3_000_000
        answers = []
        thread = threading.Thread(target=lambda: answers.append(server.ask("POST", "/ptx/analyze", large)))
        thread.start()
        wait_until(lambda: b"frx_analyses_running 1\n" in server.ask("GET", "/metrics").body or answers)
        self.assertEqual(server.end(), 0)
        thread.join()
        self.assertEqual(answers[0].status, 200)
        shutil.rmtree(server.folder.name, ignore_errors=True)

    def test_killed_it_leaves_its_folder_and_nothing_else(self) -> None:
        server = Server()
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        self.assertEqual(server.uploads(), [])


class Tokens(unittest.TestCase):
    def test_other_machines_need_one(self) -> None:
        with self.assertRaisesRegex(RuntimeError, "there is no token"):
            Server("--host", "0.0.0.0")

    def test_without_it_nothing_is_answered(self) -> None:
        with Server("--host", "0.0.0.0", environment={"FRX_SERVE_TOKEN": "secret-of-mine"}) as server:
            for given in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Bearer"}, {"Authorization": "Bearer secret-of-min"}, {"Authorization": "Basic secret-of-mine"}):
                answer = server.ask("POST", "/ptx/analyze", PTX, given)
                self.assertTrue(answer.is_problem(401), given)
                self.assertEqual(answer.headers["www-authenticate"], "Bearer")
            self.assertEqual(server.ask("GET", "/metrics").status, 401)
            self.assertEqual(server.ask("GET", "/healthz").status, 200)
            self.assertEqual(server.ask("POST", "/ptx/analyze", PTX, {"Authorization": "bearer secret-of-mine"}).status, 200)
            self.assertNotIn("secret", json.dumps(server.ask("GET", "/openapi.json", headers={"Authorization": "Bearer secret-of-mine"}).json()))


del Attack  # the cases that share it are run, and it alone is none

if __name__ == "__main__":
    unittest.main()
