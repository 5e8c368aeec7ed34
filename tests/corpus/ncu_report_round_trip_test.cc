// A report, and the CSV that frx export makes of it, mean the same: no value, unit or rule is lost or bent on either way
// in. The reports are not part of the repository; without them the test is skipped and says so.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "convert/convert.h"
#include "corpus/ncu_report_oracle.h"
#include "report/analyse.h"
#include "support/corpus.h"

namespace frx::corpus {
namespace {

struct Trip {
  Agreement primaries, findings, values, rules;
  std::vector<std::string> differences;

  void compare(Agreement& kind, bool same, const std::string& what) {
    kind.add(same);
    if (!same && differences.size() < 20) differences.push_back(what);
  }
};

bool close(double a, double b, double relative) { return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b)); }

Result<std::string> csv_of(const std::string& path, bool instances) {
  TRY_ASSIGN(const std::unique_ptr<ByteSource> source, open_file(path));
  TRY_ASSIGN(const convert::Counters counters, convert::Counters::load(knowledge::Library::builtin()));
  std::string csv;
  convert::Request request;
  request.instances = instances;
  const auto write = [&](std::string_view text) {
    csv += text;
    return true;
  };
  TRY(convert::convert_ncu_report(*source, request, counters, write));
  return csv;
}

void compare_findings(Trip& trip, const std::string& place, const std::vector<model::Finding>& read,
                      const std::vector<model::Finding>& back) {
  trip.compare(trip.findings, read.size() == back.size(), fmt::format("{}: {} findings, then {}", place, read.size(), back.size()));
  for (std::size_t i = 0; i < std::min(read.size(), back.size()); ++i) {
    const bool same = read[i].type == back[i].type && std::abs(read[i].score - back[i].score) <= 1e-6 &&
                      std::abs(read[i].time_share - back[i].time_share) <= 1e-6;
    trip.compare(trip.findings, same,
                 fmt::format("{}: {} {}, then {} {}", place, read[i].id(), read[i].score, back[i].id(), back[i].score));
  }
}

// The values that stand in the file itself; what is derived follows.
std::map<std::string_view, double> measured(const std::vector<report::Value>& values) {
  std::map<std::string_view, double> found;
  for (const report::Value& value : values) {
    if (value.reading.origin == model::Origin::measured) found[value.id] = value.value();
  }
  return found;
}

void compare_values(Trip& trip, const std::string& place, const std::vector<report::Value>& read, const std::vector<report::Value>& back) {
  const std::map<std::string_view, double> first = measured(read), second = measured(back);
  for (const auto& [id, value] : first) {
    const auto again = second.find(id);
    trip.compare(
        trip.values, again != second.end() && close(value, again->second, 1e-9),
        fmt::format("{}: {} is {}, then {}", place, id, value, again == second.end() ? "nothing" : fmt::format("{}", again->second)));
  }
  for (const auto& [id, value] : second) {
    if (!first.contains(id)) trip.compare(trip.values, false, fmt::format("{}: {} is nothing, then {}", place, id, value));
  }
}

void compare_kernels(Trip& trip, const report::NcuReport& read, const report::NcuReport& back) {
  trip.compare(trip.primaries, read.kernels.size() == back.kernels.size(), "the number of kernels");
  for (std::size_t i = 0; i < std::min(read.kernels.size(), back.kernels.size()); ++i) {
    const report::Kernel &a = read.kernels[i], &b = back.kernels[i];
    const std::string place = a.short_name;
    trip.compare(trip.primaries, a.name == b.name && a.primary == b.primary && a.launches == b.launches,
                 fmt::format("{} {} {}, then {} {} {}", a.name, a.primary, a.launches, b.name, b.primary, b.launches));
    compare_findings(trip, place, a.findings, b.findings);
    compare_values(trip, place, a.values, b.values);
  }
}

// What NVIDIA's rules said, in whatever order.
std::multiset<std::string> rules(const report::NcuReport& report) {
  std::multiset<std::string> all;
  for (const report::ProfilerRule& rule : report.profiler_rules) {
    all.insert(fmt::format("{}: {} {} {} {} {:.9g}", rule.kernel, rule.section, rule.name, rule.type, rule.text,
                           rule.estimated_speedup_pct.value_or(-1)));
  }
  return all;
}

void compare_rules(Trip& trip, const report::NcuReport& read, const report::NcuReport& back) {
  const std::multiset<std::string> first = rules(read), second = rules(back);
  for (const std::string& rule : first) trip.compare(trip.rules, second.count(rule) == first.count(rule), "only in the report: " + rule);
  for (const std::string& rule : second) {
    if (!first.contains(rule)) trip.compare(trip.rules, false, "only in the CSV: " + rule);
  }
}

void compare_reports(Trip& trip, const report::NcuReport& read, const report::NcuReport& back) {
  trip.compare(trip.primaries, read.primary == back.primary && read.confidence == back.confidence,
               fmt::format("the run: {} ({}), then {} ({})", read.primary, read.confidence, back.primary, back.confidence));
  trip.compare(trip.primaries, read.gpu == back.gpu && read.compute_capability == back.compute_capability,
               fmt::format("the GPU: {} {}, then {} {}", read.gpu, read.compute_capability, back.gpu, back.compute_capability));
  trip.compare(trip.primaries, read.launches == back.launches && read.timed_launches == back.timed_launches, "the number of launches");
  trip.compare(trip.values, read.absent_values == back.absent_values,
               fmt::format("absent: {}, then {}", read.absent_values, back.absent_values));
  // The instances of some counters become hot lines, which a table has no place for: those are unknown on one side only.
  const std::vector<std::string>&first = read.unknown_metrics, &second = back.unknown_metrics;
  trip.compare(trip.values, std::includes(second.begin(), second.end(), first.begin(), first.end()) && second.size() <= first.size() + 10,
               fmt::format("unknown: {}, then {}", first.size(), second.size()));
  compare_findings(trip, "the run", read.findings, back.findings);
  compare_values(trip, "the run", read.values, back.values);
  compare_kernels(trip, read, back);
  compare_rules(trip, read, back);
}

struct RoundTripFigures {
  std::uint64_t files = 0, equal_files = 0;
  Agreement primaries, findings, values, rules;
  void add(const Trip& trip) {
    const auto sum = [](Agreement& total, const Agreement& part) {
      total.compared += part.compared;
      total.equal += part.equal;
    };
    ++files;
    equal_files += trip.differences.empty();
    sum(primaries, trip.primaries), sum(findings, trip.findings), sum(values, trip.values), sum(rules, trip.rules);
  }
};

// Of the reports with at most `largest` bytes.
RoundTripFigures round_trip(bool instances, std::uintmax_t largest) {
  RoundTripFigures figures;
  for (const std::filesystem::path& path : report_files(*testing::corpus())) {
    if (std::filesystem::file_size(path) > largest) continue;
    const auto analyst = report::Analyst::create({}).value();
    const auto csv = csv_of(path.string(), instances);
    const auto read = analyst->analyse_file(path.string());
    if (!csv || !read) {
      ADD_FAILURE() << path.filename() << ": " << to_string(csv ? read.error() : csv.error());
      continue;
    }
    const std::unique_ptr<ByteSource> bytes = open_bytes(*csv);
    const auto back = analyst->analyse(path.string(), *bytes);
    if (!back) {
      ADD_FAILURE() << path.filename() << ": " << to_string(back.error());
      continue;
    }
    Trip trip;
    compare_reports(trip, **read, **back);
    for (const std::string& difference : trip.differences) ADD_FAILURE() << path.filename() << ": " << difference;
    figures.add(trip);
  }
  return figures;
}

void print(const RoundTripFigures& figures) {
  const auto show = [](const char* what, const Agreement& kind) { fmt::print("  {}: {} of {} equal\n", what, kind.equal, kind.compared); };
  fmt::print("{} reports, {} equal in everything\n", figures.files, figures.equal_files);
  show("leading labels, names, launches, GPUs", figures.primaries);
  show("findings with their scores", figures.findings);
  show("measured values", figures.values);
  show("rules of the profiler", figures.rules);
}

TEST(NcuReportRoundTrip, TheCsvMeansWhatTheReportMeans) {
  FRX_NEEDS_CORPUS();
  const RoundTripFigures figures = round_trip(false, ~std::uintmax_t{0});
  print(figures);
  EXPECT_GT(figures.values.compared, 10000u);
}

// Rows of instances carry the name of their metric, but are no further readings of it.
TEST(NcuReportRoundTrip, InstancesChangeNothing) {
  FRX_NEEDS_CORPUS();
  const RoundTripFigures figures = round_trip(true, 500'000);
  print(figures);
  EXPECT_GT(figures.files, 20u);
}

}  // namespace
}  // namespace frx::corpus
