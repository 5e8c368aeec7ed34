#include "derive/layout/copy_detectors.h"

#include <gmock/gmock.h>

#include "derive/layout/testing.h"

namespace frx::derive::layout {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Everything that the detectors look at, of one recording.
class DetectedIn {
 public:
  explicit DetectedIn(const Recording& made) : trace_(made.trace()) {
    static const knowledge::Library library = knowledge::Library::builtin();
    static const knowledge::KernelClasses classes = knowledge::KernelClasses::load(library).value();
    copies_ = copies_of(*trace_, classes);
    chains_ = view_chains(*trace_);
    std::vector<std::uint32_t> nodes;
    for (const Copy& copy : copies_) nodes.push_back(copy.node);
    for (const ViewChain& chain : chains_) nodes.push_back(chain.views.front());
    sites_ = std::make_unique<Sites>(*trace_, std::move(nodes));
  }
  DetectorInput input() const { return detector_input(*trace_, copies_, chains_, *sites_); }
  const LayoutTrace& trace() const { return *trace_; }
  const std::vector<ViewChain>& chains() const { return chains_; }

 private:
  std::unique_ptr<LayoutTrace> trace_;
  std::vector<Copy> copies_;
  std::vector<ViewChain> chains_;
  std::unique_ptr<Sites> sites_;
};

std::vector<std::string_view> patterns_of(const std::vector<Candidate>& candidates) {
  std::vector<std::string_view> patterns;
  for (const Candidate& candidate : candidates) patterns.push_back(candidate.pattern);
  return patterns;
}

const std::string floats = R"(["float", "float"])";

void matmul_of(Recording& made, const char* strides) {
  made.op("aten::matmul", {"[[64, 32], [32, 16]]", fmt::format("[{}, [16, 1]]", strides), floats}, [&] {
    made.op("aten::mm", {"[[64, 32], [32, 16]]", fmt::format("[{}, [16, 1]]", strides), floats}, [&] { made.kernel("gemm", 50); });
  });
}

TEST(HiddenCopies, AreThoseInsideOfHotOperators) {
  Recording made;
  made.view("aten::transpose", "[4, 64, 32]", "[2048, 32, 1]", {"0", "1"});
  made.op("aten::matmul", {"[[64, 4, 32], [32, 16]]", "[[32, 2048, 1], [16, 1]]", floats}, [&] {
    made.contiguous("[64, 4, 32]", "[32, 2048, 1]", "[128, 32, 1]", 10, "aten::reshape");
    made.op("aten::mm", {"[[256, 32], [32, 16]]", "[[32, 1], [16, 1]]", floats}, [&] { made.kernel("gemm", 50); });
  });
  const DetectedIn detected(made);
  const std::vector<Candidate> found = hidden_copies(detected.input());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].pattern, "hidden_copy");
  EXPECT_EQ(found[0].words.at("operator"), "matmul");
  EXPECT_EQ(found[0].words.at("producer"), "transpose");
  EXPECT_EQ(found[0].count, 1);
  EXPECT_EQ(found[0].time_ns, 10000);
  EXPECT_EQ(found[0].bytes, 2.0 * 64 * 4 * 32 * 4);
  EXPECT_EQ(found[0].saving->low_ns, 0);
  EXPECT_EQ(found[0].saving->best_ns, 10000);
  EXPECT_THAT(contiguous_churn(detected.input()), IsEmpty());
}

// x @ w.t(): products take transposed operands as they are.
TEST(HiddenCopies, TransposedOperandsOfProductsAreNative) {
  Recording made;
  matmul_of(made, "[1, 64]");
  const DetectedIn detected(made);
  EXPECT_THAT(hidden_copies(detected.input()), IsEmpty());
  EXPECT_EQ(latent_inputs(detected.input()).per_step, 0);
  EXPECT_TRUE(is_native_for_gemm(Dimensions{64, 32}, Dimensions{1, 64}));
  EXPECT_TRUE(is_native_for_gemm(Dimensions{8, 64, 32}, Dimensions{4096, 1, 64}));
  EXPECT_TRUE(is_native_for_gemm(Dimensions{64, 32}, Dimensions{100, 1}));  // a leading dimension of 100
  EXPECT_FALSE(is_native_for_gemm(Dimensions{64, 32}, Dimensions{64, 2}));
  EXPECT_FALSE(is_native_for_gemm(Dimensions{64, 32}, Dimensions{1, 1}));
}

TEST(HiddenCopies, OperandsOfOtherLayoutsWithoutACopyAreOnlyCounted) {
  Recording made;
  matmul_of(made, "[64, 2]");
  const DetectedIn detected(made);
  EXPECT_THAT(hidden_copies(detected.input()), IsEmpty());
  EXPECT_EQ(latent_inputs(detected.input()).per_step, 1);
}

// Rows of queries, keys and values have to be contiguous and to begin at multiples of 16 bytes; those of a norm to be contiguous.
TEST(HiddenCopies, InputsOfAttentionAndNormsAreLatentByTheirRows) {
  const auto latent_in = [](std::string_view name, const std::string& sizes, const std::string& strides, const std::string& types) {
    Recording made;
    made.op(name, {sizes, strides, types}, [&] { made.kernel("k", 20); });
    return latent_inputs(DetectedIn(made).input()).per_step;
  };
  const std::string heads = "[[2, 8, 128, 64], [2, 8, 128, 64], [2, 8, 128, 64]]", halves = R"(["c10::Half", "c10::Half", "c10::Half"])";
  const std::string plain = "[65536, 8192, 64, 1]", by_tokens = "[65536, 64, 512, 1]", turned = "[65536, 8192, 1, 128]";
  const std::string unaligned = "[66048, 8256, 65, 1]";
  const auto with = [&](const std::string& one) { return "[" + one + ", " + plain + ", " + plain + "]"; };
  const std::string_view attention = "aten::_scaled_dot_product_flash_attention";
  EXPECT_EQ(latent_in(attention, heads, with(plain), halves), 0);
  EXPECT_EQ(latent_in(attention, heads, with(by_tokens), halves), 0) << "a transposed view is native";
  EXPECT_EQ(latent_in(attention, heads, with(turned), halves), 1);
  EXPECT_EQ(latent_in(attention, heads, with(unaligned), halves), 1) << "rows of 130 bytes";
  const std::string norm_sizes = "[[32, 64], [], [64], [64], []]", norm_types = R"(["float", "ScalarList", "float", "float", "Scalar"])";
  EXPECT_EQ(latent_in("aten::native_layer_norm", norm_sizes, "[[64, 1], [], [1], [1], []]", norm_types), 0);
  EXPECT_EQ(latent_in("aten::native_layer_norm", norm_sizes, "[[128, 1], [], [1], [1], []]", norm_types), 0) << "rows apart are no fault";
  EXPECT_EQ(latent_in("aten::native_layer_norm", norm_sizes, "[[1, 32], [], [1], [1], []]", norm_types), 1);
}

TEST(HiddenCopies, ACastUnderAutocastIsNone) {
  Recording made;
  made.op("aten::linear", {"[[64, 32], [16, 32]]", "[[32, 1], [32, 1]]", floats}, [&] {
    made.op("aten::to", {}, [&] {
      made.op("aten::_to_copy", {}, [&] {
        made.op("aten::copy_", {"[[16, 32], [16, 32], []]", "[[32, 1], [32, 1], []]", R"(["c10::Half", "float", "Scalar"])"},
                [&] { made.kernel("copy", 3); });
      });
    });
    made.op("aten::addmm", {}, [&] { made.kernel("gemm", 50); });
  });
  EXPECT_THAT(hidden_copies(DetectedIn(made).input()), IsEmpty());
}

// The same tensor, for which the operator before it (a product with a result of another size) is no source, is copied in every iteration.
TEST(ContiguousChurn, EqualCopiesOfAnOlderTensorAreALoop) {
  Recording made;
  for (int i = 0; i < 4; ++i) {
    made.contiguous("[32, 16]", "[1, 32]", "[16, 1]");
    made.op("aten::mm", {"[[64, 32], [32, 16]]", "[[32, 1], [16, 1]]", floats}, [&] { made.kernel("gemm", 50); });
    made.op("aten::add", {"[[64, 16], [64, 16]]", "[[16, 1], [16, 1]]", floats}, [&] { made.kernel("add", 5); });
  }
  const DetectedIn detected(made);
  const std::vector<Candidate> found = contiguous_churn(detected.input());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].pattern, "late");  // the product reads the transposed tensor natively, which says more
  EXPECT_EQ(found[0].count, 4);
}

TEST(ContiguousChurn, ALoopSavesAllCopiesButOne) {
  Recording made;
  for (int i = 0; i < 4; ++i) {
    made.op("aten::sum", {"[[64, 16]]", "[[16, 1]]", R"(["float"])"}, [&] { made.kernel("sum", 5); });
    made.op("aten::mm", {"[[64, 8], [8, 16]]", "[[8, 1], [16, 1]]", floats}, [&] { made.kernel("gemm", 50); });
    made.contiguous("[32, 16]", "[1, 32]", "[16, 1]");
    made.op("aten::relu", {"[[32, 16]]", "[[16, 1]]", R"(["float"])"}, [&] { made.kernel("relu", 5); });
  }
  const std::vector<Candidate> found = contiguous_churn(DetectedIn(made).input());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].pattern, "loop");
  EXPECT_EQ(found[0].facts.at("equal_per_step"), 4);
  EXPECT_EQ(found[0].saving->low_ns, 30000);
  EXPECT_EQ(found[0].saving->best_ns, 40000);
}

// Each layer makes its tensor anew: that copies are of equal sizes does not make them one.
TEST(ContiguousChurn, CopiesOfFreshTensorsAreNoLoop) {
  Recording made;
  for (int i = 0; i < 4; ++i) {
    made.op("aten::mm", {"[[32, 8], [8, 16]]", "[[8, 1], [16, 1]]", floats}, [&] { made.kernel("gemm", 50); });
    made.view("aten::t", "[32, 16]", "[16, 1]", {});
    made.contiguous("[16, 32]", "[1, 16]", "[32, 1]");
    made.op("aten::relu", {"[[16, 32]]", "[[32, 1]]", R"(["float"])"}, [&] { made.kernel("relu", 5); });
  }
  const std::vector<Candidate> found = contiguous_churn(DetectedIn(made).input());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].pattern, "repeated");
  EXPECT_EQ(found[0].saving->low_ns, 0);
}

// NCHW to NHWC, and back.
TEST(ContiguousChurn, ACopyThatUndoesAnotherIsAPair) {
  Recording made;
  made.view("aten::permute", "[2, 3, 4, 5]", "[60, 20, 5, 1]", {"[0, 2, 3, 1]"});
  made.contiguous("[2, 4, 5, 3]", "[60, 5, 1, 20]", "[60, 15, 3, 1]");
  made.op("aten::relu", {"[[2, 4, 5, 3]]", "[[60, 15, 3, 1]]", R"(["float"])"}, [&] { made.kernel("relu", 5); });
  made.view("aten::permute", "[2, 4, 5, 3]", "[60, 15, 3, 1]", {"[0, 3, 1, 2]"});
  made.contiguous("[2, 3, 4, 5]", "[60, 1, 15, 3]", "[60, 20, 5, 1]");
  EXPECT_THAT(patterns_of(contiguous_churn(DetectedIn(made).input())), ElementsAre("ping_pong", "ping_pong"));
}

TEST(ViewChains, ComposePermutations) {
  Recording made;
  made.view("aten::transpose", "[2, 3, 4]", "[12, 4, 1]", {"1", "-1"});
  made.view("aten::permute", "[2, 4, 3]", "[12, 1, 4]", {"[0, 2, 1]"});
  made.op("aten::relu", {"[[2, 3, 4]]", "[[12, 4, 1]]", R"(["float"])"}, [&] { made.kernel("relu", 5); });
  const DetectedIn detected(made);
  ASSERT_EQ(detected.chains().size(), 1u);
  EXPECT_TRUE(is_identity(*detected.chains()[0].composed));
  EXPECT_EQ(detected.trace().name(detected.chains()[0].consumer), "aten::relu");
  EXPECT_THAT(patterns_of(permute_storms(detected.input())), ElementsAre("identity"));
}

// q, k and v of one sequence: three chains of two views, although six views stand in a row.
TEST(ViewChains, EndWhereTheSizesDoNotFollow) {
  Recording made;
  for (int i = 0; i < 3; ++i) {
    made.view("aten::view", "[8, 16, 64]", "[1024, 64, 1]", {"[8, 16, 4, 16]"});
    made.view("aten::transpose", "[8, 16, 4, 16]", "[1024, 64, 16, 1]", {"1", "2"});
  }
  made.op("aten::scaled_dot_product_attention", {"[[8, 4, 16, 16]]", "", R"(["float"])"}, [&] { made.kernel("flash_fwd", 5); });
  const DetectedIn detected(made);
  ASSERT_EQ(detected.chains().size(), 3u);
  for (const ViewChain& chain : detected.chains()) EXPECT_EQ(chain.views.size(), 2u);
}

TEST(ViewChains, KnowTheSizesOfResults) {
  Recording made;
  made.view("aten::view", "[8, 16, 64]", "", {"[8, -1, 4, 16]"});
  made.view("aten::expand", "[1, 16]", "", {"[8, 4, -1]"});
  made.view("aten::unsqueeze", "[8, 16]", "", {"-1"});
  made.view("aten::select", "[8, 16, 4]", "", {"1", "3"});
  made.view("aten::slice", "[8, 16, 4]", "", {"1", "0", "9", "1"});
  const std::unique_ptr<LayoutTrace> trace = made.trace();
  EXPECT_THAT(*result_sizes(*trace, 0), ElementsAre(8, 16, 4, 16));
  EXPECT_THAT(*result_sizes(*trace, 1), ElementsAre(8, 4, 16));
  EXPECT_THAT(*result_sizes(*trace, 2), ElementsAre(8, 16, 1));
  EXPECT_THAT(*result_sizes(*trace, 3), ElementsAre(8, 4));
  EXPECT_EQ(result_sizes(*trace, 4), std::nullopt);
}

TEST(PermuteStorms, AChainThatIsCopiedCostsWhatTheCopyCosts) {
  Recording made;
  made.view("aten::view", "[8, 16, 64]", "[1024, 64, 1]", {"[8, 16, 4, 16]"});
  made.view("aten::transpose", "[8, 16, 4, 16]", "[1024, 64, 16, 1]", {"1", "2"});
  made.contiguous("[8, 4, 16, 16]", "[1024, 16, 64, 1]", "[1024, 256, 16, 1]", 20);
  const std::vector<Candidate> found = permute_storms(DetectedIn(made).input());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].pattern, "ends_in_copy");
  EXPECT_EQ(found[0].time_ns, 20000);
  EXPECT_EQ(found[0].words.at("chain"), "view([8, 16, 4, 16]) > transpose(1, 2)");
  EXPECT_EQ(found[0].bytes, 2.0 * 8 * 4 * 16 * 16 * 4);
}

TEST(PermuteStorms, ViewsWithoutPermutationsAreNone) {
  Recording made;
  for (int i = 0; i < 4; ++i) made.op("aten::view", {"[[8, 16]]", "[[16, 1]]", R"(["float"])", R"(["", "[8, 16]"])"});
  EXPECT_THAT(permute_storms(DetectedIn(made).input()), IsEmpty());
}

TEST(Sites, AreLinesOfTheProgramWhateverTheNumberOfTheModule) {
  Recording made;
  made.range("python_function", "nn.Module: Model_0", [&] {
    for (int i = 0; i < 2; ++i) {
      made.range("python_function", fmt::format("nn.Module: Block_{}", i), [&] {
        made.range("python_function", "net/model.py(42): forward", [&] { made.contiguous("[8, 4]", "[1, 8]", "[4, 1]"); });
      });
    }
  });
  const DetectedIn detected(made);
  const std::vector<Candidate> found = contiguous_churn(detected.input());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].count, 2);
  const Sites sites(detected.trace(), {found[0].node});
  const Site& site = sites[sites.of(found[0].node)];
  EXPECT_EQ(site.text(), "net/model.py(42): forward");
  EXPECT_EQ(site.line, 42u);
  EXPECT_EQ(site.module, "Model.Block");
  EXPECT_EQ(site.first_module, "Model_0.Block_0");
  EXPECT_EQ(site.op_path, "aten::contiguous");
}

TEST(ContiguousChurn, KernelsOfTheCompilerThatOnlyMoveElementsAreTold) {
  Recording made;
  for (int i = 0; i < 3; ++i) {
    made.op("CompiledFunction", {}, [&] {
      made.kernel("triton_poi_fused_clone_permute_7", 10);
      made.kernel("triton_poi_fused_add_clone_8", 10);
    });
    made.op("aten::relu");
  }
  const std::vector<Candidate> found = contiguous_churn(DetectedIn(made).input());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].pattern, "compiled");
  EXPECT_EQ(found[0].count, 3);
  EXPECT_EQ(found[0].time_ns, 30'000);
  EXPECT_FALSE(found[0].bytes);
  EXPECT_EQ(found[0].words.at("kernel"), "triton_poi_fused_clone_permute_7");
  EXPECT_EQ(found[0].saving->low_ns, 0);
  EXPECT_EQ(found[0].saving->best_ns, 30'000);
}

// Two calls of one function are two places to change, where the lines of calls were recorded.
TEST(Sites, AreLinesOfCallsWhereTheseWereRecorded) {
  Recording made;
  made.range("python_function", "net/model.py(42): forward", [&] {
    for (const int line : {47, 51}) {
      made.called_from(fmt::format("net/model.py:{}", line), [&] { made.contiguous("[8, 4]", "[1, 8]", "[4, 1]"); });
    }
  });
  const DetectedIn detected(made);
  std::vector<std::string> texts;
  for (const Candidate& one : contiguous_churn(detected.input())) {
    const Sites sites(detected.trace(), {one.node});
    const Site& site = sites[sites.of(one.node)];
    texts.push_back(site.text());
    EXPECT_TRUE(site.is_line_of_call);
  }
  EXPECT_THAT(texts, ::testing::UnorderedElementsAre("net/model.py:47 in forward", "net/model.py:51 in forward"));
}

// A copy of the backward pass belongs to the line that called the forward operator.
TEST(Sites, OfTheBackwardPassAreThoseOfTheForwardOperator) {
  Recording made;
  made.range("python_function", "net/model.py(7): forward", [&] {
    made.op(
        "aten::mm", {}, [&] { made.kernel("gemm", 5); }, R"("Sequence number": 12, "Fwd thread id": 0)");
  });
  made.on_thread("1/2", [&] {
    made.op(
        "autograd::engine::evaluate_function: MmBackward0", {},
        [&] {
          made.op(
              "MmBackward0", {}, [&] { made.contiguous("[8, 4]", "[1, 8]", "[4, 1]"); }, R"("Sequence number": 12, "Fwd thread id": 1)");
        },
        R"("Sequence number": 12, "Fwd thread id": 1)");
  });
  const DetectedIn detected(made);
  const std::vector<Candidate> found = contiguous_churn(detected.input());
  ASSERT_EQ(found.size(), 1u);
  const Sites sites(detected.trace(), {found[0].node});
  EXPECT_EQ(sites[0].text(), "net/model.py(7): forward (backward)");
  EXPECT_TRUE(sites[0].backward);
}

}  // namespace
}  // namespace frx::derive::layout
