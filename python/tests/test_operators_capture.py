"""NvtxCapture: what is called in which order, that everything closes, and that nothing stays on a model."""

import logging
import unittest
import unittest.mock

from fake_driver import fake_driver
from fournex.operators import NvtxCapture, capture, cuda_driver
from fournex.operators.layers import LayerPartition
from support import SdkTest, clean_environment, needs_torch, run


def ranges(driver):
    """The ranges of a window as one text: ``a( b( ) )``."""
    return " ".join(call[5:] + "(" if call.startswith("push ") else ")" for call in driver.calls if call.startswith(("push ", "pop ")))


class Window(SdkTest):
    def test_a_block_is_one_iteration(self):
        with fake_driver() as driver:
            with NvtxCapture(warmup_iters=2, warmup_fn=driver.work("warm-up")) as one:
                driver.work("work")()
            self.assertTrue(one.recorded)
        self.assertEqual(
            driver.calls,
            ["warm-up", "warm-up", "operators", "synchronize", "start", "push frx::measure#0", "work", "pop frx::measure#0"]
            + ["synchronize", "stop", "end of operators"],
        )

    def test_run_warms_up_with_the_work_and_counts_iterations(self):
        with fake_driver() as driver:
            result = NvtxCapture(warmup_iters=1, measure_iters=3).run(lambda: driver.work("work")() or "done")
        self.assertEqual(result, "done")
        self.assertEqual(driver.calls.count("work"), 4)
        self.assertLess(driver.calls.index("work"), driver.calls.index("start"))
        self.assertEqual(ranges(driver), "frx::measure#0( ) frx::measure#1( ) frx::measure#2( )")
        self.assertEqual((driver.calls.count("start"), driver.calls.count("stop")), (1, 1))

    def test_two_and_two_iterations_unless_told_otherwise(self):
        with fake_driver() as driver:
            NvtxCapture().run(driver.work("work"))
        self.assertEqual(driver.calls.count("work"), 4)
        self.assertEqual(ranges(driver), "frx::measure#0( ) frx::measure#1( )")

    def test_iterations_of_a_block(self):
        with fake_driver() as driver:
            with NvtxCapture(measure_iters=2) as one:
                self.assertEqual([index for index in one.iterations()], [0, 1])
        self.assertEqual(ranges(driver), "frx::measure#0( ) frx::measure#1( )")

    def test_as_a_decorator_it_keeps_arguments_result_and_name(self):
        @NvtxCapture(warmup_iters=1, measure_iters=2)
        def doubled(value, more=0):
            return 2 * value + more

        with fake_driver() as driver:
            self.assertEqual(doubled(4, more=1), 9)
            self.assertEqual(doubled(1), 2)
        self.assertEqual(doubled.__name__, "doubled")
        self.assertEqual(driver.calls.count("start"), 2)

    def test_an_exception_closes_everything_and_is_passed_on(self):
        for body in (self.raise_in_block, self.raise_in_iteration, self.raise_in_run):
            with fake_driver() as driver:
                with self.assertRaisesRegex(KeyError, "mine"):
                    body(driver)
            self.assertEqual(driver.open, [], body.__name__)
            self.assertEqual(driver.calls[-2:], ["stop", "end of operators"], body.__name__)

    def raise_in_block(self, driver):
        with NvtxCapture():
            driver.push("left open")
            driver.pop()
            raise KeyError("mine")

    def raise_in_iteration(self, driver):
        with NvtxCapture(measure_iters=3) as one:
            for _ in one.iterations():
                raise KeyError("mine")

    def raise_in_run(self, driver):
        def work():
            if "start" in driver.calls:
                raise KeyError("mine")

        NvtxCapture().run(work)

    def test_what_cuda_refuses_leaves_nothing_open(self):
        for call in ("operators", "start", "push frx::measure#0"):
            with fake_driver() as driver:
                driver.fails_at = call
                one = NvtxCapture()
                with self.assertRaisesRegex(RuntimeError, "CUDA error"):
                    with one:
                        self.fail("the block must not run")
                driver.fails_at = None
                driver.calls.clear()
                with one:  # it can be used again
                    pass
                self.assertEqual(ranges(driver), "frx::measure#0( )", call)

    def test_a_warm_up_that_fails_opens_nothing(self):
        with fake_driver() as driver:
            driver.fails_at = "warm-up"
            with self.assertRaises(RuntimeError):
                with NvtxCapture(warmup_fn=driver.work("warm-up")):
                    pass
        self.assertEqual(driver.calls, ["warm-up"])

    def test_wrong_use_is_named(self):
        for wrong in ({"warmup_iters": -1}, {"measure_iters": 0}, {"module_ranges": True}, {"partition": {"b": "a"}}):
            with self.assertRaises(ValueError):
                NvtxCapture(**wrong)
        with fake_driver(), NvtxCapture() as one:
            with self.assertRaisesRegex(RuntimeError, "open already"):
                one.__enter__()
            with self.assertRaisesRegex(RuntimeError, "one iteration"):
                one.iterations()

    def test_iterations_after_the_window_are_refused(self):
        with fake_driver():
            with NvtxCapture(measure_iters=2) as one:
                counted = one.iterations()
            with self.assertRaises(RuntimeError):
                next(counted)


class WithoutCuda(SdkTest):
    def test_the_work_runs_and_one_warning_says_that_nothing_is_recorded(self):
        capture._said.clear()
        done = []
        with unittest.mock.patch.object(cuda_driver, "find", lambda: None):
            with self.assertLogs("fournex", logging.WARNING) as logs:
                for _ in range(2):
                    with NvtxCapture(warmup_iters=3, warmup_fn=lambda: done.append("warm-up")) as one:
                        done.append("work")
                NvtxCapture(warmup_iters=0, measure_iters=2).run(lambda: done.append("run"))
        self.assertFalse(one.recorded)
        self.assertEqual(done, (["warm-up"] * 3 + ["work"]) * 2 + ["run"] * 2)
        self.assertEqual(len(logs.output), 1)
        self.assertIn("no CUDA", logs.output[0])

    def test_the_package_needs_no_pytorch(self):
        program = """
            import sys
            sys.modules["torch"] = None           # importing it fails
            import fournex.operators as operators
            with operators.NvtxCapture(warmup_iters=0) as one:
                pass
            assert not one.recorded
            from fournex.operators.run_workload import main
            sys.exit(main(["--workload", "there_is_none.py"]))
        """
        self.assertIn("PyTorch cannot be used", run(program, clean_environment(), self.folder, expect=2).stderr)


@needs_torch
class CallsOfPyTorch(SdkTest):
    def test_are_those_that_it_has(self):
        """Without a GPU they cannot run; their names and arguments are PyTorch's own."""
        import torch

        driver, made = cuda_driver.CudaDriver(), unittest.mock.Mock()
        calls = {
            (torch.cuda.nvtx, "range_push"): lambda: driver.push("a range"),
            (torch.cuda.nvtx, "range_pop"): driver.pop,
            (torch.cuda.profiler, "start"): driver.start,
            (torch.cuda.profiler, "stop"): driver.stop,
            (torch.cuda, "synchronize"): driver.synchronize,
        }
        for (module, name), call in calls.items():
            with unittest.mock.patch.object(module, name, autospec=True, side_effect=getattr(made, name)):
                call()
        self.assertEqual([one[0] for one in made.mock_calls], [name for _, name in calls])
        made.range_push.assert_called_once_with("a range")
        self.assertIsInstance(driver.operator_ranges(True), torch.autograd.profiler.emit_nvtx)
        self.assertTrue(driver.operator_ranges(True).record_shapes)
        if not torch.cuda.is_available():
            self.assertIsNone(cuda_driver.find())


@needs_torch
class RangesOfModules(SdkTest):
    def model(self):
        import torch

        class Pair(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.second = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)
                self.fails = False

            def forward(self, x):
                if self.fails:
                    raise KeyError("mine")
                return self.second(self.first(x))

        return torch.nn.Sequential(Pair(), torch.nn.ReLU()), torch.randn(2, 4)

    def test_the_forward_of_each_module_is_a_range(self):
        model, x = self.model()
        with fake_driver() as driver, NvtxCapture(model=model, module_ranges=True):
            model(x)
        self.assertEqual(
            ranges(driver),
            "frx::measure#0( nn.Module: Sequential( nn.Module: 0( nn.Module: 0.first( ) nn.Module: 0.second( ) ) nn.Module: 1( ) ) )",
        )

    def test_layers_are_ranges_around_their_modules(self):
        model, x = self.model()
        for partition in ({"0.second": "0.first"}, LayerPartition({"0.second": "0.first"})):
            with fake_driver() as driver, NvtxCapture(model=model, partition=partition):
                model(x)
            self.assertEqual(ranges(driver), "frx::measure#0( layer::unique::0.first( ) layer::duplicate::0.second( ) )")

    def test_a_layer_of_another_model_is_an_error_before_the_window(self):
        model, _ = self.model()
        with fake_driver() as driver:
            with self.assertRaisesRegex(ValueError, "blocks.7"):
                NvtxCapture(model=model, partition={"blocks.7": "0"}).__enter__()
        self.assertNotIn("start", driver.calls)
        self.assertEqual(driver.calls[-1], "end of operators")

    def traces(self, model):
        kinds = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks")
        return [(name, sorted(vars(part)), [len(getattr(part, kind)) for kind in kinds]) for name, part in model.named_modules()]

    def test_nothing_stays_on_the_model(self):
        model, x = self.model()
        kept = model[0].register_forward_hook(lambda *_: None)
        before = self.traces(model)
        with fake_driver() as driver:
            with NvtxCapture(model=model, module_ranges=True, partition={"0.second": "0.first"}):
                self.assertNotEqual(self.traces(model), before)
            self.assertEqual(self.traces(model), before)
            driver.calls.clear()
            model(x)
        self.assertEqual(driver.calls, [])
        kept.remove()

    def test_a_forward_that_raises_leaves_no_range_open(self):
        model, x = self.model()
        model[0].fails = True
        before = self.traces(model)
        with fake_driver() as driver:
            with self.assertRaises(KeyError):
                with NvtxCapture(model=model, module_ranges=True):
                    model(x)
        self.assertEqual(driver.open, [])
        self.assertEqual(self.traces(model), before)

    def test_a_forward_whose_exception_is_caught_leaves_the_nesting_right(self):
        model, x = self.model()

        def work():
            model[0].fails = True
            with self.assertRaises(KeyError):
                model(x)
            model[0].fails = False
            model[1](x)

        with fake_driver() as driver:
            NvtxCapture(0, None, 2, model=model, module_ranges=True).run(work)
        once = "nn.Module: Sequential( nn.Module: 0( nn.Module: 1( ) ) ) )"
        self.assertEqual(ranges(driver), f"frx::measure#0( {once} frx::measure#1( {once}")

    def test_a_module_that_calls_itself_nests(self):
        import torch

        class Twice(torch.nn.Module):
            def forward(self, x, again=True):
                return self(x, False) if again else x

        model = Twice()
        with fake_driver() as driver, NvtxCapture(model=model, module_ranges=True):
            model(torch.ones(1))
        self.assertEqual(ranges(driver), "frx::measure#0( nn.Module: Twice( nn.Module: Twice( ) ) )")

    def test_the_result_is_the_same(self):
        import torch

        model, x = self.model()
        expected = model(x)
        with fake_driver(), NvtxCapture(model=model, module_ranges=True):
            self.assertTrue(torch.equal(model(x), expected))


if __name__ == "__main__":
    unittest.main()
