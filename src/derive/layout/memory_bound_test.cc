#include "derive/layout/memory_bound.h"

#include <gmock/gmock.h>

#include "derive/layout/testing.h"

namespace frx::derive::layout {
namespace {

using ::testing::SizeIs;

// 1 TB/s: a million bytes take a microsecond. 10 and 100 operations per byte.
constexpr GpuPeaks terabyte_gpu{1e12, 4e6, 10e12, 100e12};
// 1000 x 2000 two_floats: 8 MB; an addition moves 24 MB, which the peak does in 24 us.
const std::string two_sizes = "[[1000, 2000], [1000, 2000]]", two_floats = R"(["float", "float"])", bound_rows = "[[2000, 1], [2000, 1]]",
                  bound_columns = "[[2000, 1], [1, 1000]]";

void call_operator(Recording& program, std::string_view name, const RecordedArguments& arguments, double us) {
  program.op(name, arguments, [&] { program.kernel("k", us); });
}

MemoryBoundKernels judged_kernels(const Recording& program, const GpuPeaks& of = terabyte_gpu) {
  const auto trace = program.trace();
  return trace ? memory_bound(*trace, traffic_of_work(*trace), of) : MemoryBoundKernels();
}

std::string class_of_addition(double us, const GpuPeaks& of = terabyte_gpu, std::string_view name = "aten::add") {
  Recording program;
  call_operator(program, name, {.sizes = two_sizes, .strides = bound_rows, .types = two_floats}, us);
  const MemoryBoundKernels kernels = judged_kernels(program, of);
  for (std::size_t i = 0; i < bound_classes; ++i) {
    if (kernels.classes[i].kernels > 0) return std::string(name_of(static_cast<BoundClass>(i)));
  }
  return "none";
}

TEST(MemoryBound, ClassesGoByTheShareOfThePeak) {
  EXPECT_EQ(class_of_addition(34), "saturated");    // 70.6 %
  EXPECT_EQ(class_of_addition(35), "moderate");     // 68.6 %
  EXPECT_EQ(class_of_addition(59.5), "moderate");   // 40.3 %
  EXPECT_EQ(class_of_addition(61), "inefficient");  // 39.3 %
  EXPECT_EQ(class_of_addition(4), "latency");
  EXPECT_EQ(class_of_addition(61, {1e12, 25e6, 10e12, 100e12}), "cached");
  EXPECT_EQ(class_of_addition(61, {{}, 4e6, 10e12, 100e12}), "unassessed");
  EXPECT_EQ(class_of_addition(61, {1e12, 4e6, {}, 100e12}), "unassessed");
  EXPECT_EQ(class_of_addition(61, {1e12, {}, 10e12, 100e12}), "unassessed");
  EXPECT_EQ(class_of_addition(34, {1e12, {}, {}, {}}), "saturated");  // needs the bandwidth alone
  // A lower bound says nothing of a small share, and enough of a large one.
  EXPECT_EQ(class_of_addition(61, terabyte_gpu, "aten::topk"), "unassessed");
  EXPECT_EQ(class_of_addition(20, terabyte_gpu, "aten::topk"), "saturated");  // 16 MB of inputs alone
}

TEST(MemoryBound, FewerBlocksThanSmsAreLatency) {
  const auto class_of_grid = [](std::string_view grid, std::optional<double> sms) {
    Recording program;
    program.op("aten::add", {.sizes = two_sizes, .strides = bound_rows, .types = two_floats},
               [&] { program.kernel("k", 61, "kernel", fmt::format(R"("grid": {}, "block": [256, 1, 1])", grid)); });
    GpuPeaks peaks = terabyte_gpu;
    peaks.sms = sms;
    const MemoryBoundKernels kernels = judged_kernels(program, peaks);
    return kernels.classes[static_cast<std::size_t>(BoundClass::latency)].kernels > 0;
  };
  EXPECT_TRUE(class_of_grid("[64, 1, 1]", 108));
  EXPECT_FALSE(class_of_grid("[27, 4, 1]", 108));
  EXPECT_FALSE(class_of_grid("[64, 1, 1]", {})) << "how many SMs there are is not known";
}

// 2 x 1000 x 1000 x 2000 operations over 20 MB: 200 per byte; of halves on tensor cores, 400 where 100 are needed.
TEST(MemoryBound, OperationsPerByteTellComputeApart) {
  Recording program;
  call_operator(program, "aten::mm", {.sizes = "[[1000, 2000], [2000, 1000]]", .types = two_floats}, 500);
  // One row: 2 operations per element of 4 MB of halves, 1 per byte.
  call_operator(program, "aten::mm", {.sizes = "[[1, 2000], [2000, 1000]]", .types = R"(["c10::Half", "c10::Half"])"}, 500);
  const MemoryBoundKernels kernels = judged_kernels(program);
  EXPECT_EQ(kernels.classes[static_cast<std::size_t>(BoundClass::compute)].kernels, 1);
  EXPECT_EQ(kernels.classes[static_cast<std::size_t>(BoundClass::compute)].time_ns, 500000);
  ASSERT_THAT(kernels.found, SizeIs(1));
  EXPECT_NEAR(kernels.found[0].facts.at("intensity"), 0.998, 0.002);
  EXPECT_EQ(kernels.found[0].facts.at("ridge"), 100);
}

TEST(MemoryBound, EqualCallsAreOneFinding) {
  Recording program;
  call_operator(program, "aten::add", {.sizes = two_sizes, .strides = bound_columns, .types = two_floats}, 90);
  call_operator(program, "aten::add", {.sizes = two_sizes, .strides = bound_columns, .types = two_floats}, 110);
  call_operator(program, "aten::mul", {.sizes = two_sizes, .strides = bound_rows, .types = two_floats}, 120);
  const MemoryBoundKernels kernels = judged_kernels(program);
  ASSERT_THAT(kernels.found, SizeIs(2));
  const Candidate& first = kernels.found[0];
  EXPECT_EQ(first.detector, "memory_bound");
  EXPECT_EQ(first.pattern, "strided");
  EXPECT_EQ(first.count, 2);
  EXPECT_EQ(first.time_ns, 200000);
  EXPECT_EQ(*first.bytes, 48e6);
  EXPECT_THAT(first.nodes, ::testing::ElementsAre(0, 1));
  EXPECT_DOUBLE_EQ(first.facts.at("achieved_share_pct"), 24);  // 48 MB in 200 us
  // At 70 % of the peak 48 MB take 68.6 us.
  EXPECT_NEAR(first.saving->best_ns, 200000 - 68571.4, 0.1);
  EXPECT_EQ(first.saving->low_ns, 0);
  EXPECT_EQ(first.confidence, 0.8);
  EXPECT_EQ(first.words.at("sizes"), "[1000, 2000]");
  EXPECT_EQ(kernels.found[1].pattern, "unexplained");
  EXPECT_EQ(kernels.found[1].confidence, 0.4);
  EXPECT_EQ(kernels.classes[static_cast<std::size_t>(BoundClass::inefficient)].kernels, 3);
}

std::string_view bound_pattern(std::string_view name, const RecordedArguments& inputs, double us) {
  Recording program;
  call_operator(program, name, inputs, us);
  const MemoryBoundKernels kernels = judged_kernels(program);
  return kernels.found.empty() ? "none" : kernels.found[0].pattern;
}

TEST(MemoryBound, TheCauseIsInTheStrides) {
  EXPECT_EQ(bound_pattern("aten::copy_", {.sizes = two_sizes, .strides = bound_columns, .types = two_floats}, 100), "relayout");
  EXPECT_EQ(bound_pattern("aten::add", {.sizes = two_sizes, .strides = bound_columns, .types = two_floats}, 100), "strided");
  // 4 of 8 columns: rows of 16 bytes; 1000 of 2000: rows of 4000.
  EXPECT_EQ(bound_pattern("aten::sum", {.sizes = "[[2000000, 4]]", .strides = "[[8, 1]]", .types = R"(["float"])"}, 100), "gapped");
  EXPECT_EQ(bound_pattern("aten::sum", {.sizes = "[[8000, 1000]]", .strides = "[[2000, 1]]", .types = R"(["float"])"}, 100), "unexplained");
  EXPECT_EQ(bound_pattern("aten::add", {.sizes = two_sizes, .types = two_floats}, 100), "unexplained");
  // Rows of 1001 halves are 2002 bytes.
  EXPECT_EQ(bound_pattern("aten::_softmax", {.sizes = "[[8000, 1001], [], []]", .types = R"(["c10::Half", "", ""])"}, 100), "unaligned");
  EXPECT_EQ(bound_pattern("aten::_softmax", {.sizes = "[[8000, 1000], [], []]", .types = R"(["c10::Half", "", ""])"}, 100), "unexplained");
  // 6 MB: 8.6 us at 70 % of the peak.
  EXPECT_EQ(
      bound_pattern("aten::add", {.sizes = "[[500, 1000], [500, 1000]]", .strides = "[[1000, 1], [1000, 1]]", .types = two_floats}, 20),
      "small");
}

std::unique_ptr<LayoutTrace> trace_with_events(const std::string& events) {
  const std::string text = ::frx::testing::trace_with(events);
  const std::unique_ptr<ByteSource> source = open_bytes(text);
  Result<model::Timeline> timeline = ingest::trace::read_trace("t.json", *source, {.all_arguments = true});
  if (!timeline) return nullptr;
  return LayoutTrace::of(std::move(*timeline)).value_or(nullptr);
}

// 24 MB in 61 whole microseconds are 39.3 % of the peak, or 40 % of it in 60: too near to tell. In 100, 24 % or 24.2 %.
TEST(MemoryBound, WholeMicrosecondsWidenTheTimes) {
  const auto judged_at = [](int us) {
    const auto whole = [](std::string_view category, std::string_view name, int thread, int start, int lasts, const std::string& args) {
      return fmt::format(R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 1, "tid": {}, "ts": {}, "dur": {}, "args": {{{}}}}},)", category,
                         name, thread, start, lasts, args);
    };
    const std::string inputs =
        fmt::format(R"("Input Dims": {}, "Input type": {}, "Input Strides": {})", two_sizes, two_floats, bound_columns);
    const auto trace = trace_with_events(whole("cpu_op", "aten::add", 1, 0, 50, inputs) +
                                         whole("cuda_runtime", "cudaLaunchKernel", 1, 10, 5, R"("correlation": 1)") +
                                         whole("kernel", "k", 7, 100, us, R"("correlation": 1)"));
    return trace ? memory_bound(*trace, traffic_of_work(*trace), terabyte_gpu) : MemoryBoundKernels();
  };
  EXPECT_THAT(judged_at(61).found, SizeIs(0));
  const MemoryBoundKernels sure = judged_at(100);
  ASSERT_THAT(sure.found, SizeIs(1));
  EXPECT_DOUBLE_EQ(sure.found[0].confidence, 0.8 * 0.99);
  EXPECT_THAT(sure.found[0].caveats, ::testing::ElementsAre("times are whole microseconds: the bandwidth may be off by 1 %"));
}

// Counters say that the kernel reads ten times what the model has.
TEST(MemoryBound, MeasuredBytesReplaceTheModel) {
  Recording program;
  call_operator(program, "aten::add", {.sizes = two_sizes, .strides = bound_columns, .types = two_floats}, 300);
  const auto trace = program.trace();
  ASSERT_TRUE(trace);
  WorkTraffic traffic = traffic_of_work(*trace);
  EXPECT_THAT(memory_bound(*trace, traffic, terabyte_gpu).found, SizeIs(1));
  replace_by_measured(traffic, {{240e6}, {}});
  const MemoryBoundKernels kernels = memory_bound(*trace, traffic, terabyte_gpu);
  EXPECT_EQ(kernels.classes[static_cast<std::size_t>(BoundClass::saturated)].kernels, 1);
}

}  // namespace
}  // namespace frx::derive::layout
