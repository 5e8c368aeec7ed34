// Prints docs/validation/traces.md: what becomes of every trace of the corpus.
//
//   frx_trace_validation CORPUS_DIR

#include <fmt/format.h>

#include <cstdio>

#include "base/text.h"
#include "compose/ranks_words.h"
#include "corpus/rank_sets.h"
#include "corpus/trace_truth.h"

namespace {

using namespace frx;

constexpr const char* head = R"(# Traces of the PyTorch profiler

Written by `./dev corpus --write` from the corpus of real traces (public repositories; not part of this one). *Attributed*: kernels with an
operator, of all kernels; where it is low, launches or operators are missing in the file itself: traces before PyTorch 1.8 ("gaoteng") lack the
operators of autograd's threads, others begin behind the launches. *Busy* and *exposed*: the share of the steps in which the GPU did anything, and in
which it only communicated: ours / as measured by others with another program. Without steps it is the time from the first kernel to the last.
*Shapes*: how many pairs of steps that follow each other differ in the shapes of the model's inputs, of those that can be compared; empty where shapes
were not recorded, there are no two steps, or they do not tell. *Agrees*: the diagnosis is one of those that the source of the trace names; `-` where it names none.

Where the shares differ, the steps do: in the two `drisspg` files we take the range that repeats for the step, they the time from the first kernel to
the last; in the file merged from four ranks we take each rank's own steps for its GPU, they those of all ranks for all.

)";

std::string pair_text(double ours, double theirs) { return fmt::format("{:.1f} / {:.1f}", ours, theirs); }

std::string gpus_text(const corpus::TraceCheck& check, bool communication) {
  std::vector<std::string> words;
  for (const corpus::MeasuredGpu& theirs : check.measured.gpus) {
    for (const corpus::MeasuredGpu& ours : check.gpus) {
      if (ours.device != theirs.device) continue;
      if (!communication) words.push_back(pair_text(ours.busy_pct, theirs.busy_pct));
      if (communication && theirs.exposed_communication_pct)
        words.push_back(pair_text(*ours.exposed_communication_pct, *theirs.exposed_communication_pct));
    }
  }
  return join(words, "; ");
}

std::string shapes_text(const corpus::TraceCheck& check) {
  return check.shape_pairs ? fmt::format("{} of {}", *check.shape_changes, *check.shape_pairs) : "";
}

std::string list_text(const std::vector<std::int64_t>& ranks) { return ranks.empty() ? "none" : compose::ranks_text(ranks); }

void print_rank_sets(const std::vector<corpus::RankSetCheck>& checks) {
  fmt::print(
      "\n## Sets of ranks\n\n"
      "*Matched*: collectives found on all their ranks; *together*: of those, the ones that all ranks left at one moment, which alone tell "
      "who is late.\n"
      "*Lost*: the share of a step that ranks spend waiting for later ones, in the mean. *Known*: what the source of the traces says.\n\n"
      "| Set | Files | Ranks | Matched | Together | Lost | Late | Known | Agrees | Diagnosis "
      "|\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const corpus::RankSetCheck& check : checks) {
    if (!check.report) {
      fmt::print("| {} | {} | refused: {} | | | | | {} | | |\n", check.set.name, check.set.files.size(), check.refused, check.set.known);
      continue;
    }
    const report::RanksReport& run = *check.report;
    fmt::print("| {} | {} | {} | {} | {} | {:.1f} % | {} | {} | {} | {} |\n", check.set.name, check.set.files.size(),
               compose::who_is_here(run), run.matching.collectives.size(), run.matching.together, 100 * run.lateness.lost_share,
               list_text(check.late()), check.set.known,
               !check.set.late  ? "-"
               : check.agrees() ? "yes"
                                : "**no**",
               run.scope.diagnosis.user_facing);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::vector<corpus::TraceCheck> checks = corpus::check_traces(argv[1]);
  int read = 0, compared = 0, equal = 0, judged = 0, agree = 0;
  std::uint64_t kernels = 0, attributed = 0;
  std::string rows;
  for (const corpus::TraceCheck& check : checks) {
    if (!check.refused.empty()) {
      rows += fmt::format("| {} | refused: {} | | | | | | | | |\n", check.name, check.refused);
      continue;
    }
    ++read;
    compared += check.numbers().first;
    equal += check.numbers().second;
    judged += !check.accepted.empty();
    agree += !check.accepted.empty() && check.agrees();
    kernels += check.kernels;
    attributed += check.kernels_with_op;
    rows += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", check.name, check.events, check.kernels, check.steps,
                        check.attributed_pct() ? fmt::format("{:.1f} %", *check.attributed_pct()) : "-", gpus_text(check, false),
                        gpus_text(check, true), shapes_text(check), check.user_facing.empty() ? "-" : check.user_facing,
                        check.accepted.empty() ? "-"
                        : check.agrees()       ? "yes"
                                               : "**no**");
  }
  std::fputs(head, stdout);
  fmt::print(
      "{} files: {} read, {} refused. {} kernels, {} of them with an operator. Numbers that others measured: {} compared, {} equal within "
      "0.35 "
      "points. Diagnosis: {} with a known truth, {} agree.\n\n",
      checks.size(), read, checks.size() - static_cast<std::size_t>(read), kernels, attributed, compared, equal, judged, agree);
  fmt::print(
      "| File | Events | Kernels | Steps | Attributed | Busy % | Exposed % | Shapes | Diagnosis | Agrees "
      "|\n|---|---|---|---|---|---|---|---|---|---|\n{}",
      rows);
  print_rank_sets(corpus::check_rank_sets(argv[1]));
  fmt::print("\n## Notes of the reader\n\n");
  for (const corpus::TraceCheck& check : checks) {
    for (const std::string& note : check.notes) {
      if (check.name.starts_with("derived_")) fmt::print("- {}: {}\n", check.name, note);
    }
  }
  return 0;
}
