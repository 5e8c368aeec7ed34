"""run_workload: its contract with a workload, its flags, the files it writes, and the seven examples, on the CPU."""

import contextlib
import io
import json
import os
import subprocess
import sys
import unittest
from unittest import mock

from fake_driver import fake_driver
from fake_nvidia_smi import NAME, FakeNvidiaSmi
from fournex.operators import run_workload, workload
from fournex.operators.clocks import ClockLock
from fournex.operators.manifest import CaptureMetadata
from support import REPOSITORY, SdkTest, clean_environment, needs_torch, violations

EXAMPLES = sorted((REPOSITORY / "examples/operators").glob("*.py"))
PARTITION = json.loads((REPOSITORY / "data/schemas/operator_partition_v1.json").read_text())
METADATA = json.loads((REPOSITORY / "data/schemas/operator_manifest_v1.json").read_text())

LINEAR = """
import torch
def get_model_and_input():
    return torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)), {inputs}
"""


@contextlib.contextmanager
def working_folder(folder):
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@needs_torch
class WorkloadTest(SdkTest):
    def file(self, text, name="a_workload.py"):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def run_program(self, *arguments, expect=0, **variables):
        command = [sys.executable, "-B", "-m", "fournex.operators.run_workload", *arguments]
        done = subprocess.run(command, cwd=self.folder, env=clean_environment(**variables), capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def run_here(self, *arguments, expect=0):
        """The same in this process, which has imported PyTorch already: what it says on standard error."""
        before, path = set(sys.modules), list(sys.path)
        said = io.StringIO()
        try:
            with working_folder(self.folder), contextlib.redirect_stderr(said):
                self.assertEqual(run_workload.main(list(arguments)), expect, said.getvalue())
        finally:
            sys.path[:] = path
            for name in set(sys.modules) - before:
                if name.startswith(("a_workload", "importable_")):
                    del sys.modules[name]
        return said.getvalue()

    def json(self, name):
        return json.loads((self.folder / name).read_text())


class Files(WorkloadTest):
    def test_a_capture_says_what_was_run(self):
        done = self.run_program("--workload", self.file(LINEAR.format(inputs="torch.randn(2, 4)")), "--measure-iters", "3")
        self.assertEqual(done.stdout, "")
        self.assertIn("no CUDA", done.stderr)
        self.assertEqual(sorted(path.name for path in self.folder.glob("*.json")), ["a_workload.capture.json", "a_workload.part.json"])
        capture = self.json("a_workload.capture.json")
        self.assertEqual((capture["schema_version"], capture["recorded"]), ("1.1", False))
        metadata = CaptureMetadata.from_dict(capture["capture_metadata"])
        self.assertEqual(violations(capture["capture_metadata"], METADATA["$defs"]["capture_metadata"], root=METADATA), [])
        self.assertEqual((metadata.model_name, metadata.compile_mode), ("a_workload", "eager"))
        self.assertEqual((metadata.warmup_iters, metadata.measure_iters), (2, 3))
        self.assertEqual(metadata.input_shapes, {"input": [2, 4]})
        self.assertEqual(metadata.clocks, {"requested": None, "status": "not_locked", "notes": ["there is no CUDA here"]})
        self.assertEqual(metadata.extra, {})

    def test_the_partition_is_a_flat_map(self):
        self.run_here("--workload", self.file(LINEAR.format(inputs="torch.randn(2, 4)")), "--output-prefix", "out/one", "--no-lock-clocks")
        partition = self.json("out/one.part.json")
        self.assertEqual(violations(partition, PARTITION), [])
        self.assertEqual(partition, {"1": "0"})
        self.assertEqual(self.json("out/one.capture.json")["capture_metadata"]["clocks"]["notes"], ["--no-lock-clocks"])

    def test_the_correlation_pass_writes_what_torch_profiler_knows(self):
        said = self.run_here("--workload", self.file(LINEAR.format(inputs="torch.randn(2, 4)")), "--correlation-pass")
        self.assertIn("0 kernels have an operator", said)
        self.assertEqual(self.json("a_workload.corr.json"), {"schema_version": "1.0", "entries": []})
        self.assertEqual(self.json("a_workload.part.json"), {"1": "0"})
        self.assertFalse((self.folder / "a_workload.capture.json").exists())

    def test_a_folder_that_cannot_be_written_is_named(self):
        (self.folder / "taken").write_text("")
        workload_file = self.file(LINEAR.format(inputs="torch.randn(2, 4)"))
        self.assertIn("taken/one", self.run_here("--workload", workload_file, "--output-prefix", "taken/one", expect=1))

    def test_inductor_is_told_where_its_code_goes_before_pytorch_is_imported(self):
        text = "import os\nseen = [os.environ.get(name) for name in ('TORCHINDUCTOR_CACHE_DIR', 'TORCH_COMPILE_DEBUG')]\nprint(*seen)\n"
        done = self.run_program("--workload", self.file(text + LINEAR.format(inputs="torch.randn(2, 4)")), "--inductor-debug-dir", "debug")
        self.assertEqual(done.stdout.split(), [str(self.folder / "debug"), "1"])
        self.assertIn("nothing is compiled", done.stderr)


    def test_what_became_of_the_clocks_is_written(self):
        """With stand-ins for CUDA's calls and for nvidia-smi."""
        smi = FakeNvidiaSmi(self.folder / "bin")
        lock = ClockLock("1410,2619", program=smi.program, sudo=[], gpu="0")
        with fake_driver(), mock.patch.object(run_workload, "_lock", lambda options: lock):
            self.run_here("--workload", self.file(LINEAR.format(inputs="torch.randn(2, 4)")))
        capture = self.json("a_workload.capture.json")
        self.assertTrue(capture["recorded"])
        clocks = {"requested": "1410,2619", "status": "locked", "gpu_name": NAME, "graphics_mhz": 1410, "memory_mhz": 2619}
        self.assertEqual(capture["capture_metadata"]["clocks"], {**clocks, "source": "given", "notes": []})
        self.assertEqual(smi.orders()[-1], "0 -pm 0")

    def test_a_compiled_model_has_no_hooks(self):
        """With a stand-in for torch.compile, that of the old PyTorch of the tests."""
        import torch

        hooks = []

        def compile(model, backend):
            self.assertEqual(backend, "mine")

            class Compiled(torch.nn.Module):
                def forward(self, x):
                    hooks.append(len(model._forward_hooks) + len(model[0]._forward_hooks))
                    return model(x)

            return Compiled()

        with fake_driver() as driver, mock.patch.object(torch, "compile", compile, create=True):
            self.run_here("--workload", self.file(LINEAR.format(inputs="torch.randn(2, 4)")), "--compile-backend", "mine")
        self.assertEqual(hooks, [0] * 4)
        self.assertEqual([call for call in driver.calls if "layer::" in call or "nn.Module" in call], [])
        self.assertEqual(self.json("a_workload.capture.json")["capture_metadata"]["compile_mode"], "mine")
        self.assertEqual(self.json("a_workload.part.json"), {"1": "0"})


    def test_a_backend_that_does_not_exist_is_named(self):
        import torch

        error = RuntimeError("Invalid backend: 'mine', see ...\nmore")
        with mock.patch.object(torch, "compile", mock.Mock(side_effect=error), create=True):
            given = ["--workload", self.file(LINEAR.format(inputs="torch.randn(2, 4)")), "--compile-backend", "mine"]
            self.assertEqual(self.run_here(*given, expect=2), "fournex: --compile-backend mine: Invalid backend: 'mine', see ...\n")


class Arguments(WorkloadTest):
    def test_wrong_ones_are_named(self):
        given = ["--workload", "a.py"]
        for more in (["--warmup-iters", "-1"], ["--measure-iters", "0"], ["--lock-clocks-freq", "fast"], ["--unknown"]):
            done = self.run_program(*given, *more, expect=2)
            self.assertIn(more[0], done.stderr)
        self.assertIn("--workload", self.run_program(expect=2).stderr)

    def test_the_documented_defaults(self):
        options = run_workload._parser().parse_args(["--workload", "a.py"])
        self.assertEqual((options.warmup_iters, options.measure_iters, options.lock_clocks_freq), (2, 2, "probe"))
        self.assertEqual((options.no_lock_clocks, options.correlation_pass, options.compile_backend), (False, False, None))

    def test_every_flag_is_documented(self):
        page = (REPOSITORY / "docs/operators.md").read_text()
        for action in run_workload._parser()._actions:
            for flag in action.option_strings[-1:]:
                self.assertTrue(flag == "--help" or f"`{flag}" in page, f"docs/operators.md does not mention {flag}")

    def test_what_is_no_workload_is_named_without_a_traceback(self):
        for text, words in (
            ("", "get_model_and_input"),
            ("def get_model_and_input(): return 1", "gives"),
            ("def get_model_and_input(): return 1, 2", "nn.Module"),
            (LINEAR.format(inputs="'text'"), "input is a tensor"),
            (LINEAR.format(inputs="{1: 2}"), "names of arguments"),
        ):
            self.assertIn(words, self.run_here("--workload", self.file(text), expect=2))
        self.assertIn("there is no file", self.run_here("--workload", "missing.py", expect=2))
        self.assertIn("no_such_module", self.run_here("--workload", "no_such_module", expect=2))

    def test_errors_of_the_workload_keep_their_traceback(self):
        done = self.run_program("--workload", self.file("import no_such_module"), expect=1)
        self.assertIn("ModuleNotFoundError", done.stderr)

    def test_a_backend_needs_torch_compile(self):
        import torch

        if hasattr(torch, "compile"):
            self.skipTest("this PyTorch has torch.compile")
        given = ["--workload", self.file(LINEAR.format(inputs="torch.randn(2, 4)")), "--compile-backend", "inductor"]
        self.assertIn("torch.compile", self.run_here(*given, expect=2))

    def test_a_module_that_can_be_imported(self):
        self.file(LINEAR.format(inputs="torch.randn(2, 4)"), "importable_workload.py")
        python_path = f"{self.folder}:{REPOSITORY / 'python'}"
        self.run_program("--workload", "importable_workload", PYTHONPATH=python_path)
        self.assertTrue((self.folder / "importable_workload.part.json").exists())


class Contract(WorkloadTest):
    def prepared(self, text):
        self.addCleanup(sys.modules.pop, "a_workload", None)
        path = list(sys.path)
        self.addCleanup(lambda: sys.path.__setitem__(slice(None), path))
        return workload.prepare(self.file(text))

    def test_inputs_of_every_form(self):
        model = """
import torch
class Sum(torch.nn.Module):
    def forward(self, a, b=None, c=None):
        return a if b is None else a + (b if isinstance(b, torch.Tensor) else b["x"])
def get_model_and_input():
    one = torch.ones(2)
    return Sum(), {inputs}
"""
        for inputs, expected, shapes in (
            ("one", 1, {"input": [2]}),
            ("(one, 2 * one)", 3, {"0": [2], "1": [2]}),
            ("[one, 2 * one]", 3, {"0": [2], "1": [2]}),
            ("{'b': one, 'a': 3 * one}", 4, {"b": [2], "a": [2]}),
            ("(one, {'x': one})", 2, {"0": [2], "1.x": [2]}),
        ):
            one = self.prepared(model.format(inputs=inputs))
            self.assertEqual(one.once().tolist(), [expected] * 2)
            self.assertEqual(workload.input_shapes(one.inputs), shapes)

    def test_inference_has_no_gradients_and_training_has_a_backward(self):
        text = LINEAR.format(inputs="torch.randn(2, 4)")
        inference = self.prepared(text)
        self.assertFalse(inference.once().requires_grad)
        self.assertFalse(inference.eager.training)
        training = self.prepared(text + "train = True\n")
        self.assertTrue(training.eager.training)
        training.once()
        first = training.eager[0].weight.grad.clone()
        training.once()
        self.assertTrue((training.eager[0].weight.grad == first).all())  # of this iteration, not of all together

    def test_a_step_of_its_own(self):
        text = "done = []\ndef step(model, inputs):\n    done.append(torch.is_grad_enabled())\n    return model(inputs).sum()\n"
        for more, grad in (("", False), ("train = True\n", True)):
            one = self.prepared(LINEAR.format(inputs="torch.randn(2, 4)") + text + more)
            self.assertEqual(one.once().ndim, 0)
            self.assertEqual(sys.modules["a_workload"].done, [grad])

    def test_training_without_a_gradient_is_an_error(self):
        text = "import torch\ntrain = True\ndef get_model_and_input(): return torch.nn.ReLU(), torch.ones(2)\n"
        with self.assertRaisesRegex(workload.WorkloadError, "step"):
            self.prepared(text).once()

    def test_files_beside_the_workload_can_be_imported(self):
        self.file("WIDTH = 4\n", "beside_the_workload.py")
        self.addCleanup(sys.modules.pop, "beside_the_workload", None)
        self.prepared("import beside_the_workload\n" + LINEAR.format(inputs="torch.randn(2, beside_the_workload.WIDTH)")).once()


class Examples(WorkloadTest):
    def test_are_the_seven(self):
        self.assertEqual(
            [path.stem for path in EXAMPLES],
            ["conv_block", "depthwise_separable_conv", "embedding_projection", "gpt2", "lstm_sequence_encoder", "mlp_activations", "sdpa_attention"],
        )

    def test_run_in_a_window_with_their_layers(self):
        """In this process, with the stand-in for CUDA's calls: every range of every example closes."""
        duplicates = {"conv_block": 2, "depthwise_separable_conv": 2, "gpt2": 2, "mlp_activations": 7, "sdpa_attention": 3}
        for path in EXAMPLES:
            self.addCleanup(sys.modules.pop, path.stem, None)
            with self.subTest(path.stem), fake_driver() as driver:
                options = run_workload._parser().parse_args(["--workload", str(path)])
                files = run_workload.run(options)
                self.assertEqual(driver.open, [])
                self.assertEqual(driver.calls.count("start"), 1)
                self.assertEqual(len(files[".part.json"]), duplicates.get(path.stem, 0))
                pushed = [call for call in driver.calls if call.startswith("push layer::duplicate::")]
                self.assertEqual(len(pushed), 2 * len(files[".part.json"]))  # two iterations, each layer once
                self.assertTrue(files[".capture.json"]["recorded"])

    def test_are_also_run_by_the_program(self):
        example = REPOSITORY / "examples/operators/gpt2.py"
        done = self.run_program("--workload", str(example), "--warmup-iters", "0", "--measure-iters", "1")
        self.assertIn("3 layers, 1 unique", done.stderr)
        self.assertEqual(self.json("gpt2.part.json"), {"blocks.1": "blocks.0", "blocks.2": "blocks.0"})


if __name__ == "__main__":
    unittest.main()
