#include "derive/layout/layout_trace.h"

#include <gmock/gmock.h>

#include "derive/layout/testing.h"

namespace frx::derive::layout {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> names_of(const LayoutTrace& trace) {
  std::vector<std::string> names;
  for (std::uint32_t node = 0; node < trace.nodes().size(); ++node) names.emplace_back(trace.name(node));
  return names;
}

TEST(LayoutTrace, IsATreeInTheOrderOfThreads) {
  Recording made;
  made.op("aten::linear", {}, [&] {
    made.op("aten::t", {}, [&] { made.op("aten::transpose"); });
    made.op("aten::addmm", {}, [&] { made.kernel("gemm", 5); });
  });
  made.op("aten::relu", {}, [&] { made.kernel("relu", 2); });
  const std::unique_ptr<LayoutTrace> trace = made.trace();
  EXPECT_THAT(names_of(*trace), ElementsAre("aten::linear", "aten::t", "aten::transpose", "aten::addmm", "aten::relu"));
  EXPECT_EQ(trace->nodes()[0].end, 4u);
  EXPECT_EQ(trace->nodes()[2].parent, 1u);
  EXPECT_EQ(trace->own_work(0).size(), 0u);
  EXPECT_EQ(trace->all_work(0).size(), 1u);
  EXPECT_EQ(trace->gpu_time(0), 5000);
  EXPECT_EQ(trace->next_sibling(0), 4u);
  EXPECT_EQ(trace->next_sibling(1), 3u);
  EXPECT_EQ(trace->previous_sibling(3), 1u);
  EXPECT_EQ(trace->previous_sibling(4), 0u);
  EXPECT_EQ(trace->previous_sibling(1), none);
  EXPECT_EQ(trace->next_sibling(4), none);
}

TEST(LayoutTrace, LevelsAreWhatWasRecorded) {
  Recording operators, shapes, strides, kernels;
  operators.op("aten::relu", {}, [&] { operators.kernel("relu", 2); });
  EXPECT_EQ(operators.trace()->level(), EvidenceLevel::operators);
  shapes.op("aten::relu", {"[[8, 4]]", "", R"(["float"])"}, [&] { shapes.kernel("relu", 2); });
  EXPECT_EQ(shapes.trace()->level(), EvidenceLevel::shapes);
  strides.range("python_function", "model.py(3): forward", [&] { strides.op("aten::relu", {"[[8, 4]]", "[[4, 1]]", R"(["float"])"}); });
  EXPECT_EQ(strides.trace()->level(), EvidenceLevel::stacks);
  kernels.kernel("relu", 2);
  EXPECT_EQ(kernels.trace()->level(), EvidenceLevel::kernels);
}

TEST(LayoutTrace, AFirstStepThatDiffersIsLeftOut) {
  Recording made;
  const auto usual = [&] { made.op("aten::relu", {}, [&] { made.kernel("relu", 2); }); };
  made.step(3, [&] {
    made.op("aten::empty");
    usual();
  });
  for (int i = 4; i < 7; ++i) made.step(i, usual);
  const std::unique_ptr<LayoutTrace> trace = made.trace();
  EXPECT_TRUE(trace->steps().first_left_out);
  EXPECT_THAT(trace->steps().numbers, ElementsAre(4, 5, 6));
  EXPECT_EQ(trace->nodes()[1].step, none);
  EXPECT_EQ(trace->nodes()[2].step, 0u);
  EXPECT_THAT(made.trace(StepSelection{3, 4})->steps().numbers, ElementsAre(3, 4));
  const Result<std::unique_ptr<LayoutTrace>> missing = LayoutTrace::of(made.timeline(), StepSelection{9, 10});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "no step from 9 to 10: the recording has steps 3 to 6");
}

// A kernel belongs to the step in which it was launched, however much later it runs.
TEST(LayoutTrace, WorkIsOfTheStepThatLaunchedIt) {
  Recording made;
  made.step(1, [&] { made.op("aten::mm", {}, [&] { made.kernel("gemm", 1000); }); });
  made.step(2, [&] { made.op("aten::mm", {}, [&] { made.kernel("gemm", 1000); }); });
  const std::unique_ptr<LayoutTrace> trace = made.trace();
  ASSERT_EQ(trace->attribution().work.size(), 2u);
  EXPECT_EQ(trace->step_of_work(0), 0u);
  EXPECT_EQ(trace->step_of_work(1), 1u);
}

// The External id of a kernel names another operator in old traces; the call decides.
// "2/2" of a test is thread 2 of process 2.
TEST(LayoutTrace, StepsThatAnotherProcessMarksAreThoseOfTheOneThatCallsOperators) {
  Recording made;
  made.step(1, [&] { made.on_thread("2/2", [&] { made.op("aten::relu", {}, [&] { made.kernel("relu", 2); }); }); });
  made.step(2, [&] { made.on_thread("2/2", [&] { made.op("aten::relu", {}, [&] { made.kernel("relu", 2); }); }); });
  const std::unique_ptr<LayoutTrace> trace = made.trace();
  EXPECT_EQ(trace->nodes()[1].step, 1u);
  EXPECT_EQ(trace->step_of_work(1), 1u);
  EXPECT_EQ(trace->steps().pid, "2");
  EXPECT_FALSE(trace->has_other_processes());
}

TEST(LayoutTrace, OfSeveralProcessesWhoseStepsAnotherMarksTheOneWithMostCallsCounts) {
  Recording made;
  made.step(1, [&] {
    made.on_thread("2/2", [&] { made.op("aten::relu"); });
    made.on_thread("3/3", [&] {
      made.op("aten::relu");
      made.op("aten::tanh");
    });
  });
  const std::unique_ptr<LayoutTrace> trace = made.trace();
  EXPECT_EQ(trace->steps().pid, "3");
  EXPECT_TRUE(trace->has_other_processes());
}

TEST(LayoutTrace, OfSeveralProcessesThatCallOperatorsTheOneThatMarksStepsCounts) {
  Recording made;
  made.step(1, [&] {
    made.op("aten::relu", {}, [&] { made.kernel("relu", 2); });
    made.on_thread("2/2", [&] { made.op("aten::tanh"); });
  });
  const std::unique_ptr<LayoutTrace> trace = made.trace();
  EXPECT_EQ(trace->nodes()[0].step, 0u);
  EXPECT_EQ(trace->nodes()[1].step, none);
  EXPECT_TRUE(trace->has_other_processes());
}

// A range that recurs may hold several passes of the model; one that is numbered is a step.
TEST(LayoutTrace, PassesOfTheModelComeBeforeRangesWithoutNumbers) {
  const auto steps_of = [](std::string_view range) {
    Recording made;
    for (int i = 0; i < 2; ++i) {
      made.range("user_annotation", fmt::format("{}{}", range, range.ends_with(' ') ? fmt::format("{}", i) : ""), [&] {
        for (int pass = 0; pass < 2; ++pass) {
          made.range("python_function", "nn.Module: Net_0", [&] { made.op("aten::relu", {}, [&] { made.kernel("relu", 2); }); });
        }
      });
    }
    return made.trace()->steps();
  };
  EXPECT_EQ(steps_of("epoch_part").name, "nn.Module: Net_0");
  const SteadySteps passes = steps_of("epoch_part");
  ASSERT_EQ(passes.recorded, 4u);
  for (const Interval& span : passes.spans) EXPECT_GT(span.length(), 3000) << "the last one reaches the end of the recording";
  EXPECT_EQ(steps_of("step ").recorded, 2u);
}

TEST(LayoutTrace, ExternalIdsOfKernelsAreNotBelieved) {
  const auto event = [](auto... parts) { return frx::testing::event(parts...); };
  const std::string text = frx::testing::trace_with(
      event("cpu_op", "aten::mm", "1/1", 0.0, 10.0, R"("External id": 1)") +
      event("cpu_op", "aten::relu", "1/1", 20.0, 10.0, R"("External id": 2)") +
      event("cuda_runtime", "cudaLaunchKernel", "1/1", 2.0, 1.0, R"("correlation": 5)") +
      event("kernel", "gemm", "0/7", 12.0, 5.0, R"("correlation": 5, "External id": 2, "device": 0, "stream": 7)").substr(0));
  const std::string whole = text.substr(0, text.rfind(',')) + "]}";
  const std::unique_ptr<ByteSource> source = open_bytes(whole);
  const std::unique_ptr<LayoutTrace> trace =
      LayoutTrace::of(ingest::trace::read_trace("t.json", *source, {.all_arguments = true}).value()).value();
  EXPECT_EQ(trace->name(trace->node_of_work(0)), "aten::mm");
}

TEST(LayoutTrace, EqualInputsHaveOneSignature) {
  Recording made;
  for (const char* const strides : {"[[4, 1]]", "[[4, 1]]", "[[1, 8]]"}) made.op("aten::relu", {"[[8, 4]]", strides, R"(["float"])"});
  made.op("aten::relu");
  const std::unique_ptr<LayoutTrace> trace = made.trace();
  EXPECT_EQ(trace->signature(0), trace->signature(1));
  EXPECT_NE(trace->signature(0), trace->signature(2));
  EXPECT_EQ(trace->signature(3), none);
  EXPECT_EQ(trace->inputs(3), nullptr);
  ASSERT_NE(trace->inputs(2), nullptr);
  EXPECT_THAT(*tensor_at(*trace->inputs(2), 0)->strides, ElementsAre(1, 8));
}

TEST(OperatorRoles, GoByTheName) {
  EXPECT_EQ(role_of("aten::addmm"), OperatorRole::gemm);
  EXPECT_EQ(role_of("aten::cudnn_convolution"), OperatorRole::convolution);
  EXPECT_EQ(role_of("aten::_scaled_dot_product_flash_attention"), OperatorRole::attention);
  EXPECT_EQ(role_of("aten::max_pool2d_with_indices"), OperatorRole::pooling);
  EXPECT_EQ(role_of("aten::_unsafe_view"), OperatorRole::view);
  EXPECT_EQ(role_of("aten::contiguous"), OperatorRole::copy);
  EXPECT_EQ(role_of("AddmmBackward0"), OperatorRole::autograd);
  EXPECT_EQ(role_of("autograd::engine::evaluate_function: AddmmBackward0"), OperatorRole::autograd);
  EXPECT_EQ(role_of("Torch-Compiled Region: 0/1"), OperatorRole::compiled);
  EXPECT_EQ(role_of("c10d::allreduce_"), OperatorRole::collective);
  EXPECT_EQ(role_of("my_ops::fused_rotary"), OperatorRole::custom);
  EXPECT_EQ(role_of("Optimizer.step#Adam.step"), OperatorRole::other);
  EXPECT_TRUE(is_hot(role_of("aten::native_layer_norm")));
  EXPECT_FALSE(is_hot(role_of("aten::add")));
}

}  // namespace
}  // namespace frx::derive::layout
