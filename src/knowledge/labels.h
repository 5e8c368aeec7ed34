// The bottleneck labels of data/bottlenecks: condition, score and texts of each one.
//
// A label file holds an expression for its condition, its score (0 to 1: how much of the launch's time
// it explains) and the time at stake, over the metrics of the catalogue and the classes of kernel
// names (kernel.matrix, kernel.communication, ...), and its own test cases.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/expression.h"
#include "knowledge/kernel_classes.h"
#include "knowledge/metrics.h"

namespace frx::knowledge {

enum class LabelKind {
  cause,    // something that can be changed
  symptom,  // a consequence; leads only when nothing else explains it
  state,    // a statement about the whole: at the limit, not enough data
};

struct LabelEvidence {
  model::Metric metric;
  std::string_view because;
};

struct Label {
  std::string_view id;          // "memory_bandwidth_bound"
  std::string_view display;
  LabelKind kind = LabelKind::cause;
  double order = 0;             // the order of docs/contract.md; decides ties
  Expression when;
  Expression score;
  Expression time_at_stake;     // ns, an upper bound; may be empty
  std::vector<LabelEvidence> evidence;
  std::vector<std::string_view> explained_by;  // labels whose consequence this is when they hold too
  std::string_view why;
  std::string_view question;    // for the brief: what to ask about this bottleneck
  std::string_view collect;     // preset with the counters that would decide it
  Value cases;                  // its own tests
  std::string where;
};

class LabelCatalogue {
 public:
  static Result<LabelCatalogue> load(const Library& library, const MetricCatalogue& metrics, const KernelClasses& classes);

  const std::vector<Label>& all() const { return labels_; }   // in the order of docs/contract.md
  const Label* with_id(std::string_view id) const;

  // Slots at and above this one are bits of the kernel's class.
  static constexpr std::uint32_t first_class_slot = 1u << 16;

 private:
  std::vector<Label> labels_;
};

}  // namespace frx::knowledge
