#include "derive/trace/program_traits.h"

#include <gtest/gtest.h>

#include "ingest/chrome_trace/testing.h"

namespace frx::derive::trace {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_of;
using ::frx::testing::trace_with;
using model::ProgramTraits;

ProgramTraits traits_of(const std::string& events, const std::string& header = "") {
  const model::Timeline timeline = trace_of(header.empty() ? trace_with(events) : header + events + "]}");
  return program_traits(timeline, attribute(timeline), find_steps(timeline).front(), -1);
}

std::string op(std::string_view name, double begin, double end, std::string_view thread = "1/1") {
  return event("cpu_op", name, thread, begin, end - begin);
}
std::string marked_step(int number, double begin, double end) {
  return event("user_annotation", fmt::format("ProfilerStep#{}", number), "1/1", begin, end - begin);
}
std::string launched(int correlation, std::string_view call, std::string_view kernel, double begin) {
  const std::string id = fmt::format(R"("correlation": {}, "device": 0, "stream": 7)", correlation);
  return event("cuda_runtime", call, "1/1", begin, 5, id) + event("kernel", kernel, "0/7", begin + 10, 5, id);
}

TEST(ProgramTraits, ACompiledRegionAKernelOfInductorOrDynamoTells) {
  EXPECT_EQ(traits_of(op("Torch-Compiled Region: 0/0", 0, 10)).is_compiled, true);
  EXPECT_EQ(traits_of(op("CompiledFunction", 0, 10)).is_compiled, true);
  EXPECT_EQ(traits_of(launched(1, "cuLaunchKernel", "triton_poi_fused_add_0", 0)).is_compiled, true);
  EXPECT_EQ(traits_of(op("aten::mm", 0, 10)).is_compiled, false);
  EXPECT_EQ(traits_of(launched(1, "cudaLaunchKernel", "ampere_sgemm_128x64_tn", 0)).is_compiled, std::nullopt);  // no operators
}

TEST(ProgramTraits, RegionsWithOperatorsBetweenThemAreGraphBreaks) {
  std::string events;
  for (int i = 0; i < 3; ++i) {
    const double t = 1000.0 * i;
    events += marked_step(i, t, t + 1000) + op("Torch-Compiled Region: 0/0", t + 10, t + 100) + op("aten::add", t + 20, t + 30) +
              op("aten::nonzero", t + 110, t + 120) + op("Torch-Compiled Region: 1/0", t + 130, t + 200) +
              op("Torch-Compiled Region: 2/0", t + 210, t + 300);
  }
  const ProgramTraits traits = traits_of(events);
  EXPECT_EQ(traits.compiled_regions, 3.0);
  EXPECT_EQ(traits.graph_breaks, 1.0);  // the third region follows the second at once
}

TEST(ProgramTraits, TheBackwardPassAndTheOptimizerBetweenRegionsAreNone) {
  const std::string events = marked_step(0, 0, 1000) + op("Torch-Compiled Region: 0/0", 10, 100) + op("aten::mse_loss", 110, 120) +
                             op("autograd::engine::evaluate_function: CompiledFunctionBackward", 150, 300, "1/2") +
                             op("Torch-Compiled Region: 5/0", 400, 500) + marked_step(1, 1000, 1100) +
                             op("Torch-Compiled Region: 0/0", 1010, 1050);
  const ProgramTraits traits = traits_of(events);
  EXPECT_EQ(traits.graph_breaks, 0.0);
  EXPECT_EQ(traits.is_inference, false);
}

TEST(ProgramTraits, WithoutStepsGraphBreaksCannotBeTold) {
  const ProgramTraits traits = traits_of(op("Torch-Compiled Region: 0/0", 10, 100) + op("aten::add", 110, 120));
  EXPECT_EQ(traits.is_compiled, true);
  EXPECT_EQ(traits.graph_breaks, std::nullopt);
}

TEST(ProgramTraits, InferenceHasNeitherBackwardPassNorOptimizer) {
  EXPECT_EQ(traits_of(op("aten::mm", 0, 10)).is_inference, true);
  EXPECT_EQ(traits_of(op("aten::mm", 0, 10) + op("MmBackward0", 20, 30)).is_inference, false);
  EXPECT_EQ(traits_of(op("aten::mm", 0, 10) + event("user_annotation", "Optimizer.step#SGD.step", "1/1", 20, 5)).is_inference, false);
  EXPECT_EQ(traits_of(launched(1, "cudaLaunchKernel", "gemm", 0)).is_inference, std::nullopt);
  EXPECT_EQ(traits_of(launched(1, "cudaLaunchKernel", "sm80_xmma_wgrad_implicit_gemm", 0)).is_inference, false);
}

TEST(ProgramTraits, GraphsAreReplayedWhereTheyLaunchMostKernels) {
  std::string graph = event("cuda_runtime", "cudaGraphLaunch", "1/1", 0, 5, R"("correlation": 1)");
  for (int i = 0; i < 3; ++i) graph += event("kernel", "k", "0/7", 10 + 10 * i, 5, R"("correlation": 1, "device": 0, "stream": 7)");
  EXPECT_EQ(traits_of(graph + launched(2, "cudaLaunchKernel", "k", 100)).replays_graphs, true);
  EXPECT_EQ(traits_of(launched(2, "cudaLaunchKernel", "k", 100)).replays_graphs, false);
  EXPECT_EQ(traits_of(event("kernel", "k", "0/7", 10, 5, R"("correlation": 1, "device": 0, "stream": 7)")).replays_graphs, std::nullopt);
}

TEST(ProgramTraits, CallsTellTheMakerOfTheGpuBeforeItsName) {
  const std::string header = R"({"deviceProperties": [{"id": 0, "name": "AMD Instinct MI300X"}], "traceEvents": [)";
  EXPECT_EQ(traits_of(launched(1, "hipLaunchKernel", "k", 0)).is_amd, true);
  EXPECT_EQ(traits_of(launched(1, "cudaLaunchKernel", "k", 0), header).is_amd, false);
  EXPECT_EQ(traits_of(op("aten::mm", 0, 10), header).is_amd, true);
  EXPECT_EQ(traits_of(op("aten::mm", 0, 10)).is_amd, std::nullopt);
}

TEST(ProgramTraits, OneMoreTinyKernelChangesNothing) {
  const std::string events = marked_step(0, 0, 500) + op("Torch-Compiled Region: 0/0", 10, 100) + launched(1, "hipLaunchKernel", "k", 20) +
                             launched(2, "hipLaunchKernel", "k", 40);
  const ProgramTraits before = traits_of(events), after = traits_of(events + launched(3, "hipLaunchKernel", "tiny", 60));
  EXPECT_EQ(before.is_compiled, after.is_compiled);
  EXPECT_EQ(before.graph_breaks, after.graph_breaks);
  EXPECT_EQ(before.replays_graphs, after.replays_graphs);
  EXPECT_EQ(before.is_amd, after.is_amd);
}

}  // namespace
}  // namespace frx::derive::trace
