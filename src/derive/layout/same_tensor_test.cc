#include "derive/layout/same_tensor.h"

#include <gmock/gmock.h>

#include "derive/layout/copy_detectors.h"
#include "derive/layout/testing.h"

namespace frx::derive::layout {
namespace {

using ::testing::ElementsAre;

// contiguous > copy_ of a transposed tensor; the call of copy_ has this number.
void numbered_copy(Recording& made, std::string_view line, int call) {
  made.range("python_function", line, [&] {
    made.op("aten::contiguous", {"[[8, 4]]", "[[1, 8]]", R"(["float"])"}, [&] {
      made.op(
          "aten::copy_", {"[[8, 4], [8, 4], []]", "[[4, 1], [1, 8], []]", R"(["float", "float", "Scalar"])"},
          [&] { made.kernel("void at::native::elementwise_kernel<128, 2, at::native::direct_copy_kernel_cuda", 10); },
          fmt::format(R"("Record function id": {})", call));
    });
  });
}

// The copies of a program, and the execution trace beside it; `sources`: of each copy, by the number of its call.
class CopiesOf {
 public:
  CopiesOf(const Recording& made, std::vector<model::TracedInput> sources, std::vector<model::StorageWrite> writes) : trace_(made.trace()) {
    static const knowledge::Library library = knowledge::Library::builtin();
    static const knowledge::KernelClasses classes = knowledge::KernelClasses::load(library).value();
    copies_ = copies_of(*trace_, classes);
    execution_.inputs = std::move(sources);
    execution_.writes = std::move(writes);
    identities_ = std::make_unique<TensorIdentities>(*trace_, execution_);
  }

  SameTensor same() const { return copies_of_same_tensor(*trace_, copies_, identities_.get()); }
  // "pattern, copies of the tensor" of each finding, in the order of the program.
  std::vector<std::string> churn() const {
    std::vector<std::uint32_t> nodes;
    for (const Copy& copy : copies_) nodes.push_back(copy.node);
    const Sites sites(*trace_, nodes);
    std::vector<std::string> found;
    for (const Candidate& one : contiguous_churn(detector_input(*trace_, copies_, {}, sites, identities_.get()))) {
      const auto copies = one.facts.find("copies_of_tensor");
      found.push_back(fmt::format("{}, {}, {:.0f} of {:.0f} ns spared", one.pattern, copies == one.facts.end() ? 0 : copies->second,
                                  one.saving->low_ns, one.time_ns));
    }
    return found;
  }
  const TensorIdentities& identities() const { return *identities_; }

 private:
  std::unique_ptr<LayoutTrace> trace_;
  std::vector<Copy> copies_;
  model::ExecutionTrace execution_;
  std::unique_ptr<TensorIdentities> identities_;
};

// Memory 4, from its begin, as the source of a copy.
model::TracedInput source_of(std::uint32_t call, std::uint64_t tensor, std::uint64_t storage = 4) {
  return {call, 1, {tensor, storage, 0, 32}};
}

TEST(SameTensor, TwoUsersOfOneTensorCopyItTwice) {
  Recording made;
  numbered_copy(made, "model.py(10): first", 5);
  numbered_copy(made, "model.py(20): second", 8);
  const CopiesOf copies(made, {source_of(5, 7), source_of(8, 7)}, {});
  EXPECT_THAT(copies.same().copies, ElementsAre(2));
  EXPECT_THAT(copies.same().is_first, ElementsAre(true, false));
  // What is copied first stays.
  EXPECT_THAT(copies.churn(), ElementsAre("fan_out, 2, 0 of 10000 ns spared", "fan_out, 2, 10000 of 10000 ns spared"));
}

// Another view of it, such as a second transpose, is the same content.
TEST(SameTensor, ViewsOfOneMemoryAreOneTensor) {
  Recording made;
  numbered_copy(made, "model.py(10): first", 5);
  numbered_copy(made, "model.py(20): second", 8);
  EXPECT_THAT(CopiesOf(made, {source_of(5, 7), source_of(8, 9)}, {}).same().copies, ElementsAre(2));
}

TEST(SameTensor, WhatIsWrittenInBetweenIsAnotherOne) {
  Recording made;
  numbered_copy(made, "model.py(10): first", 5);
  numbered_copy(made, "model.py(20): second", 8);
  const CopiesOf copies(made, {source_of(5, 7), source_of(8, 7)}, {{4, 6}});
  EXPECT_THAT(copies.same().copies, ElementsAre(1, 1));
  EXPECT_THAT(copies.churn(), ElementsAre("repeated, 1, 0 of 10000 ns spared", "repeated, 1, 0 of 10000 ns spared"));
}

TEST(SameTensor, WritesBeforeAndAfterAndToOtherMemoryDoNotCount) {
  Recording made;
  numbered_copy(made, "model.py(10): first", 5);
  numbered_copy(made, "model.py(20): second", 8);
  EXPECT_THAT(CopiesOf(made, {source_of(5, 7), source_of(8, 7)}, {{3, 6}, {4, 4}, {4, 8}, {5, 6}}).same().copies, ElementsAre(2));
}

// In a loop: sure, where without an execution trace it were a guess, or no finding of this kind at all.
TEST(SameTensor, ALoopOverOneTensorIsKnown) {
  Recording made;
  for (const int call : {5, 8, 11}) numbered_copy(made, "model.py(10): forward", call);
  const CopiesOf copies(made, {source_of(5, 7), source_of(8, 7), source_of(11, 7)}, {});
  EXPECT_THAT(copies.churn(), ElementsAre("loop, 3, 20000 of 30000 ns spared"));
}

TEST(SameTensor, EqualSizesOfDifferentTensorsAreNoLoop) {
  Recording made;
  for (const int call : {5, 8}) numbered_copy(made, "model.py(10): forward", call);
  EXPECT_THAT(CopiesOf(made, {source_of(5, 7, 4), source_of(8, 9, 6)}, {}).churn(), ElementsAre("repeated, 1, 0 of 20000 ns spared"));
}

TEST(SameTensor, ACallThatTheExecutionTraceLacksIsUnknown) {
  Recording made;
  numbered_copy(made, "model.py(10): first", 5);
  numbered_copy(made, "model.py(20): second", 8);
  const CopiesOf copies(made, {source_of(5, 7)}, {});
  EXPECT_TRUE(copies.same().is_known(0));
  EXPECT_FALSE(copies.same().is_known(1));
  EXPECT_EQ(copies.identities().known(), 1u);
  EXPECT_EQ(copies.identities().asked(), 4u);
}

}  // namespace
}  // namespace frx::derive::layout
