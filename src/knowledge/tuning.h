// What frx tune may try (data/tuning): families of actions as patterns, which bottleneck calls for which of them, and the limits of a trial.
//
//   - id: dl_nw{workers}_pin{bit}            one action for each combination of the values of `for`
//     for: {workers: ["2", "4"], pin: [{pin: "true", bit: "1"}, {pin: "false", bit: "0"}]}
//     variables: {FRX_NUM_WORKERS: "{workers}", FRX_PIN_MEMORY: "{pin}"}
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "knowledge/library.h"

namespace frx::knowledge {

enum class TuningTier : std::uint8_t { safe, validated, risky };
enum class TuningRisk : std::uint8_t { low, medium, high };

// What an action needs of the machine, the program or the settings.
enum class TuningNeed : std::uint8_t { cuda, bf16, static_shapes, compile, memory_headroom, quality_gates };

// Words with what they stand for: {"pin", "true"}, {"bit", "1"}.
using TuningWords = std::vector<std::pair<std::string_view, std::string_view>>;

struct TuningDimension {
  std::string_view name;
  std::vector<TuningWords> values;  // each names the same words
};

struct TuningAction {
  std::string_view title;              // of its family where it has none of its own
  std::string_view id, label, detail;  // with {words}
  std::vector<TuningDimension> dimensions;
  std::string_view at_most_cpus, lowered_to_cpus, multiplies_batch;         // words; "" for none
  std::vector<std::pair<std::string_view, std::string_view>> variables;  // values with {words}; ascending by name
  std::vector<TuningNeed> only_with, rejected_without;
  bool combines = true;
  TuningWords combines_with;  // combined only where these words stand for these values; empty: always
  TuningRisk risk = TuningRisk::low;
  bool changes_numerics = false;  // other results than the same program without it, beyond the order of random numbers
  std::vector<std::string_view> preconditions;
};

struct TuningFamily {
  std::string_view id, title, expected_benefit, rollback;
  double order = 0;
  TuningTier tier = TuningTier::safe;
  bool reversible = true, requires_approval = false;
  std::vector<TuningAction> actions;
};

struct TuningStage {
  std::string_view family;
  std::size_t most = SIZE_MAX;  // of its actions, the first ones
  TuningWords only;             // actions with these words; empty: all
};

struct TuningFocus {
  std::string_view id, says;
  std::vector<std::string_view> labels;
  std::vector<TuningStage> stages;
  std::vector<std::string_view> combined;  // families
};

struct TuningLimits {
  double min_speedup = 0, max_memory_ratio = 0, max_step_time_regression = 0;  // shares
  std::size_t fewest_steps = 0;
  double max_final_loss_regression = 0, max_loss_divergence = 0;  // shares
  double output_abs_tolerance = 0, memory_headroom = 0;
  double dynamic_shapes_share = 0;  // of steps whose shapes changed
  std::size_t dynamic_shapes_changes = 0;
};

// The names that frx gives to a focus of its own accord.
inline constexpr std::string_view no_focus = "none", other_focus = "other";

class Tuning {
 public:
  // Views point into the library. Errors name file and line.
  static Result<Tuning> load(const Library& library);

  const std::vector<TuningFamily>& families() const { return families_; }  // by order
  const TuningFamily* family(std::string_view id) const;
  const std::vector<TuningFocus>& focuses() const { return focuses_; }
  const TuningFocus* focus(std::string_view id) const;
  // Of a label that a person or a diagnosis gives: hyphens, blanks and capitals do not matter. nullptr: none has it.
  const TuningFocus* focus_with_label(std::string_view label) const;
  const TuningFamily& fallback() const { return *family(fallback_); }
  std::size_t most_combinations() const { return most_combinations_; }
  const TuningLimits& limits() const { return limits_; }
  bool has_bf16(std::string_view gpu_name) const;
  Value cases() const { return cases_; }  // of focus.yaml, for its test

 private:
  Result<> add_family(const Value& root);
  Result<> add_focuses(const Value& root);
  Result<TuningFocus> focus_in(const Value& entry) const;

  std::vector<TuningFamily> families_;
  std::vector<TuningFocus> focuses_;
  std::vector<std::string_view> bf16_gpus_;  // parts of names, lower case
  std::string_view fallback_;
  std::size_t most_combinations_ = 0;
  TuningLimits limits_;
  Value cases_;
};

}  // namespace frx::knowledge
