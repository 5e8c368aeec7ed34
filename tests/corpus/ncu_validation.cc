// Prints docs/validation/ncu.md: what becomes of every Nsight Compute and nvprof file of a folder.
//
//   frx_ncu_validation CORPUS_DIR
//
// Names of hosts, users and paths inside the captures are not printed.

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/text.h"
#include "corpus/ncu_labels.h"

namespace {

using namespace frx;
namespace fs = std::filesystem;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

struct Row {
  std::string line;
  bool read = false;
  bool disagrees = false;
};

// Why we keep our answer where a label says otherwise, in a person's words.
const std::map<std::string, std::string, std::less<>> reasons = {
    {"csv_tall15_5070_win_gemm_register_blocked.csv",
     "The file counts bank conflicts but neither the wavefronts of shared memory nor the SM count, so nothing says what "
     "share of the traffic they are. A bare count is not a finding; the report lists the label as not measured and names "
     "the command that measures them."},
};

Row describe(report::Analyst& analyst, const fs::path& path, const std::vector<corpus::LabelRow>& labels, corpus::Score& score) {
  const std::string name = path.filename().string();
  const auto report = analyst.analyse_file(path.string());
  if (!report) {
    std::string reason = report.error().message;
    return {fmt::format("| `{}` | refused: {} | | | | | |", name, corpus::cell(first_line(reason))), false};
  }
  const report::NcuReport& r = **report;
  std::vector<corpus::Judged> judged;
  for (const corpus::LabelRow& row : labels) {
    if (fs::path(row.file).filename() != path.filename()) continue;
    judged.push_back(corpus::judge(row, r));
    score.add(judged.back());
  }
  std::size_t measured = 0;
  for (const report::Value& value : r.values) measured += value.reading.origin == model::Origin::measured;
  const std::string gpu = r.gpu_id.empty() ? (r.compute_capability.empty() ? "unknown" : "CC " + r.compute_capability) : r.gpu_id;
  return {fmt::format("| `{}` | {} | {} / {} | {} / {} | {} | `{}` | {} |", name, r.format, r.kernels.size(), r.launches, measured,
                      r.unknown_metrics.size(), gpu, r.primary, corpus::agreement(judged)),
          true, std::ranges::any_of(judged, [](const corpus::Judged& one) { return !one.accepted || !one.missing.empty(); })};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: frx_ncu_validation CORPUS_DIR\n"), 2;
  const fs::path folder(argv[1]);
  auto analyst = report::Analyst::create({});
  if (!analyst) return std::fprintf(stderr, "%s\n", to_string(analyst.error()).c_str()), 1;
  const std::vector<corpus::LabelRow> labels = corpus::read_labels(folder);
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder / "ncu")) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  corpus::Score score;
  std::string table, disagreements;
  int read = 0;
  for (const fs::path& path : paths) {
    const Row row = describe(**analyst, path, labels, score);
    table += row.line + "\n";
    read += row.read;
    if (!row.disagrees) continue;
    const std::string name = path.filename().string();
    const auto reason = reasons.find(name);
    disagreements += fmt::format("- `{}`: {}\n", name, reason == reasons.end() ? "not explained yet." : reason->second);
  }
  std::printf(
      "# Nsight Compute captures: what we make of each\n\n"
      "Written by `./dev corpus --write`. %zu files: %d read, %zu refused with a reason.\n\n"
      "Agreement with the expert labels: **%d of %d** sure rows have an accepted primary bottleneck, %d have a forbidden one,\n"
      "**%d of %d** required labels are found; of the likely rows %d of %d are accepted. Of the accepted, %d sure and %d likely rows are\n"
      "`latency_bound`, or what is waited for then, where the list has \"inconclusive\" or a symptom, or `fp64_pipe_bound` where it has "
      "`compute_bound`: these labels are\n"
      "younger than the lists, and by their letter these are misses.\n\n"
      "`kernels / launches`; `metrics` recognised / unknown by name (unknown ones are counters no label asks for);\n"
      "`labels`: rows whose primary is accepted and whose required labels are all found.\n\n"
      "| file | format | kernels / launches | metrics | GPU | primary bottleneck | labels |\n|---|---|---|---|---|---|---|\n%s\n## "
      "Disagreements\n\n%s",
      paths.size(), read, paths.size() - static_cast<std::size_t>(read), score.sure_accepted, score.sure, score.sure_forbidden, score.found,
      score.must_find, score.likely_accepted, score.likely, score.sure_as_younger, score.likely_as_younger, table.c_str(),
      disagreements.empty() ? "None.\n" : disagreements.c_str());
  return 0;
}
