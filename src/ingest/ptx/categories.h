// What the instructions of a module are: category, memory they access, where control goes, what they write.
//
// data/ptx/instructions.yaml knows it from the spelling. An opcode that is not there is reported and counts
// as `other`; nothing is guessed from names that look alike.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/library.h"
#include "model/ptx_module.h"

namespace frx::ingest::ptx {

class InstructionSet {
 public:
  // Fails, naming file and line, when a rule has a word we do not know.
  static Result<InstructionSet> load(const knowledge::Library& library);

  // Fills in what forms and special registers of the module mean.
  void describe(::frx::model::ptx::Module& module) const;

 private:
  struct Rule {
    std::vector<std::string_view> of, with;
    std::string_view category;
    ::frx::model::ptx::Form facts;  // without what depends on the spelling
  };

  static Result<Rule> rule_of(const Value& entry);
  const Rule* rule_for(std::string_view text) const;
  ::frx::model::ptx::Form described(const ::frx::model::ptx::Form& form) const;
  ::frx::model::ptx::Variance variance_of(std::string_view special) const;

  std::vector<Rule> rules_;
  std::vector<std::string_view> lane_, uniform_, uniform_numbered_;
};

// Opcodes and special registers that are not known, each once, in order of their names.
std::vector<std::string> unknown_names(const ::frx::model::ptx::Module& module);

}  // namespace frx::ingest::ptx
