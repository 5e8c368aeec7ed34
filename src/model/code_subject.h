// What static analysis knows about a kernel or a launch.
//
// Facts are declared in data/facts. A fact is absent when the code does not determine it. A rule whose condition needs an absent
// fact is inconclusive and reports nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/shared_text.h"
#include "frx_generated/code_facts.h"

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

// A truth, a number in the unit of its fact, or a text, and where in the code it shows, most telling place first.
struct CodeFact {
  std::variant<bool, double, std::string> value;
  std::vector<TextPlace> places;
};

// The fact of that name in data/facts.
std::optional<CodeFactId> code_fact_called(std::string_view name);

// The facts of one kernel, some sixty of the hundreds there are, stored next to each other; a small number per name says where.
class CodeFacts {
 public:
  void put(CodeFactId id, CodeFact fact) {
    std::uint8_t& place = places_[static_cast<std::size_t>(id)];
    if (place != 0) {
      facts_[place - 1u] = std::move(fact);
      return;
    }
    if (facts_.empty()) facts_.reserve(64);
    facts_.push_back(std::move(fact));
    place = static_cast<std::uint8_t>(facts_.size());
  }
  const CodeFact* find(CodeFactId id) const {
    const std::uint8_t place = places_[static_cast<std::size_t>(id)];
    return place == 0 ? nullptr : &facts_[place - 1u];
  }

 private:
  static_assert(code_fact_count < 256);
  std::array<std::uint8_t, code_fact_count> places_{};  // by fact: 1 + index into facts_, or 0
  std::vector<CodeFact> facts_;
};

// The facts about one kernel, one launch of it, its occupancy, or a whole file.
struct CodeSubject {
  enum class Scope : std::uint8_t { kernel, launch, occupancy, file };

  Scope scope = Scope::kernel;
  std::string kernel;  // "" for the launch of an unknown kernel
  TextPlace place;     // of its name
  CodeFacts facts;

  void set(CodeFactId id, bool value, std::vector<TextPlace> at = {}) { facts.put(id, {value, std::move(at)}); }
  void set(CodeFactId id, double value, std::vector<TextPlace> at = {}) { facts.put(id, {value, std::move(at)}); }
  void set(CodeFactId id, std::string value, std::vector<TextPlace> at = {}) { facts.put(id, {std::move(value), std::move(at)}); }
  const CodeFact* find(CodeFactId id) const { return facts.find(id); }
  // A truth is 1 or 0; absent for a text, too.
  std::optional<double> number(CodeFactId id) const {
    const CodeFact* const fact = facts.find(id);
    if (fact == nullptr) return std::nullopt;
    if (const double* const value = std::get_if<double>(&fact->value)) return *value;
    if (const bool* const value = std::get_if<bool>(&fact->value)) return *value ? 1.0 : 0.0;
    return std::nullopt;
  }
};

}  // namespace frx::model
