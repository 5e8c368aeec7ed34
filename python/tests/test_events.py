"""Every line that is written follows the event model, whatever the program puts into it."""

import json
import unittest

import fournex
from fournex import events
from support import SCHEMA, SdkTest, of_type, violations


def a_line(**changes):
    event = fournex.build_runtime_event("step_end", {"step_kind": "train", "status": "ok"}, step_id=3, duration_ns=100)
    event.update(changes)
    return event


class TheSchema(unittest.TestCase):
    def test_accepts_an_event_and_refuses_what_the_model_forbids(self):
        self.assertEqual(violations(a_line()), [])
        for changes in (
            {"event_id": "evt-1"},
            {"timestamp_ns": -1},
            {"step_id": "3"},
            {"duration_ns": None},
            {"level": "fatal"},
            {"more": 1},
            {"payload": {"step_kind": "train"}},
            {"payload": {"step_kind": "train", "status": "fine"}},
            {"payload": {"step_kind": "train", "status": "ok", "loss": float("nan"), "colour": "red"}},
            {"event_type": "phase_span", "payload": {"phase_name": ""}},
        ):
            self.assertNotEqual(violations(a_line(**changes)), [], changes)

    def test_names_the_same_types_as_the_package(self):
        properties = SCHEMA["properties"]
        self.assertEqual(properties["event_type"]["enum"], list(fournex.EVENT_TYPES))
        self.assertEqual(properties["level"]["enum"], list(fournex.EVENT_LEVELS))
        self.assertEqual(properties["event_source"]["enum"], list(fournex.EVENT_SOURCES))
        self.assertEqual(properties["schema_version"]["const"], fournex.SCHEMA_VERSION)
        self.assertEqual(set(SCHEMA["$defs"]), set(fournex.EVENT_TYPES))
        self.assertEqual(SCHEMA["$defs"]["sync_wait"]["properties"]["wait_kind"]["enum"], list(events.WAIT_KINDS))


class MakingEvents(SdkTest):
    def test_unknown_types_and_levels_are_refused(self):
        for wrong in ({"event_type": "step"}, {"event_type": "step_end", "level": "loud"}):
            with self.assertRaises(ValueError):
                fournex.build_runtime_event(**wrong)
        self.start()
        with self.assertRaises(ValueError):
            fournex.emit_event({"event_type": "nonsense", "level": "info"})
        with self.assertRaises(TypeError):
            fournex.emit_event("step_end")

    def test_every_helper_writes_lines_of_the_model(self):
        self.start(job_name="a-job", run_id="run-1")
        with fournex.step_context(0, step_kind="eval", mode="eval", epoch=2):
            with fournex.phase("forward", device="cpu"):
                pass
            with fournex.time_memcpy("d2h", num_bytes=16, non_blocking=True, src_device="cuda:0", dst_device="cpu"):
                pass
            with fournex.sync_wait("item", reason="printing", device="cuda:0"):
                pass
            span = fournex.begin_span("phase_span", {"phase_name": "mine"}, step_id=0)
            fournex.end_span(span, {"stream_id": 7})
        fournex.emit_event(fournex.build_runtime_event("warning_annotation", {"code": "x", "message": "y", "evidence": [1]}))
        recorded = self.recorded()
        self.assertEqual([event["event_type"] for event in recorded][:2], ["system_info", "step_start"])
        self.assertEqual({event["job_id"] for event in recorded}, {"a-job"})
        self.assertEqual({event["run_id"] for event in recorded}, {"run-1"})
        self.assertEqual(of_type(recorded, "step_end")[0]["payload"], {"step_kind": "eval", "status": "ok", "mode": "eval", "epoch": 2})

    def test_a_span_is_written_open_and_closed_with_one_id(self):
        self.start()
        with fournex.step_context(0) as step:
            with fournex.phase("forward") as span_id:
                with fournex.sync_wait("item"):
                    pass
        opened, closed = of_type(self.recorded(), "phase_span")
        self.assertEqual((opened["span_id"], closed["span_id"]), (span_id, span_id))
        self.assertEqual(opened["duration_ns"], 0)
        self.assertEqual(closed["duration_ns"], closed["timestamp_ns"] - opened["timestamp_ns"])
        self.assertEqual(closed["parent_span_id"], step["span_id"])

    def test_spans_know_what_they_are_inside_of(self):
        self.start()
        with fournex.phase("outer") as outer:
            with fournex.phase("inner"):
                pass
        inner = of_type(self.recorded(), "phase_span", phase_name="inner")
        self.assertEqual({event["parent_span_id"] for event in inner}, {outer})

    def test_what_json_cannot_say_is_written_as_text(self):
        self.start()
        for number, loss in enumerate((float("nan"), float("inf"), -float("inf"), 0.5)):
            with fournex.step_context(number) as step:
                step.set_loss(loss)
        ends = of_type(self.recorded(), "step_end")
        self.assertEqual([event["payload"]["loss"] for event in ends], ["nan", "inf", "-inf", 0.5])

    def test_values_of_other_libraries_become_plain_ones(self):
        class Zero:  # like a NumPy scalar
            ndim = 0

            def item(self):
                return 7

        line = events.line_of(a_line(payload={"a": Zero(), "b": {1, 2} - {2}, "c": "ä\n"}))
        self.assertEqual(line.count("\n"), 1)
        self.assertEqual(json.loads(line)["payload"], {"a": 7, "b": "{1}", "c": "ä\n"})

    def test_an_event_that_cannot_be_written_costs_only_itself(self):
        self.start()
        endless = {}
        endless["self"] = endless
        with self.assertLogs("fournex", "WARNING"):
            fournex.emit_event(fournex.build_runtime_event("warning_annotation", endless))
            fournex.emit_event(fournex.build_runtime_event("warning_annotation", {"code": "a", "message": "b"}))
            fournex.flush()
        self.assertEqual(len(of_type(self.recorded(), "warning_annotation")), 1)

    def test_the_two_clocks_of_the_machine_can_be_aligned(self):
        import time

        self.start()
        (info,) = of_type(self.recorded(), "system_info")
        offset = info["payload"]["clock_unix_ns"] - info["payload"]["clock_monotonic_ns"]
        self.assertLess(abs(time.time_ns() - time.monotonic_ns() - offset), 10**9)
        self.assertLess(abs(info["timestamp_ns"] - info["payload"]["clock_monotonic_ns"]), 10**10)

    def test_events_in_memory_are_bounded(self):
        self.start(local_event_limit=10, stream_trace=False)
        for number in range(100):
            with fournex.step_context(number):
                pass
        kept = fournex.get_local_events()
        self.assertEqual(len(kept), 10)
        self.assertEqual(kept[-1]["step_id"], 99)
        fournex.clear_local_events()
        self.assertEqual(fournex.get_local_events(), [])

    def test_without_streaming_nothing_is_written_until_asked(self):
        self.start(stream_trace=False)
        with fournex.step_context(0):
            pass
        self.assertFalse(self.trace.parent.exists())
        path = fournex.persist_local_trace()
        self.assertEqual(len(fournex.load_run_record(path)), 3)


if __name__ == "__main__":
    unittest.main()
