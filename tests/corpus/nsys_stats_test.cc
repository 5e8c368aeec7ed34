// What nsys printed of real programs against sums made of the same text in another way: rows are found by regular expressions that know
// where numbers stand, not by titles and dashes.

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "base/files.h"
#include "frx_generated/metric_ids.h"
#include "ingest/profile.h"
#include "knowledge/knowledge.h"
#include "support/corpus.h"

namespace frx::corpus {
namespace {

namespace fs = std::filesystem;

struct Figures {
  std::set<std::string> kernels;
  std::uint64_t launches = 0;
  double time = 0;  // ns
};

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

double number(std::string text) {
  std::erase(text, ',');
  return std::stod(text);
}

void add(Figures& figures, std::string name, const std::string& launches, const std::string& time) {
  name.erase(name.find_last_not_of(" \r") + 1);
  if (name.starts_with('"')) name = name.substr(1, name.size() - 2);
  if (name.starts_with("[CUDA ")) return;
  figures.kernels.insert(name);
  figures.launches += static_cast<std::uint64_t>(number(launches));
  figures.time += number(time);
}

// Rows of a kernel summary: share, total, launches, five numbers, name; in text only between the title of the report and the next.
Figures summary_in(const fs::path& file, bool csv) {
  static const std::regex text_row(R"(^ +[0-9.]+ +([0-9,]+) +([0-9,]+) +(?:[0-9,.]+ +){5}(\S.*)$)");
  static const std::regex csv_row(R"(^[0-9.]+,([0-9]+),([0-9]+),(?:[0-9.]+,){5}(.*)$)");
  Figures figures;
  bool about_kernels = csv;
  for (const std::string& line : lines_of(file)) {
    if (line.find("stats report") != line.npos || line.find(" ** ") == 0) {
      about_kernels = line.find("kern_sum") != line.npos || line.find("gpukernsum") != line.npos;
    }
    std::smatch match;
    if (about_kernels && std::regex_match(line, match, csv ? csv_row : text_row)) add(figures, match[3], match[2], match[1]);
  }
  return figures;
}

// Rows of a trace that have a grid: start, duration, number of the call, nine numbers of the launch, ... name.
Figures trace_in(const fs::path& file, bool csv) {
  static const std::regex text_row(
      R"(^ +[0-9]+ +([0-9]+) +[0-9]+ +(?:[0-9]+ +){7}(?:[0-9.]+ +){2}NVIDIA .*\([0-9]\) +[0-9]+ +[0-9]+ +(\S.*)$)");
  static const std::regex csv_row(R"(^[0-9]+,([0-9]+),[0-9]+,(?:[0-9]+,){7}.*\([0-9]\),[0-9]+,(?:,)?[0-9]+,(.*)$)");
  Figures figures;
  for (const std::string& line : lines_of(file)) {
    std::smatch match;
    if (std::regex_match(line, match, csv ? csv_row : text_row)) add(figures, match[2], "1", match[1]);
  }
  return figures;
}

Figures read(const fs::path& file) {
  static const knowledge::Knowledge knowledge = knowledge::Knowledge::load("").value();
  const std::unique_ptr<ByteSource> bytes = open_file(file.string()).value();
  Result<model::Session> session = ingest::read_profile("profile", *bytes, knowledge.metrics);
  Figures figures;
  if (!session) {
    ADD_FAILURE() << to_string(session.error());
    return figures;
  }
  const std::size_t column = *session->column_of(metrics::kernel_duration);
  for (const model::Kernel& kernel : session->kernels) {
    figures.kernels.insert(kernel.name);
    for (const model::LaunchGroup& group : kernel.groups) figures.time += group.spreads[column].sum;
  }
  figures.launches = session->launches;
  return figures;
}

// Rows of summaries of any kind, by report: lines of a table that begin with a share or a size and have at least five more numbers. Counted
// by what a row looks like; the reader goes by titles and dashes.
std::size_t summary_rows_in(const fs::path& file, bool csv) {
  static const std::regex text_row(R"(^ +[0-9.,]+ +[0-9,]+ +(?:[0-9,.]+ +){5,6}\S.*$)");
  static const std::regex csv_row(R"(^[0-9.]+,[0-9]+,[0-9]+,(?:[0-9.]+,){5}.*$)");
  static const std::regex trace(R"(stats report|^ \*\* )"), is_trace(R"(trace)");
  std::size_t rows = 0;
  bool in_trace = false;
  for (const std::string& line : lines_of(file)) {
    if (std::regex_search(line, trace)) in_trace = std::regex_search(line, is_trace);
    rows += !in_trace && std::regex_match(line, csv ? csv_row : text_row);
  }
  return rows;
}

std::size_t rows_read(const fs::path& file) {
  static const knowledge::Knowledge knowledge = knowledge::Knowledge::load("").value();
  const std::unique_ptr<ByteSource> bytes = open_file(file.string()).value();
  const Result<model::Session> session = ingest::read_profile("profile", *bytes, knowledge.metrics);
  std::size_t rows = 0;
  if (!session) return rows;
  for (const model::TimeTable& table : session->time_tables) rows += table.rows.size();
  return rows;
}

struct Known {
  std::string_view file;
  bool trace;
  std::size_t kernels;  // with distinct names, counted by hand or by other programs
  std::uint64_t launches;
  double time;
};

class NsysStatsCorpus : public ::testing::TestWithParam<Known> {};

TEST_P(NsysStatsCorpus, TellsWhatItsRowsAddUpTo) {
  FRX_NEEDS_CORPUS();
  const Known& known = GetParam();
  const fs::path file = *testing::corpus() / "nsys" / known.file;
  if (!fs::exists(file)) GTEST_SKIP() << "the corpus has no " << known.file;
  const bool csv = known.file.ends_with(".csv");
  const Figures expected = known.trace ? trace_in(file, csv) : summary_in(file, csv);
  const Figures found = read(file);
  EXPECT_EQ(found.kernels, expected.kernels);
  EXPECT_EQ(found.launches, expected.launches);
  EXPECT_NEAR(found.time, expected.time, 1e-9 * expected.time);
  EXPECT_EQ(found.kernels.size(), known.kernels);
  EXPECT_EQ(found.launches, known.launches);
  EXPECT_NEAR(found.time, known.time, 1e-9 * known.time);
}

// cgp R8, cgp D10, cgp D11
TEST_P(NsysStatsCorpus, LosesNoRowOfAnySummary) {
  FRX_NEEDS_CORPUS();
  const Known& known = GetParam();
  const fs::path file = *testing::corpus() / "nsys" / known.file;
  if (!fs::exists(file)) GTEST_SKIP() << "the corpus has no " << known.file;
  const std::size_t expected = summary_rows_in(file, known.file.ends_with(".csv"));
  EXPECT_EQ(rows_read(file), known.trace ? 0 : expected);
  if (!known.trace) EXPECT_GE(expected, known.kernels);
}

INSTANTIATE_TEST_SUITE_P(
    Files, NsysStatsCorpus,
    ::testing::Values(
        Known{"csv_gpu_trace_torchex_a4500.csv", true, 18, 2482, 339300381}, Known{"csv_gputrace_2022_l2.csv", true, 1, 1, 22240},
        Known{"csv_kern_sum_dsocr_all-stage.csv", false, 113, 1695983, 4946064742},
        Known{"csv_kern_sum_dsocr_clip.csv", false, 19, 387, 3424837}, Known{"csv_kern_sum_dsocr_decode.csv", false, 46, 78016, 179072697},
        Known{"csv_kern_sum_dsocr_projector.csv", false, 2, 2, 35488}, Known{"text_2022_nvfuser_trace_fuser.log", true, 3, 5, 188959},
        Known{"text_2026_gpumvr.txt", false, 19, 82069, 10278282158}, Known{"text_2026_nussinov_profile.txt", false, 1, 1, 119221222},
        Known{"text_3070_array_inc_a.txt", false, 1, 1, 883936}, Known{"text_3070_array_inc_b.txt", false, 1, 1, 62307425},
        Known{"text_5060ti_cutlass_nsys.log", false, 1, 13, 5954009}, Known{"text_a100_vecadd_1t.txt", false, 1, 1, 25610621473},
        Known{"text_clima_baseline_nsys.out", false, 295, 49460, 3536333666},
        Known{"text_cs336_nsys_stats_all.txt", false, 19, 7328, 3389068613},
        Known{"text_cs336_nsys_stats_compile.txt", false, 2, 30, 78270},
        Known{"text_jetson_yolov4tiny.txt", false, 24, 519029, 5981200246}),
    [](const ::testing::TestParamInfo<Known>& known) {
      std::string name(known.param.file.substr(0, known.param.file.find('.')));
      std::ranges::replace(name, '-', '_');
      return name;
    });

}  // namespace
}  // namespace frx::corpus
