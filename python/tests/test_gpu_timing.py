"""Spans on a GPU: its own time, and Python never waits for it. With a stand-in for torch.cuda (fake_cuda.py)."""

import unittest

import fournex
from fake_cuda import CudaTensor, fake_torch
from support import SdkTest, of_type


def closed(recorded, event_type="phase_span"):
    return [event for event in of_type(recorded, event_type) if event["duration_ns"]]


class OnAGpu(SdkTest):
    def setUp(self):
        super().setUp()
        torch = fake_torch()
        self.gpu = torch.__enter__()
        self.addCleanup(torch.__exit__, None, None, None)
        self.addCleanup(fournex.shutdown)  # before the stand-in goes
        self.start()

    def a_step(self, number, ms):
        with fournex.step_context(number):
            with fournex.phase("forward"):
                self.gpu.run(ms)

    def test_the_duration_is_the_gpus_and_nobody_waits(self):
        for number in range(5):
            self.a_step(number, 2.5)
            self.gpu.catch_up()
        recorded = self.recorded()
        self.assertEqual(self.gpu.waited, 0)
        self.assertEqual([event["duration_ns"] for event in closed(recorded)], [2_500_000] * 5)
        self.assertEqual([event["step_id"] for event in closed(recorded)], [0, 1, 2, 3, 4])
        self.assertEqual({(event["gpu_id"], event["payload"]["device"]) for event in closed(recorded)}, {(0, "cuda:0")})

    def test_a_span_that_the_gpu_has_not_passed_is_closed_later(self):
        self.a_step(0, 4)
        self.assertEqual(closed(fournex.get_local_events()), [])
        self.gpu.catch_up()
        self.a_step(1, 4)
        (late,) = closed(fournex.get_local_events())
        self.assertEqual((late["step_id"], late["duration_ns"]), (0, 4_000_000))
        end = of_type(fournex.get_local_events(), "step_end")[0]
        self.assertLessEqual(late["timestamp_ns"], end["timestamp_ns"])  # the host's moment of closing
        self.gpu.catch_up()

    def test_flush_asks_and_does_not_wait(self):
        self.a_step(0, 4)
        fournex.flush()
        self.assertEqual(closed(fournex.get_local_events()), [])
        self.gpu.catch_up()
        fournex.flush()
        self.assertEqual(len(closed(fournex.get_local_events())), 1)
        self.assertEqual(self.gpu.waited, 0)

    def test_a_gpu_that_hangs_does_not_keep_the_program_from_ending(self):
        from unittest import mock

        self.a_step(0, 4)
        with mock.patch("fournex.gpu_timing.PATIENCE_AT_EXIT_S", 0.01):
            (only,) = closed(self.recorded())
        self.assertEqual(only["payload"]["device"], "cpu")  # the host's clock, and it says so

    def test_a_gpu_in_an_error_state_is_left_alone(self):
        with self.assertLogs("fournex", "WARNING"):
            self.a_step(0, 4)
            self.gpu.broken = True
            fournex.flush()
        self.assertEqual(len(closed(self.recorded())), 1)

    def test_events_are_used_again(self):
        for number in range(50):
            self.a_step(number, 1)
            self.gpu.catch_up()
        self.assertLessEqual(self.gpu.made, 4)

    def test_copies_are_timed_in_the_same_way(self):
        with fournex.step_context(0), fournex.time_memcpy("h2d", dst_device="cuda:1", device="cuda:1"):
            self.gpu.run(3)
        self.gpu.catch_up()
        (copy,) = closed(self.recorded(), "memcpy_span")
        self.assertEqual((copy["duration_ns"], copy["gpu_id"]), (3_000_000, 1))

    def test_the_host_is_timed_where_the_gpu_cannot_be(self):
        self.gpu.capturing = True
        self.a_step(0, 5)
        self.gpu.capturing = False
        with fournex.step_context(1), fournex.phase("forward", device="cpu"):
            self.gpu.run(5)
        self.gpu.initialized = False
        self.a_step(2, 5)
        self.assertEqual({event["gpu_id"] for event in closed(self.recorded())}, {None})
        self.assertEqual(self.gpu.made, 0)

    def test_a_wait_for_the_gpu_is_the_hosts_time(self):
        with fournex.step_context(0), fournex.sync_wait("item"):
            pass
        (wait,) = closed(self.recorded(), "sync_wait")
        self.assertIsNone(wait["gpu_id"])

    def test_a_loss_on_the_gpu_is_not_waited_for(self):
        with fournex.step_context(0) as step:
            step.set_loss(CudaTensor(self.gpu, 0.75))
        (end,) = of_type(fournex.get_local_events(), "step_end")
        self.assertNotIn("loss", end["payload"])
        self.gpu.catch_up()
        fournex.flush()
        first, second = of_type(self.recorded(), "step_end")
        self.assertEqual(second["payload"]["loss"], 0.75)
        self.assertEqual(self.gpu.waited, 0)
        for same in ("step_id", "span_id", "duration_ns", "timestamp_ns"):
            self.assertEqual(first[same], second[same])

    def test_gpus_are_named_once_they_are_in_use(self):
        for number in range(3):
            self.a_step(number, 1)
        infos = of_type(self.recorded(), "system_info")
        self.assertEqual(infos[-1]["payload"]["devices"], ["Fake GPU 0", "Fake GPU 1"])
        self.assertEqual(len(infos), 2)


if __name__ == "__main__":
    unittest.main()
