// Findings of made-up names, for tests.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "model/finding.h"

namespace frx::model::testing {

// Lives until the program ends; the same for the same name and layer.
inline FindingType& finding_type(std::string_view id, Layer layer = Layer::ncu) {
  static std::map<std::pair<std::string, Layer>, FindingType> types;
  const auto [at, is_new] = types.try_emplace({std::string(id), layer});
  if (is_new) {
    at->second.id = at->first.first;
    at->second.layer = layer;
  }
  return at->second;
}

inline Finding finding(std::string_view id, Layer layer = Layer::ncu, std::string_view kernel = "", Verdict verdict = Verdict::fires) {
  Finding finding;
  finding.type = &finding_type(id, layer);
  finding.verdict = verdict;
  finding.kernel = kernel;
  return finding;
}

}  // namespace frx::model::testing
