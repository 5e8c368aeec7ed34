// Prints docs/validation/ncu-rep.md: what becomes of every Nsight Compute report of the corpus.
//
//   frx_ncu_report_validation CORPUS_DIR
//
// Names of hosts, users and paths inside the reports are not printed.

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/text.h"
#include "corpus/ncu_labels.h"
#include "corpus/ncu_report_oracle.h"

namespace {

using namespace frx;
namespace fs = std::filesystem;

// Why we keep our answer where a label says otherwise, in a person's words.
const std::map<std::string, std::string, std::less<>> reasons = {
    {"pmpp_4090_b_conflicts_customsections.ncu-rep",
     "Profiled with custom sections: there is no DRAM throughput, only the request throughput of the memory side and the "
     "conflicts of shared memory (92 % of the wavefronts of the first kernel, none of the second). The expert knows that "
     "removing the conflicts gained 1 %; from this file alone the conflicts are what is measured. The report names the "
     "counters that would decide."},
    {"spyinfer_a10_105k.ncu-rep",
     "2.37 waves: the last of three is 37 % full, which costs a fifth of the block slots, and no unit is above 61 %. The list was written "
     "before there was a label for that."},
    {"eleuther_a100_cutlass_profile_20480.ncu-rep",
     "81 blocks for 108 SMs: the wave is not full, but DRAM is 87 % busy, so more SMs would not help; the saturated memory leads."},
    {"eleuther_a100_cutlass_profile_20544_goodTile.ncu-rep", "The same as above: 80 blocks for 108 SMs while DRAM is 87 % busy."},
};

struct Sums {
  std::uint64_t files = 0, read = 0, launches = 0, failed = 0, values = 0, instances = 0, rules = 0;
  corpus::Agreement oracle, values_of_oracle, focus, quoted;

  static void add(corpus::Agreement& sum, const corpus::Agreement& one) {
    sum.compared += one.compared;
    sum.equal += one.equal;
  }
  void add(const corpus::ReportCheck& check) {
    ++read;
    launches += check.launches;
    failed += check.failed_launches;
    values += check.values;
    instances += check.instances;
    rules += check.fired_rules;
    add(oracle, check.oracle_launches);
    add(values_of_oracle, check.oracle_values);
    add(focus, check.focus);
    add(quoted, check.quoted);
  }
};

std::string of(const corpus::Agreement& agreement) { return fmt::format("{}/{}", agreement.equal, agreement.compared); }

struct Page {
  report::Analyst& analyst;
  std::vector<corpus::LabelRow> labels;
  corpus::Oracle oracle;
  corpus::Score score;
  Sums sums;
  std::string table, disagreements;

  void add(const fs::path& path) {
    ++sums.files;
    const std::string name = path.filename().string();
    const Result<corpus::ReportCheck> check = corpus::check_report(path, oracle);
    if (!check) {
      table += fmt::format("| `{}` | refused: {} | | | | | | | | |\n", name, corpus::cell(check.error().message));
      return;
    }
    sums.add(*check);
    table +=
        fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} |", name, check->summary.session.tool_version(), check->launches,
                    check->values, of(check->oracle_launches), of(check->quoted), of(check->focus), check->summary.totals.unknown_fields);
    table += diagnosis(path, name) + "\n";
  }

  std::string diagnosis(const fs::path& path, const std::string& name) {
    const auto report = analyst.analyse_file(path.string());
    if (!report) return fmt::format(" {} | |", corpus::cell(report.error().message));
    std::vector<corpus::Judged> judged;
    for (const corpus::LabelRow& row : labels) {
      if (fs::path(row.file).filename() != path.filename()) continue;
      judged.push_back(corpus::judge(row, **report));
      score.add(judged.back());
    }
    if (std::ranges::any_of(judged, [](const corpus::Judged& one) { return !one.accepted || !one.missing.empty(); })) {
      const auto reason = reasons.find(name);
      disagreements += fmt::format("- `{}`: {}\n", name, reason == reasons.end() ? "not explained yet." : reason->second);
    }
    return fmt::format(" `{}` | {} |", (*report)->primary, corpus::agreement(judged));
  }

  void print() const {
    std::printf(
        "# Nsight Compute reports: what we make of each\n\n"
        "Written by `./dev corpus --write`. %zu files, %zu read to the last byte: %zu launches (%zu of them failed), %zu values,\n"
        "%zu values of instances, %zu rules of the tool that fired.\n\n"
        "Truths they are compared with:\n\n"
        "- **oracle**: an independent decoding; of a launch its names, shape, context, stream, process, number of metrics, sections, "
        "fired\n"
        "  rules and chosen values must all be equal: **%s** launches, %s values.\n"
        "- **quoted**: numbers inside the texts of NVIDIA's rules, against the metric they quote, to the printed digit: **%s**.\n"
        "- **focus**: values beside the name of a metric in the result of a rule, bit for bit: **%s**. The others are no "
        "errors: such\n"
        "  a rule looks at a part or a difference of what it names (one opcode of `sass__inst_executed_per_opcode`, for example).\n"
        "- **labels**: **%d of %d** sure rows have an accepted primary bottleneck, %d have a forbidden one, **%d of %d** required labels "
        "are\n"
        "  found; of the likely rows %d of %d are accepted. Of the accepted, %d sure and %d likely rows are `latency_bound`, or what is "
        "waited for\n"
        "  then, where the list has \"inconclusive\" or a symptom, or `fp64_pipe_bound` where it has `compute_bound`: these labels are "
        "younger than the lists, and "
        "by\n"
        "  their letter these are misses.\n\n"
        "`skipped`: fields of launches with unknown meaning; skipped and counted.\n\n"
        "| file | tool | launches | values | oracle | quoted | focus | skipped | primary bottleneck | labels |\n"
        "|---|---|---|---|---|---|---|---|---|---|\n%s\n## Disagreements\n\n%s",
        sums.files, sums.read, sums.launches, sums.failed, sums.values, sums.instances, sums.rules, of(sums.oracle).c_str(),
        of(sums.values_of_oracle).c_str(), of(sums.quoted).c_str(), of(sums.focus).c_str(), score.sure_accepted, score.sure,
        score.sure_forbidden, score.found, score.must_find, score.likely_accepted, score.likely, score.sure_as_younger,
        score.likely_as_younger, table.c_str(), disagreements.empty() ? "None.\n" : disagreements.c_str());
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: frx_ncu_report_validation CORPUS_DIR\n"), 2;
  const fs::path folder(argv[1]);
  auto analyst = report::Analyst::create({});
  if (!analyst) return std::fprintf(stderr, "%s\n", to_string(analyst.error()).c_str()), 1;
  Page page{**analyst, corpus::read_labels(folder), corpus::read_oracle(folder), {}, {}, {}, {}};
  for (const fs::path& path : corpus::report_files(folder)) page.add(path);
  page.print();
  return 0;
}
