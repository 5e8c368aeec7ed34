#include "advise/circumstances.h"

namespace frx::advise {

std::optional<double> label_state(std::span<const model::Finding> firing, std::span<const model::Finding> others, std::string_view id,
                                  bool wants_score) {
  if (const model::Finding* const finding = find_finding(firing, id)) {
    if (finding->proof == model::Proof::unproven) return 0.0;
    return wants_score ? finding->score : 1.0;
  }
  const model::Finding* const other = find_finding(others, id);
  return other && other->is_clear() ? std::optional(0.0) : std::nullopt;
}

}  // namespace frx::advise
