// Advice for traces that fits the program: what is done already, what it cannot do, and the tools of its GPU.
#include <gtest/gtest.h>

#include <algorithm>

#include "ingest/chrome_trace/testing.h"
#include "report/trace_analyst.h"

namespace frx::report {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_with;

// Steps in which short kernels wait for their launches.
struct LaunchingProgram {
  std::string launch = "cudaLaunchKernel", kernel = "void at::native::vectorized_elementwise_kernel<4>(int)";
  std::string in_each_step = {};  // events, at the times of the first step
  bool trains = false;
  int of_graph = 0;  // kernels of each launch beyond the first
  double gap_us = 20;
  double kernel_us = 3;

  std::string events() const {
    std::string all;
    int correlation = 1;
    for (int step = 0; step < 4; ++step) {
      const double begin = 2000.0 * step;
      all += event("user_annotation", fmt::format("ProfilerStep#{}", step), "1/1", begin, 2000);
      all += event("cpu_op", trains ? "MmBackward0" : "aten::mm", "1/1", begin + 1, 5);
      for (double at = begin + 10; at < begin + 1900; at += gap_us) all += launched(correlation++, at);
    }
    return all;
  }

 private:
  std::string launched(int correlation, double at) const {
    const std::string id = fmt::format(R"("correlation": {}, "device": 0, "stream": 7)", correlation);
    std::string all = event("cuda_runtime", launch, "1/1", at, 4, id);
    for (int i = 0; i <= of_graph; ++i) all += event("kernel", kernel, "0/7", at + 6 + (kernel_us + 0.1) * i, kernel_us, id);
    return all;
  }
};

class TraceAdvice : public ::testing::Test {
 protected:
  std::unique_ptr<TraceReport> report_on(const std::string& events) const {
    const std::string text = trace_with(events);
    const std::unique_ptr<ByteSource> source = open_bytes(text);
    Result<std::unique_ptr<TraceReport>> report = analyst_->analyse("t.json", *source);
    if (!report) ADD_FAILURE() << to_string(report.error());
    return report ? std::move(*report) : std::make_unique<TraceReport>();
  }

  std::unique_ptr<TraceAnalyst> analyst_ = TraceAnalyst::create("").value();
};

const advise::Recommendation* advised(const TraceReport& report, std::string_view id) {
  const auto& all = report.scope().advice.recommendations;
  const auto at = std::ranges::find(all, id, &advise::Recommendation::id);
  return at == all.end() ? nullptr : &*at;
}

// All that a card says.
std::string words_of(const advise::Recommendation& card) {
  std::string words = fmt::format("{}\n{}\n", card.title, card.why);
  for (const auto& list : {card.actions, card.validation, card.risks}) {
    for (const std::string_view line : list) words += fmt::format("{}\n", line);
  }
  return words;
}

std::string regions(std::string_view name, bool with_operators_between) {
  std::string events;
  for (int step = 0; step < 4; ++step) {
    for (int i = 0; i < 3; ++i) {
      events += event("cpu_op", name, "1/1", 2000.0 * step + 100 + 200 * i, 100);
      if (with_operators_between) events += event("cpu_op", "aten::nonzero", "1/1", 2000.0 * step + 220 + 200 * i, 10);
    }
  }
  return events;
}

TEST_F(TraceAdvice, TellsAnEagerProgramToCompile) {
  const auto report = report_on(LaunchingProgram{}.events());
  ASSERT_EQ(report->scope().diagnosis.user_facing, "launch_bound");
  EXPECT_NE(advised(*report, "rec_launch_torch_compile"), nullptr);
  EXPECT_EQ(advised(*report, "rec_compile_graph_breaks"), nullptr);
}

TEST_F(TraceAdvice, NeverTellsACompiledProgramToCompile) {
  const LaunchingProgram program, inductor{.kernel = "triton_poi_fused_add_0"};
  for (const std::string& events : {program.events() + regions("Torch-Compiled Region: 0/0", false),
                                    program.events() + regions("CompiledFunction", false), inductor.events()}) {
    const auto report = report_on(events);
    ASSERT_EQ(report->scope().diagnosis.user_facing, "launch_bound");
    EXPECT_EQ(advised(*report, "rec_launch_torch_compile"), nullptr);
    ASSERT_NE(advised(*report, "rec_launch_cuda_graphs"), nullptr);
    EXPECT_EQ(advised(*report, "rec_launch_cuda_graphs")->title, "Replay the compiled step as CUDA Graphs");
  }
}

TEST_F(TraceAdvice, TellsACompiledProgramAboutItsGraphBreaks) {
  const auto broken = report_on(LaunchingProgram{}.events() + regions("Torch-Compiled Region: 0/0", true));
  EXPECT_EQ(broken->program.graph_breaks, 2.0);
  ASSERT_NE(advised(*broken, "rec_compile_graph_breaks"), nullptr);
  const auto whole = report_on(LaunchingProgram{}.events() + regions("Torch-Compiled Region: 0/0", false));
  EXPECT_EQ(whole->program.graph_breaks, 0.0);
  EXPECT_EQ(advised(*whole, "rec_compile_graph_breaks"), nullptr);
}

TEST_F(TraceAdvice, NeverTellsAProgramThatReplaysGraphsToCaptureThem) {
  for (const char* launch : {"cudaGraphLaunch", "hipGraphLaunch", "cuGraphLaunch"}) {
    const auto report = report_on(LaunchingProgram{.launch = launch, .of_graph = 1}.events());
    EXPECT_EQ(report->program.replays_graphs, true) << launch;
    ASSERT_EQ(report->scope().diagnosis.user_facing, "launch_bound") << launch;
    EXPECT_EQ(advised(*report, "rec_launch_cuda_graphs"), nullptr) << launch;
    EXPECT_EQ(advised(*report, "rec_launch_torch_compile"), nullptr) << launch;
    EXPECT_FALSE(report->scope().advice.recommendations.empty()) << launch;
  }
}

TEST_F(TraceAdvice, OfInferenceHasNoSettingsOfTraining) {
  const auto inference = report_on(LaunchingProgram{}.events()), training = report_on(LaunchingProgram{.trains = true}.events());
  EXPECT_EQ(inference->program.is_inference, true);
  EXPECT_EQ(training->program.is_inference, false);
  const auto says = [](const TraceReport& report, std::string_view what) {
    return std::ranges::any_of(report.scope().advice.recommendations,
                               [&](const auto& card) { return words_of(card).find(what) != std::string::npos; });
  };
  EXPECT_TRUE(says(*training, "optimiser"));
  for (const char* word : {"optimiser", "checkpointing", "gradient", "learning rate", "accumulat", "zero_grad", "loss"})
    EXPECT_FALSE(says(*inference, word)) << word;
}

TEST_F(TraceAdvice, ForAmdNamesNoToolsOfNvidia) {
  const std::string hip = "hipLaunchKernel";
  const std::string wait = event("cuda_runtime", "hipDeviceSynchronize", "1/1", 0, 1);
  std::string waiting;
  for (int step = 0; step < 4; ++step) waiting += event("cuda_runtime", "hipDeviceSynchronize", "1/1", 2000.0 * step + 1000, 900);
  const LaunchingProgram launching{.launch = hip}, busy{.launch = hip, .kernel_us = 19.8},
      sparse{.launch = hip, .gap_us = 1500, .kernel_us = 300};
  for (const std::string& events : {launching.events(), busy.events(), sparse.events() + waiting, sparse.events()}) {
    const auto report = report_on(events);
    EXPECT_EQ(report->program.is_amd, true);
    for (const advise::Recommendation& card : report->scope().advice.recommendations) {
      for (const char* word :
           {"Nsight", "nsys", "ncu ", "NVIDIA", "CUDA", "cudaD", "cudaM", "cudaG", "cudaF", "cudaS", "tensor-core", "Ampere"})
        EXPECT_EQ(words_of(card).find(word), std::string::npos) << card.id << " says " << word;
    }
  }
}

TEST_F(TraceAdvice, RanksThatWereGivenAreNotAskedForAgain) {
  std::string events;
  for (int step = 0; step < 4; ++step) {
    const std::string id = fmt::format(R"("correlation": {}, "device": 0, "stream": 7)", step + 1);
    events += event("user_annotation", fmt::format("ProfilerStep#{}", step), "1/1", 1000.0 * step, 1000);
    events += event("cuda_runtime", "cudaLaunchKernel", "1/1", 1000.0 * step + 10, 5, id);
    events += event("kernel", "ncclKernel_AllReduce", "0/7", 1000.0 * step + 20, 900, id);
  }
  const auto report = report_on(events);
  const auto straggler = [&](bool given, bool compared) {
    report->program.ranks_given = given;
    const RunScope scope = analyst_->judged_with(*report, report->scope().facts, compared);
    for (const advise::Recommendation& card : scope.advice.recommendations) {
      if (card.id == "rec_comm_find_straggler") return words_of(card);
    }
    return std::string();
  };
  EXPECT_NE(straggler(false, false).find("one folder"), std::string::npos);
  EXPECT_NE(straggler(true, false), "");
  EXPECT_EQ(straggler(true, false).find("one folder"), std::string::npos);
  EXPECT_EQ(straggler(true, true), "");
}

TEST_F(TraceAdvice, ABusyGpuWithTensorCoresHearsOfItsFp32Products) {
  const auto report_of = [&](std::string_view gpu, const std::string& kernel) {
    const std::string text = fmt::format(R"({{"deviceProperties": [{{"id": 0, "name": "{}"}}], "traceEvents": [)", gpu);
    const std::string events = text + LaunchingProgram{.kernel = kernel, .kernel_us = 19.9}.events() + "]}";
    const std::unique_ptr<ByteSource> source = open_bytes(events);
    return analyst_->analyse("t.json", *source).value();
  };
  const std::string a100 = R"(NVIDIA A100-SXM4-40GB", "computeMajor": 8, "computeMinor": 0, "more": ")";
  const auto fp32 = report_of(a100, "ampere_sgemm_128x64_tn");
  ASSERT_EQ(fp32->scope().diagnosis.user_facing, "gpu_kept_busy");
  EXPECT_NE(advised(*fp32, "rec_util_mixed_precision"), nullptr);
  EXPECT_EQ(advised(*report_of(a100, "ampere_fp16_s16816gemm_fp16_128x128"), "rec_util_mixed_precision"), nullptr);
  EXPECT_EQ(advised(*report_of(a100, "void at::native::reduce_kernel<512>(int)"), "rec_util_mixed_precision"), nullptr);
  const std::string p100 = R"(Tesla P100-PCIE-16GB", "computeMajor": 6, "computeMinor": 0, "more": ")";
  EXPECT_EQ(advised(*report_of(p100, "maxwell_sgemm_128x64_tn"), "rec_util_mixed_precision"), nullptr);
}

}  // namespace
}  // namespace frx::report
