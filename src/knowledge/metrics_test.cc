#include "knowledge/metrics.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace frx::knowledge {
namespace {

const MetricCatalogue& metric_catalogue() {
  static const Library library = Library::builtin();
  static const MetricCatalogue catalogue = [] {
    Result<MetricCatalogue> loaded = MetricCatalogue::load(library);
    EXPECT_TRUE(loaded) << to_string(loaded.error());
    return std::move(*loaded);
  }();
  return catalogue;
}

std::string called(std::string_view section, std::string_view name, std::string_view unit) {
  const auto metric = metric_catalogue().called(section, name, unit.empty() ? std::nullopt : parse_unit(unit));
  return metric ? std::string(metric_catalogue()[*metric].id) : "none";
}

TEST(MetricCatalogue, LoadsWithUnitAndLabelForEveryMetric) {
  EXPECT_GT(metric_catalogue().size(), 50u);
  for (const MetricDefinition& metric : metric_catalogue().all()) {
    EXPECT_FALSE(metric.label.empty()) << metric.id;
    EXPECT_FALSE(metric.meaning.empty()) << metric.id;
    EXPECT_EQ(metric_catalogue().with_id(metric.id), metric.metric);
  }
}

TEST(MetricCatalogue, GivesEveryFormulaTheUnitOfItsMetric) {
  std::size_t formulas = 0;
  for (const MetricDefinition& metric : metric_catalogue().all()) {
    for (const Expression& formula : metric_catalogue().formulas_of(metric.metric)) {
      EXPECT_EQ(formula.dimension(), metric.unit.dimension) << metric.id << ": " << formula.text();
      EXPECT_FALSE(formula.is_truth()) << metric.id;
      ++formulas;
    }
  }
  EXPECT_GT(formulas, 20u);
}

TEST(MetricCatalogue, TellsTheTwoMemoryThroughputsApart) {
  const std::string share = called("GPU Speed Of Light Throughput", "Memory Throughput", "%");
  const std::string rate = called("Memory Workload Analysis", "Memory Throughput", "Gbyte/second");
  EXPECT_NE(share, "none");
  EXPECT_NE(rate, "none");
  EXPECT_NE(share, rate);
  // Without its section the unit decides; without both the name is ambiguous.
  EXPECT_EQ(called("", "Memory Throughput", "%"), share);
  EXPECT_EQ(called("", "Memory Throughput", "Tbyte/s"), rate);
  EXPECT_EQ(called("", "Memory Throughput", ""), "none");
}

TEST(MetricCatalogue, DoesNotTakeAThroughputForAHitRate) {
  EXPECT_NE(called("GPU Speed Of Light Throughput", "L1/TEX Cache Throughput", "%"),
            called("Memory Workload Analysis", "L1/TEX Hit Rate", "%"));
}

TEST(MetricCatalogue, KnowsALaunchLabelByAnyRoute) {
  const std::string id = called("Launch Statistics", "Block Size", "");
  EXPECT_NE(id, "none");
  EXPECT_EQ(called("", "Block Size", ""), id);
  EXPECT_EQ(called("", "launch__block_size", ""), id);
}

TEST(MetricCatalogue, KnowsRawNamesWhateverTheSection) {
  EXPECT_EQ(called("any", "dram__throughput.avg.pct_of_peak_sustained_elapsed", "%"),
            called("", "dram__throughput.avg.pct_of_peak_sustained_elapsed", ""));
  EXPECT_NE(called("", "dram__throughput.avg.pct_of_peak_sustained_elapsed", ""), "none");
  EXPECT_EQ(called("", "no_such__metric.sum", ""), "none");
}

TEST(MetricCatalogue, SuggestsANearId) {
  const std::string_view id = metric_catalogue().all().front().id;
  EXPECT_EQ(metric_catalogue().nearest_id(std::string(id) + "x"), id);
}

TEST(MetricCatalogue, RefusesAFormulaOfAnotherUnitWithFileAndLine) {
  const TemporaryDirectory folder = TemporaryDirectory::make(::testing::TempDir()).value();
  ASSERT_TRUE(write_file(
      folder.file("metrics/zz.yaml"),
      "family: test\nmetrics:\n  - id: test_time\n    label: T\n    unit: ns\n    meaning: m\n    formulas:\n      - \"3 byte\"\n"));
  const Result<Library> library = Library::with_overrides(folder.path());
  ASSERT_TRUE(library);
  const Result<MetricCatalogue> loaded = MetricCatalogue::load(*library);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().where, "data/metrics/zz.yaml:8");
  EXPECT_NE(loaded.error().message.find("'byte'"), std::string::npos) << loaded.error().message;
}

TEST(Normalised, FollowsTheDocumentedRule) { EXPECT_EQ(normalised(" L1 Hit-Rate.pct "), "l1_hit_rate_pct"); }

}  // namespace
}  // namespace frx::knowledge
