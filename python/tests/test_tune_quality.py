"""What a trial says of its results: quality.json, and outputs beside those of the baseline."""

import array
import contextlib
import json
import math
import unittest

import fournex
from fournex.tune import check_output, outputs, report_quality
from support import SdkTest, clean_environment, environment, needs_torch, run


class QualityTest(SdkTest):
    def setUp(self):
        super().setUp()
        self.baseline, self.trial = self.folder / "baseline", self.folder / "dl_nw2_pin1"

    def inside(self, folder, **variables):
        """A run of a tuning that writes to `folder`; with FRX_TUNE_BASELINE_DIR it is a trial."""
        fournex.init(stream_trace=False)  # a new run: what was checked before is forgotten
        return environment(FRX_OUTPUT_DIR=str(folder), FRX_TUNE_MAX_STEPS="25", **variables)

    def in_baseline(self):
        return self.inside(self.baseline)

    def in_trial(self):
        return self.inside(self.trial, FRX_TUNE_BASELINE_DIR=str(self.baseline))

    def quality(self, folder=None):
        return json.loads(((folder or self.trial) / "quality.json").read_text())


class Reports(QualityTest):
    def test_values_are_merged_and_later_ones_count(self):
        with self.in_trial():
            report_quality(validation_loss=0.5, accuracy=1)
            report_quality(validation_loss=0.25, gradient_norm=3.5)
        self.assertEqual(self.quality(), {"validation_loss": 0.25, "accuracy": 1.0, "gradient_norm": 3.5})
        self.assertEqual([path.name for path in self.trial.iterdir()], ["quality.json"], "no temporary file is left")

    def test_what_json_has_no_number_for_is_a_text(self):
        with self.in_trial():
            report_quality(validation_loss=math.nan, perplexity=math.inf, accuracy=-math.inf)
        self.assertEqual(self.quality(), {"validation_loss": "nan", "perplexity": "inf", "accuracy": "-inf"})

    def test_every_documented_name_is_taken(self):
        names = ("validation_loss", "accuracy", "perplexity", "gradient_norm", "parameter_norm", "max_output_abs_diff", "max_output_rel_diff")
        with self.in_trial():
            report_quality(**{name: number for number, name in enumerate(names)})
        self.assertEqual(self.quality(), {name: float(number) for number, name in enumerate(names)})
        with self.assertRaises(TypeError):
            report_quality(loss=1)

    def test_what_is_no_number_is_an_error_that_names_it(self):
        with self.in_trial():
            for value in ("high", [1.0], {}, object()):
                with self.assertRaisesRegex(TypeError, "^accuracy: expected a number or a tensor with one element, found "):
                    report_quality(validation_loss=1.0, accuracy=value)
        self.assertFalse(self.trial.exists(), "nothing of such a call is written")

    def test_outside_of_a_tuning_nothing_is_written(self):
        for variables in ({"FRX_TUNE_MAX_STEPS": None}, {"FRX_TUNE_MAX_STEPS": ""}, {"FRX_OUTPUT_DIR": None}, {"RANK": "1", "WORLD_SIZE": "2"}):
            with self.in_trial(), environment(**variables):
                report_quality(accuracy=1, validation_loss=object() if not variables.get("RANK") else 1)
                check_output([1.0])
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_folder_that_cannot_be_written_is_a_warning(self):
        self.trial.write_text("a file is in the way")
        with self.in_trial(), self.assertLogs("fournex", "WARNING") as logged:
            report_quality(accuracy=1)
        self.assertIn("quality.json cannot be written", logged.output[0])

    def test_a_file_that_is_none_of_ours_is_replaced(self):
        self.trial.mkdir()
        for text in ("", "{", "[1]", "[" * 60_000):
            (self.trial / "quality.json").write_text(text)
            with self.in_trial():
                report_quality(accuracy=0.5)
            self.assertEqual(self.quality(), {"accuracy": 0.5})


class Outputs(QualityTest):
    def compared(self, first, second, name="logits"):
        """The two differences of `second` from `first`, as quality.json has them."""
        with self.in_baseline():
            check_output(first, name)
        with self.in_trial():
            check_output(second, name)
        found = self.quality()
        self.assertEqual(set(found), {"max_output_abs_diff", "max_output_rel_diff"})
        (self.trial / "quality.json").unlink()
        return found["max_output_abs_diff"], found["max_output_rel_diff"]

    def test_the_baseline_keeps_and_reports_nothing(self):
        with self.in_baseline():
            check_output([[1.0, 2.0], [3.0, 4.0]], "logits")
        kept = self.baseline / "outputs"
        self.assertEqual(sorted(path.name for path in kept.iterdir()), ["logits.f64", "logits.json"])
        self.assertEqual(array.array("d", (kept / "logits.f64").read_bytes()).tolist(), [1.0, 2.0, 3.0, 4.0])
        self.assertEqual(json.loads((kept / "logits.json").read_text()), {"sizes": [2, 2], "dtype": "float64", "elements": 4, "stride": 1, "steps": 0})
        self.assertFalse((self.baseline / "quality.json").exists())

    def test_differences_are_the_largest_and_relative_to_the_largest_value(self):
        self.assertEqual(self.compared([1.0, -4.0, 2.0], [1.0, -4.0, 2.0]), (0, 0))
        self.assertEqual(self.compared([1.0, -4.0, 2.0], [1.25, -4.0, 1.5]), (0.5, 0.125))
        self.assertEqual(self.compared(8.0, 6.0), (2.0, 0.25))
        self.assertEqual(self.compared([0.0], [0.5]), (0.5, "inf"))

    def test_another_shape_is_infinitely_far(self):
        self.assertEqual(self.compared([1.0, 2.0], [1.0]), ("inf", "inf"))
        self.assertEqual(self.compared([1.0, 2.0], [[1.0, 2.0]]), ("inf", "inf"))

    def test_values_that_are_no_numbers_differ_on_one_side_only(self):
        nan, inf = math.nan, math.inf
        self.assertEqual(self.compared([nan, inf, -inf, 1.0], [nan, inf, -inf, 1.0]), (0, 0))
        for other in ([0.0, inf, -inf, 1.0], [nan, nan, -inf, 1.0], [nan, inf, inf, 1.0], [nan, inf, -inf, nan]):
            self.assertEqual(self.compared([nan, inf, -inf, 1.0], other), ("inf", "inf"))

    def test_of_several_outputs_the_largest_difference_counts(self):
        with self.in_baseline():
            for name, value in (("a", 1.0), ("b", 2.0), ("c", 4.0)):
                check_output(value, name)
        with self.in_trial():
            for name, value in (("a", 1.0), ("b", 2.5), ("c", 4.25)):
                check_output(value, name)
        self.assertEqual(self.quality(), {"max_output_abs_diff": 0.5, "max_output_rel_diff": 0.25})

    def test_the_second_call_with_a_name_is_compared_with_the_second_one(self):
        with self.in_baseline():
            check_output(1.0)
            check_output(3.0)
        with self.in_trial():
            check_output(1.0)
            check_output(3.5)
        self.assertEqual(self.quality()["max_output_abs_diff"], 0.5)

    def test_names_are_no_paths(self):
        self.assertEqual(self.compared([1.0], [1.5], name="../../head/\u00e4 .0"), (0.5, 0.5))
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["baseline", "dl_nw2_pin1"])
        self.assertEqual({path.parent.name for path in self.baseline.rglob("*.f64")}, {"outputs"})

    def test_after_training_only_equally_many_steps_are_compared(self):
        for steps, reports in ((2, True), (1, False)):
            with self.in_baseline():
                for _ in range(2):
                    with fournex.step_context():
                        pass
                check_output(1.0)
            with self.in_trial(), contextlib.ExitStack() as stack:
                for _ in range(steps):
                    with fournex.step_context():
                        pass
                if not reports:
                    logged = stack.enter_context(self.assertLogs("fournex", "WARNING"))
                check_output(2.0)
            self.assertEqual((self.trial / "quality.json").exists(), reports)
            if reports:
                (self.trial / "quality.json").unlink()
        self.assertIn("it is of step 1, and that of the baseline of step 2", logged.output[0])

    def test_what_the_baseline_did_not_keep_whole_is_not_compared(self):
        with self.in_baseline():
            check_output([1.0, 2.0])
        (self.baseline / "outputs/output.f64").write_bytes(b"\0" * 8)
        for name in ("output", "another"):
            with self.in_trial(), self.assertLogs("fournex", "WARNING") as logged:
                check_output([1.0, 2.0], name)
            self.assertIn(f"the baseline kept no output '{name}'", logged.output[0])
        self.assertFalse(self.trial.exists())

    def test_wrong_use_is_an_error_and_nothing_else_is(self):
        with self.in_trial():
            for value in ("text", None, object(), [1.0, [2.0]], [[1.0], 2.0], [["a"]]):
                with self.assertRaisesRegex(TypeError, "^check_output: expected a tensor or numbers, found "):
                    check_output(value)
            with self.assertRaises(TypeError):
                check_output([1.0], 3)
            for name in ("", "x" * 121):
                with self.assertRaises(ValueError):
                    check_output([1.0], name)
        self.trial.parent.joinpath("baseline").write_text("a file is in the way")
        with self.in_baseline(), self.assertLogs("fournex", "WARNING"):
            check_output([1.0])

    def test_a_baseline_that_runs_again_beside_its_own_folder_is_the_baseline(self):
        with self.inside(self.baseline, FRX_TUNE_BASELINE_DIR=f"{self.folder}/./baseline"):
            check_output([1.0])
        self.assertTrue((self.baseline / "outputs/output.f64").exists())

    def test_of_several_runs_of_the_baseline_the_first_one_counts(self):
        for number, value in ((1, 1.0), (2, 9.0)):
            with self.inside(self.baseline / f"repeat_00{number}"):
                check_output(value)
        with self.in_trial():
            check_output(1.5)
        self.assertEqual(self.quality()["max_output_abs_diff"], 0.5)

    def test_there_is_an_end_of_outputs(self):
        with self.in_baseline(), self.assertLogs("fournex", "WARNING") as logged:
            for number in range(outputs.MOST + 5):
                check_output(float(number), f"o{number}")
        self.assertEqual(len(logged.output), 1)
        self.assertEqual(len(list((self.baseline / "outputs").glob("*.f64"))), outputs.MOST)


@needs_torch
class Tensors(Outputs):
    """The tests above, in a process that has PyTorch; and what only tensors have."""

    def setUp(self):
        super().setUp()
        import torch

        self.torch = torch

    def test_a_value_may_be_a_tensor(self):
        with self.in_trial():
            report_quality(validation_loss=self.torch.tensor(0.5, requires_grad=True), accuracy=self.torch.tensor([0.75]))
            with self.assertRaises(TypeError):
                report_quality(accuracy=self.torch.ones(2))
        self.assertEqual(self.quality(), {"validation_loss": 0.5, "accuracy": 0.75})

    def test_types_and_memory_formats_do_not_matter(self):
        x = self.torch.arange(24.0).reshape(1, 2, 3, 4)
        self.assertEqual(self.compared(x, x.contiguous(memory_format=self.torch.channels_last)), (0, 0))
        self.assertEqual(self.compared(x, x.to(self.torch.bfloat16)), (0, 0))
        self.assertEqual(self.compared(x.requires_grad_(), x.to(self.torch.int64).tolist()), (0, 0))
        # 1/3 in bfloat16 has 8 significant bits: 0.333984375.
        third = self.torch.tensor([1 / 3], dtype=self.torch.float64)
        absolute, _ = self.compared(third, third.to(self.torch.bfloat16))
        self.assertAlmostEqual(absolute, 0.333984375 - 1 / 3, places=15)

    def test_complex_and_empty_tensors(self):
        self.assertEqual(self.compared(self.torch.tensor([3 + 4j]), self.torch.tensor([3 + 2j])), (2.0, 0.5))
        self.assertEqual(self.compared(self.torch.empty(0, 3), self.torch.empty(0, 3)), (0, 0))
        self.assertEqual(self.compared(self.torch.empty(0, 3), self.torch.empty(0, 4)), ("inf", "inf"))

    def test_of_large_tensors_each_nth_element_is_kept(self):
        limit, outputs.LARGEST = outputs.LARGEST, 100
        try:
            x = self.torch.arange(250.0)
            with self.in_baseline():
                check_output(x)
            about = json.loads((self.baseline / "outputs/output.json").read_text())
            self.assertEqual((about["elements"], about["stride"], about["sizes"]), (84, 3, [250]))
            self.assertEqual(self.compared(x, x + 1, name="b"), (1.0, 1 / 249))
        finally:
            outputs.LARGEST = limit

    def test_a_tensor_that_cannot_be_read_is_a_warning(self):
        with self.in_baseline(), self.assertLogs("fournex", "WARNING") as logged:
            check_output(self.torch.empty(2, device="meta"))
        self.assertIn("the output 'output' was not checked", logged.output[0])


class WithoutNumpy(SdkTest):
    @needs_torch
    def test_tensors_are_kept_and_compared_without_numpy(self):
        program = """
            import sys
            sys.modules["numpy"] = None  # an import of it fails from here on
            import torch
            import fournex.tune
            fournex.tune.check_output(torch.ones(3, dtype=torch.float16) * float(sys.argv[1]) if len(sys.argv) > 1 else torch.ones(3))
        """
        run(program, clean_environment(FRX_OUTPUT_DIR="base", FRX_TUNE_MAX_STEPS="5"), self.folder)
        self.assertEqual(array.array("d", (self.folder / "base/outputs/output.f64").read_bytes()).tolist(), [1.0] * 3)
        run(program, clean_environment(FRX_OUTPUT_DIR="trial", FRX_TUNE_BASELINE_DIR="base", FRX_TUNE_MAX_STEPS="5"), self.folder)
        self.assertEqual(json.loads((self.folder / "trial/quality.json").read_text()), {"max_output_abs_diff": 0.0, "max_output_rel_diff": 0.0})


if __name__ == "__main__":
    unittest.main()
