// What was predicted of a kernel, against what its rewriting measured: the pairs of the corpus (pairs.tsv) and the rounds of KernelAgent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/prediction.h"

namespace frx::corpus {

// "At most": the time at stake of a label of the first kernel.
struct StakeOfLabel {
  std::string label;
  double bound_pct = 0;  // of the first kernel's time
  bool is_leading = false;
  bool is_gone = false;     // it does not hold after the change
  bool is_of_roof = false;  // the distance to a roof, which work that is saved does not keep to
};

struct PairOutcome {
  std::string before, after, change;  // file and kernel, what was changed
  std::string leading;
  double gain_pct = 0;                // of the time of the first; negative when the second is slower
  std::vector<StakeOfLabel> stakes;   // labels with a time at stake
  std::vector<std::string> appeared;  // labels that only the second has
};

struct PairOutcomes {
  std::vector<PairOutcome> pairs, rounds;  // pairs.tsv, KernelAgent
  // By card of a recommendation: predictions about counters.
  std::map<std::string, std::map<advise::Outcome, std::uint64_t>> predictions;
  std::vector<std::string> failures;  // files that could not be read
};

// Files `corpus`/pairs.tsv and `corpus`/artifacts/kernelagent. A round holds neither durations nor units: the units are those that the
// names of counters imply (data/counters), and the duration is DRAM bytes over DRAM bytes per second.
PairOutcomes pair_outcomes(const std::filesystem::path& corpus);

// docs/validation/before-after.md and docs/validation/calibration.md
std::string before_after_page(const PairOutcomes& outcomes);
std::string calibration_page(const PairOutcomes& outcomes);

}  // namespace frx::corpus
