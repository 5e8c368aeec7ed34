// The facts of static analysis (data/facts/code): unit, range and meaning of each, and the subjects that have it.
//
// Conditions and messages of data/code_rules and data/code_labels are made of these names.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "knowledge/expression.h"
#include "knowledge/facts.h"
#include "knowledge/library.h"
#include "model/code_subject.h"

namespace frx::knowledge {

struct CodeFactDefinition : FactDefinition {
  std::uint8_t subjects = 0;  // bit by bit, as code_subjects
};

// The kinds of subjects that have facts.
inline constexpr std::string_view code_subjects[] = {"cuda_kernel", "cuda_launch", "cuda_occupancy",
                                                     "ptx_kernel",  "ptx_file",    "cubin_kernel"};

class CodeFactCatalogue {
 public:
  // Fails, naming file and line, on an invalid fact.
  static Result<CodeFactCatalogue> load(const Library& library);

  const CodeFactDefinition& operator[](model::CodeFactId id) const { return definitions_[static_cast<std::size_t>(id)]; }
  // The fact of `subject` ("cuda_kernel") with this name.
  std::optional<model::CodeFactId> of(std::string_view subject, std::string_view name) const;
  // Its numbers and truth values, by the number of the fact.
  Scope scope_of(std::string_view subject) const;
  // Texts with {facts} in them: fails at `where` when `subject` has no such fact.
  Result<> check_words(std::string_view words, std::string_view subject, const std::string& where) const;

 private:
  Result<> add(const Value& entry, const Value& file);

  std::array<CodeFactDefinition, model::code_fact_count> definitions_;
};

// The values for conditions over facts; the subject must outlive it.
inline Lookup lookup_in(const model::CodeSubject& subject) {
  return [&subject](std::uint32_t slot) { return subject.number(static_cast<model::CodeFactId>(slot)); };
}

}  // namespace frx::knowledge
