"""What a program may do that `frx tune` tries: whatever it does, its time is held and nothing of it is left.

Each program is run by `frx_run_trial` (tune/run_trial.cc) with a mark in its arguments, which everything that it starts carries, too. As root the
programs run a second time as another user, who may make no control group, so that both ways to end them are tried.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

RUN_TRIAL = ""
NOBODY = 65534
PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable  # another user may not see ours
MEGABYTE = 1 << 20
SLACK = 2.0  # seconds after the time limit in which run_trial has to be back
LOAD = 1.5  # seconds that a machine with other work may take for starting and ending programs
LONGEST_MS = 32_000  # up to which a time limit is doubled for a program that did not get to what it is to show

# What every program below begins with. `start_hidden` starts a process that has left the group, the session, and the environment.
PRELUDE = """
import os, resource, signal, sys, time
mark = sys.argv[1]
folder = sys.argv[2]
def ready():  # before what the time limit is to end
    open(folder + '/ready', 'w').close()
def sleep_for_ever(deaf=False):
    if deaf:
        for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(one, signal.SIG_IGN)
    ready()
    while True:
        time.sleep(1000)
def start_hidden(deaf=False):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            if deaf:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.execve(sys.executable, [sys.executable, "-c", "import time; time.sleep(1000)", mark], {})
        os._exit(0)
    os.wait()
"""


def marked(mark: str) -> list[int]:
    """Processes that run with the mark among their arguments. Zombies have none."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            if mark.encode() in Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0") and b"frx_run_trial" not in Path(f"/proc/{name}/cmdline").read_bytes():
                found.append(int(name))
        except OSError:
            pass
    return found


def left_after(mark: str, seconds: float) -> list[int]:
    """What still runs after that time; it is ended, so that a test that fails leaves the machine as it was."""
    until = time.monotonic() + seconds
    left = marked(mark)
    while left and time.monotonic() < until:
        time.sleep(0.02)
        left = marked(mark)
    for _ in range(100):
        for pid in marked(mark):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
    return left


class Stalls:
    """Measures for how long nothing ran on this machine: how much later than asked for a thread awakes that does nothing but sleep."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self) -> None:
        step = 0.05
        while not self._done.is_set():
            before = time.monotonic()
            self._done.wait(step)
            self.seconds += max(0.0, time.monotonic() - before - 2 * step)

    def __enter__(self) -> "Stalls":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()


class Containment(unittest.TestCase):
    user: int | None = None

    def setUp(self) -> None:
        self.mark = f"frx-containment-{random.getrandbits(64):016x}"
        self.root = Path(tempfile.mkdtemp(prefix="frx-containment-"))
        self.root.chmod(0o777)
        self.program = self.root / "frx_run_trial"
        shutil.copy(RUN_TRIAL, self.program)
        self.folder = self.root / "folder"
        self.folder.mkdir()
        self.folder.chmod(0o777)

    def tearDown(self) -> None:
        self.assertEqual(left_after(self.mark, 0), [])
        shutil.rmtree(self.root, ignore_errors=True)

    def command(self, code: str, **options: object) -> list[str]:
        given = {"out": self.root / "out", "err": self.root / "err", "folder": self.folder, "time_limit_ms": 20_000, "free_disk": 1, **options}
        if self.user is not None:  # the files of the streams belong to the user of the program
            given["out"], given["err"] = self.folder / "out", self.folder / "err"
        words = [f"{name}={value}" for name, value in given.items()]
        return [str(self.program), *words, "--", PYTHON, "-c", PRELUDE + code, self.mark, str(self.folder)]

    def start(self, code: str, **options: object) -> "subprocess.Popen[str]":
        process = subprocess.Popen(self.command(code, **options), stdout=subprocess.PIPE, text=True, user=self.user, start_new_session=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)  # first: a test may fail while it is stopped
        return process

    def try_out(self, code: str, lingers: float = 0, time_limit_ms: int = 20_000, **options: object) -> dict[str, object]:
        """Runs it, checks its time and that nothing is left when run_trial is back. `lingers`: seconds that the kernel may need to end thousands.

        A program that its time limit ends has to say ready() before: on a busy machine Python may take longer than that to start, and then the
        program is tried again with twice the time.
        """
        while True:
            with Stalls() as stalls:
                before = time.monotonic()
                command = self.command(code, time_limit_ms=time_limit_ms, **options)
                done = subprocess.run(command, stdout=subprocess.PIPE, text=True, user=self.user, check=False)
                seconds = time.monotonic() - before
            self.assertEqual(left_after(self.mark, lingers), [])
            self.assertEqual(done.returncode, 0)
            self.assertLess(seconds, time_limit_ms / 1000 + SLACK + LOAD + stalls.seconds)
            end: dict[str, object] = json.loads(done.stdout)
            self.assertLess(float(str(end["took_ms"])) / 1000, time_limit_ms / 1000 + SLACK + stalls.seconds)
            if not end["timed_out"] or (self.folder / "ready").exists():
                break
            self.assertLess(time_limit_ms, LONGEST_MS, "the program never said that it is ready")
            time_limit_ms *= 2
        (self.folder / "ready").unlink(missing_ok=True)
        return end

    def said(self, stream: str = "out") -> bytes:
        return (self.root / stream if self.user is None else self.folder / stream).read_bytes()

    # -- how it ends ---------------------------------------------------------------------------------------------------

    def test_ends_well(self) -> None:
        end = self.try_out("print('done')")
        self.assertEqual((end["code"], end["left_running"], end["notes"]), (0, 0, []))
        self.assertEqual(self.said(), b"done\n")

    def test_crashes(self) -> None:
        self.assertEqual(self.try_out("sys.exit(3)")["code"], 3)
        self.assertEqual(self.try_out("os.abort()")["signal"], signal.SIGABRT)
        self.assertEqual(self.try_out("import ctypes; ctypes.string_at(0)")["signal"], signal.SIGSEGV)
        self.assertEqual(self.try_out("os.kill(os.getpid(), 9)")["signal"], signal.SIGKILL)

    def test_has_no_input_and_leaves_no_memory_image(self) -> None:
        end = self.try_out("print(repr(sys.stdin.read()), resource.getrlimit(resource.RLIMIT_CORE)[0])")
        self.assertEqual(end["code"], 0)
        self.assertEqual(self.said(), b"'' 0\n")

    def test_hangs(self) -> None:
        end = self.try_out("sleep_for_ever()", time_limit_ms=500)
        self.assertEqual((end["timed_out"], end["signal"]), (True, signal.SIGTERM))
        end = self.try_out("sleep_for_ever(deaf=True)", time_limit_ms=500)
        self.assertEqual((end["timed_out"], end["signal"]), (True, signal.SIGKILL))

    def test_works_without_end(self) -> None:
        end = self.try_out("signal.signal(signal.SIGTERM, signal.SIG_IGN)\nready()\nwhile True: pass", time_limit_ms=500)
        self.assertEqual((end["timed_out"], end["signal"]), (True, signal.SIGKILL))

    def test_stops_itself(self) -> None:
        end = self.try_out("ready()\nos.kill(os.getpid(), signal.SIGSTOP)", time_limit_ms=500)
        self.assertEqual((end["timed_out"], end["signal"]), (True, signal.SIGTERM))
        end = self.try_out("signal.signal(signal.SIGTERM, lambda *_: os.kill(os.getpid(), signal.SIGSTOP))\nsleep_for_ever()", time_limit_ms=500)
        self.assertEqual((end["timed_out"], end["signal"]), (True, signal.SIGKILL))

    def test_becomes_another_program(self) -> None:
        end = self.try_out("ready()\nos.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(1000)', mark])", time_limit_ms=500)
        self.assertEqual((end["timed_out"], end["signal"]), (True, signal.SIGTERM))

    # -- what it leaves ------------------------------------------------------------------------------------------------

    def test_starts_daemons(self) -> None:
        end = self.try_out("for i in range(5): start_hidden()\ntime.sleep(0.3)")
        self.assertEqual((end["code"], end["left_running"]), (0, 5))

    def test_starts_deaf_daemons(self) -> None:
        end = self.try_out("for i in range(5): start_hidden(deaf=True)\ntime.sleep(0.3)")
        self.assertEqual((end["code"], end["left_running"]), (0, 5))
        self.assertLess(end["took_ms"], 3000)  # what it leaves does not count

    def test_starts_daemons_and_hangs(self) -> None:
        end = self.try_out("for i in range(5): start_hidden(deaf=True)\nsleep_for_ever(deaf=True)", time_limit_ms=700)
        self.assertEqual((end["timed_out"], end["signal"], end["left_running"]), (True, signal.SIGKILL, 5))

    def test_starts_daemons_and_crashes(self) -> None:
        self.assertEqual(self.try_out("start_hidden()\nstart_hidden()\nos.abort()")["signal"], signal.SIGABRT)

    def test_starts_workers(self) -> None:
        """As loaders do: the parent dies without a word to them."""
        code = "for i in range(8):\n    if os.fork() == 0: sleep_for_ever(deaf=True)\ntime.sleep(0.2)\nos._exit(4)"
        end = self.try_out(code)
        self.assertEqual((end["code"], end["left_running"]), (4, 8))

    def test_makes_zombies(self) -> None:
        end = self.try_out("for i in range(200):\n    if os.fork() == 0: os._exit(0)\ntime.sleep(0.3)")
        self.assertEqual((end["code"], end["left_running"]), (0, 0))
        orphans = "for i in range(200):\n    if os.fork() == 0:\n        if os.fork() == 0: os._exit(0)\n        os._exit(0)\ntime.sleep(0.3)"
        self.assertEqual(self.try_out(orphans)["left_running"], 0)

    def test_forks_without_end(self) -> None:
        """1024 processes that work, each of which starts a new one for every one that is ended."""
        code = (
            "for one in (signal.SIGTERM, signal.SIGCHLD): signal.signal(one, signal.SIG_IGN)\n"
            "depth = 0\n"
            "children = 0\n"
            "ready()\n"
            "while True:\n"
            "    try:\n"
            "        if depth + children < 10:\n"
            "            children += 1\n"
            "            if os.fork() == 0: depth, children = depth + children, 0\n"
            "        elif children > 0:\n"
            "            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG)\n"
            "    except ChildProcessError:\n"
            "        children = 0\n"
            "    except OSError:\n"
            "        pass\n")
        end = self.try_out(code, lingers=5, time_limit_ms=2500)
        self.assertEqual(end["timed_out"], True)
        self.assertGreater(end["left_running"], 50)

    def test_moves_on_without_end(self) -> None:
        """Four processes that fork and end at once, so that each number is gone when it is read. For ten seconds at most."""
        code = (
            "until = time.monotonic() + 10\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
            "for i in range(4):\n"
            "    if os.fork() == 0:\n"
            "        os.setsid()\n"
            "        while time.monotonic() < until:\n"
            "            if os.fork() != 0: os._exit(0)\n"
            "        os._exit(0)\n"
            "time.sleep(0.3)\n")
        self.assertEqual(self.try_out(code)["code"], 0)

    def test_starts_threads_without_end(self) -> None:
        most = max(4096, 64 * (os.cpu_count() or 1))
        if most > 8192:
            self.skipTest(f"{most} threads are allowed on this machine")
        code = (
            "import threading\nthreading.stack_size(65536)\n"
            f"try:\n    for i in range({most + 500}): threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\n"
            "except RuntimeError: open(folder + '/refused', 'w')\n"
            "sleep_for_ever()\n")
        end = self.try_out(code, time_limit_ms=8000)
        if (self.folder / "refused").exists() and not end["contained"]:
            self.skipTest("so many threads are not to be had here")
        self.assertEqual((end["contained"], end["signal"]), (f"more than {most} processes and threads", signal.SIGTERM))

    def test_turns_against_the_process_above(self) -> None:
        # The signal that a process is sent when the one above it dies takes its time on a busy machine.
        end = self.try_out("start_hidden()\nos.kill(os.getppid(), signal.SIGKILL)\nsleep_for_ever()", lingers=2, time_limit_ms=5000)
        self.assertEqual((end["signal"], end["timed_out"]), (signal.SIGKILL, False))
        end = self.try_out("start_hidden()\nos.kill(os.getppid(), signal.SIGSTOP)\nsleep_for_ever()", time_limit_ms=500)
        self.assertEqual(end["timed_out"], True)

    # -- its streams and files -----------------------------------------------------------------------------------------

    def test_floods(self) -> None:
        end = self.try_out("block = b'x' * (1 << 20)\nfor i in range(1000): os.write(1, block)\nos.write(1, b'the end')", output_limit=MEGABYTE)
        self.assertEqual((end["code"], end["output_bytes"]), (0, 1000 * MEGABYTE + 7))
        said = self.said()
        self.assertLess(len(said), MEGABYTE + 100)
        self.assertTrue(said.startswith(b"xxx") and said.endswith(b"xthe end"))
        self.assertIn(b"\n[frx: 1047527431 bytes left out]\n", said)

    def test_floods_without_end(self) -> None:
        end = self.try_out("signal.signal(signal.SIGTERM, signal.SIG_IGN)\nready()\nblock = b'x' * (1 << 20)\nwhile True: os.write(2, block)", time_limit_ms=700)
        self.assertEqual((end["timed_out"], end["signal"]), (True, signal.SIGKILL))

    def test_keeps_a_pipe_open(self) -> None:
        code = "if os.fork() == 0:\n    os.setsid()\n    sleep_for_ever(deaf=True)\nprint('done')"
        end = self.try_out(code)
        self.assertEqual((end["code"], end["left_running"]), (0, 1))
        self.assertEqual(self.said(), b"done\n")

    def test_closes_its_streams(self) -> None:
        end = self.try_out("os.write(1, b'bye'); os.close(0); os.close(1); os.close(2); time.sleep(0.5); os._exit(6)")
        self.assertEqual(end["code"], 6)
        self.assertGreater(end["took_ms"], 450)
        self.assertEqual(self.said(), b"bye")

    def test_fills_its_folder(self) -> None:
        code = "file = open(folder + '/deep', 'wb', 0)\nwhile True: file.write(b'x' * (1 << 20)); time.sleep(0.005)"
        end = self.try_out(code, folder_limit=20 * MEGABYTE)
        self.assertEqual((end["contained"], end["signal"]), ("more than 20 MiB in its folder", signal.SIGTERM))

    def test_fills_its_folder_with_many_files(self) -> None:
        code = "for i in range(100000):\n    os.makedirs(f'{folder}/{i % 100}', exist_ok=True)\n    open(f'{folder}/{i % 100}/{i}', 'w').write('x')\n    if i % 20 == 0: time.sleep(0.001)\nsleep_for_ever()"
        end = self.try_out(code, folder_limit=8 * MEGABYTE)
        self.assertEqual(end["contained"], "more than 8 MiB in its folder")

    # -- what happens to run_trial itself ------------------------------------------------------------------------------

    def wait_for(self, name: str) -> None:
        until = time.monotonic() + 20
        while not (self.folder / name).exists():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.005)

    def test_a_reason_to_stop(self) -> None:
        process = self.start("start_hidden()\nsleep_for_ever(deaf=True)", stop_file=self.folder / "stop")
        self.wait_for("ready")
        (self.folder / "stop").touch()
        with Stalls() as stalls:
            before = time.monotonic()
            end = json.loads(process.communicate()[0])
            seconds = time.monotonic() - before
        self.assertLess(seconds, SLACK + LOAD + stalls.seconds)
        self.assertEqual((end["stopped"], end["signal"], end["timed_out"]), ("the file is there", signal.SIGKILL, False))
        self.assertEqual(marked(self.mark), [])

    def test_signals(self) -> None:
        for given, last in (([signal.SIGTERM], signal.SIGTERM), ([signal.SIGHUP], signal.SIGHUP), ([signal.SIGINT, signal.SIGINT], signal.SIGINT)):
            process = self.start("start_hidden()\nsleep_for_ever(deaf=True)")
            self.wait_for("ready")
            (self.folder / "ready").unlink()
            time.sleep(0.1)
            for one in given:
                process.send_signal(one)
                time.sleep(0.1)
            end = json.loads(process.communicate(timeout=10)[0])
            self.assertEqual((end["interrupted_by"], end["signal"], end["timed_out"]), (last, signal.SIGKILL, False))
            self.assertEqual(marked(self.mark), [])

    def test_killed_at_any_moment(self) -> None:
        """Nothing that the program started, hidden or deaf, outlives run_trial by three seconds."""
        code = "for i in range(3): start_hidden(deaf=True)\nif os.fork() == 0: sleep_for_ever(deaf=True)\nsleep_for_ever(deaf=True)"
        for round_number in range(12):
            process = self.start(code)
            time.sleep(random.uniform(0, 0.5) if round_number % 3 else random.uniform(0, 0.02))
            process.kill()
            process.communicate()
            self.assertEqual(left_after(self.mark, 3 + LOAD), [], f"round {round_number}")

    def test_stopped_and_continued(self) -> None:
        """Ctrl-Z stops the program as well, and the time for which it is stopped is not the program's."""
        code = "for i in range(1000):\n    open(folder + '/count', 'a').write('x')\n    time.sleep(0.005)"
        process = self.start(code, time_limit_ms=1500)
        self.wait_for("count")
        process.send_signal(signal.SIGTSTP)
        until = time.monotonic() + 10
        while ") T " not in Path(f"/proc/{process.pid}/stat").read_text() and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(0.3)
        counted = (self.folder / "count").stat().st_size
        time.sleep(1.5)
        self.assertEqual((self.folder / "count").stat().st_size, counted)
        process.send_signal(signal.SIGCONT)
        end = json.loads(process.communicate(timeout=10)[0])
        self.assertEqual((end["timed_out"], end["signal"]), (True, signal.SIGTERM))
        self.assertGreater((self.folder / "count").stat().st_size, counted)
        self.assertGreater(end["took_ms"], 3000)
        self.assertRegex(end["notes"][0], r"^it was stopped by Ctrl-Z for [12]\.\d s$")

    def test_its_group_is_killed(self) -> None:
        process = self.start("start_hidden(deaf=True)\nsleep_for_ever(deaf=True)")
        self.wait_for("ready")
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        self.assertEqual(left_after(self.mark, 3 + LOAD), [])


class WithoutGroups(Containment):
    """The same, as a user who may make no control group."""

    user = NOBODY

    def setUp(self) -> None:
        if os.geteuid() != 0:
            self.skipTest("only root can run programs as another user")
        if subprocess.run([PYTHON, "-c", ""], user=NOBODY, stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("another user cannot run Python here")
        super().setUp()


class FullDisk(Containment):
    """A file system of 24 MiB in memory, in a namespace of its own."""

    def test_fills_the_disk(self) -> None:
        code = "file = open(folder + '/large', 'wb', 0)\nwhile True: file.write(b'x' * (1 << 18)); time.sleep(0.005)"
        command = self.command(code, free_disk=8 * MEGABYTE)
        mount = ["unshare", "-m", "sh", "-c", f'mount -t tmpfs -o size=24m none "{self.folder}" && exec "$@"', "sh"]
        if subprocess.run([*mount, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("no file system can be mounted here")
        done = subprocess.run([*mount, *command], stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual(json.loads(done.stdout)["contained"], "the disk is nearly full: less than 8 MiB are free")
        self.assertEqual(marked(self.mark), [])


def load_tests(loader: unittest.TestLoader, _tests: unittest.TestSuite, _pattern: str | None) -> unittest.TestSuite:
    names = loader.getTestCaseNames(FullDisk)
    full = unittest.TestSuite(FullDisk(name) for name in names if name in FullDisk.__dict__)
    return unittest.TestSuite([loader.loadTestsFromTestCase(Containment), loader.loadTestsFromTestCase(WithoutGroups), full])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run-trial", required=True, help="the program frx_run_trial")
    parser.add_argument("--fork-bombs", choices=("only", "none"), help="they fill the process table for moments, in which other programs fail")
    options, rest = parser.parse_known_args()
    RUN_TRIAL = options.run_trial
    if options.fork_bombs == "only":
        rest += ["-k", "forks_without_end"]
    elif options.fork_bombs == "none":
        del Containment.test_forks_without_end
    unittest.main(argv=[sys.argv[0], *rest])
