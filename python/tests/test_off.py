"""While recording is off the SDK does nothing: no file, no event, no import, no object per call."""

import unittest

import fournex
from support import SdkTest, clean_environment, run


class Off(SdkTest):
    def test_every_entrance_gives_the_same_empty_object(self):
        self.assertIs(fournex.step_context(0), fournex.step_context(1, batch=[1]))
        self.assertIs(fournex.phase("forward"), fournex.time_memcpy("h2d"))
        self.assertIs(fournex.sync_wait("item"), fournex.dataloader_span())

    def test_a_step_that_is_not_recorded_keeps_nothing(self):
        with fournex.step_context(0) as step:
            step.set_loss(object())
            step["loss"] = object()
            step.update(items=3)
            step.setdefault("a", object())
        self.assertEqual(dict(step), {})

    def test_what_a_step_is_asked_for_is_none(self):
        with fournex.step_context(3, batch=[1]) as step:
            self.assertEqual([step[key] for key in ("step_id", "step_kind", "span_id", "loss")], [None] * 4)
            with fournex.phase("forward", step=step["step_id"], parent_span_id=step["span_id"]):
                pass
        self.assertEqual(dict(step), {}, "nor do questions leave anything behind")

    def test_an_instrumented_loader_gives_the_iterator_of_the_loader(self):
        self.assertIs(type(iter(fournex.instrument_dataloader([1]))), type(iter([1])))

    def test_exceptions_pass(self):
        with self.assertRaises(ValueError):
            with fournex.step_context(0), fournex.phase("forward"):
                raise ValueError

    def test_events_are_not_recorded(self):
        before = len(fournex.get_local_events())
        fournex.emit_event(fournex.build_runtime_event("warning_annotation", {"code": "a", "message": "b"}))
        fournex.end_span(fournex.begin_span("phase_span", {"phase_name": "x"}))
        fournex.flush()
        self.assertEqual(len(fournex.get_local_events()), before)

    def test_a_program_that_uses_it_leaves_no_trace(self):
        program = """
            import os, sys, threading
            import fournex as frx
            for step, batch in enumerate(frx.instrument_dataloader([1, 2])):
                with frx.step_context(step, batch=batch), frx.phase("forward"):
                    pass
            assert "torch" not in sys.modules and "numpy" not in sys.modules
            assert threading.active_count() == 1
            frx.shutdown()
        """
        result = run(program, clean_environment(), self.folder)
        self.assertEqual((result.stdout, result.stderr), ("", ""))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["program.py"])


if __name__ == "__main__":
    unittest.main()
