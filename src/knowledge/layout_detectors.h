// The detectors of the layout advisor (data/layout): when a finding holds, its words and fix, and how findings are weighed.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "knowledge/expression.h"
#include "knowledge/facts.h"
#include "knowledge/library.h"

namespace frx::knowledge {

// One way in which a detector fires. {name} in its words is a fact or a word of the finding.
struct LayoutPattern {
  std::string_view id, title, phrase, fix, code;
  std::string_view kind;  // of the fix: "memory_format"
  std::string_view risk;  // LOW, MED, HIGH
  int effort = 1;         // 1 one line, 2 one module, 4 several modules, 8 the architecture
  Expression when;
  Expression severe;  // HIGH where it holds, whatever its share; may be empty
};

struct LayoutDetector {
  std::string_view id, title, says;
  std::string_view needs;                                              // the least evidence: kernels, operators, shapes, strides, stacks
  std::vector<std::pair<std::string_view, std::string_view>> without;  // level, and what is lost below it
  std::map<std::string_view, double> limits;
  std::vector<LayoutPattern> patterns;
  double order = 0;
  Value cases;

  const LayoutPattern* pattern(std::string_view called) const;
};

struct LayoutRanking {
  double high_pct = 0, medium_pct = 0;
  std::map<std::string_view, double> risk;  // factor by tier
  double most_effort = 0, least_saving_pct = 0, least_confidence = 0;
  std::string_view quick_win_risk;
  double least_coverage_pct = 0, idle_pct = 0;
};

// What is known of one finding, by the names of data/facts/layout.yaml.
using LayoutFacts = std::function<std::optional<double>(std::string_view fact)>;

class LayoutKnowledge {
 public:
  // Errors name file and line.
  static Result<LayoutKnowledge> load(const Library& library);

  const std::vector<LayoutDetector>& detectors() const { return detectors_; }  // by order
  const LayoutDetector* detector(std::string_view id) const;
  const LayoutRanking& ranking() const { return ranking_; }
  const std::vector<FactDefinition>& facts() const { return facts_; }
  // `condition`: of a pattern; false where it is empty.
  std::optional<bool> holds(const Expression& condition, const LayoutFacts& facts) const;

 private:
  Result<> add(const Value& root);
  Result<LayoutPattern> pattern_of(const Value& entry) const;

  std::vector<FactDefinition> facts_;
  std::vector<LayoutDetector> detectors_;
  LayoutRanking ranking_;
};

}  // namespace frx::knowledge
