"""fournex.tune: the settings of a trial replace those of the program, steps end, and a misread variable is an error."""

import contextlib
import dataclasses
import unittest
import unittest.mock
import warnings

import fournex
from fournex.tune import Knobs
from support import SdkTest, clean_environment, collected, environment, events_in, needs_torch, of_type, run

# The pattern that the documentation gives, without any package: it has to work as it is.
MINIMAL = """
    import os
    num_workers = int(os.environ.get("FRX_NUM_WORKERS", "4"))
    pin_memory = os.environ.get("FRX_PIN_MEMORY", "true") == "true"
    prefetch_factor = int(os.environ.get("FRX_PREFETCH_FACTOR", "2"))
    persistent = os.environ.get("FRX_PERSISTENT_WORKERS", "true") == "true"
    max_steps = int(os.environ.get("FRX_TUNE_MAX_STEPS", "0")) or None
    import fournex.tune
    knobs = fournex.tune.Knobs.from_env(num_workers=4, pin_memory=True, prefetch_factor=2, persistent_workers=True)
    assert (knobs.num_workers, knobs.pin_memory, knobs.prefetch_factor, knobs.persistent_workers, knobs.max_steps) == \\
        (num_workers, pin_memory, prefetch_factor, persistent, max_steps), knobs
    print(num_workers, pin_memory, prefetch_factor, persistent, max_steps)
"""


def knobs(variables=None, **own):
    return Knobs.from_env(**own, environment=variables or {})


class Settings(unittest.TestCase):
    def test_without_frx_the_values_of_the_program_hold(self):
        own = knobs(batch_size=48, num_workers=3, pin_memory=True, prefetch_factor=5, persistent_workers=True, amp_dtype="bfloat16", torch_compile=True,
                    compile_mode="max-autotune", cuda_graphs=True)
        self.assertEqual((own.batch_size, own.num_workers, own.pin_memory, own.prefetch_factor, own.persistent_workers), (48, 3, True, 5, True))
        self.assertEqual((own.amp_dtype, own.torch_compile, own.compile_mode, own.cuda_graphs), ("bfloat16", True, "max-autotune", True))
        self.assertEqual((own.warmup_steps, own.measure_steps, own.max_steps, own.repeat_count), (None, None, None, None))

    def test_variables_replace_them_one_by_one(self):
        cases = (("FRX_BATCH_SIZE", "64", "batch_size", 64), ("FRX_NUM_WORKERS", "0", "num_workers", 0), ("FRX_PIN_MEMORY", "false", "pin_memory", False),
                 ("FRX_PREFETCH_FACTOR", "8", "prefetch_factor", 8), ("FRX_PERSISTENT_WORKERS", "false", "persistent_workers", False),
                 ("FRX_AMP_DTYPE", "float16", "amp_dtype", "float16"), ("FRX_TORCH_COMPILE", "1", "torch_compile", True),
                 ("FRX_TORCH_COMPILE_MODE", "reduce-overhead", "compile_mode", "reduce-overhead"),
                 ("FRX_CUDA_GRAPHS", "try_if_static_shapes", "cuda_graphs", True), ("FRX_TUNE_WARMUP_STEPS", "0", "warmup_steps", 0),
                 ("FRX_TUNE_MEASURE_STEPS", "20", "measure_steps", 20), ("FRX_TUNE_MAX_STEPS", "25", "max_steps", 25),
                 ("FRX_TUNE_REPEAT_COUNT", "3", "repeat_count", 3))
        own = {"batch_size": 48, "num_workers": 3, "pin_memory": True, "prefetch_factor": 5, "persistent_workers": True}
        before = dataclasses.asdict(knobs(**own))
        for variable, text, attribute, expected in cases:
            found = dataclasses.asdict(knobs({variable: text}, **own))
            self.assertEqual(found, {**before, attribute: expected}, variable)

    def test_an_empty_variable_is_not_set_and_zero_steps_are_no_limit(self):
        self.assertEqual(knobs({"FRX_NUM_WORKERS": "", "FRX_PIN_MEMORY": " ", "FRX_AMP_DTYPE": ""}, num_workers=3), knobs(num_workers=3))
        self.assertIsNone(knobs({"FRX_TUNE_MAX_STEPS": "0"}).max_steps)

    def test_a_value_that_cannot_be_read_names_its_variable(self):
        cases = (("FRX_BATCH_SIZE", "0", "a whole number of at least 1"), ("FRX_NUM_WORKERS", "four", "a whole number of at least 0"),
                 ("FRX_NUM_WORKERS", "-1", "a whole number"), ("FRX_NUM_WORKERS", "2.0", "a whole number"), ("FRX_NUM_WORKERS", "\u0664", "a whole number"),
                 ("FRX_NUM_WORKERS", "9" * 5000, "a whole number"), ("FRX_PREFETCH_FACTOR", "0", "at least 1"), ("FRX_PIN_MEMORY", "yes", "true or false"),
                 ("FRX_PERSISTENT_WORKERS", "2", "true or false"), ("FRX_AMP_DTYPE", "fp16", "bfloat16 or float16"), ("FRX_TORCH_COMPILE", "maybe", "true or false"),
                 ("FRX_CUDA_GRAPHS", "always", "try_if_static_shapes"), ("FRX_TUNE_MAX_STEPS", "all", "a whole number of at least 0"))
        for variable, text, expected in cases:
            with self.assertRaises(ValueError) as caught:
                knobs({variable: text})
            self.assertIn(f"{variable}: expected ", str(caught.exception))
            self.assertIn(expected, str(caught.exception))
            self.assertLess(len(str(caught.exception)), 160)

    def test_arguments_of_workers_are_left_out_where_there_are_none(self):
        self.assertEqual(knobs({"FRX_PREFETCH_FACTOR": "4", "FRX_PERSISTENT_WORKERS": "true"}).loader_arguments(),
                         {"batch_size": 32, "num_workers": 0, "pin_memory": False})
        self.assertEqual(knobs(num_workers=2).loader_arguments(), {"batch_size": 32, "num_workers": 2, "pin_memory": False, "persistent_workers": False})
        self.assertEqual(knobs({"FRX_NUM_WORKERS": "8", "FRX_PIN_MEMORY": "true", "FRX_PREFETCH_FACTOR": "4", "FRX_PERSISTENT_WORKERS": "true"}).loader_arguments(),
                         {"batch_size": 32, "num_workers": 8, "pin_memory": True, "persistent_workers": True, "prefetch_factor": 4})

    def test_only_float16_needs_a_scaler(self):
        self.assertEqual([knobs(amp_dtype=dtype).needs_grad_scaler for dtype in (None, "bfloat16", "float16")], [False, False, True])


class Steps(unittest.TestCase):
    def test_steps_end_at_the_last_one_and_fetch_nothing_more(self):
        fetched = []

        def batches():
            for batch in "abcdef":
                fetched.append(batch)
                yield batch

        self.assertEqual(list(knobs({"FRX_TUNE_MAX_STEPS": "3"}).steps(batches())), ["a", "b", "c"])
        self.assertEqual(fetched, ["a", "b", "c"])

    def test_a_loop_over_epochs_ends_too(self):
        limited = knobs({"FRX_TUNE_MAX_STEPS": "5"})
        self.assertEqual([list(limited.steps(range(3))) for _ in range(4)], [[0, 1, 2], [0, 1], [], []])
        self.assertTrue(limited.is_done())

    def test_an_epoch_after_the_last_step_does_not_start_the_loader(self):
        class Loader:
            def __iter__(self):
                raise AssertionError("workers would start here")

        limited = knobs({"FRX_TUNE_MAX_STEPS": "1"})
        self.assertEqual(list(limited.steps([7])), [7])
        self.assertEqual(list(limited.steps(Loader())), [])

    def test_data_that_end_earlier_are_not_repeated(self):
        self.assertEqual(list(knobs({"FRX_TUNE_MAX_STEPS": "9"}).steps("ab")), ["a", "b"])

    def test_without_frx_there_is_no_end(self):
        self.assertEqual(list(knobs().steps(range(1000))), list(range(1000)))
        self.assertFalse(knobs().is_done(10**9))

    def test_a_program_may_count_its_steps_itself(self):
        limited = knobs({"FRX_TUNE_MAX_STEPS": "3"})
        self.assertEqual([limited.is_done(step) for step in range(5)], [False, False, False, True, True])
        self.assertFalse(limited.is_done(), "none was taken from steps()")


class Programs(SdkTest):
    def test_the_documented_pattern_reads_the_same_values(self):
        self.assertEqual(run(MINIMAL, clean_environment(), self.folder).stdout, "4 True 2 True None\n")
        variables = {"FRX_NUM_WORKERS": "8", "FRX_PIN_MEMORY": "false", "FRX_PREFETCH_FACTOR": "4", "FRX_PERSISTENT_WORKERS": "false", "FRX_TUNE_MAX_STEPS": "25"}
        self.assertEqual(run(MINIMAL, clean_environment(**variables), self.folder).stdout, "8 False 4 False 25\n")

    def test_a_session_has_the_knobs_of_the_environment(self):
        with environment(FRX_NUM_WORKERS="6", FRX_TUNE_MAX_STEPS="2"):
            session = fournex.AutopilotSession.from_env()
            self.assertEqual(session.knobs.num_workers, 6)
            self.assertEqual(list(session.knobs.steps("abc")), ["a", "b"])
            self.assertTrue(session.knobs.is_done(), "it is the same object each time")

    def test_without_frx_nothing_is_imported_or_written(self):
        program = """
            import sys
            import fournex.tune
            knobs = fournex.tune.Knobs.from_env()
            with knobs.autocast("cuda"):
                assert knobs.compile(knobs) is knobs and list(knobs.steps([1])) == [1]
            fournex.tune.report_quality(accuracy=0.5)
            fournex.tune.check_output([1.0])
            assert "torch" not in sys.modules and "numpy" not in sys.modules
        """
        result = run(program, clean_environment(), self.folder)
        self.assertEqual((result.stdout, result.stderr), ("", ""))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["program.py"])


LOOP = """
    import torch
    from torch.utils.data import DataLoader, TensorDataset
    import fournex
    import fournex.tune

    if __name__ == "__main__":
        knobs = fournex.tune.Knobs.from_env(batch_size=2, pin_memory=True, prefetch_factor=3)
        loader = fournex.instrument_dataloader(DataLoader(TensorDataset(torch.arange(20.0)), **knobs.loader_arguments()))
        for epoch in range(3):
            for (batch,) in knobs.steps(loader):
                with fournex.step_context(batch=batch, epoch=epoch) as current:
                    current.set_loss(batch.mean())
"""


@needs_torch
class WithPyTorch(SdkTest):
    def test_the_arguments_are_those_of_the_loader(self):
        for variables, steps, workers, size in (({}, 30, 0, 2), ({"FRX_NUM_WORKERS": "2", "FRX_PERSISTENT_WORKERS": "true", "FRX_BATCH_SIZE": "4",
                                                                  "FRX_TUNE_MAX_STEPS": "7"}, 7, 2, 4)):
            run(LOOP, collected(self.trace, **variables), self.folder)
            recorded = events_in(self.trace)
            self.trace.unlink()
            self.assertEqual(len(of_type(recorded, "step_end")), steps)
            waits = of_type(recorded, "dataloader_span", stage="next")
            self.assertEqual({(wait["payload"]["num_workers"], wait["payload"]["batch_size"]) for wait in waits}, {(workers, size)})
            self.assertEqual([wait["step_id"] for wait in waits], list(range(steps)), "no batch is fetched for nothing")

    def test_autocast_computes_in_the_type_of_the_trial(self):
        import torch

        layer, x = torch.nn.Linear(4, 4), torch.ones(2, 4)
        for variables, dtype in (({}, torch.float32), ({"FRX_AMP_DTYPE": "bfloat16"}, torch.bfloat16)):
            with knobs(variables).autocast("cpu"):
                self.assertEqual(layer(x).dtype, dtype)
        self.assertFalse(torch.is_autocast_cpu_enabled())

    def test_an_autocast_that_pytorch_ignores_is_an_error(self):
        import torch

        if torch.cuda.is_available():
            self.skipTest("this PyTorch has an autocast on every device")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with self.assertRaisesRegex(RuntimeError, "^FRX_AMP_DTYPE=float16: PyTorch .* has no autocast to it on cuda here$"):
                knobs({"FRX_AMP_DTYPE": "float16"}).autocast("cuda")

    def test_an_autocast_that_pytorch_refuses_is_the_same_error(self):
        asked = knobs({"FRX_AMP_DTYPE": "float16"})
        with unittest.mock.patch("torch.autocast", side_effect=RuntimeError("only bfloat16")):
            with self.assertRaisesRegex(RuntimeError, "has no autocast to it on cpu here$"):
                asked.autocast("cpu")

    def test_compile_compiles_or_fails_loudly(self):
        import torch

        model = torch.nn.Linear(2, 2)
        self.assertIs(knobs().compile(model), model)
        asked = knobs({"FRX_TORCH_COMPILE": "1", "FRX_TORCH_COMPILE_MODE": "reduce-overhead"})
        if not hasattr(torch, "compile"):
            with self.assertRaisesRegex(RuntimeError, "^FRX_TORCH_COMPILE: PyTorch .* has no torch.compile; it came with 2.0$"):
                asked.compile(model)
        with torch_compile(lambda *arguments, **keywords: (arguments, keywords)):
            self.assertEqual(asked.compile(model, dynamic=False), ((model,), {"dynamic": False, "mode": "reduce-overhead"}))
            self.assertEqual(knobs({"FRX_TORCH_COMPILE": "1"}).compile(model), ((model,), {}))


@contextlib.contextmanager
def torch_compile(stand_in):
    """torch.compile replaced: what is tested is what it is handed."""
    import torch

    missing = object()
    before = getattr(torch, "compile", missing)
    torch.compile = stand_in
    try:
        yield
    finally:
        if before is missing:
            del torch.compile
        else:
            torch.compile = before


if __name__ == "__main__":
    unittest.main()
