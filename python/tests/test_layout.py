"""fournex.layout: plans are read and applied, taken back without a trace, and a side of a trial is written as its schema says."""

import json
import os
import struct
import sys
import types
import unittest
import unittest.mock
from pathlib import Path

from fournex import layout
from fournex.layout import facts
from support import REPOSITORY, SdkTest, clean_environment, environment, needs_torch, run, violations

SIDE = json.loads((REPOSITORY / "data/schemas/layout_trial_side.v1.json").read_text())
PLAN = json.loads((REPOSITORY / "data/schemas/layout_plan.v1.json").read_text())


def whole_model(**members):
    return {"kind": "memory_format", "modules": ["*"], "format": "channels_last", **members}


class LayoutTest(SdkTest):
    def plan_file(self, *changes, **members) -> str:
        document = {"schema": "layout_plan.v1", "changes": list(changes), **members}
        path = self.folder / "plan.json"
        path.write_text(json.dumps(document))
        return str(path)


class Plans(LayoutTest):
    def test_a_plan_is_what_its_schema_says(self):
        path = self.plan_file(whole_model(inputs=True), {"kind": "contiguous", "modules": ["attn.proj"], "at": "input"}, model="net",
                              made_from={"trace_sha256": None, "finding": "D4-1"})
        self.assertEqual(violations(json.loads(Path(path).read_text()), PLAN), [])
        plan = layout.read_plan(path)
        self.assertEqual([change.kind for change in plan.changes], ["memory_format", "contiguous"])
        self.assertTrue(plan.changes[0].inputs)
        self.assertEqual(len(plan.sha256), 64)

    def test_errors_name_file_and_member(self):
        for change, member in (({"kind": "fuse", "modules": ["*"]}, "$.changes[0].kind"), (whole_model(format="nhwc"), "$.changes[0].format"),
                               (whole_model(modules=[]), "$.changes[0].modules"), (whole_model(inputs=1), "$.changes[0].inputs"),
                               (whole_model(at="input"), "$.changes[0].at"), ({"kind": "contiguous", "modules": ["a"]}, "$.changes[0].at"), (1, "$.changes[0]")):
            path = self.plan_file(change)
            with self.assertRaises(layout.PlanError) as caught:
                layout.read_plan(path)
            self.assertIn(f"{path}: {member}: expected", str(caught.exception))
            if member != "$.changes[0].modules":  # how long a list is, the schemas do not say
                self.assertNotEqual(violations(json.loads(Path(path).read_text()), PLAN), [])
        for text in ("", "[]", "{}", "[" * 100_000, '{"schema": "layout_plan.v1", "changes": []}'):
            (self.folder / "plan.json").write_text(text)
            with self.assertRaises(layout.PlanError):
                layout.read_plan(str(self.folder / "plan.json"))

    def test_without_the_variable_there_is_no_plan(self):
        for value in (None, ""):
            with environment(FRX_LAYOUT_PLAN=value):
                self.assertIsNone(layout.plan_in_environment())

    def test_the_package_does_not_import_torch(self):
        run("import sys, fournex.layout; assert 'torch' not in sys.modules", clean_environment(), self.folder)


@needs_torch
class Applying(LayoutTest):
    def model(self):
        import torch

        inner = torch.nn.Sequential(torch.nn.Conv2d(8, 4, 3), torch.nn.BatchNorm2d(4))
        return torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), inner, torch.nn.Flatten(), torch.nn.Linear(16, 2))

    def strides(self, model):
        return [one.stride() for one in model.state_dict().values()]

    def apply(self, model, *changes):
        return layout.apply(model, layout.read_plan(self.plan_file(*changes)))

    def test_the_whole_model_and_its_inputs_and_back(self):
        import torch

        model, x = self.model().eval(), torch.randn(2, 3, 6, 6)
        before, parameters, expected = self.strides(model), list(model.parameters()), model(x)
        with self.apply(model, whole_model(inputs=True)) as applied:
            self.assertEqual(applied.matched, ["", "0", "1", "1.0", "1.1", "2", "3"])
            self.assertTrue(model[0].weight.is_contiguous(memory_format=torch.channels_last))
            self.assertTrue(model[0](x).is_contiguous(memory_format=torch.channels_last))
            torch.testing.assert_close(model(x), expected)
            self.assertEqual([id(one) for one in model.parameters()], [id(one) for one in parameters])  # optimizers keep theirs
        self.assertEqual(self.strides(model), before)
        self.assertEqual(sum(len(one._forward_pre_hooks) + len(one._forward_hooks) for one in model.modules()), 0)
        self.assertTrue(torch.equal(model(x), expected))

    def test_patterns_name_modules_and_what_is_in_them(self):
        import torch

        model = self.model()
        applied = self.apply(model, whole_model(modules=["1.*"]))
        self.assertEqual(applied.matched, ["1.0", "1.1"])
        self.assertFalse(model[0].weight.is_contiguous(memory_format=torch.channels_last))
        self.assertTrue(model[1][0].weight.is_contiguous(memory_format=torch.channels_last))
        self.assertEqual(self.apply(self.model(), whole_model(modules=["nothing"])).matched, [])

    def test_names_are_those_of_the_program_behind_wrappers(self):
        import torch

        class DistributedDataParallel(torch.nn.Module):  # a stand-in by name
            def __init__(self, module):
                super().__init__()
                self.module = module

        class OptimizedModule(torch.nn.Module):
            def __init__(self, module):
                super().__init__()
                self._orig_mod = module

        for wrapper in (DistributedDataParallel, OptimizedModule):
            self.assertEqual(self.apply(wrapper(self.model()), whole_model(modules=["1.*"])).matched, ["1.0", "1.1"])

    def test_contiguous_at_both_sides_of_a_module(self):
        import torch

        seen = []

        class Swap(torch.nn.Module):
            def forward(self, x, more):
                seen.append((x.is_contiguous(), more["y"][0].is_contiguous()))
                return x.transpose(0, 1), [x.transpose(0, 1)]

        model = torch.nn.Sequential()
        model.add_module("swap", Swap())
        turned = torch.randn(3, 4).t()
        at_input = self.apply(model, {"kind": "contiguous", "modules": ["swap"], "at": "input"})
        at_output = self.apply(model, {"kind": "contiguous", "modules": ["swap"], "at": "output"})
        first, rest = model.swap(turned, {"y": (turned,)})
        self.assertEqual(seen, [(True, True)])
        self.assertTrue(first.is_contiguous() and rest[0].is_contiguous())
        at_output.remove()
        at_input.remove()
        first, _ = model.swap(turned, {"y": (turned,)})
        self.assertEqual((seen[1], first.is_contiguous()), ((False, False), True))  # the transpose of a transpose

    def test_a_change_that_pytorch_refuses_leaves_the_model_as_it_was(self):
        model = self.model()
        before = self.strides(model)
        with self.assertRaises(AttributeError):
            layout.apply(model, layout.Plan((layout.Change("memory_format", ("*",), "channels_last"), layout.Change("memory_format", ("*",), "no_format")), ""))
        self.assertEqual(self.strides(model), before)


@needs_torch
class Sides(LayoutTest):
    def trial(self, **variables):
        given = {"OUT": str(self.folder / "out"), "SEED": "5", "WINDOWS": "3", "WARMUP": "1", **variables}
        return environment(FRX_LAYOUT_PLAN=None, RANK=None, **{f"FRX_LAYOUT_TRIAL_{name}": value for name, value in given.items()})

    def test_a_side_follows_its_schema(self):
        import torch

        with self.trial(PROFILE="1"), environment(FRX_LAYOUT_PLAN=self.plan_file(whole_model(inputs=True))):
            self.assertEqual(layout.seed(), 5)
            model = torch.nn.Conv2d(2, 3, 1)
            with layout.Trial(model) as trial:
                windows = 0
                while not trial.enough:
                    with trial.window(items=4):
                        y = model(torch.ones(1, 2, 2, 2))
                    trial.loss(y.sum())
                    windows += 1
                trial.loss(float("nan"))
                trial.output({"y": y, "half": torch.tensor([1.5], dtype=torch.bfloat16)}, name="out")
                self.assertFalse(y.is_contiguous())
        self.assertEqual(windows, 4)
        side = json.loads((self.folder / "out/rank0/side.json").read_text())
        self.assertEqual(violations(side, SIDE), [])
        self.assertEqual((side["seed"], len(side["windows"]), side["losses"][-1], side["namespaces"]), (5, 4, "nan", ["aten"]))
        self.assertEqual(side["plan"]["modules"], 1)
        self.assertGreater(side["memory"]["peak_bytes"], 1 << 20)
        values = struct.unpack("<12f", (self.folder / "out/rank0" / side["outputs"][0]["file"]).read_bytes())
        self.assertEqual(list(values), y.reshape(-1).tolist())  # in logical order, though y is channels-last
        self.assertEqual((self.folder / "out/rank0" / side["outputs"][1]["file"]).read_bytes(), b"\xc0\x3f")

    def test_counters_of_another_compiler(self):
        with self.trial():
            trial = layout.Trial(compile_mode="made up")
            with self.assertRaises(TypeError):
                trial.counters(graphs=1)
            trial.counters(recompiles=2)
            trial.finish()
        compiled = json.loads((self.folder / "out/rank0/side.json").read_text())["compile"]
        self.assertEqual((compiled["mode"], compiled["source"], compiled["recompiles"], compiled["graph_breaks"]), ("made up", "the program", 2, None))

    def test_counters_of_torch_dynamo(self):
        # A stand-in for the modules of PyTorch 2: frame 0 was compiled three times, frame 1 once.
        dynamo = types.ModuleType("torch._dynamo.utils")
        dynamo.counters = {"stats": {"unique_graphs": 4}, "graph_break": {"print": 2, "item": 1}, "inductor": {"cudagraph_skips": 5}}
        dynamo.get_compilation_metrics = lambda: [types.SimpleNamespace(frame_key=key) for key in ("0", "0", "1", "0", None)]
        with unittest.mock.patch.dict(sys.modules, {"torch._dynamo.utils": dynamo}):
            self.assertEqual(facts.compile_facts(None), {"mode": "torch.compile", "source": "torch._dynamo", "unique_graphs": 4, "graph_breaks": 3,
                                                         "recompiles": 2, "cudagraph_skips": 5})
            dynamo.counters["stats"] = {}
            self.assertEqual(facts.compile_facts(None)["mode"], "eager")
            self.assertIsNone(facts.compile_facts(None)["recompiles"])

    def test_large_tensors_are_thinned_out(self):
        import torch

        from fournex.layout import tensors

        before, tensors.LARGEST = tensors.LARGEST, 4
        self.addCleanup(setattr, tensors, "LARGEST", before)
        described = tensors.write_tensor(str(self.folder), "a.bin", "a", torch.arange(10, dtype=torch.int16))
        self.assertEqual((described["elements"], described["stride"]), (4, 3))
        self.assertEqual(struct.unpack("<4h", (self.folder / "a.bin").read_bytes()), (0, 3, 6, 9))

    def test_outside_of_a_trial_nothing_is_written(self):
        import torch

        before = sorted(os.listdir(self.folder))
        with environment(FRX_LAYOUT_PLAN=None, FRX_LAYOUT_TRIAL_OUT=None, FRX_LAYOUT_TRIAL_SEED=None):
            self.assertIsNone(layout.seed())
            with layout.Trial(torch.nn.Linear(1, 1)) as trial:
                with trial.window():
                    pass
                trial.loss(1)
                trial.output(torch.ones(1))
                self.assertFalse(trial.enough)
        self.assertEqual(sorted(os.listdir(self.folder)), before)


class Facts(LayoutTest):
    @needs_torch
    def test_the_longest_sum_is_that_of_a_linear_layer_or_convolution(self):
        import torch

        nn = torch.nn
        self.assertEqual(facts.longest_sum(nn.Sequential(nn.Linear(48, 4), nn.Conv2d(8, 6, (3, 2), groups=2))), 48)
        self.assertEqual(facts.longest_sum(nn.Conv2d(16, 6, (3, 2), groups=2)), 8 * 3 * 2)
        self.assertEqual(facts.longest_sum(nn.ConvTranspose1d(16, 6, 5)), 16 * 5)
        self.assertIsNone(facts.longest_sum(nn.Sequential(nn.ReLU(), nn.BatchNorm2d(4))))
        self.assertIsNone(facts.precision_facts(None)["longest_sum"])


class Documentation(LayoutTest):
    def test_every_public_name_is_documented(self):
        page = (REPOSITORY / "docs/layout-trials.md").read_text()
        for name in layout.__all__:
            self.assertIn(name, page)
            self.assertTrue(getattr(layout, name).__doc__, f"{name} has no words")


if __name__ == "__main__":
    unittest.main()
