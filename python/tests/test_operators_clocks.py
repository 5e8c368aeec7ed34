"""ClockLock against a stand-in for nvidia-smi: what it orders, what it takes back, and that nothing stops the work."""

import json
import os
import signal
import subprocess
import sys
import time
import unittest

from fake_nvidia_smi import NAME, FakeNvidiaSmi
from fournex.operators.clock_probe import CACHE_VALID_S, snapped
from fournex.operators.clocks import ClockLock
from fournex.operators.nvidia_smi import Clocks, gpu_of_process, parse_request
from support import SdkTest, clean_environment, environment


def idle(is_over):
    """A load that is none."""
    while not is_over():
        time.sleep(0.01)


def no_load(is_over):
    raise AssertionError("nothing is to be probed")


class ClockLockTest(SdkTest):
    def setUp(self):
        super().setUp()
        self.smi = FakeNvidiaSmi(self.folder / "bin")
        self.cache = self.folder / "cache.json"

    def lock(self, request="max", **keywords):
        given = {"program": self.smi.program, "sudo": [], "gpu": "3", "cache": str(self.cache), "load": no_load, "probe_seconds": 0.2}
        return ClockLock(request, **{**given, **keywords})

    def quiet(self, lock):
        """The result of `lock` around nothing, whose warning is expected."""
        with self.assertLogs("fournex", "WARNING"):
            with lock:
                pass
        return lock.result

    def test_given_clocks_are_locked_and_given_back(self):
        with self.lock("1410,2619") as lock:
            self.assertEqual(self.smi.orders(), ["3 -pm 1", "3 -lgc 1410,1410", "3 -lmc 2619,2619"])
        self.assertEqual(self.smi.orders()[3:], ["3 -rmc", "3 -rgc", "3 -pm 0"])
        expected = {"requested": "1410,2619", "status": "locked", "gpu_name": NAME, "graphics_mhz": 1410, "memory_mhz": 2619}
        self.assertEqual(lock.result, {**expected, "source": "given", "notes": []})

    def test_the_persistence_mode_of_before_stays(self):
        self.smi.says(persistence="Enabled")
        with self.lock():
            pass
        self.assertEqual(self.smi.orders(), ["3 -lgc 1980,1980", "3 -lmc 2619,2619", "3 -rmc", "3 -rgc"])

    def test_max_is_the_highest_pair(self):
        with self.lock("max") as lock:
            self.assertEqual((lock.result["graphics_mhz"], lock.result["memory_mhz"]), (1980, 2619))

    def test_a_probe_takes_the_supported_clocks_below_those_under_load(self):
        before = time.time()
        with self.lock("probe", load=idle) as lock:
            self.assertIn("3 -lgc 1395,1395", self.smi.orders())
        self.assertEqual((lock.result["graphics_mhz"], lock.result["source"]), (1395, "probe"))
        entry = json.loads(self.cache.read_text())
        self.assertLessEqual(before, entry.pop("ts"))
        self.assertEqual(entry, {"gpu_name": NAME, "graphics_mhz": 1395, "memory_mhz": 2619})

    def kept(self, age_s=0.0, **facts):
        entry = {"gpu_name": NAME, "graphics_mhz": 1410, "memory_mhz": 2619, "ts": time.time() - age_s, **facts}
        self.cache.write_text(json.dumps(entry))

    def test_a_probe_of_the_last_six_hours_is_taken_again(self):
        self.kept(age_s=CACHE_VALID_S - 60)
        with self.lock("probe", load=no_load) as lock:
            self.assertEqual((lock.result["graphics_mhz"], lock.result["source"]), (1410, "cache"))

    def test_other_probes_are_not_taken(self):
        for change in ({"age_s": CACHE_VALID_S + 60}, {"age_s": -60}, {"gpu_name": "Another GPU"}, {"graphics_mhz": "fast"}):
            self.kept(**change)
            with self.lock("probe", load=idle) as lock:
                self.assertEqual(lock.result["source"], "probe", change)
        for text in ("", "[]", "{"):
            self.cache.write_text(text)
            with self.lock("probe", load=idle) as lock:
                self.assertEqual(lock.result["source"], "probe", text)

    def test_a_load_that_fails_leaves_the_clocks_alone(self):
        def out_of_memory(is_over):
            raise RuntimeError("CUDA out of memory")

        result = self.quiet(self.lock("probe", load=out_of_memory))
        self.assertEqual((result["status"], self.smi.orders()), ("not_locked", []))
        self.assertIn("out of memory", result["notes"][0])
        self.assertFalse(self.cache.exists())

    def test_clocks_of_a_load_that_has_ended_do_not_count(self):
        def short(is_over):
            is_over()
            time.sleep(0.01)

        self.smi.says(slow_s=0.3)  # the answer comes when the load is over
        result = self.quiet(self.lock("probe", load=short))
        self.assertEqual((result["status"], self.smi.orders()), ("not_locked", []))
        self.assertIn("ended too early", result["notes"][0])

    def test_a_probe_begins_when_the_load_does(self):
        def slow_to_begin(is_over):
            time.sleep(0.6)  # three times the probe
            self.smi.says(graphics=1990)
            idle(is_over)

        with self.lock("probe", load=slow_to_begin) as lock:
            self.assertEqual(lock.result["graphics_mhz"], 1980)

    def test_without_rights_the_work_runs_unlocked(self):
        self.smi.says(refused=["-lgc"])
        result = self.quiet(self.lock())
        self.assertEqual((result["status"], result["graphics_mhz"]), ("not_locked", None))
        self.assertIn("permission", result["notes"][0])
        self.assertEqual(self.smi.orders(), ["3 -pm 1", "3 -lgc 1980,1980", "3 -pm 0"])

    def test_a_memory_clock_that_cannot_be_locked_is_noted(self):
        self.smi.says(refused=["-lmc"])
        with self.lock() as lock:
            pass
        self.assertEqual((lock.result["status"], lock.result["memory_mhz"]), ("locked", None))
        self.assertIn("memory clock", lock.result["notes"][0])
        self.assertEqual(self.smi.orders()[-2:], ["3 -rgc", "3 -pm 0"])

    def test_clocks_that_stay_locked_are_noted_and_the_rest_is_given_back(self):
        self.smi.says(refused=["-rgc"])
        result = self.quiet(self.lock())
        self.assertIn("not given back", result["notes"][0])
        self.assertEqual(self.smi.orders()[-1], "3 -pm 0")

    def test_without_nvidia_smi_the_work_runs_unlocked(self):
        with environment(PATH=str(self.folder)):
            result = self.quiet(self.lock(program=None))
        self.assertEqual(result["notes"], ["there is no nvidia-smi"])
        self.assertEqual(self.quiet(self.lock(program=str(self.folder / "missing")))["status"], "not_locked")

    def test_another_gpu_than_that_of_the_program_is_left_alone(self):
        result = self.quiet(self.lock(gpu_name="NVIDIA H100"))
        self.assertIn("NVIDIA H100", result["notes"][0])
        self.assertEqual(self.smi.orders(), [])

    def test_an_exception_gives_the_clocks_back(self):
        with self.assertRaises(KeyError):
            with self.lock():
                raise KeyError("mine")
        self.assertEqual(self.smi.orders()[-2:], ["3 -rgc", "3 -pm 0"])

    def test_sudo_is_put_before_orders_and_not_before_questions(self):
        sudo = self.folder / "bin" / "sudo"
        sudo.write_text('#!/bin/sh\necho sudo "$@" >> "$(dirname "$0")/sudo.txt"\n[ "$1" = -n ] && shift\nexec "$@"\n')
        sudo.chmod(0o755)
        with self.lock(sudo=[str(sudo), "-n"]):
            pass
        said = (sudo.parent / "sudo.txt").read_text().splitlines()
        self.assertEqual(len(said), len(self.smi.orders()))
        self.assertEqual(said[0], f"sudo -n {self.smi.program} -i 3 -pm 1")

    def test_sigterm_gives_the_clocks_back_and_ends_the_program(self):
        program = f"""
import sys, time
from fournex.operators.clocks import ClockLock
with ClockLock("max", program={self.smi.program!r}, sudo=[], gpu="3"):
    print("locked", flush=True)
    time.sleep(60)
"""
        process = subprocess.Popen([sys.executable, "-c", program], env=clean_environment(), stdout=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "locked\n")
        process.terminate()
        self.assertEqual(process.wait(timeout=30), -signal.SIGTERM)
        process.stdout.close()
        self.assertEqual(self.smi.orders()[-3:], ["3 -rmc", "3 -rgc", "3 -pm 0"])

    def test_the_handler_of_the_program_is_called_and_put_back(self):
        called = []
        before = signal.signal(signal.SIGTERM, lambda *_: called.append(len(self.smi.orders())))
        self.addCleanup(signal.signal, signal.SIGTERM, before)
        mine = signal.getsignal(signal.SIGTERM)
        with self.lock():
            self.assertIsNot(signal.getsignal(signal.SIGTERM), mine)
            os.kill(os.getpid(), signal.SIGTERM)
            self.assertEqual(called, [6])  # after the clocks were given back
        self.assertIs(signal.getsignal(signal.SIGTERM), mine)
        self.assertEqual(len(self.smi.orders()), 6)

    def test_an_ignored_sigterm_stays_ignored(self):
        before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
        self.addCleanup(signal.signal, signal.SIGTERM, before)
        with self.lock():
            os.kill(os.getpid(), signal.SIGTERM)
            self.assertNotIn("3 -rgc", self.smi.orders())


class Requests(SdkTest):
    def test_what_can_be_asked_for(self):
        self.assertEqual([parse_request(text) for text in ("probe", "max", "1410,2619")], ["probe", "max", Clocks(1410, 2619)])
        for wrong in ("", "fast", "1410", "1410,", "a,b", "-1,2", "0,0", "1,2,3"):
            with self.assertRaises(ValueError):
                parse_request(wrong)

    def test_snapping_goes_down_and_first_by_the_memory(self):
        supported = [Clocks(2000, 900), Clocks(1000, 900), Clocks(1500, 400)]
        self.assertEqual(snapped(Clocks(1999, 900), supported), Clocks(1000, 900))
        self.assertEqual(snapped(Clocks(2000, 950), supported), Clocks(2000, 900))
        self.assertEqual(snapped(Clocks(1999, 500), supported), Clocks(1500, 400))
        self.assertEqual(snapped(Clocks(1, 1), supported), Clocks(1500, 400))
        self.assertEqual(snapped(Clocks(7, 8), []), Clocks(7, 8))

    def test_the_gpu_of_the_process(self):
        for value, gpu in ((None, "0"), ("", "0"), ("2,1", "2"), ("GPU-1234", "GPU-1234")):
            with environment(CUDA_VISIBLE_DEVICES=value):
                self.assertEqual(gpu_of_process(), gpu)


if __name__ == "__main__":
    unittest.main()
