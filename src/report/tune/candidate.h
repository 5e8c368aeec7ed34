// A configuration that frx tune may try: actions, and the variables of the environment by which the program is told of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "knowledge/tuning.h"

namespace frx::report {

enum class TuneTier : std::uint8_t { safe = 0, validated = 1, risky = 2 };
enum class TuneRisk : std::uint8_t { low, medium, high };
std::string_view name_of(TuneRisk risk);

using Variables = std::vector<std::pair<std::string, std::string>>;  // ascending by name

struct TuneAction {
  std::string id;      // "dl_nw4_pin1"
  std::string type;    // of data/tuning: "dataloader", "batch_size", "precision", "runtime", "allocator"
  std::string detail;  // what it does, in words
  TuneTier tier = TuneTier::safe;
  TuneRisk risk = TuneRisk::low;
  bool reversible = true, requires_approval = false;
  Variables variables;
  std::vector<std::string> preconditions;  // in words
  std::string expected_benefit, rollback;
  bool changes_numerics = false;             // other results than without it: types of numbers, compiled kernels
  std::string title;                         // "torch.compile"
  std::vector<knowledge::TuningNeed> needs;  // without which it is rejected before it is run
};

struct TuneCandidate {
  std::string id;     // "dl_nw4_pin1"; of a combination "dl_nw4_pin1+bs_64"
  std::string label;  // "dl:nw=4,pin=T"; of a combination "dl:nw=4,pin=T + bs:64(2x)"
  std::vector<TuneAction> actions;
  bool is_documented = true;  // false: a combination of documented ones

  Variables variables() const;  // of all actions
  TuneTier tier() const;        // the highest
  TuneRisk risk() const;        // the highest
  bool has(std::string_view type) const;
};

}  // namespace frx::report
