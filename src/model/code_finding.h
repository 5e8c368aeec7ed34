// What static analysis knows about a kernel or a launch, and what a rule makes of it.
//
// A fact is absent when the code does not determine it. A rule whose condition needs an absent fact is inconclusive and reports
// nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/name_table.h"
#include "base/shared_text.h"

namespace frx::model {

// In a text file; line and column from 1, 0 where unknown. A column counts UTF-16 code units, as editors and SARIF do.
// `end_column` is one past the last of them on `end_line`.
struct TextPlace {
  SharedText file;
  std::uint32_t line = 0, column = 0;
  std::uint32_t end_line = 0, end_column = 0;
  // The source this code was compiled from, when it says so (.loc of PTX).
  SharedText source_file;
  std::uint32_t source_line = 0;
};

// A truth, a number or a text, and where in the code it shows, most telling place first.
struct CodeFact {
  std::variant<bool, double, std::string> value;
  std::vector<TextPlace> places;
};

// What a fact is called. A literal stays where it is, any other name is copied by those who keep it.
class FactName {
 public:
  consteval FactName(const char* literal) : text_(literal), is_literal_(true) {}
  FactName(const std::string& name) : text_(name) {}
  std::string_view text() const { return text_; }
  bool is_literal() const { return is_literal_; }

 private:
  std::string_view text_;
  bool is_literal_ = false;
};

// Facts by name, fast to fill and to look up: a kernel has some sixty, and rules look up hundreds.
class CodeFacts {
 public:
  void put(FactName name, CodeFact fact) {
    NameTable::Found at{names_.find(name.text()), false};
    if (at.id == none) at = names_.add(name.is_literal() ? name.text() : copied(name.text()));
    if (!at.is_new) {
      facts_[at.id] = std::move(fact);
      return;
    }
    if (facts_.empty()) facts_.reserve(64);
    facts_.push_back(std::move(fact));
  }
  const CodeFact* find(std::string_view name) const {
    const std::uint32_t id = names_.find(name);
    return id == none ? nullptr : &facts_[id];
  }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  std::string_view copied(std::string_view name) { return *copies_.emplace_back(std::make_shared<const std::string>(name)); }

  NameTable names_;
  std::vector<CodeFact> facts_;  // by number of the name
  std::vector<std::shared_ptr<const std::string>> copies_;  // of names, for every copy of these facts
};

// The facts about one kernel, one launch of it, or its occupancy.
struct CodeSubject {
  enum class Scope : std::uint8_t { kernel, launch, occupancy };

  Scope scope = Scope::kernel;
  std::string kernel;  // "" for the launch of an unknown kernel
  TextPlace place;     // of its name
  CodeFacts facts;

  void set(FactName name, bool value, std::vector<TextPlace> places = {}) { facts.put(name, {value, std::move(places)}); }
  void set(FactName name, double value, std::vector<TextPlace> places = {}) { facts.put(name, {value, std::move(places)}); }
  void set(FactName name, std::string value, std::vector<TextPlace> places = {}) {
    facts.put(name, {std::move(value), std::move(places)});
  }
  const CodeFact* find(std::string_view name) const { return facts.find(name); }
};

enum class Severity : std::uint8_t { low, medium, high };

// "low", "medium", "high".
std::string_view name_of(Severity severity);

// Views point into the rules, which outlive it.
struct CodeFinding {
  std::string_view code;      // "uncoalesced_access"
  std::string_view category;  // "memory"
  Severity severity = Severity::low;
  std::string_view confidence;  // low, medium, high
  std::string message;          // facts filled in
  std::string_view suggestion;
  std::string_view refute;  // what would show that the finding is wrong
  std::string kernel;
  TextPlace place;  // where it shows, else where the kernel begins
  std::vector<TextPlace> more_places;
  std::string snippet;  // the line at `place`, or ""
  std::vector<std::string_view> recommendations;
  std::string rule_place;  // "data/code_rules/cuda/uncoalesced_access.yaml:1"
};

}  // namespace frx::model
