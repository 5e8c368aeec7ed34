#include "derive/layout/compile_stability.h"

#include <gmock/gmock.h>

#include "derive/layout/stability_testing.h"

namespace frx::derive::layout {
namespace {

using Input = RecordedFloats;
using Steps = RecordedSteps;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Input rows{"[8, 32]", "[32, 1]"};
const Input columns{"[8, 32]", "[1, 8]"};
const Input more_rows{"[9, 32]", "[32, 1]"};

// A step runs these graphs of frame 0, with these inputs.
void run(Steps& steps, const std::vector<std::pair<int, Input>>& graphs) {
  steps.step();
  for (const auto& [entry, input] : graphs)
    steps.around(fmt::format("Torch-Compiled Region: 0/{}", entry), {},
                 [&](Steps& inside) { inside.op("CompiledFunction", input.sizes.empty() ? std::vector<Input>() : std::vector{input}); });
}

std::vector<Candidate> of_pattern(const StrideStability& found, std::string_view pattern) {
  std::vector<Candidate> of;
  for (const Candidate& one : found.candidates) {
    if (one.pattern == pattern) of.push_back(one);
  }
  return of;
}

model::DynamoLog log_with(std::string tensor, std::int64_t expected, std::int64_t actual, std::string compile_id,
                          model::GuardFailure::Kind kind = model::GuardFailure::Kind::stride) {
  model::GuardFailure failure;
  failure.kind = kind;
  failure.tensor = std::move(tensor);
  failure.index = 0;
  failure.expected = expected;
  failure.actual = actual;
  failure.text = "tensor";
  model::DynamoLog log;
  log.recompilations.push_back({{"fn", "train.py", 4}, std::move(compile_id), -1, 1, {failure}});
  return log;
}

TEST(CompileStability, ANewGraphInEveryStep) {
  Steps steps;
  for (int i = 0; i < 4; ++i) run(steps, {{i, {}}});
  const auto trace = steps.trace();
  const std::vector<Candidate> found = of_pattern(stride_instability(*trace), "recompile");
  ASSERT_THAT(found, SizeIs(1));
  const Candidate& one = found[0];
  EXPECT_EQ(trace->name(one.node), "Torch-Compiled Region: 0/1");
  EXPECT_THAT(one.nodes, SizeIs(3));
  EXPECT_EQ(one.facts.at("entries"), 4);
  EXPECT_EQ(one.facts.at("new_entries"), 3);
  EXPECT_EQ(one.facts.at("recompiles"), 3);
  EXPECT_EQ(one.facts.at("alternating"), 0);
  EXPECT_EQ(one.facts.at("in_steady_state"), 1);
  EXPECT_EQ(one.facts.at("compilations_per_step"), 0.75);
  EXPECT_EQ(one.facts.at("caused_by_strides"), 0);
  EXPECT_FALSE(one.facts.contains("compile_us"));
  EXPECT_DOUBLE_EQ(one.count, 0.75);
  EXPECT_EQ(one.words.at("entries"), "0/0, 0/1, 0/2, 0/3");
  EXPECT_EQ(one.words.at("steps"), "2, 3 and 4");
  EXPECT_EQ(one.words.at("cause"), "unknown");
}

// 0/0, 0/1, 0/0, 0/1: the checks of one fail over to the other, and nothing is compiled.
TEST(CompileStability, TwoGraphsThatTakeTurns) {
  Steps steps;
  for (int i = 0; i < 4; ++i) run(steps, {{i % 2, i % 2 == 0 ? rows : columns}});
  const std::vector<Candidate> found = of_pattern(stride_instability(*steps.trace()), "recompile");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].facts.at("alternating"), 1);
  EXPECT_EQ(found[0].facts.at("recompiles"), 0);
  EXPECT_EQ(found[0].facts.at("compilations_per_step"), 0);
  EXPECT_EQ(found[0].facts.at("in_steady_state"), 0);
  EXPECT_EQ(found[0].facts.at("caused_by_strides"), 1);
  EXPECT_EQ(found[0].words.at("cause"), "strides");
  EXPECT_EQ(found[0].confidence, 0.6);
}

TEST(CompileStability, OneNewGraphThatStays) {
  Steps steps;
  for (int i = 0; i < 5; ++i) run(steps, {{i < 3 ? 0 : 1, i < 3 ? rows : columns}});
  const std::vector<Candidate> found = of_pattern(stride_instability(*steps.trace()), "recompile");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].facts.at("recompiles"), 1);
  EXPECT_DOUBLE_EQ(found[0].facts.at("compilations_per_step"), 1.0 / 5);
  EXPECT_EQ(found[0].words.at("steps"), "4");
  EXPECT_EQ(found[0].confidence, 0.95);  // its inputs have other strides
}

TEST(CompileStability, EveryStepRunsTheSameGraphs) {
  Steps steps;
  for (int i = 0; i < 3; ++i) run(steps, {{0, rows}, {1, columns}, {0, rows}});
  EXPECT_THAT(of_pattern(stride_instability(*steps.trace()), "recompile"), IsEmpty());
}

TEST(CompileStability, AFirstStepWithMoreGraphsIsWarmingUp) {
  Steps steps;
  run(steps, {{0, rows}, {1, columns}});
  for (int i = 0; i < 3; ++i) run(steps, {{1, columns}});
  EXPECT_THAT(of_pattern(stride_instability(*steps.trace()), "recompile"), IsEmpty());
}

TEST(CompileStability, GraphsForOtherSizesAreNoFinding) {
  Steps steps;
  for (int i = 0; i < 3; ++i) run(steps, {{i == 2 ? 1 : 0, i == 2 ? more_rows : rows}});
  EXPECT_THAT(stride_instability(*steps.trace()).candidates, IsEmpty());
}

TEST(CompileStability, ACompilationThatWasRecorded) {
  Steps steps;
  for (int i = 0; i < 4; ++i) {
    run(steps, {{i == 2 ? 1 : 0, {}}});
    if (i == 2) steps.event("user_annotation", "_compile.compile_inner (dynamo_timed)");
  }
  const std::vector<Candidate> found = of_pattern(stride_instability(*steps.trace()), "recompile");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].facts.at("alternating"), 0);  // 0/0 comes back, but 0/1 was compiled in step 3
  EXPECT_EQ(found[0].facts.at("recompiles"), 1);
  EXPECT_DOUBLE_EQ(found[0].facts.at("compile_us"), 1);
}

TEST(CompileStability, TheLogNamesTheTensor) {
  Steps steps;
  for (int i = 0; i < 3; ++i) run(steps, {{i == 2 ? 1 : 0, {}}});
  model::DynamoLog log = log_with("L['x']", 32, 1, "0/1");
  log.limits.push_back({{"fn", "train.py", 4}, "recompile_limit", 8, {}, 9});
  const StrideStability found = stride_instability(*steps.trace(), &log);
  ASSERT_THAT(found.candidates, SizeIs(1));
  const Candidate& one = found.candidates[0];
  EXPECT_EQ(one.pattern, "stride_guard");
  EXPECT_EQ(one.words.at("frame"), "0");
  EXPECT_EQ(one.facts.at("caused_by_strides"), 1);
  EXPECT_EQ(one.facts.at("limit_reached"), 1);
  EXPECT_EQ(one.words.at("tensor"), "L['x']");
  EXPECT_EQ(one.words.at("index"), "0");
  EXPECT_EQ(one.words.at("expected"), "32");
  EXPECT_EQ(one.words.at("actual"), "1");
  EXPECT_EQ(one.words.at("function"), "fn");
  EXPECT_EQ(one.words.at("file"), "train.py");
  EXPECT_EQ(one.words.at("line"), "4");
  EXPECT_THAT(found.not_assessed, ::testing::Not(::testing::Contains(HasSubstr("TORCH_LOGS"))));
}

TEST(CompileStability, TheLogSaysThatSizesAreTheCause) {
  Steps steps;
  for (int i = 0; i < 3; ++i) run(steps, {{i == 2 ? 1 : 0, {}}});
  const model::DynamoLog log = log_with("x", 8, 9, "0/1", model::GuardFailure::Kind::size);
  EXPECT_THAT(stride_instability(*steps.trace(), &log).candidates, IsEmpty());
}

// The log is of the warm-up: the trace runs one graph only.
TEST(CompileStability, ARecompilationThatTheTraceDoesNotShow) {
  Steps steps;
  for (int i = 0; i < 3; ++i) run(steps, {{1, {}}});
  const model::DynamoLog log = log_with("x", 32, 1, "0/1");
  const StrideStability found = stride_instability(*steps.trace(), &log);
  ASSERT_THAT(found.candidates, SizeIs(1));
  EXPECT_EQ(found.candidates[0].facts.at("in_steady_state"), 0);
  EXPECT_EQ(found.candidates[0].facts.at("recompiles"), 1);
  EXPECT_EQ(found.candidates[0].pattern, "stride_guard");
  EXPECT_EQ(found.candidates[0].count, 0);
  EXPECT_NE(found.candidates[0].node, none);
  EXPECT_THAT(found.candidates[0].caveats, ::testing::Contains(HasSubstr("compiled before")));
}

TEST(CompileStability, AFunctionThatTheTraceDoesNotShow) {
  Steps steps;
  for (int i = 0; i < 4; ++i) steps.step().op("aten::relu", {rows});
  model::DynamoLog log = log_with("x", 32, 1, "");
  log.recompilations.push_back(log.recompilations.front());
  const StrideStability found = stride_instability(*steps.trace(), &log);
  ASSERT_THAT(found.candidates, SizeIs(1));
  EXPECT_EQ(found.candidates[0].facts.at("recompiles"), 2);
  EXPECT_DOUBLE_EQ(found.candidates[0].count, 0.5);
  EXPECT_EQ(found.candidates[0].node, none);
  EXPECT_EQ(found.candidates[0].words.at("frame"), "fn");
  EXPECT_THAT(found.candidates[0].caveats, ::testing::Contains(HasSubstr("does not say in which steps")));
}

// Without the messages before it, the warning that torch.compile gave up is all there is.
TEST(CompileStability, TorchCompileGaveUp) {
  Steps steps;
  for (int i = 0; i < 4; ++i) steps.step().op("aten::relu", {rows});
  model::DynamoLog log = log_with("x", 32, 1, "");
  log.limits.push_back({log.recompilations[0].place, "recompile_limit", 8, log.recompilations[0].failures[0], 9});
  log.recompilations.clear();
  const StrideStability found = stride_instability(*steps.trace(), &log);
  ASSERT_THAT(found.candidates, SizeIs(1));
  EXPECT_EQ(found.candidates[0].facts.at("limit_reached"), 1);
  EXPECT_EQ(found.candidates[0].facts.at("recompiles"), 8);
  EXPECT_EQ(found.candidates[0].count, 1);  // every step runs without it
  log.limits[0].reason->kind = model::GuardFailure::Kind::size;
  EXPECT_THAT(stride_instability(*steps.trace(), &log).candidates, IsEmpty());
}

TEST(CompileStability, AsksForTheLogOnlyWhereSomethingIsCompiled) {
  Steps eager, compiled;
  for (int i = 0; i < 3; ++i) eager.step().op("aten::relu", {rows});
  for (int i = 0; i < 3; ++i) run(compiled, {{0, {}}});
  EXPECT_THAT(stride_instability(*eager.trace()).not_assessed, IsEmpty());
  EXPECT_THAT(stride_instability(*compiled.trace()).not_assessed, ::testing::Contains(HasSubstr("TORCH_LOGS")));
}

TEST(CompileStability, AStepWithoutItsGraph) {
  Steps steps;
  for (int i = 0; i < 4; ++i) {
    run(steps, {{0, {}}});
    steps.event("cuda_runtime", "cudaLaunchKernel");
    if (i != 2) steps.event("cuda_runtime", "cudaGraphLaunch");
    for (int k = 0; k < 5 && i == 2; ++k) steps.event("cuda_runtime", "cudaLaunchKernel");
  }
  const auto trace = steps.trace();
  const std::vector<Candidate> found = of_pattern(stride_instability(*trace), "graph_capture");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].facts.at("graph_launches_usual"), 1);
  EXPECT_EQ(found[0].facts.at("graph_launches_changed"), 0);
  EXPECT_EQ(found[0].facts.at("kernel_launches_usual"), 1);
  EXPECT_EQ(found[0].facts.at("kernel_launches_changed"), 6);
  EXPECT_EQ(found[0].words.at("steps"), "3");
  EXPECT_EQ(trace->nodes()[found[0].node].step, 2u);
}

TEST(CompileStability, StepsThatLaunchTheSameGraphsAreNoFinding) {
  Steps steps;
  for (int i = 0; i < 3; ++i) {
    run(steps, {{0, {}}});
    steps.event("cuda_runtime", "cudaGraphLaunch");
    for (int k = 0; k < 1 + i; ++k) steps.event("cuda_runtime", "cudaLaunchKernel");  // more kernels, and no graph less
  }
  EXPECT_THAT(of_pattern(stride_instability(*steps.trace()), "graph_capture"), IsEmpty());
}

TEST(CompileStability, AGraphThatIsCapturedAgain) {
  Steps steps;
  for (int i = 0; i < 3; ++i) {
    steps.step().op("aten::relu", {rows});
    steps.event("cuda_runtime", "cudaStreamBeginCapture").event("cuda_runtime", "cudaGraphLaunch");
  }
  const std::vector<Candidate> found = of_pattern(stride_instability(*steps.trace()), "graph_capture");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_DOUBLE_EQ(found[0].facts.at("captures_per_step"), 2.0 / 3);  // the first step may be warming up
  EXPECT_EQ(found[0].words.at("steps"), "2 and 3");
}

TEST(CompileStability, GraphsThatTheLogSaysWereSkipped) {
  Steps steps;
  for (int i = 0; i < 3; ++i) run(steps, {{0, {}}});
  model::DynamoLog log;
  log.skips = {{"complex input striding", {}, 3, 2}, {"mutated inputs (1 instances)", {"forward", "m.py", 7}, 5, 1}};
  const std::vector<Candidate> found = of_pattern(stride_instability(*steps.trace(), &log), "graph_skip");
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].count, 2);
  EXPECT_EQ(found[0].facts.at("layout_related"), 1);
  EXPECT_EQ(found[0].facts.at("skips"), 2);
  EXPECT_EQ(found[1].facts.at("layout_related"), 0);
  EXPECT_EQ(found[1].words.at("line"), "7");
}

}  // namespace
}  // namespace frx::derive::layout
