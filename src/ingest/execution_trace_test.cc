#include "ingest/execution_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace frx::ingest {
namespace {

Result<model::ExecutionTrace> execution_of(const std::string& text) {
  const std::unique_ptr<ByteSource> source = open_bytes(text);
  return read_execution_trace("et.json", *source);
}

model::ExecutionTrace read_nodes(const std::string& nodes) {
  Result<model::ExecutionTrace> trace = execution_of(R"x({"schema": "1.0.1", "nodes": [)x" + nodes + "]}");
  if (!trace) ADD_FAILURE() << to_string(trace.error());
  return trace ? std::move(*trace) : model::ExecutionTrace();
}

// "storage@moment" of all writes.
std::vector<std::string> writes_of(const model::ExecutionTrace& trace) {
  std::vector<std::string> writes;
  for (const model::StorageWrite& one : trace.writes) writes.push_back(fmt::format("{}@{}", one.storage, one.moment));
  return writes;
}

// A call of the first form; the types are those of tensors.
std::string call(int id, int parent, int rf_id, const char* schema, const char* inputs, const char* input_types, const char* outputs,
                 const char* output_types) {
  return fmt::format(
      R"x({{"name": "op", "id": {}, "rf_id": {}, "parent": {}, "op_schema": "{}", "inputs": {}, "input_types": {}, "outputs": {}, "output_types": {}}})x",
      id, rf_id, parent, schema, inputs, input_types, outputs, output_types);
}
constexpr const char* tensor = R"x(["Tensor(float)"])x";

TEST(ExecutionTrace, TensorsAreInputsByCallAndPlace) {
  const model::ExecutionTrace trace =
      read_nodes(call(9, 2, 7, "aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)",
                      R"x([[12,13,0,128,4,"cpu"],[7,4,3,128,4,"cpu"],false])x", R"x(["Tensor(float)","Tensor(float)","Bool"])x",
                      R"x([[12,13,0,128,4,"cpu"]])x", tensor));
  EXPECT_EQ(trace.calls, 1u);
  ASSERT_EQ(trace.inputs.size(), 2u);
  EXPECT_EQ(trace.inputs[1].call, 7u);
  EXPECT_EQ(trace.inputs[1].index, 1u);
  EXPECT_EQ(trace.inputs[1].tensor, (model::TensorIdentity{7, 4, 3, 128}));
  EXPECT_THAT(writes_of(trace), ::testing::ElementsAre("13@7"));  // the source is only read
}

// PyTorch 2.2 and later.
TEST(ExecutionTrace, TheFormWithAttributesIsTheSame) {
  const model::ExecutionTrace trace = read_nodes(
      R"x({"id": 6, "name": "aten::relu", "ctrl_deps": 3, "inputs": {"values": [[4,5,0,8,8,"cuda:0"]], "shapes": [[8]], "types": ["Tensor(double)"]},
          "outputs": {"values": [[7,8,0,8,8,"cuda:0"]], "shapes": [[8]], "types": ["Tensor(double)"]},
          "attrs": [{"name": "rf_id", "type": "uint64", "value": 31}, {"name": "op_schema", "type": "string", "value": "aten::relu(Tensor self) -> Tensor"}]
})x");
  ASSERT_EQ(trace.inputs.size(), 1u);
  EXPECT_EQ(trace.inputs[0].call, 31u);
  EXPECT_EQ(trace.inputs[0].tensor.storage, 5u);
  EXPECT_THAT(writes_of(trace), ::testing::ElementsAre("8@31"));
}

TEST(ExecutionTrace, AViewWritesNothing) {
  const model::ExecutionTrace trace = read_nodes(
      call(5, 2, 1, "aten::t(Tensor(a) self) -> Tensor(a)", R"x([[3,4,0,128,4,"cpu"]])x", tensor, R"x([[7,4,0,128,4,"cpu"]])x", tensor));
  EXPECT_THAT(writes_of(trace), ::testing::IsEmpty());
}

TEST(ExecutionTrace, ACallThatSaysNothingOfItselfMayWriteWhatItTakes) {
  const model::ExecutionTrace trace = read_nodes(call(5, 2, 1, "", R"x([[3,4,0,128,4,"cpu"]])x", tensor, "[]", "[]"));
  EXPECT_THAT(writes_of(trace), ::testing::ElementsAre("4@1"));
}

// Operators on lists of tensors: Adam steps.
TEST(ExecutionTrace, TensorsOfWrittenListsAreWritten) {
  const model::ExecutionTrace trace =
      read_nodes(call(5, 2, 1, "aten::_foreach_add_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> ()",
                      R"x([[[3,4,0,8,4,"cpu"],[5,6,0,8,4,"cpu"]],[[7,8,0,8,4,"cpu"]],1])x",
                      R"x(["GenericList[Tensor(float),Tensor(float)]","GenericList[Tensor(float)]","Int"])x", "[]", "[]"));
  EXPECT_THAT(trace.inputs, ::testing::IsEmpty());
  EXPECT_THAT(writes_of(trace), ::testing::ElementsAre("4@1", "6@1"));
}

// The inner call (rf_id 3) is written to the file first; what the outer one (rf_id 2) writes is written until both have ended.
TEST(ExecutionTrace, AWriteLastsUntilTheCallsInsideHaveEnded) {
  const model::ExecutionTrace trace = read_nodes(
      call(6, 5, 3, "aten::view(Tensor(a) self) -> Tensor(a)", R"x([[3,4,0,8,4,"cpu"]])x", tensor, R"x([[3,4,0,8,4,"cpu"]])x", tensor) +
      "," +
      call(5, 2, 2, "aten::zero_(Tensor(a!) self) -> Tensor(a!)", R"x([[3,4,0,8,4,"cpu"]])x", tensor, R"x([[3,4,0,8,4,"cpu"]])x", tensor));
  EXPECT_THAT(writes_of(trace), ::testing::ElementsAre("4@2", "4@3"));
}

// PyTorch prints them as C++ does.
TEST(ExecutionTrace, NumbersThatAreNotFiniteAreUnknown) {
  const model::ExecutionTrace trace = read_nodes(call(
      5, 2, 1, "aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", R"x([[3,4,0,8,4,"cpu"],-inf,nan,-1e-05,"nan"])x",
      R"x(["Tensor(float)","Double","Double","Double","String"])x", R"x([[5,6,0,8,4,"cpu"]])x", tensor));
  EXPECT_EQ(trace.calls, 1u);
  EXPECT_THAT(writes_of(trace), ::testing::ElementsAre("6@1"));
  EXPECT_FALSE(trace.cut_short);
}

TEST(ExecutionTrace, AFileThatEndsEarlyIsReadAsFarAsItGoes) {
  const Result<model::ExecutionTrace> trace = execution_of(
      R"x({"schema": "1.0.1", "nodes": [)x" +
      call(5, 2, 1, "aten::relu(Tensor self) -> Tensor", R"x([[3,4,0,8,4,"cpu"]])x", tensor, R"x([[5,6,0,8,4,"cpu"]])x", tensor) +
      R"x(, {"name": "aten::mm", "id")x");
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(trace->calls, 1u);
  EXPECT_TRUE(trace->cut_short);
}

TEST(ExecutionTrace, OtherFilesAreRefused) {
  for (const char* const text :
       {"", "[]", R"x({"traceEvents": [{"name": "aten::mm", "args": {"External id": 3}}]})x", R"x({"nodes": [{"id": 1}]})x"}) {
    const Result<model::ExecutionTrace> trace = execution_of(text);
    ASSERT_FALSE(trace) << text;
    EXPECT_THAT(in_one_line(trace.error()), ::testing::HasSubstr("expected an execution trace of PyTorch")) << text;
  }
}

}  // namespace
}  // namespace frx::ingest
