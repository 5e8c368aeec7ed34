"""Layer deduplication: what is a duplicate, and above all what is none."""

import unittest
import unittest.mock

from fournex.operators import FormatError, find_layers
from fournex.operators.layers import load_partition, recorded_calls
from fournex.operators.signatures import _noted_facts
from support import SdkTest, needs_torch


def found_in(model, work):
    """The layers of one iteration without gradients: with them, the first layer's backward is another one than the others'."""
    import torch

    with torch.no_grad():
        return find_layers(model, work)


def layers_of(model, *args, **kwargs):
    return found_in(model, lambda: model(*args, **kwargs))


@needs_torch
class Duplicates(SdkTest):
    def setUp(self):
        super().setUp()
        import torch

        self.torch = torch
        torch.manual_seed(0)

    def sequence(self, *layers):
        return self.torch.nn.Sequential(*layers).eval()

    def test_layers_with_other_values_but_the_same_work_are_duplicates(self):
        nn = self.torch.nn
        found = layers_of(self.sequence(*(nn.Linear(4, 4) for _ in range(3))), self.torch.randn(2, 4))
        self.assertEqual(found.duplicates, {"1": "0", "2": "0"})
        self.assertEqual(found.methods, {"0": "fx", "1": "fx", "2": "fx"})
        self.assertIn("3 layers, 1 unique", found.note())

    def test_blocks_are_compared_before_their_parts(self):
        nn = self.torch.nn
        block = lambda: nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))  # noqa: E731
        self.assertEqual(layers_of(self.sequence(block(), block()), self.torch.randn(2, 4)).duplicates, {"1": "0"})

    def test_parts_of_a_block_that_is_alone_are_compared(self):
        nn = self.torch.nn
        found = layers_of(self.sequence(nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4)), nn.Linear(4, 3)), self.torch.randn(2, 4))
        self.assertEqual(found.duplicates, {"0.1": "0.0"})

    def test_modules_without_parameters_are_no_layers(self):
        nn = self.torch.nn
        self.assertEqual(layers_of(self.sequence(nn.ReLU(), nn.ReLU()), self.torch.randn(2, 4)).duplicates, {})

    def check_different(self, first, second, x):
        found = layers_of(self.sequence(first, second), x)
        self.assertEqual(found.duplicates, {})
        self.assertIn("no layer", found.note())

    def test_other_shapes_of_parameters(self):
        nn = self.torch.nn
        self.check_different(nn.Linear(4, 8), nn.Linear(8, 4), self.torch.randn(2, 4))

    def test_other_shapes_of_inputs(self):
        nn = self.torch.nn
        self.check_different(nn.Conv2d(2, 2, 3), nn.Conv2d(2, 2, 3), self.torch.randn(1, 2, 8, 8))  # 8 x 8, then 6 x 6

    def test_other_constants(self):
        nn = self.torch.nn
        for make, first, second in (
            (nn.Conv2d, {"dilation": 1, "padding": 1}, {"dilation": 2, "padding": 2}),
            (nn.Conv2d, {"padding": 1}, {"padding": 1, "padding_mode": "reflect"}),
        ):
            self.check_different(make(2, 2, 3, **first), make(2, 2, 3, **second), self.torch.randn(1, 2, 8, 8))
        self.check_different(nn.LayerNorm(4, eps=1e-5), nn.LayerNorm(4, eps=1e-6), self.torch.randn(2, 4))
        self.check_different(nn.Linear(4, 4), nn.Linear(4, 4, bias=False), self.torch.randn(2, 4))

    def scaled(self, **kinds):
        """A layer that multiplies by a constant of its own and hands on `kinds` to its second argument."""
        nn, torch = self.torch.nn, self.torch

        class Scaled(nn.Module):
            def __init__(self, constant, dtype=torch.float32):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(4, dtype=dtype))
                self.constant = constant

            def forward(self, x, *, negate=False):
                y = x.to(self.weight.dtype) * self.weight * self.constant
                return -y if negate else y

        return Scaled

    def test_a_constant_in_the_code_of_one_class(self):
        Scaled, x = self.scaled(), self.torch.randn(2, 4)
        self.check_different(Scaled(2.0), Scaled(3.0), x)
        self.check_different(Scaled(2), Scaled(2.0), x)
        self.assertEqual(layers_of(self.sequence(Scaled(2.0), Scaled(2.0)), x).duplicates, {"1": "0"})

    def test_other_dtypes(self):
        Scaled = self.scaled()
        self.check_different(Scaled(2.0), Scaled(2.0, self.torch.float64), self.torch.randn(2, 4))
        # The same parameters, and inputs of two types.
        nn = self.torch.nn
        model = nn.ModuleList([Scaled(2.0), Scaled(2.0)])
        x = self.torch.randn(2, 4)
        self.assertEqual(found_in(model, lambda: (model[0](x), model[1](x.double()))).duplicates, {})

    def test_other_keyword_arguments(self):
        Scaled, nn, x = self.scaled(), self.torch.nn, self.torch.randn(2, 4)
        model = nn.ModuleList([Scaled(2.0), Scaled(2.0), Scaled(2.0)])
        found = found_in(model, lambda: (model[0](x, negate=True), model[1](x), model[2](x, negate=True)))
        self.assertEqual(found.duplicates, {"2": "0"})

    def test_other_strides(self):
        nn, x = self.torch.nn, self.torch.randn(4, 4)
        model = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.assertEqual(found_in(model, lambda: (model[0](x), model[1](x.t()))).duplicates, {})

    def test_the_same_tensor_twice_is_other_work_than_two_tensors(self):
        nn, torch = self.torch.nn, self.torch

        class Add(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(4))

            def forward(self, a, b):
                return a * self.weight + b

        model, x, y = nn.ModuleList([Add(), Add(), Add()]), torch.randn(4), torch.randn(4)
        self.assertEqual(found_in(model, lambda: (model[0](x, x), model[1](x, y), model[2](y, x))).duplicates, {"2": "1"})

    def test_the_edges_of_the_graph(self):
        nn, torch = self.torch.nn, self.torch

        class Mixed(nn.Module):
            def __init__(self, swapped):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(4))
                self.__dict__["_swapped"] = swapped  # seen by nobody but the graph

            def forward(self, x):
                a, b = torch.sin(x * self.weight), torch.cos(x * self.weight)
                return b - a if self._swapped else a - b

        x = torch.randn(4)
        self.check_different(Mixed(False), Mixed(True), x)
        self.assertEqual(layers_of(self.sequence(Mixed(True), Mixed(True)), x).duplicates, {"1": "0"})

    def test_a_constant_tensor_counts_by_its_values_and_a_buffer_does_not(self):
        nn, torch = self.torch.nn, self.torch

        class Shifted(nn.Module):
            def __init__(self, shift, as_buffer):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(2))
                if as_buffer:
                    self.register_buffer("shift", shift)
                else:
                    self.shift = shift

            def forward(self, x):
                return x * self.weight + self.shift

        x, one, two = torch.randn(2), torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
        self.check_different(Shifted(one, False), Shifted(two, False), x)
        self.assertEqual(layers_of(self.sequence(Shifted(one, True), Shifted(two, True)), x).duplicates, {"1": "0"})

    def test_training_and_evaluation(self):
        nn = self.torch.nn
        model = self.sequence(nn.BatchNorm1d(4), nn.BatchNorm1d(4), nn.BatchNorm1d(4))
        model[1].train()
        self.assertEqual(layers_of(model, self.torch.randn(2, 4)).duplicates, {"2": "0"})

    def test_frozen_layers_have_another_backward(self):
        nn = self.torch.nn
        model = self.sequence(nn.Linear(4, 4), nn.Linear(4, 4))
        model[1].requires_grad_(False)
        self.assertEqual(layers_of(model, self.torch.randn(2, 4)).duplicates, {})

    def test_a_layer_whose_input_needs_no_gradient_has_another_backward(self):
        nn, x = self.torch.nn, self.torch.randn(2, 4)
        model = self.sequence(*(nn.Linear(4, 4) for _ in range(3)))
        self.assertEqual(find_layers(model, lambda: model(x)).duplicates, {"2": "1"})

    def test_layers_that_are_called_several_times(self):
        nn, x = self.torch.nn, self.torch.randn(2, 4)
        model = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
        found = found_in(model, lambda: (model[0](x), model[0](x), model[1](x), model[2](x), model[2](x)))
        self.assertEqual(found.duplicates, {"2": "0"})

    def branching(self):
        nn, torch = self.torch.nn, self.torch

        class Branching(nn.Module):
            def __init__(self, number=0):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(4))
                self.number = number

            def forward(self, x):
                y = x * self.weight
                return y if y.sum().item() > 0 else -y

        return Branching

    def test_what_cannot_be_traced_is_told_by_its_structure(self):
        Branching, x = self.branching(), self.torch.ones(4)
        model = self.sequence(Branching(), Branching())
        with unittest.mock.patch("fournex.operators.signatures.traced", side_effect=RuntimeError("control flow")):
            found = layers_of(model, x)
            self.assertEqual(found.duplicates, {"1": "0"})
            self.assertEqual(set(found.methods.values()), {"structure"})
            self.assertIn("structure of their modules; torch.fx could not trace: RuntimeError: control flow", found.note())
            self.assertEqual(found.note().count("control flow"), 1)
            self.assertEqual(layers_of(self.sequence(Branching(1), Branching(2)), x).duplicates, {})
            for name, first, second in (
                ("_hidden", 1, 2),
                ("mask", self.torch.tensor([1]), self.torch.tensor([2])),
                ("config", object(), object()),
                ("activation", lambda y: y, lambda y: -y),
                ("sizes", [1, {"a": (2, 3)}], [1, {"a": (2, 4)}]),
            ):
                pair = [Branching(), Branching()]
                for layer, value in zip(pair, (first, second)):
                    setattr(layer, name, value)
                self.assertEqual(layers_of(self.sequence(*pair), x).duplicates, {}, name)
                setattr(pair[1], name, first)
                self.assertEqual(layers_of(self.sequence(*pair), x).duplicates, {"1": "0"}, name)

    def test_layers_with_objects_of_unknown_content_are_not_run_again(self):
        nn, torch = self.torch.nn, self.torch

        class Cache:
            calls = 0

        class Cached(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(4))

            def forward(self, x, cache):
                cache.calls += 1
                return x * self.weight

        model, cache, x = nn.ModuleList([Cached(), Cached()]), Cache(), torch.ones(4)
        found = found_in(model, lambda: (model[0](x, cache), model[1](x, cache)))
        self.assertEqual((found.duplicates, set(found.methods.values())), ({"1": "0"}, {"structure"}))
        self.assertEqual(cache.calls, 2)
        self.assertIn("Cache", found.note())
        self.assertEqual(found_in(model, lambda: (model[0](x, Cache()), model[1](x, Cache()))).duplicates, {})

    def test_the_model_and_the_random_numbers_are_as_before(self):
        nn, torch = self.torch.nn, self.torch
        model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Linear(4, 4), nn.BatchNorm1d(4)).train()
        state = {name: value.clone() for name, value in model.state_dict().items()}
        members = [sorted(vars(part)) for part in model.modules()]
        torch.manual_seed(7)
        layers_of(model, torch.ones(2, 4))
        after = torch.rand(1)
        torch.manual_seed(7)
        self.assertTrue(torch.equal(after, torch.rand(1)))
        self.assertEqual([name for name, value in model.state_dict().items() if not torch.equal(value, state[name])], [])
        self.assertEqual([sorted(vars(part)) for part in model.modules()], members)

    def test_layers_that_get_their_parameters_in_the_first_run(self):
        nn = self.torch.nn
        model = self.sequence(*(layer for _ in range(3) for layer in (nn.LazyLinear(4), nn.LazyBatchNorm1d())))
        self.assertEqual(layers_of(model, self.torch.randn(2, 4)).duplicates, {"2": "0", "3": "1", "4": "0", "5": "1"})

    def test_results_are_noted_as_older_and_as_newer_tracers_do(self):
        from torch.fx.passes.shape_prop import _extract_tensor_metadata

        tensor = self.torch.empty(2, 3, dtype=self.torch.float16).t()
        self.assertEqual(_noted_facts(tensor), [[3, 2], [1, 3], "torch.float16", "cpu"])
        self.assertEqual(_noted_facts(_extract_tensor_metadata(tensor))[:3], _noted_facts(tensor)[:3])
        self.assertEqual([_noted_facts(value) for value in (None, 4, object())], [["NoneType", "None"], ["int", "4"], None])

    def test_inputs_are_kept_of_possible_duplicates_only(self):
        nn = self.torch.nn
        model = self.sequence(nn.Linear(4, 4), nn.Linear(4, 3), nn.LayerNorm(3))
        calls = recorded_calls(model, lambda: model(self.torch.ones(2, 4)))
        self.assertEqual({name: len(found[0].tensors) for name, found in calls.items()}, {"": 0, "0": 1, "1": 1, "2": 0})

    def test_an_exception_of_the_model_takes_the_recording_from_it(self):
        model = self.sequence(self.torch.nn.Linear(4, 4))
        with self.assertRaises(Exception):
            recorded_calls(model, lambda: model(self.torch.ones(3)))
        self.assertNotIn("forward", vars(model[0]))

    def test_a_forward_of_the_object_itself_stays(self):
        model = self.sequence(self.torch.nn.Linear(4, 4))
        mine = model[0].forward = lambda x: x
        layers_of(model, self.torch.ones(4))
        self.assertIs(model[0].forward, mine)


class PartitionFile(SdkTest):
    def test_is_a_flat_map(self):
        path = self.folder / "a.part.json"
        path.write_text('{"blocks.1": "blocks.0"}')
        self.assertEqual(load_partition(path), {"blocks.1": "blocks.0"})
        for text in ("[]", '{"a": 1}', "{"):
            path.write_text(text)
            with self.assertRaisesRegex(FormatError, "a.part.json: "):
                load_partition(path)


if __name__ == "__main__":
    unittest.main()
