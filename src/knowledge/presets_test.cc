#include "knowledge/presets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace frx::knowledge {
namespace {

struct Loaded {
  Library library = Library::builtin();
  MetricCatalogue metrics;
  std::vector<Preset> presets;

  static Loaded all() {
    Library library = Library::builtin();
    MetricCatalogue metrics = *MetricCatalogue::load(library);
    Result<std::vector<Preset>> presets = load_presets(library, metrics);
    EXPECT_TRUE(presets) << to_string(presets.error());
    return {std::move(library), std::move(metrics), std::move(*presets)};
  }

  const Preset& named(std::string_view name) const {
    return *std::find_if(presets.begin(), presets.end(), [&](const Preset& one) { return one.name == name; });
  }
};

TEST(Presets, AreTheDocumentedOnesInTheirOrder) {
  EXPECT_EQ(preset_names(Library::builtin()), (std::vector<std::string>{"memory", "tensor", "occupancy", "stalls", "full"}));
}

TEST(Presets, AskOnlyForCountersThatExist) {
  const Loaded loaded = Loaded::all();
  for (const Preset& preset : loaded.presets) {
    std::set<std::string> seen;
    for (const std::string& counter : counters_of(preset, loaded.metrics)) {
      EXPECT_NE(counter.find("__"), counter.npos) << preset.name;
      EXPECT_EQ(counter.find("pcsamplingdata"), counter.npos) << "an invented name: " << counter;
      EXPECT_TRUE(seen.insert(counter).second) << counter << " twice in " << preset.name;
    }
  }
}

TEST(Presets, AskOnGpusOnlyForCountersThatExist) {
  const Loaded loaded = Loaded::all();
  for (const Preset& preset : loaded.presets) {
    for (const CountersOnGpu& gpu : preset.on_gpus) {
      for (const model::Metric metric : gpu.metrics) EXPECT_NE(counter_of(loaded.metrics[metric]), "") << loaded.metrics.id_of(metric);
    }
  }
}

TEST(Presets, OfOverridesAskOnlyForCountersToo) {
  const TemporaryDirectory folder = TemporaryDirectory::make(::testing::TempDir()).value();
  const auto refusal = [&](const std::string& metric) {
    const std::string preset = "presets:\n  - name: mine\n    description: d\n    metrics: [" + metric + "]\n";
    EXPECT_TRUE(write_file(folder.file("metrics/presets.yaml"), preset));
    const Library library = Library::with_overrides(folder.path()).value();
    const Result<std::vector<Preset>> presets = load_presets(library, MetricCatalogue::load(library).value());
    return presets ? std::string() : to_string(presets.error());
  };
  EXPECT_EQ(refusal("kernel_duration"), "");
  EXPECT_NE(refusal("kernel_duration_mean").find("data/metrics/presets.yaml:4"), std::string::npos);
  EXPECT_NE(refusal("kernel_duration_mean").find("cannot be asked of ncu"), std::string::npos);
}

TEST(Presets, LeaveOutWhatAGpuLacksAndAddWhatItHas) {
  const TemporaryDirectory folder = TemporaryDirectory::make(::testing::TempDir()).value();
  const auto presets_of = [&](const std::string& not_on, const std::string& cc) {
    const std::string text = "not_on:\n  - {cc: " + not_on +
                             ", metrics: [dram_bytes, l2_cache_hit_rate_pct]}\npresets:\n  - name: mine\n    description: d\n"
                             "    metrics: [kernel_duration, dram_bytes]\n    on_gpus:\n      - {cc: " +
                             cc + ", metrics: [l2_cache_hit_rate_pct, l1_cache_hit_rate_pct]}\n";
    EXPECT_TRUE(write_file(folder.file("metrics/presets.yaml"), text));
    const Library library = Library::with_overrides(folder.path()).value();
    return load_presets(library, MetricCatalogue::load(library).value());
  };
  const MetricCatalogue metrics = MetricCatalogue::load(Library::builtin()).value();
  const Result<std::vector<Preset>> presets = presets_of(R"(["8.7", "12.1"])", R"(["8.6", "8.7"])");
  ASSERT_TRUE(presets);
  const auto asked = [&](std::optional<model::ComputeCapability> gpu) { return counters_of(presets->front(), metrics, gpu); };
  const std::string duration = "gpu__time_duration.sum", dram = "dram__bytes.sum", l2 = "lts__t_sector_hit_rate.pct",
                    l1 = "l1tex__t_sector_hit_rate.pct";
  EXPECT_EQ(asked({}), (std::vector{duration, dram}));
  EXPECT_EQ(asked(model::ComputeCapability{8, 6}), (std::vector{duration, dram, l2, l1}));
  EXPECT_EQ(asked(model::ComputeCapability{8, 7}), (std::vector{duration, l1}));
  EXPECT_EQ(asked(model::ComputeCapability{12, 1}), (std::vector{duration}));
  EXPECT_NE(to_string(presets_of("some", "\"8.6\"").error()).find("expected cc, a compute capability"), std::string::npos);
  EXPECT_FALSE(presets_of("\"8.6\"", R"(["8.6", 7])"));
}

TEST(Presets, AllAskForTheDuration) {
  const Loaded loaded = Loaded::all();
  for (const Preset& preset : loaded.presets) {
    EXPECT_EQ(counters_of(preset, loaded.metrics).front(), "gpu__time_duration.sum") << preset.name;
  }
}

TEST(Presets, FullHoldsTheOthersAndWhatTheLabelsNeed) {
  const Loaded loaded = Loaded::all();
  const std::vector<std::string> full = counters_of(loaded.named("full"), loaded.metrics);
  std::set<std::string> others;
  for (const char* name : {"memory", "tensor", "occupancy", "stalls"}) {
    const std::vector<std::string> part = counters_of(loaded.named(name), loaded.metrics);
    others.insert(part.begin(), part.end());
  }
  const std::set<std::string> all(full.begin(), full.end());
  EXPECT_TRUE(std::includes(all.begin(), all.end(), others.begin(), others.end()));
  EXPECT_EQ(all.size(), full.size()) << "no counter twice";
  for (const char* counter : {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "launch__waves_per_multiprocessor"}) {
    EXPECT_TRUE(all.contains(counter)) << counter;
  }
}

}  // namespace
}  // namespace frx::knowledge
