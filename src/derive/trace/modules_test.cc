#include "derive/trace/modules.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "ingest/chrome_trace/testing.h"

namespace frx::derive::trace {
namespace {

using frx::testing::event;
using frx::testing::trace_of;
using frx::testing::trace_with;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Pair;

std::string_view name_or_none(const model::Timeline& timeline, std::uint32_t row) { return row == none ? "none" : timeline.name_of(row); }

// Of each operator, by its name.
std::vector<std::pair<std::string, std::string>> texts_of_places(const model::Timeline& timeline) {
  std::vector<std::uint32_t> operators;
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.kind[row] == model::EventKind::cpu_op) operators.push_back(row);
  }
  const std::vector<ProgramPlace> places = program_places(timeline, operators);
  std::vector<std::pair<std::string, std::string>> texts;
  for (std::size_t i = 0; i < places.size(); ++i) {
    texts.emplace_back(timeline.name_of(operators[i]), places[i].is_known() ? program_line(timeline, places[i]).text() : "none");
  }
  return texts;
}

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
  EXPECT_THAT(texts_of_places(timeline), Contains(Pair("aten::addmm", "train.py(9): main"))) << "not the line of torch";
}

TEST(Modules, LinesOfTorchAndPythonAreNotOfTheProgram) {
  EXPECT_TRUE(is_program_function("model.py(42): forward"));
  EXPECT_TRUE(is_program_function("/home/a/model.py(42): forward"));
  EXPECT_TRUE(is_program_function("/usr/lib/python3.11/site-packages/transformers/qwen.py(7): forward"));
  EXPECT_FALSE(is_program_function("torch/nn/modules/linear.py(114): forward"));
  EXPECT_FALSE(is_program_function("/opt/lib/python3.9/site-packages/torch/nn/functional.py(3): linear"));
  EXPECT_FALSE(is_program_function("/usr/lib/python3.11/threading.py(982): run"));
  EXPECT_TRUE(is_program_function("/usr/lib/python3/dist-packages/einops/layers.py(7): forward")) << "as a package of pip";
  EXPECT_FALSE(is_program_function("/usr/lib/python3/dist-packages/torch/_tensor.py(7): backward"));
  EXPECT_FALSE(is_program_function("/opt/pytorch/torch/nn/functional.py(3): linear")) << "a checkout";
  EXPECT_FALSE(is_program_function("/opt/pytorch/torch/compiler/__init__.py(3): compile")) << "a checkout";
  EXPECT_TRUE(is_program_function("/usr/lib/python3/site-packages/flash/torch/utils/pad.py(3): pad")) << "of another package";
  EXPECT_TRUE(is_program_function("/home/u/torch/model.py(47): forward")) << "a folder of the program";
  EXPECT_FALSE(is_program_function("functools.py(47): wrap"));
  EXPECT_FALSE(is_program_function("concurrent/futures/thread.py(52): run"));
  EXPECT_TRUE(is_program_function("my_functools.py(47): wrap"));
  EXPECT_TRUE(is_program_function("<ipython-input-3-4f2a>(2): step"));
  EXPECT_FALSE(is_program_function("<string>(2): __init__"));
  EXPECT_FALSE(is_program_function("/usr/lib/site-packages/timm/vit.py(7): forward", {.only = "src/"}));
  EXPECT_TRUE(is_program_function("src/model.py(7): forward", {.only = "src/"}));
  EXPECT_FALSE(is_program_function("<built-in function linear>"));
  EXPECT_FALSE(is_program_function("nn.Module: Linear_0"));
}

// Calls as PyTorch records them since 2026: "CallFrom" is the file and the line of the caller.
class ProgramPlaces : public ::testing::Test {
 protected:
  void function(std::string_view name, int start, int duration, std::string_view from = "") {
    add("python_function", name, start, duration, from.empty() ? "" : fmt::format(R"("CallFrom": "{}")", from));
  }
  void op(std::string_view name, int start, int duration) { add("cpu_op", name, start, duration, ""); }
  std::vector<std::pair<std::string, std::string>> places() const { return texts_of_places(trace_of(trace_with(events_))); }

 private:
  void add(std::string_view kind, std::string_view name, int start, int duration, const std::string& arguments) {
    events_ += event(kind, name, "1/1", start, duration, arguments);
  }
  std::string events_;
};

TEST_F(ProgramPlaces, AreTheLinesOfCallsWhereTheseWereRecorded) {
  function("train.py(9): main", 0, 100, "train.py:70");
  function("nn.Module: Net_0", 1, 90, "train.py:14");
  function("model.py(42): forward", 2, 80, "torch/nn/modules/module.py:1553");
  function("<built-in method contiguous of Tensor object at 0x7f>", 10, 10, "model.py:47");
  op("aten::contiguous", 11, 8);
  function("torch/functional.py(300): einsum", 30, 20, "model.py:48");
  function("<built-in method einsum>", 31, 18, "torch/functional.py:373");
  op("aten::einsum", 32, 10);
  op("aten::add", 60, 5);
  function("model.py(80): helper", 70, 5, "model.py:52");
  op("aten::mul", 71, 2);
  op("aten::sub", 95, 2);
  EXPECT_THAT(places(), ElementsAre(Pair("aten::contiguous", "model.py:47 in forward"), Pair("aten::einsum", "model.py:48 in forward"),
                                    // An operator of the language has no call of its own, and a helper is a place itself.
                                    Pair("aten::add", "model.py(42): forward"), Pair("aten::mul", "model.py(80): helper"),
                                    Pair("aten::sub", "train.py(9): main")));
}

TEST_F(ProgramPlaces, OfACallerThatWasNotRecordedHaveNoFunction) {
  function("train.py(9): main", 0, 100);
  function("<built-in method clone of Tensor object at 0x7f>", 10, 10, "model.py:47");
  op("aten::clone", 11, 8);
  EXPECT_THAT(places(), ElementsAre(Pair("aten::clone", "model.py:47")));
}

TEST_F(ProgramPlaces, AreThoseOfFunctionsWhereACallIsNoPlace) {
  function("model.py(42): forward", 0, 100);
  for (const std::string_view from : {"model.py", "model.py:", "model.py:4x", "model.py:99999999999", ":7", "<string>:7", ""}) {
    function("<built-in method clone of Tensor object at 0x7f>", 10, 10, from);
  }
  op("aten::clone", 11, 8);
  EXPECT_THAT(places(), ElementsAre(Pair("aten::clone", "model.py(42): forward")));
}

TEST_F(ProgramPlaces, OfFilesOfAnotherSystemAreReadAsWell) {
  function(R"(C:\\net\\model.py(42): forward)", 0, 100);
  function("<built-in method clone of Tensor object at 0x7f>", 10, 10, R"(C:\\net\\model.py:47)");
  op("aten::clone", 11, 8);
  EXPECT_THAT(places(), ElementsAre(Pair("aten::clone", R"(C:\net\model.py:47 in forward)")));
}

}  // namespace
}  // namespace frx::derive::trace
