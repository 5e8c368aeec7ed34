#include "advise/ptx_circumstances.h"

#include <algorithm>

namespace frx::advise {

using Maybe = std::optional<double>;

// An unproven label does not hold: the sign of the reference implementation is there, but does not prove the label.
Maybe PtxCircumstances::label_state(std::size_t index, bool wants_score) const {
  const std::string_view id = names_.labels(Domain::ptx)[index];
  const auto at = std::ranges::find(diagnosis_.labels, id, &diagnose::CodeLabelFinding::id);
  if (at != diagnosis_.labels.end() && at->proof != knowledge::Proof::unproven) return wants_score ? at->score : 1.0;
  const bool cannot_tell = std::ranges::find(diagnosis_.cannot_tell, id) != diagnosis_.cannot_tell.end();
  return cannot_tell ? Maybe() : Maybe(0.0);
}

Maybe PtxCircumstances::value(std::uint32_t slot) const {
  if (slot < model::code_fact_count) return diagnosis_.run.number(static_cast<model::CodeFactId>(slot));
  if (slot >= slots::other_domain || slot < slots::threshold) return std::nullopt;
  if (slot < slots::label) return names_.thresholds().of_slot(slot - slots::threshold);
  return label_state((slot - slots::label) / 2, (slot - slots::label) % 2 != 0);
}

}  // namespace frx::advise
