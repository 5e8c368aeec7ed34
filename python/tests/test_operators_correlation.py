"""Which operator launched a kernel, from made-up traces in the forms that versions of torch.profiler write."""

import unittest

from fournex.operators.correlation import correlation_pass, entries_of
from support import SdkTest, needs_torch


def op(name, begin, end, tid=1, cat="cpu_op"):
    return {"ph": "X", "cat": cat, "name": name, "pid": 7, "tid": tid, "ts": begin, "dur": end - begin}


def launch(correlation, at, tid=1, name="cudaLaunchKernel", cat="cuda_runtime"):
    return {"ph": "X", "cat": cat, "name": name, "pid": 7, "tid": tid, "ts": at, "dur": 1, "args": {"correlation": correlation}}


def kernel(name, correlation, at, cat="kernel"):
    return {"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": 9, "ts": at, "dur": 2, "args": {"correlation": correlation}}


def entries(*events):
    return [(one["kernel_name"], one["invocation"], one["op_name"]) for one in entries_of({"traceEvents": list(events)})[0]]


class Entries(SdkTest):
    def test_the_innermost_operator_around_the_launch(self):
        operators = [op("aten::linear", 0, 20), op("aten::addmm", 2, 10)]
        self.assertEqual(
            entries(*operators, launch(1, 5), launch(2, 15), kernel("gemm", 1, 100), kernel("add", 2, 110)),
            [("gemm", 0, "aten::addmm"), ("add", 0, "aten::linear")],
        )

    def test_kernels_of_one_name_are_counted_in_the_order_of_their_launch(self):
        self.assertEqual(
            entries(op("aten::a", 0, 4), op("aten::b", 5, 9), launch(1, 6), launch(2, 1), kernel("k", 1, 100), kernel("k", 2, 200)),
            [("k", 0, "aten::a"), ("k", 1, "aten::b")],
        )

    def test_a_kernel_without_an_operator_has_no_entry_and_counts(self):
        kernels = [kernel("k", 1, 100), kernel("k", 2, 110), kernel("k", 3, 120)]
        found, without = entries_of({"traceEvents": [op("aten::a", 5, 9), launch(1, 1), launch(2, 6), *kernels]})
        self.assertEqual(found, [{"kernel_name": "k", "invocation": 1, "op_name": "aten::a"}])
        self.assertEqual(without, 2)

    def test_operators_of_another_thread_are_not_around_it(self):
        self.assertEqual(entries(op("aten::a", 0, 10, tid=2), launch(1, 5, tid=1), kernel("k", 1, 100)), [])

    def test_prims_and_torch_are_passed_over_and_other_names_end_the_walk(self):
        launched = [launch(1, 5), kernel("k", 1, 9)]
        self.assertEqual(entries(op("aten::a", 0, 9), op("prims::b", 1, 8), op("torch::c", 2, 7), *launched), [("k", 0, "aten::a")])
        for other in ("triton_poi_fused_add_0", "autograd::engine::evaluate_function: MulBackward0", "MyFunction"):
            self.assertEqual(entries(op("aten::a", 0, 9), op(other, 1, 8), *launched), [], other)
        self.assertEqual(entries(op("vllm::ns::a.out", 0, 9), *launched), [("k", 0, "vllm::ns::a.out")])

    def test_bounds_begin_in_an_operator_and_end_outside_of_it(self):
        events = [op("aten::a", 0, 5), op("aten::b", 5, 9)]
        self.assertEqual(entries(*events, launch(1, 5), kernel("k", 1, 99)), [("k", 0, "aten::b")])
        self.assertEqual(entries(*events, launch(1, 9), kernel("k", 1, 99)), [])
        self.assertEqual(entries(op("aten::a", 0, 9), op("aten::b", 0, 5), launch(1, 0), kernel("k", 1, 99)), [("k", 0, "aten::b")])

    def test_kernels_of_a_graph_share_their_launch(self):
        self.assertEqual(
            entries(op("aten::a", 0, 9), launch(1, 5, name="cudaGraphLaunch"), kernel("second", 1, 30), kernel("first", 1, 20)),
            [("first", 0, "aten::a"), ("second", 0, "aten::a")],
        )

    def test_of_several_calls_the_one_that_launches_counts(self):
        calls = [launch(1, 1, name="cudaStreamIsCapturing"), launch(1, 6, name="cuLaunchKernel", cat="cuda_driver")]
        for order in (calls, calls[::-1]):
            self.assertEqual(entries(op("aten::a", 0, 4), op("aten::b", 5, 9), *order, kernel("k", 1, 99)), [("k", 0, "aten::b")])

    def test_older_names_of_the_categories_and_copies(self):
        events = [op("aten::a", 0, 9, cat="Operator"), launch(1, 5, cat="Runtime"), kernel("k", 1, 99, cat="Kernel")]
        self.assertEqual(entries(*events, kernel("Memcpy HtoD", 1, 98, cat="gpu_memcpy")), [("k", 0, "aten::a")])
        self.assertEqual(entries_of(events)[1], 0)  # a bare list, as PyTorch without Kineto writes it

    def test_events_without_arguments(self):
        self.assertEqual(entries(op("aten::a", 0, 9), {**launch(1, 5), "args": None}, {**kernel("k", 1, 9), "args": None}), [])

    def test_many_operators_take_no_square_of_time(self):
        events = []
        for number in range(20000):
            at = 10 * number
            events += [op("aten::a", at, at + 9), launch(number, at + 5), kernel("k", number, at + 7)]
        self.assertEqual(len(entries(*events)), 20000)

    @needs_torch
    def test_on_the_cpu_there_is_no_kernel_and_the_work_runs(self):
        import torch

        done = []
        content, without = correlation_pass(lambda: done.append(torch.ones(2) + 1), 1, 2)
        if not torch.cuda.is_available():
            self.assertEqual((content, without), ({"schema_version": "1.0", "entries": []}, 0))
        self.assertEqual(len(done), 3)


if __name__ == "__main__":
    unittest.main()
