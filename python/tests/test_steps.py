"""Steps, and to which of them waits, phases and losses belong."""

import unittest

import fournex
from support import SdkTest, of_type


def waits_by_step(recorded):
    """How many waits each step has."""
    counts = {}
    for event in of_type(recorded, "dataloader_span", stage="next"):
        counts[event["step_id"]] = counts.get(event["step_id"], 0) + 1
    return counts


class Steps(SdkTest):
    def test_a_step_begins_and_ends_with_one_span_id(self):
        self.start()
        with fournex.step_context(7) as step:
            self.assertEqual((step["step_id"], step["step_kind"]), (7, "train"))
        begin, end = self.recorded()[1:]
        self.assertEqual((begin["event_type"], end["event_type"]), ("step_start", "step_end"))
        self.assertRegex(begin["span_id"], "^step-7-[0-9a-f]{8}$")
        self.assertEqual(begin["span_id"], end["span_id"])
        self.assertEqual(end["duration_ns"], end["timestamp_ns"] - begin["timestamp_ns"])

    def test_an_exception_goes_on_its_way_and_the_step_says_so(self):
        self.start()
        for number, (error, status, level) in enumerate(
            ((ValueError, "error", "error"), (KeyboardInterrupt, "cancelled", "warning"), (StopIteration, "cancelled", "warning"))
        ):
            with self.assertRaises(error):
                with fournex.step_context(number):
                    raise error
            end = of_type(fournex.get_local_events(), "step_end")[-1]
            self.assertEqual((end["payload"]["status"], end["level"]), (status, level))

    def test_an_unknown_kind_or_number_of_step_is_an_error(self):
        self.start()
        with self.assertRaises(ValueError):
            fournex.step_context(0, step_kind="training")
        with self.assertRaises(TypeError):
            fournex.step_context("0")

    def test_numbers_that_begin_again_in_every_epoch_are_continued(self):
        self.start()
        ids = []
        for _ in range(3):
            for step in range(4):
                with fournex.step_context(step) as current:
                    ids.append(current["step_id"])
        self.assertEqual(ids, list(range(12)))
        begins = of_type(self.recorded(), "step_start")
        self.assertEqual([event["payload"].get("given_step") for event in begins], [None] * 4 + [0, 1, 2, 3] * 2)

    def test_training_and_evaluation_that_count_apart_share_no_id(self):
        self.start()
        ids = []
        for kind, numbers in (("train", (100, 101)), ("eval", (0, 1, 2)), ("train", (102, 103)), ("eval", (0, 1))):
            for number in numbers:
                with fournex.step_context(number, step_kind=kind) as current:
                    ids.append(current["step_id"])
        self.assertEqual(ids, sorted(set(ids)))
        self.assertEqual(ids[:2], [100, 101])

    def test_steps_without_a_number_are_counted(self):
        self.start()
        for expected in range(3):
            with fournex.step_context() as current:
                self.assertEqual(current["step_id"], expected)

    def test_a_step_inside_of_a_step_keeps_the_outer_one_open(self):
        self.start()
        with fournex.step_context(0):
            with fournex.step_context(0, step_kind="eval"):
                pass
            with fournex.phase("backward"):
                pass
        closed = of_type(self.recorded(), "phase_span")[-1]
        self.assertEqual(closed["step_id"], 0)

    def test_the_batch_is_described_and_not_kept(self):
        class Tensor:
            shape = (8, 128)
            dtype = "torch.int64"

        class Model:
            training = False

        self.start()
        with fournex.step_context(0, batch={"input_ids": Tensor(), "label": 3}, model=Model(), precision_mode="bf16") as step:
            self.assertIsNone(step._batch)
        (shot,) = of_type(self.recorded(), "shape_snapshot")
        self.assertEqual(
            shot["payload"],
            {
                "batch_size": 8,
                "shapes": {"batch.input_ids": [8, 128]},
                "sequence_length": 128,
                "dtypes": {"batch.input_ids": "torch.int64"},
                "model_name": "Model",
                "precision_mode": "bf16",
                "is_training": False,
            },
        )

    def test_a_batch_without_tensors_says_nothing_rather_than_zero(self):
        self.start()
        with fournex.step_context(0, batch=[1, "a", None]):
            pass
        self.assertEqual(of_type(self.recorded(), "shape_snapshot"), [])

    def test_a_batch_that_fails_when_looked_at_does_not_fail_the_step(self):
        class Bad:
            @property
            def shape(self):
                raise RuntimeError("no")

        self.start()
        with self.assertLogs("fournex", "WARNING"):
            with fournex.step_context(0, batch=Bad()):
                pass
        self.assertEqual(len(of_type(self.recorded(), "step_end")), 1)

    def test_loss_and_items_are_attached(self):
        self.start()
        with fournex.step_context(0) as step:
            step.set_loss(0.25)
            step.set_items(64)
        with fournex.step_context(1) as step:
            step["loss"] = 0.125
        with fournex.step_context(2):
            pass
        first, second, third = (event["payload"] for event in of_type(self.recorded(), "step_end"))
        self.assertEqual((first["loss"], second["loss"]), (0.25, 0.125))
        self.assertGreater(first["throughput_items_per_sec"], 0)
        self.assertNotIn("loss", third)
        self.assertNotIn("throughput_items_per_sec", second)

    def test_a_loss_that_is_no_number_is_left_out(self):
        self.start()
        with self.assertLogs("fournex", "WARNING"):
            with fournex.step_context(0) as step:
                step.set_loss("low")
        self.assertNotIn("loss", of_type(self.recorded(), "step_end")[0]["payload"])

    def test_phases_of_gradient_accumulation_are_all_written(self):
        self.start()
        with fournex.step_context(0):
            for _ in range(4):
                with fournex.phase("backward"):
                    pass
        closed = [event for event in of_type(self.recorded(), "phase_span") if event["duration_ns"]]
        self.assertEqual(len(closed), 4)
        self.assertEqual({event["step_id"] for event in closed}, {0})


class Waits(SdkTest):
    def test_a_wait_before_a_step_belongs_to_that_step(self):
        self.start()
        for step, _ in enumerate(fournex.instrument_dataloader(["a", "b", "c"])):
            with fournex.step_context(step + 10):
                pass
        self.assertEqual(waits_by_step(self.recorded()), {10: 1, 11: 1, 12: 1})

    def test_every_epoch_goes_on_counting(self):
        self.start()
        loader = fournex.instrument_dataloader(range(4))
        for _ in range(3):
            for step, _ in enumerate(loader):
                with fournex.step_context(step):
                    pass
        self.assertEqual(waits_by_step(self.recorded()), {step: 1 for step in range(12)})

    def test_several_batches_of_one_step_add_up(self):
        self.start()
        batches = iter(fournex.instrument_dataloader(range(6)))
        for step in range(2):
            for _ in range(3):
                next(batches)
            with fournex.step_context(step):
                pass
        self.assertEqual(waits_by_step(self.recorded()), {0: 3, 1: 3})

    def test_a_batch_fetched_inside_of_a_step_delays_that_step(self):
        self.start()
        batches = iter(fournex.instrument_dataloader(range(2)))
        for step in range(2):
            with fournex.step_context(step):
                next(batches)
        self.assertEqual(waits_by_step(self.recorded()), {0: 1, 1: 1})

    def test_a_marked_fetch_of_an_instrumented_loader_counts_once(self):
        self.start()
        batches = iter(fournex.instrument_dataloader(range(2)))
        for step in range(2):
            with fournex.step_context(step):
                with fournex.dataloader_span():
                    next(batches)
        self.assertEqual(waits_by_step(self.recorded()), {0: 1, 1: 1})

    def test_waits_that_no_step_follows_belong_to_none(self):
        self.start()
        for _ in fournex.instrument_dataloader(range(3)):
            pass
        self.assertEqual(waits_by_step(self.recorded()), {None: 3})

    def test_waits_of_a_loop_without_steps_do_not_pile_up(self):
        from fournex.loader_waits import MOST_PENDING

        self.start()
        for _ in fournex.instrument_dataloader(range(2 * MOST_PENDING)):
            self.assertLessEqual(len(fournex._runtime.recorder.thread.waits), MOST_PENDING)
        self.assertEqual(waits_by_step(self.recorded()), {None: 2 * MOST_PENDING})

    def test_the_wait_ends_before_its_step_begins(self):
        self.start()
        for step, _ in enumerate(fournex.instrument_dataloader(range(3))):
            with fournex.step_context(step):
                pass
        recorded = self.recorded()
        begins = {event["step_id"]: event["timestamp_ns"] for event in of_type(recorded, "step_start")}
        for wait in of_type(recorded, "dataloader_span", stage="next"):
            self.assertLessEqual(wait["timestamp_ns"], begins[wait["step_id"]])

    def test_throughput_counts_the_wait_too(self):
        import time

        class Slow:
            def __iter__(self):
                time.sleep(0.02)
                yield 1

        self.start()
        for _ in fournex.instrument_dataloader(Slow()):
            with fournex.step_context(0) as step:
                step.set_items(1)
        # One item in at least 20 ms.
        self.assertLessEqual(of_type(self.recorded(), "step_end")[0]["payload"]["throughput_items_per_sec"], 50)

    def test_an_error_of_the_loader_reaches_the_program(self):
        def broken():
            yield 1
            raise OSError("disk")

        self.start()
        with self.assertRaises(OSError):
            list(fournex.instrument_dataloader(broken()))

    def test_the_loader_is_described_once_per_epoch(self):
        class Loader(list):
            num_workers = 2
            prefetch_factor = 4
            pin_memory = True
            batch_size = 16

        self.start()
        for _ in fournex.instrument_dataloader(Loader([1]), "train"):
            pass
        recorded = self.recorded()
        about = {"num_workers": 2, "prefetch_factor": 4, "pinned_memory": True, "batch_size": 16, "loader_name": "train"}
        self.assertEqual(of_type(recorded, "dataloader_span")[0]["payload"], {"stage": "transfer_ready", **about})
        self.assertEqual(of_type(recorded, "dataloader_span")[1]["payload"], {"stage": "next", **about})

    def test_an_instrumented_loader_still_answers_as_the_loader(self):
        class Loader(list):
            dataset = "cats"

        loader = fournex.instrument_dataloader(Loader([1, 2]))
        self.assertEqual((len(loader), loader.dataset), (2, "cats"))
        self.assertIs(fournex.instrument_dataloader(loader), loader)
        with self.assertRaises(AttributeError):
            loader.sampler

    def test_a_loader_can_be_instrumented_where_it_is(self):
        class Loader:
            def __iter__(self):
                return iter([1, 2])

        self.start()
        loader = Loader()
        self.assertTrue(fournex.instrument_in_place(loader))
        self.assertTrue(fournex.instrument_in_place(loader))  # a second time changes nothing
        self.assertIsInstance(loader, Loader)
        self.assertEqual(list(loader), [1, 2])
        self.assertFalse(fournex.instrument_in_place([1, 2]))  # a list cannot change its class
        self.assertEqual(len(of_type(self.recorded(), "dataloader_span", stage="next")), 2)


class NumberingExpects(SdkTest):
    def test_a_copy_before_its_step_is_given_to_it_in_every_epoch(self):
        self.start()
        for _ in range(2):
            for step in range(3):
                with fournex.time_memcpy("h2d", step=step):
                    pass
                with fournex.step_context(step):
                    with fournex.phase("forward", step=step):
                        pass
        recorded = self.recorded()
        for kind in ("memcpy_span", "phase_span"):
            closed = [event["step_id"] for event in of_type(recorded, kind) if event["duration_ns"]]
            self.assertEqual(closed, list(range(6)), kind)


class Session(SdkTest):
    def test_the_documented_loop(self):
        from unittest import mock

        variables = {"FRX_AUTO_PERSIST": "1", "FRX_RAW_TRACE_PATH": str(self.trace), "FRX_JOB_NAME": "job"}
        with mock.patch.dict("os.environ", variables):
            session = fournex.AutopilotSession.from_env()
        for step in range(2):
            with session.step(step_id=step, step_kind="train"):
                with session.dataloader_span():
                    pass
                with session.forward_span():
                    pass
                with session.backward_span():
                    pass
                with session.optimizer_span():
                    pass
        session.flush()
        recorded = self.recorded()
        self.assertEqual(waits_by_step(recorded), {0: 1, 1: 1})
        names = [event["payload"]["phase_name"] for event in of_type(recorded, "phase_span") if event["duration_ns"]]
        self.assertEqual(names, ["forward", "backward", "optimizer"] * 2)

    def test_outside_of_a_collection_a_session_records_nothing(self):
        session = fournex.AutopilotSession.from_env()
        with session.step(step_id=0), session.forward_span(), session.dataloader_span(), session.sync_wait("item"):
            pass
        session.flush()
        self.assertFalse(fournex.get_runtime_config()["active"])


if __name__ == "__main__":
    unittest.main()
