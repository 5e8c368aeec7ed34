#include "knowledge/gpus.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace frx::knowledge {
namespace {

const Library& builtin() {
  static const Library library = Library::builtin();
  return library;
}
const GpuCatalogue& catalogue() {
  static const GpuCatalogue catalogue = *GpuCatalogue::load(builtin());
  return catalogue;
}

// The built-in data with one overlaid file.
Result<Library> with_file(const std::string& name, const std::string& text) {
  TRY_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make(::testing::TempDir()));
  TRY(write_file(folder.file("gpus/" + name), text));
  return Library::with_overrides(folder.path());
}

std::string message_of_check(const std::string& yaml) {
  const Result<Library> library = with_file("zz.yaml", yaml);
  if (!library) return to_string(library.error());
  const Result<GpuCatalogue> loaded = GpuCatalogue::load(*library);
  if (!loaded) return to_string(loaded.error());
  const Result<> checked = loaded->check();
  return checked ? "" : to_string(checked.error());
}

std::string product(const std::string& more) {
  return "products:\n  - id: mine\n    key: mine\n    name: NVIDIA Mine\n    cc: \"8.0\"\n    sm_count: 10\n    boost_clock_mhz: 1000\n" +
         more;
}

TEST(GpuCatalogue, ExplainsEveryPeakOfTheBuiltInData) {
  const Result<> checked = catalogue().check();
  EXPECT_TRUE(checked) << to_string(checked.error());
  EXPECT_GT(catalogue().products().size(), 100u);
}

TEST(GpuCatalogue, KnowsTheDenseRatesThatOtherTablesDouble) {
  EXPECT_NEAR(*catalogue().with_id("h100-sxm5-80gb")->peak_tflops("fp16_tensor"), 989.4, 0.5);
  EXPECT_NEAR(*catalogue().with_id("h100-pcie-80gb")->peak_tflops("fp16_tensor"), 756, 1);
  EXPECT_NEAR(*catalogue().with_id("h100-nvl-94gb")->peak_tflops("fp16_tensor"), 835.5, 1);
  EXPECT_NEAR(*catalogue().with_id("rtx4090")->peak_tflops("fp16_tensor"), 165.2, 0.5);
  EXPECT_EQ(*catalogue().with_id("h100-pcie-80gb")->memory_bandwidth_gbps, 2039);
}

TEST(GpuCatalogue, LeavesAbsentWhatDoesNotExist) {
  const GpuProduct& t4 = *catalogue().with_id("t4");
  EXPECT_FALSE(t4.peak_tflops("bf16_tensor"));
  EXPECT_FALSE(t4.peak_tflops("fp8_tensor"));
  EXPECT_FALSE(catalogue().limits(t4.cc)->has("bf16"));
  EXPECT_FALSE(catalogue().with_id("rtx9999"));
  EXPECT_FALSE(catalogue().limits({9, 9}));
}

TEST(GpuCatalogue, HoldsTheLimitsOfTheSpecification) {
  const SmLimits& hopper = *catalogue().limits({9, 0});
  EXPECT_EQ(hopper.shared_per_sm, 228u * 1024);
  EXPECT_EQ(hopper.shared_per_block, 227u * 1024);
  EXPECT_EQ(hopper.family_key, "sm_90");
  EXPECT_EQ(catalogue().limits({12, 0})->shared_per_sm, 100u * 1024);
  EXPECT_EQ(catalogue().limits({12, 0})->threads_per_sm, 1536u);
  EXPECT_EQ(catalogue().limits({8, 6})->blocks_per_sm, 16u);
  EXPECT_EQ(catalogue().limits({8, 9})->blocks_per_sm, 24u);
}

TEST(GpuCatalogue, SaysWhereANumberCameFrom) {
  const std::string text = catalogue().with_id("h100-sxm5-80gb")->provenance("fp64_tensor");
  EXPECT_NE(text.find("boost clock"), text.npos) << text;
  EXPECT_NE(text.find("data/gpus/hopper.yaml:"), text.npos) << text;
}

TEST(GpuCatalogue, DerivesAPeakAtAMeasuredClock) {
  const GpuProduct& a100 = *catalogue().with_id("a100-sxm4-80gb");
  const SmLimits& limits = *catalogue().limits(a100.cc);
  EXPECT_NEAR(*derived_peak_tflops(a100, limits, "fp16_tensor"), 312, 1);
  EXPECT_NEAR(*derived_peak_tflops(a100, limits, "fp16_tensor", 705), 156, 0.5);
  EXPECT_FALSE(derived_peak_tflops(a100, limits, "fp4_tensor"));
}

TEST(GpuCatalogue, RefusesASparsePeakWithFileAndLine) {
  const std::string message = message_of_check(product("    peaks_tflops: {fp16_tensor: 40.96}\n"));
  EXPECT_NE(message.find("data/gpus/zz.yaml:8"), message.npos) << message;
  EXPECT_NE(message.find("20.48"), message.npos) << message;
}

TEST(GpuCatalogue, AcceptsAnUnexplainedPeakThatIsListedAsUnchecked) {
  EXPECT_EQ(message_of_check(product("    peaks_tflops: {fp16_tensor: 40.96}\n    unchecked: [fp16_tensor]\n")), "");
}

TEST(GpuCatalogue, RefusesTheSameIdTwice) {
  const std::string message = message_of_check("products:\n  - {id: t4, key: t4, name: Tesla T4, cc: \"7.5\"}\n");
  EXPECT_NE(message.find("found 't4' twice"), message.npos) << message;
}

TEST(GpuCatalogue, RefusesATextWhereANumberBelongs) {
  const std::string message = message_of_check(product("    l2_mb: lots\n"));
  EXPECT_EQ(message.substr(0, message.find('\n')), "data/gpus/zz.yaml:8: expected a number above 0 as 'l2_mb' of 'mine', found 'lots'");
}

TEST(GpuCatalogue, RefusesACapabilityWithoutALimit) {
  const std::string message = message_of_check("compute_capabilities:\n  - {cc: \"13.0\", family_key: sm_130, warp_size: 32}\n");
  EXPECT_NE(message.find("data/gpus/zz.yaml:2: expected a whole number as 'threads_per_block'"), message.npos) << message;
}

TEST(GpuCatalogue, RefusesAProductOfAnUnknownCapability) {
  const std::string message = message_of_check("products:\n  - {id: x, key: x, name: X, cc: \"13.0\"}\n");
  EXPECT_NE(message.find("compute capability 13.0, which no file describes"), message.npos) << message;
}

TEST(ComputeCapabilityText, IsReadWholly) {
  EXPECT_EQ(parse_compute_capability("12.0"), (model::ComputeCapability{12, 0}));
  for (const std::string_view text : {"", "8", "8.", ".6", "8.6x", "-8.6", "a.b"}) EXPECT_FALSE(parse_compute_capability(text)) << text;
}

}  // namespace
}  // namespace frx::knowledge
