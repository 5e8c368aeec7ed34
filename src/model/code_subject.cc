#include "model/code_subject.h"

#include <algorithm>

namespace frx::model {

std::optional<CodeFactId> code_fact_called(std::string_view name) {
  const auto* const at = std::ranges::lower_bound(code_fact_names, name);  // written down in that order
  if (at == std::end(code_fact_names) || *at != name) return std::nullopt;
  return static_cast<CodeFactId>(at - code_fact_names);
}

}  // namespace frx::model
