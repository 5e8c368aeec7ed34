"""Several processes: no process writes into the file of another, and nothing is written twice."""

import os
import unittest

import fournex
from support import SdkTest, collected, events_in, of_type, run

FORK = """
    import os
    import fournex as frx
    with frx.step_context(0):
        frx.emit_event(frx.build_runtime_event("warning_annotation", {"code": "before", "message": ""}))
        child = os.fork()
        if child == 0:
            CHILD
        os.waitpid(child, 0)
"""


@unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
class Fork(SdkTest):
    def after_fork(self, child):
        """Traces after a fork whose child runs `child`: the parent's, and those of other processes."""
        run(FORK.replace("CHILD", child), collected(self.trace), self.folder)
        others = [events_in(path) for path in self.trace.parent.glob("trace.*.jsonl") if path != self.trace]
        return events_in(self.trace), others

    def test_what_the_parent_had_not_written_yet_is_written_once(self):
        for end in ("os._exit(0)", "raise SystemExit"):
            recorded, others = self.after_fork(end)
            self.assertEqual(len(of_type(recorded, "warning_annotation")), 1, end)
            self.assertEqual(len(of_type(recorded, "step_end")), 1, end)
            self.assertEqual(len({event["pid"] for event in recorded}), 1, end)
            self.trace.unlink()

    def test_a_silent_child_has_no_file(self):
        _, others = self.after_fork("os._exit(0)")
        self.assertEqual(others, [])

    def test_a_child_with_something_to_say_has_a_file_of_its_own(self):
        _, (child,) = self.after_fork('frx.emit_event(frx.build_runtime_event("warning_annotation", {"code": "c", "message": ""})); frx.flush(); os._exit(0)')
        self.assertEqual([event["event_type"] for event in child], ["system_info", "warning_annotation"])

    def test_workers_of_multiprocessing_write_what_they_had_when_they_end(self):
        program = """
            import multiprocessing, sys
            import fournex as frx
            def work():
                with frx.phase("decode"):
                    pass
            if __name__ == "__main__":
                with frx.step_context(0):
                    pass
                processes = [multiprocessing.get_context(method).Process(target=work) for method in ("fork", "spawn")]
                for one in processes: one.start()
                for one in processes: one.join(60)
                assert [one.exitcode for one in processes] == [0, 0]
        """
        run(program, collected(self.trace), self.folder)
        parent = events_in(self.trace)
        self.assertEqual(of_type(parent, "phase_span"), [])
        children = [events_in(path) for path in self.trace.parent.glob("trace.pid*.jsonl")]
        self.assertEqual(len(children), 2)
        for child in children:
            self.assertEqual(len(of_type(child, "phase_span")), 2)
            self.assertNotEqual(child[0]["pid"], parent[0]["pid"])

    def test_the_parent_goes_on_recording_while_children_come_and_go(self):
        self.start()
        for number in range(20):
            with fournex.step_context(number):
                child = os.fork()
                if child == 0:
                    os._exit(0)
                os.waitpid(child, 0)
        self.assertEqual(len(of_type(self.recorded(), "step_end")), 20)

    def test_a_fork_while_threads_record_does_not_deadlock_the_child(self):
        program = """
            import os, threading
            import fournex as frx
            stop = threading.Event()
            def record():
                number = 0
                while not stop.is_set():
                    with frx.step_context():
                        pass
            threads = [threading.Thread(target=record) for _ in range(3)]
            for one in threads: one.start()
            for _ in range(10):
                child = os.fork()
                if child == 0:
                    with frx.step_context():
                        pass
                    frx.flush()
                    os._exit(0)
                assert os.waitpid(child, 0)[1] == 0
            stop.set()
            for one in threads: one.join()
        """
        run(program, collected(self.trace), self.folder)
        self.assertEqual(len({event["pid"] for event in events_in(self.trace)}), 1)


class OneFilePerProcess(SdkTest):
    def test_a_program_started_by_the_workload_does_not_mix_into_its_trace(self):
        program = """
            import subprocess, sys
            import fournex as frx
            with frx.step_context(0):
                if len(sys.argv) == 1:
                    frx.flush()
                    subprocess.run([sys.executable, __file__, "inner"], check=True)
        """
        run(program, collected(self.trace), self.folder)
        self.assertEqual(len(of_type(events_in(self.trace), "step_end")), 1)
        (inner,) = self.trace.parent.glob("trace.pid*.jsonl")
        self.assertEqual(len(of_type(events_in(inner), "step_end")), 1)

    def test_programs_one_after_the_other_share_the_trace_of_a_collection(self):
        for _ in range(2):
            run("import fournex as frx\nwith frx.step_context(0): pass", collected(self.trace), self.folder)
        self.assertEqual(len(of_type(events_in(self.trace), "step_end")), 2)

    def test_ranks_have_files_of_their_own_and_say_who_they_are(self):
        for rank in range(3):
            env = collected(self.trace, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE="3")
            run("import fournex as frx\nwith frx.step_context(0): pass", env, self.folder)
        names = sorted(path.name for path in self.trace.parent.iterdir())
        self.assertEqual(names, ["trace.jsonl", "trace.rank1.jsonl", "trace.rank2.jsonl"])
        info = events_in(self.trace.parent / "trace.rank2.jsonl")[0]["payload"]
        self.assertEqual((info["rank"], info["local_rank"], info["world_size"]), (2, 2, 3))

    def test_a_workload_that_changes_its_folder_writes_where_it_was_told(self):
        env = collected(self.trace)
        env["FRX_RAW_TRACE_PATH"] = "raw/trace.jsonl"  # relative, as other collectors give it
        (self.folder / "elsewhere").mkdir()
        run("import os, fournex as frx\nos.chdir('elsewhere')\nwith frx.step_context(0): pass", env, self.folder)
        self.assertEqual(len(of_type(events_in(self.trace), "step_end")), 1)


if __name__ == "__main__":
    unittest.main()
