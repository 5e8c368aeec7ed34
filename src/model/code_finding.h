// What static analysis knows about a kernel or a launch, and what a rule makes of it.
//
// A fact is absent when the code does not tell. A rule whose condition asks for an absent fact is silent:
// what is unknown neither accuses nor acquits.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace frx::model {

// In a text file; line and column from 1, 0 where unknown. A column counts UTF-16 code units, as editors and SARIF do.
// `end_column` is one past the last of them on `end_line`.
struct TextPlace {
  std::string file;
  std::uint32_t line = 0, column = 0;
  std::uint32_t end_line = 0, end_column = 0;
  // The source this code was compiled from, when it says so (.loc of PTX).
  std::string source_file;
  std::uint32_t source_line = 0;
};

// A truth, a number or a text, and where in the code it shows, most telling place first.
struct CodeFact {
  std::variant<bool, double, std::string> value;
  std::vector<TextPlace> places;
};

// The facts about one kernel, one launch of it, or its occupancy.
struct CodeSubject {
  enum class Scope : std::uint8_t { kernel, launch, occupancy };

  Scope scope = Scope::kernel;
  std::string kernel;  // "" for the launch of an unknown kernel
  TextPlace place;     // of its name
  std::map<std::string, CodeFact, std::less<>> facts;

  void set(std::string_view name, bool value, std::vector<TextPlace> places = {}) {
    put(name, value, std::move(places));
  }
  void set(std::string_view name, double value, std::vector<TextPlace> places = {}) {
    put(name, value, std::move(places));
  }
  void set(std::string_view name, std::string value, std::vector<TextPlace> places = {}) {
    put(name, std::move(value), std::move(places));
  }
  const CodeFact* find(std::string_view name) const {
    const auto at = facts.find(name);
    return at == facts.end() ? nullptr : &at->second;
  }

 private:
  void put(std::string_view name, decltype(CodeFact::value) value, std::vector<TextPlace> places) {
    facts.insert_or_assign(std::string(name), CodeFact{std::move(value), std::move(places)});
  }
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
