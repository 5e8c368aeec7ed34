#include "derive/trace/modules.h"

#include <gtest/gtest.h>

#include "ingest/chrome_trace/testing.h"

namespace frx::derive::trace {
namespace {

using frx::testing::event;
using frx::testing::trace_of;
using frx::testing::trace_with;

std::string_view name_or_none(const model::Timeline& timeline, std::uint32_t row) { return row == none ? "none" : timeline.name_of(row); }

TEST(Modules, AKernelBelongsToTheInnermostModuleAroundItsLaunch) {
  const std::string function = "python_function";
  const model::Timeline timeline = trace_of(trace_with(
      event(function, "train.py(9): main", "1/1", 0, 100) + event(function, "nn.Module: Net_0", "1/1", 1, 50) +
      event(function, "torch/nn/modules/module.py(1): _call_impl", "1/1", 2, 48) + event(function, "nn.Module: Linear_0", "1/1", 10, 20) +
      event("cpu_op", "aten::addmm", "1/1", 12, 10) + event("cuda_runtime", "cudaLaunchKernel", "1/1", 13, 2, "\"correlation\": 1") +
      event("cpu_op", "aten::relu", "1/1", 40, 5) + event("cuda_runtime", "cudaLaunchKernel", "1/1", 41, 2, "\"correlation\": 2") +
      event("cpu_op", "aten::mul", "1/1", 60, 5) + event("cuda_runtime", "cudaLaunchKernel", "1/1", 61, 2, "\"correlation\": 3") +
      event("kernel", "gemm", "0/7", 20, 5, "\"correlation\": 1, \"device\": 0, \"stream\": 7") +
      event("kernel", "relu", "0/7", 45, 5, "\"correlation\": 2, \"device\": 0, \"stream\": 7") +
      event("kernel", "mul", "0/7", 65, 5, "\"correlation\": 3, \"device\": 0, \"stream\": 7")));
  const OperatorCalls calls = operator_calls(timeline, attribute(timeline));
  const ModuleRanges modules = module_ranges(timeline, calls.kernels);
  ASSERT_EQ(modules.of_kernel.size(), 3u);
  EXPECT_EQ(name_or_none(timeline, modules.of_kernel[0]), "nn.Module: Linear_0");
  EXPECT_EQ(name_or_none(timeline, modules.of_kernel[1]), "nn.Module: Net_0");
  EXPECT_EQ(name_or_none(timeline, modules.of_kernel[2]), "none");
  EXPECT_EQ(name_or_none(timeline, modules.around[modules.of_kernel[0]]), "nn.Module: Net_0");
  const std::vector<std::uint32_t> lines = program_lines(timeline, {calls.calls[0].range});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(name_or_none(timeline, lines[0]), "train.py(9): main") << "not the line of torch";
}

TEST(Modules, LinesOfTorchAndPythonAreNotOfTheProgram) {
  EXPECT_TRUE(is_program_line("model.py(42): forward"));
  EXPECT_TRUE(is_program_line("/home/a/model.py(42): forward"));
  EXPECT_TRUE(is_program_line("/usr/lib/python3.11/site-packages/transformers/qwen.py(7): forward"));
  EXPECT_FALSE(is_program_line("torch/nn/modules/linear.py(114): forward"));
  EXPECT_FALSE(is_program_line("/opt/lib/python3.9/site-packages/torch/nn/functional.py(3): linear"));
  EXPECT_FALSE(is_program_line("/usr/lib/python3.11/threading.py(982): run"));
  EXPECT_FALSE(is_program_line("<built-in function linear>"));
  EXPECT_FALSE(is_program_line("nn.Module: Linear_0"));
}

}  // namespace
}  // namespace frx::derive::trace
