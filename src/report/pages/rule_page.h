// What is known of one rule or label, from its file in data/: the page that docs/rules and docs/labels hold, `frx explain ID` prints and
// SARIF brings along.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/expertise.h"

namespace frx::report {

// A name that a condition or a message mentions.
struct PageName {
  std::string name;
  std::string_view unit;
  std::string meaning;       // of a threshold its value
  std::string_view counter;  // of a metric, as ncu calls it; "" where there is none
};

// "It holds when": the condition, as it is written.
struct PageCondition {
  std::string says, expression;
};

// A test case of the file in data/.
struct PageCase {
  std::string_view name, expect;  // fires, silent, clear, cannot tell
  std::string_view source;        // CUDA, or ""
  std::string given;              // "dram_throughput_pct: 92, sm_throughput_pct: 10", or ""
};

struct RulePage {
  enum class Kind : std::uint8_t { rule, label };

  Kind kind = Kind::rule;
  std::string_view id = {};
  std::string title = {};                                             // "Uncoalesced access"
  std::string_view subject = {};                                      // what it is about: "CUDA source"
  std::vector<std::pair<std::string_view, std::string>> traits = {};  // "Severity": "medium"
  std::vector<std::string> says = {};                                 // its words, with {facts} to be filled in
  std::vector<std::string_view> why = {};
  std::vector<PageCondition> conditions = {};
  std::vector<PageName> names = {};
  std::vector<PageCase> cases = {};
  std::vector<std::string> blind = {};  // what it does not see
  std::vector<std::string_view> fixes = {};
  std::vector<const advise::Card*> cards = {};
  std::vector<std::string> checks = {};    // how to find out whether it is right, and whether a change helped
  std::vector<std::string> commands = {};  // that do so
  std::string_view refuted = {};           // what would show that it is wrong
  std::string file = {};                   // "data/bottlenecks/memory_bandwidth_bound.yaml"
};

// "rules/uncoalesced_access.md", below the folder or address of the documentation.
std::string address_of(const RulePage& page);

// The pages of all rules and labels. They point into the expertise, which is kept.
class RulePages {
 public:
  static std::shared_ptr<const RulePages> of(std::shared_ptr<const Expertise> expertise);

  // Rules before labels; of each, those of source before those of what is compiled from it.
  std::span<const RulePage> all() const { return pages_; }
  // Several where rules of different code, or a rule and a label, have one name.
  std::vector<const RulePage*> with_id(std::string_view id) const;
  // not_enough, with the nearest names, for a name of nothing.
  Result<std::vector<const RulePage*>> look_up(std::string_view id) const;

 private:
  std::shared_ptr<const Expertise> expertise_;
  std::vector<RulePage> pages_;
};

}  // namespace frx::report
