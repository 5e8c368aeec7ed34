#include "corpus/ncu_labels.h"

#include <algorithm>
#include <fstream>
#include <map>

#include "base/text.h"

namespace frx::corpus {
namespace {

std::vector<std::string> words(std::string_view cell) {
  std::vector<std::string> list;
  for (const std::string_view word : split(cell, '|')) {
    if (!trim(word).empty()) list.emplace_back(trim(word));
  }
  return list;
}

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// The lists were written before there were labels for "all units are known, and none is near its limit" and for what is waited for then;
// what the experts accept for them is that nothing can be concluded, or the symptoms.
bool is_latency(std::string_view label) {
  return label == "latency_bound" || label == "fixed_latency_dependency" || label == "instruction_fetch" ||
         label == "constant_cache_misses";
}

bool accepts_latency(const LabelRow& row) {
  return contains(row.accepted, "inconclusive") || contains(row.accepted, "low_issue_efficiency") ||
         contains(row.accepted, "low_warp_scheduler_utilization");
}

const report::Kernel* kernel_called(const report::NcuReport& report, const std::string& name) {
  for (const report::Kernel& kernel : report.kernels) {
    if (kernel.name == name) return &kernel;
  }
  // The label file cuts very long names.
  for (const report::Kernel& kernel : report.kernels) {
    if (kernel.name.starts_with(name)) return &kernel;
  }
  return nullptr;
}

}  // namespace

std::vector<LabelRow> read_labels(const std::filesystem::path& corpus) {
  std::vector<LabelRow> rows;
  std::ifstream file(corpus / "ncu-labels.tsv");
  std::string line;
  std::getline(file, line);  // header
  while (std::getline(file, line)) {
    const std::vector<std::string_view> cells = split(line, '\t');
    if (cells.size() < 6) continue;
    rows.push_back({std::string(cells[0]), std::string(cells[1]), words(cells[2]), words(cells[3]), words(cells[4]), cells[5] == "sure"});
  }
  return rows;
}

Judged judge(const LabelRow& row, const report::NcuReport& report) {
  Judged judged;
  judged.row = row;
  const bool run = row.kernel == "*";
  const report::Kernel* kernel = run ? nullptr : kernel_called(report, row.kernel);
  if (!run && !kernel) {
    judged.missing = row.must_find;
    return judged;
  }
  judged.primary = run ? report.primary : kernel->primary;
  const std::vector<model::Finding>& findings = run ? report.findings : kernel->findings;
  for (const std::string& label : row.must_find) {
    const bool found =
        label == judged.primary || std::any_of(findings.begin(), findings.end(), [&](const model::Finding& f) { return f.id() == label; });
    if (!found) judged.missing.push_back(label);
  }
  judged.accepted = contains(row.accepted, judged.primary);
  const bool as_latency = is_latency(judged.primary) && accepts_latency(row);
  // Nor was there a label for one pipe: the pipe is what computes.
  const bool as_pipe = judged.primary == "fp64_pipe_bound" && contains(row.accepted, "compute_bound");
  judged.only_as_younger = !judged.accepted && (as_latency || as_pipe);
  judged.accepted = judged.accepted || judged.only_as_younger;
  judged.forbidden = contains(row.forbidden, judged.primary);
  return judged;
}

void Score::add(const Judged& judged) {
  if (!judged.row.sure) {
    ++likely;
    likely_accepted += judged.accepted;
    likely_as_younger += judged.only_as_younger;
    return;
  }
  ++sure;
  sure_accepted += judged.accepted;
  sure_as_younger += judged.only_as_younger;
  sure_forbidden += judged.forbidden;
  must_find += static_cast<int>(judged.row.must_find.size());
  found += static_cast<int>(judged.row.must_find.size() - judged.missing.size());
}

std::string cell(std::string text) {
  std::replace(text.begin(), text.end(), '|', '/');
  return text;
}

std::string agreement(const std::vector<Judged>& judged) {
  if (judged.empty()) return "";
  int good = 0;
  std::string bad;
  for (const Judged& one : judged) {
    good += one.accepted && one.missing.empty();
    if (!one.accepted || !one.missing.empty()) {
      bad += fmt::format("; {} {}: {}{}", one.row.sure ? "sure" : "likely", shorten(one.row.kernel, 24),
                         one.accepted ? "" : one.primary + " is not accepted",
                         one.missing.empty() ? "" : " not found: " + join(one.missing, ", "));
    }
  }
  return fmt::format("{}/{}{}", good, judged.size(), cell(bad));
}

Score score_labels(const std::filesystem::path& corpus, std::string_view folder) {
  Score score;
  const std::unique_ptr<report::Analyst> analyst = report::Analyst::create({}).value();
  std::map<std::string, const report::NcuReport*> reports;
  for (const LabelRow& row : read_labels(corpus)) {
    if (!row.file.starts_with(folder)) continue;
    if (!reports.contains(row.file)) {
      const auto report = analyst->analyse_file((corpus / row.file).string());
      reports[row.file] = report ? *report : nullptr;
      if (!report) score.refused.push_back(to_string(report.error()));
    }
    if (reports[row.file]) score.add(judge(row, *reports[row.file]));
  }
  return score;
}

}  // namespace frx::corpus
