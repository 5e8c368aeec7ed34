// What holds of reading a profile, whatever its numbers: the same numbers in another form of the file are the same profile, and what is no
// number says nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

#include "base/files.h"
#include "compose/ncu_words.h"
#include "derive/roofline.h"
#include "frx_generated/metric_ids.h"
#include "ingest/testing.h"
#include "report/analyse.h"
#include "support/synthetic_profile.h"

namespace frx {
namespace {

const report::NcuReport& report_of_file(std::string_view bytes) {
  static const std::unique_ptr<report::Analyst> analyst = report::Analyst::create({}).value();
  const auto source = open_bytes(bytes);
  return *analyst->analyse("made", *source).value();
}

double any_between(std::mt19937_64& engine, double low, double high) {
  return low + (high - low) * static_cast<double>(engine() >> 11) * 0x1p-53;
}

std::set<std::string_view> labels_of(const report::NcuReport& report) {
  std::set<std::string_view> labels;
  for (const model::Finding& finding : report.findings) labels.insert(finding.id());
  return labels;
}

// ---- A9: operations of all pipes are counted

constexpr std::array<std::pair<model::Metric, std::string_view>, 6> kinds_of_work = {{{metrics::flops_fp32, "fp32"},
                                                                                      {metrics::flops_fp16, "fp16"},
                                                                                      {metrics::flops_fp64, "fp64"},
                                                                                      {metrics::tensor_ops_bf16_fp32, "bf16_tensor"},
                                                                                      {metrics::tensor_ops_fp16, "fp16_tensor"},
                                                                                      {metrics::tensor_ops_fp64, "fp64_tensor"}}};

model::Readings work_of(const std::vector<double>& counts, double bytes, double ns) {
  model::Readings readings;
  const auto set = [&](model::Metric metric, double value) { readings.set(metric, {value, model::Origin::measured, 0, 0, ""}); };
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) set(kinds_of_work[i].first, counts[i]);
  }
  set(metrics::dram_bytes, bytes);
  set(metrics::kernel_duration, ns);
  return readings;
}

// Each kind that was counted has its point, of just its own operations; the kind that does most comes first; kinds that were not counted
// have none.
TEST(ReadingProperties, EachKindOfOperationsHasItsPointOfTheRoofline) {
  std::mt19937_64 engine(9);
  for (int i = 0; i < 400; ++i) {
    std::vector<double> counts(kinds_of_work.size());
    for (double& count : counts) count = engine() % 2 == 0 ? 0 : any_between(engine, 1e9, 1e13);
    const double bytes = any_between(engine, 1e6, 1e10), ns = any_between(engine, 1e4, 1e8);
    const derive::Roofline roofline = derive::roofline_of(work_of(counts, bytes, ns), derive::Device());
    std::size_t counted = 0;
    for (std::size_t kind = 0; kind < counts.size(); ++kind) {
      const std::string_view precision = kinds_of_work[kind].second;
      const auto point = std::ranges::find(roofline.points, precision, &derive::RooflinePoint::precision);
      ASSERT_EQ(point != roofline.points.end(), counts[kind] > 0) << precision << ' ' << i;
      if (counts[kind] == 0) continue;
      ++counted;
      EXPECT_NEAR(point->intensity * bytes / counts[kind], 1, 1e-9) << precision << ' ' << i;
      EXPECT_NEAR(point->achieved_tflops * 1e3 * ns / counts[kind], 1, 1e-9) << precision << ' ' << i;
    }
    EXPECT_EQ(roofline.points.size(), counted) << i;
    if (counted == 0) EXPECT_FALSE(roofline.mfu_pct) << i;
  }
}

// Tensor work that was seen and not counted leaves no number, whatever else was counted.
TEST(ReadingProperties, TensorWorkThatWasNotCountedLeavesNoNumber) {
  std::mt19937_64 engine(19);
  for (int i = 0; i < 200; ++i) {
    model::Readings readings = work_of({any_between(engine, 1e9, 1e12), i % 2 == 0 ? any_between(engine, 1e9, 1e12) : 0}, 1e8, 1e6);
    readings.set(metrics::tensor_pct, {any_between(engine, 5, 95), model::Origin::measured, 0, 0, ""});
    const derive::Roofline roofline = derive::roofline_of(readings, derive::Device());
    EXPECT_TRUE(roofline.points.empty()) << i;
    EXPECT_FALSE(roofline.mfu_pct) << i;
  }
}

// ---- A10: the profiler's own rules

std::string page_of_rules(const std::vector<std::pair<double, bool>>& estimates) {
  std::string page;
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const auto& [pct, is_local] = estimates[i];
    page += fmt::format(
        "  work_{}(int) (4, 1, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 8.6\n"
        "    Section: Part {} of the GPU\n"
        "    ----------- ----------- ------------\n    Metric Name Metric Unit Metric Value\n    ----------- ----------- ------------\n"
        "    Grid Size                          4\n    ----------- ----------- ------------\n"
        "    OPT   Est. {}Speedup: {}%\n          Sentence {} of the rule holds\n          1.5 numbers, e.g. this. Then more.\n\n",
        i, i, is_local ? "Local " : "", pct, i);
  }
  return page;
}

TEST(ReadingProperties, RulesOfTheProfilerAreRankedByWhatTheWholeKernelGains) {
  std::mt19937_64 engine(10);
  for (int i = 0; i < 60; ++i) {
    std::vector<std::pair<double, bool>> estimates(2 + engine() % 7);
    for (auto& [pct, is_local] : estimates) {
      pct = static_cast<double>(1 + engine() % 99);
      is_local = engine() % 2 == 0;
    }
    const report::NcuReport& report = report_of_file(page_of_rules(estimates));
    const std::vector<const report::ProfilerRule*> rules = compose::strongest_rules(report, {});
    ASSERT_EQ(rules.size(), estimates.size());
    for (std::size_t at = 0; at < rules.size(); ++at) {
      const std::size_t launch = std::stoul(rules[at]->kernel.substr(rules[at]->kernel.find('_') + 1));
      EXPECT_EQ(rules[at]->estimated_speedup_pct, estimates[launch].first);
      EXPECT_EQ(rules[at]->is_local_estimate, estimates[launch].second);
      EXPECT_EQ(rules[at]->text, fmt::format("Sentence {} of the rule holds 1.5 numbers, e.g. this. Then more.", launch));
      if (at == 0) continue;
      EXPECT_LE(rules[at - 1]->is_local_estimate, rules[at]->is_local_estimate) << "a part of a kernel comes after whole kernels";
      if (rules[at - 1]->is_local_estimate == rules[at]->is_local_estimate) {
        EXPECT_GE(rules[at - 1]->estimated_speedup_pct, rules[at]->estimated_speedup_pct);
      }
    }
  }
}

// ---- A12: one profile in two forms

struct RowOfNvprof {
  std::string name;
  std::uint64_t calls;
  double ms;
};

std::vector<RowOfNvprof> rows_of_a_summary(std::mt19937_64& engine) {
  constexpr std::array names = {"axpy(int, float*)", "void scale<float, 4>(float*)", "k", "reduce(double const *, int)",
                                "ns::sort<std::pair<int, int> >(int)"};
  std::vector<RowOfNvprof> rows;
  for (const std::string_view name : names) {
    if (rows.empty() || engine() % 3 != 0)
      rows.push_back({std::string(name), 1 + engine() % 900, static_cast<double>(1 + engine() % 90000) / 1000});
  }
  return rows;
}

TEST(ReadingProperties, ASummaryOfNvprofIsTheSameAsTextAndAsCsv) {
  std::mt19937_64 engine(12);
  constexpr std::array<std::pair<std::string_view, double>, 4> units = {{{"s", 1e-3}, {"ms", 1}, {"us", 1e3}, {"ns", 1e6}}};
  for (int i = 0; i < 100; ++i) {
    const std::vector<RowOfNvprof> rows = rows_of_a_summary(engine);
    std::string text =
        "==7== NVPROF is profiling process 7, command: ./a\n==7== Profiling application: ./a\n==7== Profiling result:\n"
        "            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n";
    std::string csv =
        "==7== NVPROF is profiling process 7, command: ./a\n==7== Profiling result:\n"
        "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n,%,ms,,ms,ms,ms,\n";
    for (const RowOfNvprof& row : rows) {
      const auto& [unit, of_ms] = units[engine() % units.size()];
      const auto time = [&, of = of_ms, name = unit](double ms) { return fmt::format("{:.6f}{}", ms * of, name); };
      const double mean = row.ms / static_cast<double>(row.calls);
      text += fmt::format("{:>16}  {:>6}  {:>9}  {:>8}  {:>8}  {:>8}  {:>8}  {}\n", &row == &rows.front() ? "GPU activities:" : "",
                          "10.00%", time(row.ms), row.calls, time(mean), time(mean), time(mean), row.name);
      csv += fmt::format("\"GPU activities\",10.0,{:.9f},{},{:.9f},{:.9f},{:.9f},\"{}\"\n", row.ms, row.calls, mean, mean, mean, row.name);
    }
    const model::Session from_text = ingest::testing::session_of(text), from_csv = ingest::testing::session_of(csv);
    ASSERT_EQ(from_text.kernels.size(), rows.size()) << text;
    ASSERT_EQ(from_csv.kernels.size(), rows.size()) << csv;
    for (const RowOfNvprof& row : rows) {
      const auto of_text = ingest::testing::sum(from_text, row.name, metrics::kernel_duration);
      const auto of_csv = ingest::testing::sum(from_csv, row.name, metrics::kernel_duration);
      ASSERT_TRUE(of_text && of_csv) << row.name;
      EXPECT_NEAR(*of_text, row.ms * 1e6, 1 + row.ms) << text;  // six digits behind the point of a unit
      EXPECT_NEAR(*of_csv, row.ms * 1e6, 1) << csv;
    }
    EXPECT_EQ(from_text.launches, from_csv.launches);
  }
}

// 1234567.89 in the three conventions that reports are printed in.
std::string written(double value, int convention) {
  std::string digits = fmt::format("{:.2f}", value);
  const std::string_view group = convention == 0 ? "," : convention == 1 ? "." : "";
  if (!group.empty()) {
    for (std::size_t at = digits.find('.'); at > 3; at -= 3) digits.insert(at - 3, 1, '\x01');
  }
  for (char& c : digits) {
    if (c == '.' && convention == 1) c = ',';
  }
  std::string out;
  for (const char c : digits) out += c == '\x01' ? std::string(group) : std::string(1, c);
  return out;
}

TEST(ReadingProperties, TablesAndRawCountersAreEachReadByTheirOwnConvention) {
  std::mt19937_64 engine(13);
  for (int i = 0; i < 200; ++i) {
    const int of_tables = static_cast<int>(engine() % 2), of_counters = static_cast<int>(engine() % 3);
    const double duration = any_between(engine, 1e6, 9e6), cycles = any_between(engine, 1e6, 9e8), bytes = any_between(engine, 1e6, 9e9);
    const std::string page = fmt::format(
        "  axpy(int) (4, 1, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 8.6\n"
        "    Section: GPU Speed Of Light Throughput\n"
        "    -------------- ----------- --------------------\n    Metric Name    Metric Unit         Metric Value\n"
        "    -------------- ----------- --------------------\n"
        "    Elapsed Cycles       cycle {:>20}\n    Duration                ns {:>20}\n    -------------- ----------- "
        "--------------------\n"
        "    Section: Command line profiler metrics\n"
        "    -------------------- ----------- --------------------\n    Metric Name          Metric Unit         Metric Value\n"
        "    -------------------- ----------- --------------------\n"
        "    dram__bytes_read.sum        byte {:>20}\n    -------------------- ----------- --------------------\n",
        written(cycles, of_tables), written(duration, of_tables), written(bytes, of_counters));
    const model::Session session = ingest::testing::session_of(page);
    const auto read = [&](model::Metric metric) { return ingest::testing::mean(session, "axpy(int)", metric).value_or(-1); };
    EXPECT_NEAR(read(metrics::kernel_duration), duration, 0.01) << page;
    EXPECT_NEAR(read(metrics::dram_bytes_read), bytes, 0.01) << page;
  }
}

// ---- A14: what is no number says nothing

TEST(ReadingProperties, NotANumberIsTheSameAsAbsent) {
  std::mt19937_64 engine(14);
  constexpr std::array nothing = {"nan", "NaN", "n/a", "-nan", "inf", "(!) nan"};
  const knowledge::MetricCatalogue& catalogue = ingest::testing::catalogue();
  for (std::uint64_t i = 0; i < 156; ++i) {
    testing::SyntheticProfile full = testing::synthetic_profile(i), reduced = full;
    std::vector<std::string> spellings;
    for (const auto& [metric, value] : full.readings) {
      if (metric == "kernel_duration" || engine() % 3 != 0) continue;
      reduced.readings.erase(metric);
      spellings.emplace_back(catalogue[*catalogue.with_id(metric)].ncu.front());
    }
    std::string csv = testing::csv_of({full}, catalogue);
    for (const std::string& spelling : spellings) {
      const std::size_t at = csv.find('"' + spelling + '"');
      ASSERT_NE(at, csv.npos);
      const std::size_t end = csv.find('\n', at), begin = csv.rfind(",\"", end);
      csv.replace(begin + 2, end - begin - 3, nothing[engine() % nothing.size()]);
    }
    const report::NcuReport& with = report_of_file(csv);
    const std::string primary = with.primary;
    const std::set<std::string_view> labels = labels_of(with);
    const bool speaks_of_damage = std::ranges::any_of(with.notes, [](const std::string& note) {
      return note.find("damage") != note.npos || note.find("cut off") != note.npos || note.find("corrupt") != note.npos;
    });
    EXPECT_FALSE(speaks_of_damage) << full.cause << ' ' << i;
    const report::NcuReport& without = report_of_file(testing::csv_of({reduced}, catalogue));
    EXPECT_EQ(primary, without.primary) << full.cause << ' ' << i << '\n' << csv;
    EXPECT_EQ(labels, labels_of(without)) << full.cause << ' ' << i;
  }
}

}  // namespace
}  // namespace frx
