"""Whatever ends the program or fills the disk: finished steps are in the file, and training is never disturbed."""

import json
import os
import random
import signal
import subprocess
import time
import unittest

import fournex
from fournex.sink import FileSink
from support import SdkTest, clean_environment, collected, events_in, of_type, popen, run

# Says each step on standard output as soon as it is over, without end.
ENDLESS = """
    import os
    import fournex as frx
    step = 0
    while True:
        with frx.step_context(step):
            with frx.phase("forward"):
                sum(range(2000))
        os.write(1, b"%d\\n" % step)
        step += 1
"""


class Killed(SdkTest):
    def steps_before_death(self, death, after):
        """Kills a training program `after` seconds and returns the last step that it had finished, and its trace."""
        trace = self.folder / f"{death}-{after:.4f}" / "trace.jsonl"
        process = popen(ENDLESS, collected(trace), self.folder, stdout=subprocess.PIPE)
        said = process.stdout.readline()  # by now it is training
        time.sleep(after)
        process.send_signal(death)
        said += process.stdout.read()
        process.stdout.close()
        self.assertEqual(process.wait(), -death)
        whole = [line for line in said.split("\n")[:-1]]
        return int(whole[-1]), trace

    def steps_ended(self, trace):
        """Of the whole lines: a signal that ends the program may end it within a write, and leave a last line without its end."""
        events = [json.loads(line) for line in trace.read_text().split("\n")[:-1]]
        return {event["step_id"] for event in of_type(events, "step_end")}

    def test_kill_9_at_any_time_loses_no_finished_step(self):
        chance = random.Random(5)
        for _ in range(12):
            last, trace = self.steps_before_death(signal.SIGKILL, chance.uniform(0, 0.05))
            self.assertEqual(set(range(last + 1)) - self.steps_ended(trace), set())

    def test_sigterm_ends_the_program_as_it_always_did(self):
        last, trace = self.steps_before_death(signal.SIGTERM, 0.01)
        self.assertEqual(set(range(last + 1)) - self.steps_ended(trace), set())

    def test_no_signal_handler_is_installed(self):
        handlers = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
        self.start()
        self.assertEqual({one: signal.getsignal(one) for one in handlers}, handlers)

    def test_an_uncaught_exception_leaves_a_whole_trace(self):
        program = """
            import fournex as frx
            with frx.step_context(0):
                with frx.phase("forward"):
                    raise ValueError("of the program")
        """
        result = run(program, collected(self.trace), self.folder, expect=1)
        self.assertIn("ValueError: of the program", result.stderr)
        recorded = events_in(self.trace)
        self.assertEqual(of_type(recorded, "step_end")[0]["payload"]["status"], "error")
        self.assertEqual(of_type(recorded, "phase_span")[-1]["level"], "error")


class TroubleWithTheFile(SdkTest):
    def trains_with_one_warning(self, words, **keywords):
        with self.assertLogs("fournex", "WARNING") as logs:
            self.start(**keywords)
            for number in range(300):
                with fournex.step_context(number):
                    pass
        self.assertEqual(len(logs.output), 1, logs.output)
        self.assertIn(words, logs.output[0])

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full here")
    def test_a_full_disk_is_said_once_and_training_goes_on(self):
        from unittest import mock

        with mock.patch.dict("os.environ", {"FRX_RAW_TRACE_PATH": "/dev/full"}):
            self.trains_with_one_warning("No space left", raw_trace_path=None)

    def test_a_disk_that_fills_up_keeps_what_fitted(self):
        program = """
            import resource, signal
            import fournex as frx
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
            for step in range(200):
                with frx.step_context(step):
                    pass
            print("trained to the end")
        """
        result = run(program, collected(self.trace), self.folder)
        self.assertEqual(result.stdout, "trained to the end\n")
        self.assertEqual(result.stderr.count("fournex: the trace ends here"), 1)
        whole = self.trace.read_text().split("\n")[:-1]
        self.assertGreater(len(whole), 20)

    def test_a_path_that_cannot_be_written_is_said_once(self):
        (self.folder / "file").write_text("")
        self.trains_with_one_warning("cannot be written", raw_trace_path=str(self.folder / "file" / "trace.jsonl"))

    def test_even_a_broken_logging_does_not_reach_the_program(self):
        program = """
            import logging
            import fournex as frx
            class Broken(logging.Handler):
                def handle(self, record):
                    raise RuntimeError("in the handler")
            logging.getLogger().addHandler(Broken())
            frx.init(raw_trace_path="/proc/no/such", stream_trace=True)
            with frx.step_context(0):
                pass
        """
        run(program, clean_environment(), self.folder)

    def test_nothing_is_written_into_a_file_that_took_over_the_descriptor(self):
        self.start()
        descriptor = fournex._runtime.recorder._sink._descriptor
        os.close(descriptor)  # as programs do that close every descriptor
        stolen = os.open(self.folder / "precious", os.O_RDWR | os.O_CREAT)
        self.addCleanup(os.close, stolen)
        self.assertEqual(stolen, descriptor, "the test needs the same number")
        with fournex.step_context(0):
            pass
        self.assertEqual((self.folder / "precious").read_bytes(), b"")
        self.assertEqual(len(of_type(self.recorded(), "step_end")), 1)

    def test_after_a_torn_line_the_next_one_stands_alone(self):
        self.trace.parent.mkdir()
        self.trace.write_bytes(b'{"event_id":"evt-00')
        sink = FileSink(str(self.trace), keep_existing=True)
        sink.write(b"{}\n")
        sink.close()
        self.assertEqual(self.trace.read_bytes(), b'{"event_id":"evt-00\n{}\n')


if __name__ == "__main__":
    unittest.main()
