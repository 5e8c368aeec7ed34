#include "knowledge/gpu_match.h"

#include <gtest/gtest.h>

namespace frx::knowledge {
namespace {

const GpuCatalogue& gpus_to_match() {
  static const Library library = Library::builtin();
  static const GpuCatalogue catalogue = *GpuCatalogue::load(library);
  return catalogue;
}

GpuMatch named(std::string_view name) {
  GpuQuery query;
  query.name = std::string(name);
  return match_gpu(gpus_to_match(), query);
}
GpuMatch device(std::optional<std::string> name, model::ComputeCapability cc, std::optional<int> sms = {},
                std::optional<double> memory = {}) {
  return match_gpu(gpus_to_match(), {std::move(name), cc, sms, memory});
}
std::string id(const GpuMatch& match) { return match.product ? std::string(match.product->id) : "none"; }
std::string family(const GpuMatch& match) { return match.limits ? std::string(match.limits->family_key) : "none"; }
bool says(const GpuMatch& match, std::string_view part) { return match.explanation.find(part) != std::string::npos; }

// kdiag 3.3: the strings of nvidia-smi.
TEST(GpuMatch, KnowsEveryNameThatDriversPrint) {
  const std::pair<std::string_view, std::string_view> names[] = {
      {"Tesla T4", "t4"},
      {"Tesla V100-SXM2-16GB", "v100-sxm2-16gb"},
      {"Tesla V100-SXM2-32GB", "v100-sxm2-32gb"},
      {"Tesla V100-PCIE-16GB", "v100-pcie-16gb"},
      {"NVIDIA A10", "a10"},
      {"NVIDIA A10G", "a10g"},
      {"NVIDIA A30", "a30"},
      {"NVIDIA A40", "a40"},
      {"NVIDIA A100-SXM4-40GB", "a100-sxm4-40gb"},
      {"NVIDIA A100-SXM4-80GB", "a100-sxm4-80gb"},
      {"NVIDIA A100-PCIE-40GB", "a100-pcie-40gb"},
      {"NVIDIA A100 80GB PCIe", "a100-pcie-80gb"},
      {"NVIDIA L4", "l4"},
      {"NVIDIA L40", "l40"},
      {"NVIDIA L40S", "l40s"},
      {"NVIDIA RTX A6000", "rtx-a6000"},
      {"NVIDIA GeForce RTX 3090", "rtx3090"},
      {"NVIDIA GeForce RTX 3090 Ti", "rtx3090ti"},
      {"NVIDIA GeForce RTX 4090", "rtx4090"},
      {"NVIDIA GeForce RTX 4090 D", "rtx4090d"},
      {"NVIDIA GeForce RTX 4090 Laptop GPU", "rtx4090-laptop"},
      {"NVIDIA GeForce RTX 5060", "rtx5060"},
      {"NVIDIA GeForce RTX 5080", "rtx5080"},
      {"NVIDIA GeForce RTX 5090", "rtx5090"},
      {"NVIDIA H100 80GB HBM3", "h100-sxm5-80gb"},
      {"NVIDIA H100 PCIe", "h100-pcie-80gb"},
      {"NVIDIA H100 NVL", "h100-nvl-94gb"},
      {"NVIDIA H200", "h200-sxm"},
      {"NVIDIA H200 NVL", "h200-nvl"},
      {"NVIDIA GH200 480GB", "gh200-96gb"},
      {"NVIDIA GH200 120GB", "gh200-96gb-120"},
      {"NVIDIA B200", "b200"},
      {"NVIDIA GB200", "gb200"},
      {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000-server"},
      // the same without the vendor, as older drivers print it, and with the vendor's legal marks
      {"A100-PCIE-40GB", "a100-pcie-40gb"},
      {"GeForce RTX 2070", "rtx2070"},
      {"NVIDIA(R) GeForce(R) RTX 4090", "rtx4090"},
      {"NVIDIA Corporation A100-SXM-80GB", "a100-sxm4-80gb"},
      {"NVIDIA H100 80GB HBM2e", "h100-pcie-80gb"},
  };
  for (const auto& [name, expected] : names) {
    const GpuMatch match = named(name);
    EXPECT_EQ(id(match), expected) << name << ": " << match.explanation;
    EXPECT_EQ(match.certainty, Certainty::exact) << name << ": " << match.explanation;
    ASSERT_TRUE(match.limits) << name;
    EXPECT_EQ(match.limits->cc, match.product->cc) << name;
  }
}

// kdiag 3.3: then by memory size, then by SM count.
TEST(GpuMatch, DecidesBetweenMemorySizesByTheDevice) {
  EXPECT_EQ(named("NVIDIA GeForce RTX 5060 Ti").certainty, Certainty::family);
  EXPECT_EQ(id(device("NVIDIA GeForce RTX 5060 Ti", {12, 0}, 36, 8.5)), "rtx5060ti-8gb");
  EXPECT_EQ(id(device("NVIDIA GeForce RTX 5060 Ti", {12, 0}, 36, 17.0)), "rtx5060ti-16gb");
  EXPECT_EQ(id(device("NVIDIA GeForce RTX 3080", {8, 6}, 68, 10.49)), "rtx3080-10gb");
  EXPECT_EQ(id(device("NVIDIA GeForce RTX 3080", {8, 6}, 70, 12.88)), "rtx3080-12gb");
}

TEST(GpuMatch, ReadsTheSameNumberOfBytesAsGigabytesOrGibibytes) {
  EXPECT_EQ(id(device("NVIDIA H100", {9, 0}, 132, 102.09)), "h100-sxm5-96gb");
  EXPECT_EQ(id(device("NVIDIA H100", {9, 0}, 132, 95.07)), "h100-sxm5-96gb");
  EXPECT_EQ(id(device("NVIDIA H100", {9, 0}, 132, 85.03)), "h100-sxm5-80gb");
}

// kdiag 3.3: whole tokens.
TEST(GpuMatch, NeverTakesAPartOfAWord) {
  const std::pair<std::string_view, std::string_view> names[] = {{"NVIDIA A10", "a10"},       {"NVIDIA L4", "l4"},
                                                                 {"NVIDIA H200", "h200-sxm"}, {"NVIDIA B200", "b200"},
                                                                 {"NVIDIA T400", "t400"},     {"NVIDIA T1000", "t1000"}};
  for (const auto& [name, expected] : names) EXPECT_EQ(id(named(name)), expected) << name;
  for (const std::string_view name : {"NVIDIA A100X", "NVIDIA T4G", "NVIDIA A1", "NVIDIA L400", "NVIDIA H1000"}) {
    const GpuMatch match = named(name);
    EXPECT_EQ(id(match), "none") << name;
    EXPECT_EQ(match.certainty, Certainty::unknown) << name << ": " << match.explanation;
  }
}

// kdiag 3.3: Laptop, Max-Q, Ti and D never match the plain part.
TEST(GpuMatch, NeverTakesAVariantForThePlainPart) {
  EXPECT_EQ(id(named("NVIDIA GeForce RTX 5090 D")), "none");
  EXPECT_EQ(id(device("NVIDIA GeForce RTX 5090 D", {12, 0}, 170, 34.2)), "none");  // same SMs and memory, other tensor rate
  EXPECT_EQ(id(named("NVIDIA GeForce RTX 3090 SUPER")), "none");
  EXPECT_EQ(id(named("NVIDIA RTX A2000 Laptop GPU")), "none");
  EXPECT_EQ(id(named("NVIDIA GeForce GTX 1060 with Max-Q Design")), "gtx1060-max-q");
  EXPECT_EQ(id(named("GeForce RTX 3080 Ti Mobile")), "rtx3080ti-laptop");
}

TEST(GpuMatch, UnderstandsWhatPeopleType) {
  for (const std::string_view name : {"RTX4090", "rtx 4090", "RTX-4090", "4090", "GeForce RTX 4090", " rtx_4090 "}) {
    EXPECT_EQ(id(named(name)), "rtx4090") << name;
  }
  EXPECT_EQ(named("rtx5060ti").product->key, "rtx5060ti");
  EXPECT_EQ(named("RTX 5060 Ti").product->key, "rtx5060ti");
  EXPECT_EQ(id(named("rtx4070tisuper")), "rtx4070tisuper");
  EXPECT_EQ(id(named("t4")), "t4");
  EXPECT_EQ(named("T4").certainty, Certainty::exact);
}

TEST(GpuMatch, SaysWhichPartAShortNameStandsFor) {
  for (const std::string_view name : {"H100", "h100", "NVIDIA H100"}) {
    const GpuMatch match = named(name);
    EXPECT_EQ(id(match), "h100-sxm5-80gb") << name;
    EXPECT_EQ(match.certainty, Certainty::family) << name;
    EXPECT_EQ(match.candidates.size(), 4u) << name;
    EXPECT_TRUE(says(match, "assumed NVIDIA H100 80GB HBM3") && says(match, "NVIDIA H100 PCIe")) << match.explanation;
  }
  EXPECT_EQ(id(named("a100")), "a100-sxm4-80gb");
  EXPECT_EQ(id(named("A100 80GB")), "a100-sxm4-80gb");
  EXPECT_EQ(named("v100").certainty, Certainty::family);
}

TEST(GpuMatch, KnowsTheLimitsOfAComputeCapabilityWithoutAProduct) {
  for (const std::string_view name : {"sm_90", "sm_90a", "SM90", "compute_90", "9.0", "hopper"}) {
    const GpuMatch match = named(name);
    EXPECT_EQ(family(match), "sm_90") << name;
    EXPECT_EQ(id(match), "none") << name;
    EXPECT_EQ(match.certainty, Certainty::family) << name;
  }
  EXPECT_EQ(family(named("sm_120f")), "sm_120");
  EXPECT_EQ(named("sm_88").certainty, Certainty::unknown);
  EXPECT_EQ(named("ampere").certainty, Certainty::ambiguous);
}

TEST(GpuMatch, OffersNearNamesForAnUnknownOne) {
  const GpuMatch match = named("RTX4O90");
  EXPECT_EQ(match.certainty, Certainty::unknown);
  EXPECT_FALSE(match.limits);
  EXPECT_TRUE(says(match, "did you mean NVIDIA GeForce RTX 4090")) << match.explanation;
  EXPECT_TRUE(says(named("NVIDIA GeForce RTX 5090 D"), "RTX 5090"));
}

TEST(GpuMatch, BelievesTheDeviceWhenTheNameContradictsIt) {
  const GpuMatch match = device("NVIDIA H100 PCIe", {8, 0}, 108, 42.4);
  EXPECT_TRUE(match.conflict);
  EXPECT_EQ(family(match), "sm_80");
  EXPECT_EQ(id(match), "a100-sxm4-40gb");
  EXPECT_TRUE(says(match, "the device is believed")) << match.explanation;
  const GpuMatch only_cc = device("sm_90", {8, 6});
  EXPECT_TRUE(only_cc.conflict);
  EXPECT_EQ(family(only_cc), "sm_86");
}

TEST(GpuMatch, WithholdsTheProductWhenTheSmCountIsNotItsOwn) {
  const GpuMatch match = device("NVIDIA GeForce RTX 3090", {8, 6}, 80, 25);
  EXPECT_EQ(id(match), "none");
  EXPECT_EQ(family(match), "sm_86");
  EXPECT_EQ(match.certainty, Certainty::family);
}

// kdiag 3.3
TEST(GpuMatch, ResolvesAnEngineeringNameByItsNumbers) {
  EXPECT_EQ(id(device("NVIDIA A100-PG509-200", {8, 0}, 108, 42)), "a100-sxm4-40gb");
  const GpuMatch match = device("NVIDIA A100-PG999-999", {8, 0}, 108, 42.5);
  EXPECT_EQ(id(match), "a100-sxm4-40gb");
  EXPECT_EQ(match.certainty, Certainty::family);
  EXPECT_EQ(id(named("NVIDIA A100-PG999-999")), "none");
  EXPECT_EQ(family(named("NVIDIA A100-PG999-999")), "sm_80");
}

TEST(GpuMatch, NeedsNoNameWhenTheNumbersAreUnique) {
  EXPECT_EQ(id(device(std::nullopt, {8, 9}, 128, 25.4)), "rtx4090");
  EXPECT_EQ(id(device(std::nullopt, {8, 0}, 108, 42.5)), "a100-sxm4-40gb");
  const GpuMatch several = device(std::nullopt, {8, 0}, 108, 85);
  EXPECT_EQ(id(several), "none");
  EXPECT_EQ(several.certainty, Certainty::ambiguous);
  EXPECT_EQ(family(several), "sm_80");
  EXPECT_EQ(family(device(std::nullopt, {9, 0})), "sm_90");
}

// kdiag 3.3
TEST(GpuMatch, FlagsAMigInstanceAndKeepsItsParent) {
  const GpuMatch match = device("NVIDIA A100-SXM4-40GB MIG 1g.5gb", {8, 0}, 14, 5.1);
  EXPECT_TRUE(match.is_mig);
  EXPECT_EQ(id(match), "a100-sxm4-40gb");
  EXPECT_NE(match.certainty, Certainty::exact);
  ASSERT_TRUE(match.mig);
  EXPECT_EQ(match.mig->compute_slices, 1);
  EXPECT_EQ(match.mig->memory_gb, 5);
  EXPECT_TRUE(says(match, "MIG instance")) << match.explanation;
}

TEST(GpuMatch, HasNoLimitsForOtherVendorsWhateverTheirCapabilityLooksLike) {
  for (const std::string_view name : {"AMD Instinct MI300X", "AMD Radeon Graphics", "Intel(R) Arc(TM) A770"}) {
    const GpuMatch match = device(std::string(name), {9, 0}, 104, 68.7);
    EXPECT_EQ(match.certainty, Certainty::unknown) << name;
    EXPECT_FALSE(match.limits) << name;
  }
}

// kdiag 3.3: of each pair neither is taken for the other.
TEST(GpuMatch, KeepsNeighboursApart) {
  const std::pair<std::string_view, std::string_view> pairs[] = {
      {"NVIDIA A10", "NVIDIA A100-SXM4-40GB"},
      {"NVIDIA A10", "NVIDIA A10G"},
      {"NVIDIA L4", "NVIDIA L40S"},
      {"NVIDIA L40", "NVIDIA L40S"},
      {"NVIDIA H200", "NVIDIA GH200 480GB"},
      {"NVIDIA B200", "NVIDIA GB200"},
      {"NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 4090 Laptop GPU"},
      {"NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 4090 D"},
      {"NVIDIA GeForce RTX 3090", "NVIDIA GeForce RTX 3090 Ti"},
      {"NVIDIA GeForce GTX 1060 6GB", "NVIDIA GeForce GTX 1060 with Max-Q Design"}};
  for (const auto& [a, b] : pairs) {
    EXPECT_NE(id(named(a)), "none") << a;
    EXPECT_NE(id(named(b)), "none") << b;
    EXPECT_NE(named(a).product, named(b).product) << a << " and " << b;
  }
}

// kdiag 3.2: what is only the likeliest of several products is not certain.
TEST(GpuMatch, AnAssumedProductIsNotACertainOne) {
  EXPECT_NE(named("H100").product, nullptr);
  EXPECT_EQ(certain_product(named("H100")), nullptr);
  EXPECT_EQ(certain_product(named("sm_90")), nullptr);
  EXPECT_EQ(certain_product(named("NVIDIA H100 PCIe")), gpus_to_match().with_id("h100-pcie-80gb"));
}

TEST(GpuMatch, HasNoDefault) {
  EXPECT_EQ(match_gpu(gpus_to_match(), {}).certainty, Certainty::unknown);
  EXPECT_EQ(named("").certainty, Certainty::unknown);
  EXPECT_EQ(named("-").certainty, Certainty::unknown);
  EXPECT_EQ(named("\xff\x1b[31m").certainty, Certainty::unknown);
  EXPECT_EQ(family(device("something else", {8, 9})), "sm_89");
}

}  // namespace
}  // namespace frx::knowledge
