#include "advise/ptx_circumstances.h"

#include <algorithm>

namespace frx::advise {

using Maybe = std::optional<double>;

Maybe PtxCircumstances::value(std::uint32_t slot) const {
  if (slot < model::code_fact_count) return diagnosis_.run.number(static_cast<model::CodeFactId>(slot));
  if (slot >= slots::other_domain || slot < slots::threshold) return std::nullopt;
  if (slot < slots::label) return names_.thresholds().of_slot(slot - slots::threshold);
  return label_state(diagnosis_.labels, diagnosis_.others, names_.labels(Domain::ptx)[(slot - slots::label) / 2],
                     (slot - slots::label) % 2 != 0);
}

}  // namespace frx::advise
