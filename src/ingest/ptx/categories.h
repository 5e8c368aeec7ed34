// Properties of the instructions of a module: category, memory they access, control flow, what they write.
//
// data/ptx/instructions.yaml derives them from the spelling. An unlisted opcode is reported and counts as `other`; nothing is guessed from
// similar names.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "knowledge/library.h"
#include "model/ptx_module.h"

namespace frx::ingest::ptx {

class InstructionSet {
 public:
  // Fails, naming file and line, when a rule has an unknown word.
  static Result<InstructionSet> load(const knowledge::Library& library);

  // Fills in the properties of forms and special registers of the module.
  void describe(::frx::model::ptx::Module& module) const;

 private:
  struct Rule {
    std::vector<std::string_view> of, with;
    std::string_view category;
    ::frx::model::ptx::Form facts;  // without the properties that depend on the spelling
  };

  static Result<Rule> rule_of(const Value& entry);
  void add(Rule rule);
  const Rule* rule_for(std::string_view text) const;
  ::frx::model::ptx::Form described(const ::frx::model::ptx::Form& form) const;
  ::frx::model::ptx::Variance variance_of(std::string_view special) const;

  std::vector<Rule> rules_;                                                       // the first one that applies counts
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_first_word_;  // of their opcodes, "cp" of "cp.async"; ascending
  std::vector<std::string_view> lane_, uniform_, uniform_numbered_;
};

// Unknown opcodes and special registers, each once, in order of their names.
std::vector<std::string> unknown_names(const ::frx::model::ptx::Module& module);

}  // namespace frx::ingest::ptx
