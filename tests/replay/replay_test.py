"""Scripts of `frx operators replay`, run for real on the CPU: PyTorch records operators, frx writes a script for each, and the script runs.

Needs PyTorch (Debian: python3-torch); without it the test is skipped (exit code 77).
"""

import json
import os
import runpy
import subprocess
import sys
import tempfile
import time
import traceback
import unittest
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # before PyTorch starts threads, which a fork would not have
try:
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
except ImportError:
    print("no PyTorch for this python")
    sys.exit(77)

FRX = os.environ.get("FRX", str(Path(__file__).resolve().parents[2] / "build/dev/frx"))


def r(*shape):
    return torch.randn(*shape)


f = torch.nn.functional
# The operator to replay, and what is recorded.
PROGRAMS = {
    "aten::addmm": lambda: torch.addmm(r(5), r(3, 4), r(4, 5)),
    "aten::mm": lambda: torch.mm(r(6, 4).t(), r(6, 3)),
    "aten::bmm": lambda: torch.bmm(r(2, 3, 4), r(2, 4, 5)),
    "aten::conv2d": lambda: f.conv2d(r(2, 3, 8, 8), r(4, 3, 3, 3)),
    "aten::convolution": lambda: f.conv2d(r(2, 4, 8, 8), r(6, 2, 3, 3), groups=2),
    "aten::layer_norm": lambda: f.layer_norm(r(2, 3, 8), (8,), r(8), r(8)),
    "aten::native_layer_norm": lambda: f.layer_norm(r(4, 16), (16,), r(16), r(16)),
    "aten::batch_norm": lambda: f.batch_norm(r(4, 3, 5, 5), torch.zeros(3), torch.ones(3), r(3), r(3), training=True),
    "aten::_softmax": lambda: f.softmax(r(3, 7), dim=-1),
    "aten::log_softmax": lambda: f.log_softmax(r(3, 7), dim=1),
    "aten::embedding": lambda: f.embedding(torch.tensor([[1, 2], [3, 0]]), r(10, 4)),
    "aten::cat": lambda: torch.cat([r(2, 3), r(4, 3)]),
    "aten::index_select": lambda: torch.index_select(r(5, 3), 0, torch.tensor([0, 4])),
    "aten::gather": lambda: torch.gather(r(4, 5), 1, torch.zeros(4, 2, dtype=torch.int64)),
    "aten::add": lambda: torch.add(r(3, 4), r(4), alpha=2),
    "aten::add_": lambda: r(3, 4).add_(1.5),
    "aten::mul": lambda: r(3, 1) * r(1, 4),
    "aten::sum": lambda: r(3, 4, 5).sum(dim=(0, 2)),
    "aten::max_pool2d": lambda: f.max_pool2d(r(1, 2, 8, 8), 2),
    "aten::dropout": lambda: f.dropout(r(4, 4), 0.3, training=True),
    "aten::gelu": lambda: f.gelu(r(6, 2)),
    "aten::nll_loss": lambda: f.nll_loss(f.log_softmax(r(4, 3), 1), torch.tensor([0, 2, 1, 1])),
    "aten::where": lambda: torch.where(r(3, 3) > 0, r(3, 3), r(3, 3)),
    "aten::clamp": lambda: r(5).clamp(-1, 1),
    "aten::baddbmm": lambda: torch.baddbmm(r(2, 3, 5), r(2, 3, 4), r(2, 4, 5)),
    "aten::constant_pad_nd": lambda: f.pad(r(2, 3), (1, 1)),
    "aten::index": lambda: r(6, 3)[torch.tensor([1, 5])],
    "aten::copy_": lambda: torch.empty(2, 3, dtype=torch.float64).copy_(torch.ones(2, 3)),
    "aten::masked_fill": lambda: r(3, 3).masked_fill(r(3, 3) > 0, 0.0),
    "aten::topk": lambda: r(4, 9).topk(2),
    "aten::lstm": lambda: torch.nn.LSTM(4, 5)(r(3, 2, 4)),
}
# Shapes alone are too little for these; --set gives the rest. None: lists of optional tensors are never recorded.
NEED_A_VALUE = {"aten::max_pool2d": {"kernel_size": [2, 2]}, "aten::constant_pad_nd": {"pad": [1, 1]}, "aten::topk": {"k": 2}, "aten::clamp": {"min": -1},
                "aten::index": None, "aten::cat": None, "aten::lstm": None}


# What the profiler of PyTorch calls the types of elements.
TYPES = {torch.float32: "float", torch.float64: "double", torch.float16: "c10::Half", torch.bfloat16: "c10::BFloat16", torch.int64: "long int",
         torch.int32: "int", torch.bool: "bool", torch.complex64: "c10::complex<float>"}


class Calls(TorchDispatchMode):
    """Every operator that the dispatcher runs, with its inputs as the profiler of PyTorch 2.2 writes them. Debian's PyTorch has no Kineto."""

    def __init__(self):
        super().__init__()
        self.events = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        begin, kwargs = time.perf_counter_ns(), kwargs or {}
        inputs = [args[at] if at < len(args) else kwargs.get(one.name, one.default_value if one.has_default_value() else None)
                  for at, one in enumerate(function._schema.arguments)]
        described = [self.described(one) for one in inputs]
        result = function(*args, **kwargs)
        keys = ("Input Dims", "Input type", "Input Strides", "Concrete Inputs")
        self.events.append(event(function._schema.name, begin, time.perf_counter_ns() - begin,
                                 {key: [one[at] for one in described] for at, key in enumerate(keys)}))
        return result

    def described(self, one):
        if isinstance(one, torch.Tensor):
            return list(one.shape), TYPES[one.dtype], list(one.stride()), ""
        if isinstance(one, (list, tuple)) and one and isinstance(one[0], torch.Tensor):
            return [list(item.shape) for item in one], "TensorList", [list(item.stride()) for item in one], ""
        if isinstance(one, (bool, int, float)):
            return [], "Scalar", [], str(one)
        if isinstance(one, (list, tuple)) and all(isinstance(item, (bool, int, float)) for item in one):
            return [], "ScalarList", [], "[" + ", ".join(map(str, one)) + "]"
        return [], "", [], ""


def event(name, begin_ns, duration_ns, arguments):
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": begin_ns / 1e3, "dur": duration_ns / 1e3, "args": arguments}


def written(path: Path, events: list[dict]) -> list[dict]:
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return events


def record_all(path: Path, work) -> list[dict]:
    """A trace with shapes, types, strides and values, of the operators below the compositions."""
    calls = Calls()
    with calls, torch.no_grad():
        work()
    return written(path, calls.events)


def record_shapes(path: Path, work) -> list[dict]:
    """A trace with shapes alone, as old versions record them, of compositions too."""
    with torch.autograd.profiler.profile(record_shapes=True) as profiler:
        work()
    return written(path, [event(one.name, one.time_range.start * 1000, (one.time_range.end - one.time_range.start) * 1000,
                                {"Input Dims": [list(dims) for dims in one.input_shapes]} if one.input_shapes else {})
                          for one in profiler.function_events])


def run_in_fork(command: list[str], folder: Path, out: int, err: int):
    """Runs the script as `python` would, with its output in the files; does not return."""
    code: object = 1
    try:
        os.dup2(out, 1)
        os.dup2(err, 2)
        sys.stdout, sys.stderr = open(1, "w", encoding="utf-8"), open(2, "w", encoding="utf-8")
        os.chdir(folder)
        sys.argv = command
        runpy.run_path(command[0], run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code
        if code is not None and not isinstance(code, int):
            print(code, file=sys.stderr)
            code = 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code or 0)


class Replay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def frx(self, trace: Path, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([FRX, "operators", "replay", str(trace), *arguments], capture_output=True, text=True, check=False)

    def run_script(self, script: Path, *arguments: str, fresh: bool = False) -> subprocess.CompletedProcess:
        """`fresh`: by a new Python, as a user runs it. Else by a fork of this one, since importing PyTorch takes a hundred times as long as the script."""
        command = [str(script), "--iterations", "3", "--warmup", "1", *arguments]
        if fresh:
            return subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False, cwd=self.path)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = os.fork()
            if child == 0:
                run_in_fork(command, self.path, out.fileno(), err.fileno())
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(command, code, out.read().decode(), err.read().decode())

    def check(self, name: str, number: int, record, is_complete: bool) -> bool:
        trace, script = self.path / f"{number}.json", self.path / f"{number}.py"
        recorded = [one["args"]["Input Dims"] for one in record(trace, PROGRAMS[name]) if one["name"] == name and "Input Dims" in one["args"]]
        if not recorded:
            return False
        made = self.frx(trace, "--operator", name, "--output", str(script))
        self.assertEqual(made.returncode, 0, made.stderr)
        settings = {} if is_complete else NEED_A_VALUE.get(name, {})
        if settings is None or settings:
            refused = self.run_script(script)
            self.assertEqual(refused.returncode, 1, "a value that nobody knows was made up: " + refused.stdout)
            self.assertIn("inputs_0: ", refused.stderr)
            self.assertNotIn("Traceback", refused.stderr)
        if settings is None:
            return True
        given = [f"--set={key}={value}" for key, value in settings.items()]
        ran = self.run_script(script, "--json", *given)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        result = json.loads(ran.stdout)
        self.assertEqual(result["operator"], name)
        self.assertGreater(result["median_ns"], 0)
        text = " ".join(result["signature"])
        tensors = lambda inputs: [dims for dims in inputs if dims and not isinstance(dims[0], list)]
        self.assertTrue(any(all(str(dims) in text for dims in tensors(one)) for one in recorded), f"{text} is none of {recorded}")
        if is_complete:
            unsaid = [note for note in result["notes"] if not note.endswith("; None") and "the default" not in note]
            self.assertEqual(unsaid, [], "only None and texts are never recorded")
        return True

    def test_people_read_the_time_beside_the_recorded_one(self):
        trace, script = self.path / "shown.json", self.path / "shown.py"
        record_all(trace, PROGRAMS["aten::addmm"])
        self.frx(trace, "--operator", "addmm", "--output", str(script))
        shown = self.run_script(script, fresh=True).stdout
        self.assertTrue(shown.startswith("aten::addmm.default (float32 [5] strides [1], float32 [3, 4] strides [4, 1], "), shown)
        self.assertIn("\n  measured : median ", shown)
        self.assertIn("\n  recorded : ", shown)

    def test_each_operator_runs_with_the_inputs_that_were_recorded(self):
        done = {"shapes": 0, "all": 0}
        for number, name in enumerate(PROGRAMS):
            for how, record in (("shapes", record_shapes), ("all", record_all)):
                with self.subTest(f"{name}, {how}"):
                    done[how] += self.check(name, number, record, how == "all")
        print(f"{done['shapes']} operators by their shapes, {done['all']} by all of their inputs")
        self.assertEqual(done["shapes"], len(PROGRAMS))
        self.assertGreaterEqual(done["all"], 22)

    def test_the_overload_is_the_one_of_the_types(self):
        trace, script = self.path / "overload.json", self.path / "overload.py"
        record_all(trace, lambda: (torch.ones(3) + 1, torch.ones(2, 2) + torch.ones(2, 2)))
        self.assertEqual(self.frx(trace, "--operator", "add", "--all-shapes", "--output", str(script)).returncode, 0)
        ran = self.run_script(script, "--json")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        overloads = {json.loads(line)["overload"] for line in ran.stdout.splitlines()}
        self.assertEqual(overloads, {"Tensor", "Scalar"})

    def test_a_call_by_number_is_that_call(self):
        trace = self.path / "calls.json"
        record_all(trace, lambda: (torch.mm(r(2, 3), r(3, 4)), torch.mm(r(5, 6), r(6, 7))))
        for number, shape in enumerate(["[2, 3]", "[5, 6]"]):
            script = self.path / f"call{number}.py"
            self.assertEqual(self.frx(trace, "--operator", "aten::mm", "--call", str(number), "--output", str(script)).returncode, 0)
            self.assertIn(shape, json.loads(self.run_script(script, "--json").stdout)["signature"][0])
        beyond = self.frx(trace, "--operator", "aten::mm", "--call", "2")
        self.assertEqual(beyond.returncode, 2)
        self.assertIn("numbered from 0", beyond.stderr)

    def test_strides_and_types_are_the_recorded_ones(self):
        trace, script = self.path / "strides.json", self.path / "strides.py"
        events = [{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 1, "dur": 9,
                   "args": {"Input Dims": [[4, 3], [4, 3], []], "Input type": ["double", "c10::BFloat16", "Scalar"],
                            "Input Strides": [[1, 4], [0, 1], []], "Concrete Inputs": ["", "", "2"]}}]
        trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        made = self.frx(trace, "--operator", "aten::add", "--output", str(script))
        self.assertEqual(made.returncode, 0, made.stderr)
        ran = self.run_script(script, "--json")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        result = json.loads(ran.stdout)
        self.assertEqual(result["signature"], ["float64 [4, 3] strides [1, 4]", "bfloat16 [4, 3] strides [0, 1]", "2"])
        self.assertEqual(result["notes"], [])

    def test_names_of_a_file_never_become_code(self):
        trace, script, proof = self.path / "hostile.json", self.path / "hostile.py", self.path / "was_here"
        attack = f"__import__('pathlib').Path({str(proof)!r}).touch()"
        for number, text in enumerate([f'"); {attack}; ("', f"'''\n{attack}\n'''", f"\\\n{attack}", f"\u2028{attack}", f"{{{attack}}}"]):
            name = f"aten::{text}".replace(" ", "\u00a0")
            events = [{"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": 1, "dur": 9,
                       "args": {"Input Dims": [[2], []], "Input type": ["float", "Scalar"], "Concrete Inputs": ["", attack], "Input Strides": [[1], []]}}]
            trace.write_text(json.dumps({"schemaVersion": 1, "distributedInfo": {"backend": text}, "traceEvents": events}))
            with self.subTest(number):
                made = self.frx(trace, "--operator", name, "--output", str(script))
                if made.returncode == 0:
                    compile(script.read_text(), "hostile.py", "exec")
                    ran = self.run_script(script)
                    self.assertNotEqual(ran.returncode, 0)
                self.assertFalse(proof.exists(), script.read_text() if script.exists() else "")

    def test_what_cannot_run_by_itself_is_refused_with_what_can(self):
        trace = self.path / "backward.json"
        weight = torch.randn(4, 3, requires_grad=True)
        record_shapes(trace, lambda: f.linear(r(2, 3), weight).sum().backward())
        refused = self.frx(trace, "--operator", "AddmmBackward0")
        if "no operator is called" in refused.stderr:  # linear without a bias
            refused = self.frx(trace, "--operator", "MmBackward0")
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("a node of the backward pass", refused.stderr)
        self.assertIn("--operator aten::", refused.stderr)
        misspelt = self.frx(trace, "--operator", "aten::lineer")
        self.assertEqual(misspelt.returncode, 2)
        self.assertIn("the nearest is --operator aten::linear", misspelt.stderr)
        foreign = self.frx(trace, "--operator", "aten::linear", "--import", "os; print(1)")
        self.assertEqual(foreign.returncode, 2)
        self.assertIn("--import takes the name of a module", foreign.stderr)

    def test_without_shapes_the_recording_is_asked_for_them(self):
        trace = self.path / "no_shapes.json"
        written(trace, [event("aten::mm", 1000, 1000, {})])
        refused = self.frx(trace, "--operator", "aten::mm")
        self.assertEqual(refused.returncode, 3, refused.stderr)
        self.assertIn("record_shapes=True", refused.stderr)


if __name__ == "__main__":
    unittest.main()
