#include "analyse/layout_trial.h"

#include <algorithm>
#include <filesystem>

#include "analyse/analyse.h"
#include "base/files.h"
#include "report/layout/trial_trace.h"

namespace frx::analyse {
namespace {

namespace fs = std::filesystem;
using report::TrialRun;
using report::TrialSide;

constexpr std::uint64_t largest_side = std::uint64_t{64} << 20, largest_tensor = std::uint64_t{1} << 28;

// The process of each rank, with the folder it wrote to.
struct ReadRun {
  TrialRun run;
  std::vector<std::string> folders;  // as run.ranks
};

std::vector<std::string> rank_folders(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().starts_with("rank") && fs::exists(it->path() / "side.json", error))
      found.push_back(it->path().string());
  }
  // rank2 before rank10.
  std::ranges::sort(found, [](const std::string& a, const std::string& b) { return std::pair(a.size(), a) < std::pair(b.size(), b); });
  return found;
}

Result<ReadRun> read_run(const capture::LayoutTrialRun& ran, const knowledge::TrialRules& rules, Context& context) {
  ReadRun read;
  TrialRun& run = read.run;
  run.is_candidate = ran.is_candidate;
  run.is_profiled = ran.is_profiled;
  run.failure = ran.failure;
  run.seconds = ran.seconds;
  run.gpus = ran.gpus.gpus;
  for (const std::string_view message : rules.messages) {
    if (ran.errors.find(message) != ran.errors.npos) run.messages.emplace_back(message);
  }
  if (!run.failure.empty()) return read;
  for (const std::string& folder : rank_folders(ran.folder)) {
    const std::string path = folder + "/side.json";
    TRY_ASSIGN(const std::string text, read_file(path, largest_side));
    TRY_ASSIGN(TrialSide side, report::read_trial_side(path, text));
    run.traces.emplace_back();
    if (!side.trace.empty() && run.is_profiled && side.profiled_windows > 0) {
      TRY_ASSIGN(run.traces.back(), read_trial_trace(folder + "/" + side.trace, static_cast<std::size_t>(side.profiled_windows), context));
    }
    run.ranks.push_back(std::move(side));
    read.folders.push_back(folder);
  }
  return read;
}

// float32 on a GPU that may use TF32 has the tolerance of that.
const knowledge::ToleranceRule* tolerance_for(const TrialSide& side, const std::string& dtype, const knowledge::TrialRules& rules) {
  const bool tf32 = side.device_kind == "cuda" && dtype == "float32" && (side.precision.tf32_matmul || side.precision.tf32_cudnn);
  return rules.tolerance_of(tf32 ? "tf32" : dtype);
}

// Of the outputs of one rank.
Result<> compare_rank(const ReadRun& baseline, ReadRun& other, std::size_t rank, const knowledge::TrialRules& rules) {
  const TrialSide& side = baseline.run.ranks[rank];
  const std::vector<report::TrialTensor>&before = side.outputs, &after = other.run.ranks[rank].outputs;
  for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
    report::OutputDifference difference;
    if (i >= before.size() || i >= after.size()) {
      difference.name = i < before.size() ? before[i].name : after[i].name;
      difference.mismatch = "only one side has this output";
    } else {
      TRY_ASSIGN(const std::string one, read_file(baseline.folders[rank] + "/" + before[i].file, largest_tensor));
      TRY_ASSIGN(const std::string two, read_file(other.folders[rank] + "/" + after[i].file, largest_tensor));
      difference = report::compare_outputs(before[i], one, after[i], two, tolerance_for(side, before[i].dtype, rules), side.longest_sum);
    }
    other.run.differences.push_back(std::move(difference));
  }
  return {};
}

// A rank that one side lacks is told by the guards of distributed programs.
Result<> compare_runs(const ReadRun& baseline, ReadRun& other, const knowledge::TrialRules& rules) {
  const std::size_t ranks = std::min(baseline.run.ranks.size(), other.run.ranks.size());
  for (std::size_t rank = 0; rank < ranks; ++rank) TRY(compare_rank(baseline, other, rank, rules));
  return {};
}

}  // namespace

Result<report::TrialTrace> read_trial_trace(const std::string& path, std::size_t windows, Context& context) {
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  Input input = input_of(ingest::Source::at(path), known->metrics);
  TRY_ASSIGN(const model::Timeline timeline, read_timeline(input, context, context.options().progress));
  return report::trial_trace_of(timeline, windows);
}

Result<report::TrialEvidence> read_trial(std::span<const capture::LayoutTrialRun> runs, const knowledge::TrialRules& rules,
                                         Context& context) {
  report::TrialEvidence evidence;
  std::vector<ReadRun> read;
  for (const capture::LayoutTrialRun& ran : runs) {
    TRY_ASSIGN(ReadRun one, read_run(ran, rules, context));
    read.push_back(std::move(one));
  }
  const auto first = std::ranges::find_if(read, [](const ReadRun& one) { return !one.run.is_candidate && !one.run.ranks.empty(); });
  for (ReadRun& one : read) {
    if (first != read.end() && &one != &*first && !one.run.ranks.empty()) TRY(compare_runs(*first, one, rules));
  }
  for (ReadRun& one : read) evidence.runs.push_back(std::move(one.run));
  return evidence;
}

}  // namespace frx::analyse
