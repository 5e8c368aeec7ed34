// The bottleneck labels of data/bottlenecks: condition, score and texts of each one.
//
// A label file holds an expression for its condition, its score (0 to 1: how much of the launch's time
// it explains) and the time at stake, over the metrics of the catalogue, the classes of kernel
// names (kernel.matrix, kernel.communication, ...) and the thresholds by their names; own.THRESHOLD holds where the user
// gave it another value. It holds its own test cases, too.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/expression.h"
#include "knowledge/kernel_classes.h"
#include "knowledge/metrics.h"
#include "knowledge/thresholds.h"
#include "model/finding.h"

namespace frx::knowledge {

struct LabelEvidence {
  model::Metric metric;
  std::string_view because;
};

struct Label : model::FindingType {
  Expression when;
  Expression score;
  Expression time_at_stake;  // ns, an upper bound; may be empty
  std::vector<LabelEvidence> evidence;
  Value cases;  // its own tests
};

// Of a label's file, whatever it is about. Fails, naming the place, on another word than cause, symptom or state.
Result<model::FindingKind> finding_kind(const Value& label);

class LabelCatalogue {
 public:
  static Result<LabelCatalogue> load(const Library& library, const MetricCatalogue& metrics, const KernelClasses& classes);

  const std::vector<Label>& all() const { return labels_; }  // by order
  const Label* with_id(std::string_view id) const;

  // Slots at and above this one are bits of the kernel's class.
  static constexpr std::uint32_t first_class_slot = 1u << 16;
  // From here on each threshold has two: its value, and whether it is the user's own.
  static constexpr std::uint32_t first_threshold_slot = 1u << 17;

  // With their default values.
  const Thresholds& thresholds() const { return thresholds_; }

 private:
  std::vector<Label> labels_;
  Thresholds thresholds_;
};

}  // namespace frx::knowledge
