#include "report/operators/operator_details.h"

#include <gmock/gmock.h>

#include "ingest/chrome_trace/testing.h"

namespace frx::report {
namespace {

using frx::testing::event;
using ::testing::HasSubstr;

const knowledge::Knowledge& known() {
  static const Result<knowledge::Knowledge> loaded = knowledge::Knowledge::load("");
  EXPECT_TRUE(loaded);
  return *loaded;
}

// A run, written launch by launch.
class Recorded {
 public:
  Recorded& range(std::string_view category, std::string_view name, double start_us, double duration_us, std::string_view args = "") {
    events_ += event(category, name, thread_, start_us, duration_us, args);
    return *this;
  }
  // A launch at `at_us`, and its kernel.
  Recorded& kernel(std::string_view name, double at_us, double start_us, double duration_us, int stream = 7) {
    const std::string correlation = fmt::format("\"correlation\": {}", ++launches_);
    events_ += event("cuda_runtime", "cudaLaunchKernel", thread_, at_us, 1, correlation);
    events_ += event("kernel", name, fmt::format("0/{}", stream), start_us, duration_us,
                     fmt::format("{}, \"device\": 0, \"stream\": {}", correlation, stream));
    return *this;
  }
  // Where what follows runs, instead of "1/1".
  Recorded& on_thread(std::string_view thread) {
    thread_ = thread;
    return *this;
  }
  // As deviceProperties of the file names it.
  Recorded& on(std::string_view gpu) {
    gpu_ = gpu;
    return *this;
  }
  OperatorReport report(OperatorGrouping grouping = OperatorGrouping::by_operator) const {
    const std::string gpus = gpu_.empty() ? "" : fmt::format(R"("deviceProperties": [{{"id": 0, "name": "{}"}}], )", gpu_);
    const OperatorProfile profile = operator_profile_of(frx::testing::trace_of("{" + gpus + R"("traceEvents": [)" + events_ + "]}"));
    OperatorReport report = operator_report_of(profile, grouping);
    const auto categories = knowledge::OperatorCategories::load(known().library, known().classes);
    EXPECT_TRUE(categories);
    if (categories) add_details(report, profile, grouping, known(), *categories);
    return report;
  }

 private:
  std::string events_, gpu_, thread_ = "1/1";
  int launches_ = 0;
};

std::string flags_of(const OperatorReport& report) {
  std::string ids;
  for (const OperatorFlag& flag : report.flags) ids += std::string(flag.id) + (flag.is_severe ? "! " : " ");
  return ids;
}

TEST(OperatorDetails, KindsOfWorkAddUpToAllKernels) {
  const OperatorReport report = Recorded()
                                    .range("cpu_op", "aten::scaled_dot_product_attention", 0, 10)
                                    .range("cpu_op", "aten::bmm", 1, 5)
                                    .kernel("sgemm", 2, 20, 30)
                                    .range("cpu_op", "aten::mm", 100, 5)
                                    .kernel("sgemm", 101, 120, 50)
                                    .kernel("ncclDevKernel_AllReduce_Sum_f16", 200, 220, 10)
                                    .report();
  ASSERT_EQ(report.categories.size(), 3u);
  EXPECT_EQ(report.categories[0].id, "gemm");
  EXPECT_EQ(report.categories[0].share.gpu_ns, 50'000);
  EXPECT_EQ(report.categories[1].id, "attention") << "what is around the operator decides";
  EXPECT_EQ(report.categories[2].id, "communication") << "no operator, so the kernel's own name";
  std::int64_t sum = 0;
  for (const CategoryShare& one : report.categories) sum += one.share.gpu_ns;
  EXPECT_EQ(sum, report.kernel_ns);
}

TEST(OperatorDetails, ModulesAreATree) {
  const OperatorReport report = Recorded()
                                    .range("python_function", "nn.Module: Net_0", 0, 100)
                                    .range("python_function", "nn.Module: Linear_0", 10, 20)
                                    .kernel("gemm", 12, 200, 30)
                                    .range("python_function", "nn.Module: Linear_1", 40, 20)
                                    .kernel("gemm", 42, 240, 50)
                                    .kernel("relu", 70, 300, 5)
                                    .kernel("loss", 150, 310, 1)
                                    .report(OperatorGrouping::by_module);
  ASSERT_EQ(report.modules.size(), 3u);
  EXPECT_EQ(report.modules[0].name, "Net_0");
  EXPECT_EQ(report.modules[0].inclusive.gpu_ns, 85'000);
  EXPECT_EQ(report.modules[0].self.gpu_ns, 5'000);
  EXPECT_EQ(report.modules[1].name, "Linear_1") << "siblings by time";
  EXPECT_EQ(report.modules[1].depth, 1u);
  EXPECT_EQ(report.modules[2].self.gpu_ns, 30'000);
  EXPECT_EQ(report.in_no_module.gpu_ns, 1'000);
}

// The backward pass runs on another thread: the sequence number of a node says which forward operator it is the gradient of.
TEST(OperatorDetails, GradientsBelongToTheModuleOfTheirForwardOperator) {
  Recorded run;
  run.range("python_function", "nn.Module: Net_0", 0, 100).range("python_function", "nn.Module: Linear_0", 10, 20);
  run.range("cpu_op", "aten::addmm", 11, 10, R"("Sequence number": 7, "Fwd thread id": 0)").kernel("gemm", 12, 400, 30);
  run.range("cpu_op", "aten::mse_loss", 150, 10, R"("Sequence number": 8, "Fwd thread id": 0)").kernel("loss", 151, 440, 1);
  run.on_thread("1/2")
      .range("cpu_op", "MseLossBackward0", 200, 20, R"("Sequence number": 8, "Fwd thread id": 1)")
      .kernel("loss_grad", 201, 450, 2);
  run.range("cpu_op", "AddmmBackward0", 230, 40, R"("Sequence number": 7, "Fwd thread id": 1)");
  run.range("cpu_op", "aten::mm", 231, 30).kernel("gemm_grad", 232, 460, 70);
  const OperatorReport report = run.report(OperatorGrouping::by_module);
  ASSERT_EQ(report.modules.size(), 2u);
  EXPECT_EQ(report.modules[1].name, "Linear_0");
  EXPECT_EQ(report.modules[1].self.gpu_ns, 100'000);
  EXPECT_EQ(report.modules[1].backward.gpu_ns, 70'000);
  EXPECT_EQ(report.modules[0].backward.gpu_ns, 70'000) << "with the modules in it";
  EXPECT_EQ(report.modules[0].self.gpu_ns, 0);
  EXPECT_EQ(report.in_no_module.gpu_ns, 3'000) << "the loss is in no module, and so is its gradient";
  const OperatorReport by_operator = run.report();
  EXPECT_EQ(by_operator.operators[0].name, "aten::mm") << "an operator that launched keeps its kernels";
}

TEST(OperatorDetails, ProductsHaveRatesWhereShapesAreKnown) {
  const std::string_view inputs = R"("Input Dims": [[1024, 1024], [1024, 1024]], "Input type": ["c10::Half", "c10::Half"])";
  const auto run = [&](std::string_view gpu) {
    return Recorded().on(gpu).range("cpu_op", "aten::mm", 0, 10, inputs).kernel("hgemm", 1, 20, 20).report();
  };
  const OperatorReport report = run("NVIDIA A100-SXM4-80GB");
  ASSERT_EQ(report.operators.size(), 1u);
  ASSERT_TRUE(report.operators[0].rates);
  const OperatorRates& rates = *report.operators[0].rates;
  EXPECT_DOUBLE_EQ(rates.flops, 2.0 * 1024 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(rates.bytes.value_or(0), 3.0 * 1024 * 1024 * 2);
  EXPECT_NEAR(rates.tflops(), 107.4, 0.1);
  EXPECT_NEAR(rates.peak_share.value_or(0), 107.4 / 312, 0.001);
  EXPECT_EQ(rates.memory_limited, false);
  EXPECT_EQ(run("Made Up 9000").operators[0].rates->peak_share, std::nullopt);
  EXPECT_THAT(run("Made Up 9000").notes.back(), HasSubstr("unknown GPU: frx has no peaks of 'Made Up 9000'"));
  EXPECT_THAT(run("").notes.back(), HasSubstr("unknown GPU: the recording names none"));
}

TEST(OperatorDetails, TheLineOfTheProgramThatTookMostTime) {
  const OperatorReport report = Recorded()
                                    .range("python_function", "a.py(3): forward", 0, 10)
                                    .range("cpu_op", "aten::mm", 1, 5)
                                    .kernel("gemm", 2, 200, 30)
                                    .range("python_function", "b.py(7): forward", 20, 10)
                                    .range("python_function", "torch/nn/functional.py(9): linear", 21, 8)
                                    .range("cpu_op", "aten::mm", 22, 5)
                                    .kernel("gemm", 23, 240, 50)
                                    .report();
  ASSERT_EQ(report.operators.size(), 1u);
  EXPECT_EQ(report.operators[0].line, "b.py(7): forward");
}

TEST(OperatorDetails, FlagsTellWhatMakesNumbersMeanSomethingElse) {
  const OperatorReport plain = Recorded().range("cpu_op", "aten::mm", 0, 10).kernel("gemm", 1, 20, 20).report();
  EXPECT_EQ(flags_of(plain), "");
  const OperatorReport lost = Recorded().range("cpu_op", "aten::mm", 0, 10).kernel("gemm", 1, 20, 20).kernel("lost", 50, 60, 20).report();
  EXPECT_EQ(flags_of(lost), "high_unattributed! ") << "half of the time";
  const OperatorReport some = Recorded().range("cpu_op", "aten::mm", 0, 10).kernel("gemm", 1, 20, 80).kernel("lost", 50, 100, 20).report();
  EXPECT_EQ(flags_of(some), "high_unattributed ");
  const OperatorReport overlap =
      Recorded().range("cpu_op", "aten::mm", 0, 10).kernel("gemm", 1, 20, 20, 7).kernel("gemm", 2, 30, 20, 8).report();
  EXPECT_EQ(flags_of(overlap), "multi_stream_overlap ");
  EXPECT_NEAR(overlap.flags[0].value, 25, 0.01);
  const OperatorReport graph =
      Recorded().range("cpu_op", "aten::mm", 0, 10).kernel("gemm", 1, 20, 20).range("cuda_runtime", "cudaGraphLaunch", 5, 1).report();
  EXPECT_EQ(flags_of(graph), "cuda_graph_replay ");
}

TEST(OperatorDetails, TimesThatVaryFromIterationToIterationAreFlagged) {
  const auto with_second = [](double second_us) {
    return Recorded()
        .range("user_annotation", "frx::measure#0", 0, 100)
        .range("cpu_op", "aten::mm", 1, 10)
        .kernel("gemm", 2, 20, 10)
        .range("user_annotation", "frx::measure#1", 100, 200)
        .range("cpu_op", "aten::mm", 101, 10)
        .kernel("gemm", 102, 120, second_us)
        .report();
  };
  EXPECT_EQ(flags_of(with_second(12)), "");
  EXPECT_EQ(flags_of(with_second(50)), "dynamic_shapes ");
}

TEST(OperatorDetails, AProfileThatWasWrittenBeforeIsDividedByItsNames) {
  Result<OperatorReport> report = read_operator_profile("profile.json", R"({"schema_version": "1.1", "operators": [
    {"operator_name": "aten::mm, op_id = 1", "kernels": [{"kernel_name": "gemm", "duration_ns": 30}]}],
    "unattributed_kernels": [{"kernel_name": "ncclDevKernel", "duration_ns": 70}], "init_kernels": [{"kernel_name": "randn", "duration_ns": 9}]})",
                                                        OperatorGrouping::by_operator);
  ASSERT_TRUE(report) << to_string(report.error());
  const auto categories = knowledge::OperatorCategories::load(known().library, known().classes);
  ASSERT_TRUE(categories);
  add_details(*report, *categories);
  ASSERT_EQ(report->categories.size(), 2u);
  EXPECT_EQ(report->categories[0].id, "communication");
  EXPECT_EQ(report->categories[1].id, "gemm");
  EXPECT_EQ(flags_of(*report), "high_unattributed! ");
}

}  // namespace
}  // namespace frx::report
