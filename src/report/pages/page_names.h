// What the names in conditions and messages of data/ mean: facts, metrics, thresholds, classes of kernels.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/knowledge.h"
#include "report/pages/rule_page.h"

namespace frx::report {

class PageNames {
 public:
  explicit PageNames(const knowledge::Knowledge& knowledge);

  // Adds those that `text` mentions and `names` lacks. `subject`: whose facts they are, as in data/facts: cuda_kernel, ptx_file, run,
  // layout; "kernel" has the metrics besides.
  void add(std::string_view text, std::string_view subject, std::vector<PageName>& names) const;
  PageName metric(const knowledge::MetricDefinition& metric) const;

 private:
  struct Fact {
    std::string_view unit, meaning;
  };
  std::optional<PageName> meaning_of(std::string_view name, std::string_view subject) const;
  std::optional<PageName> fact_called(std::string_view name, std::string_view subject) const;
  std::optional<PageName> threshold_called(std::string_view name) const;

  const knowledge::Knowledge& knowledge_;
  std::map<std::pair<std::string_view, std::string_view>, Fact> facts_;  // by subject and name
};

}  // namespace frx::report
