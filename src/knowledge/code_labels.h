// The labels of data/code_labels, which static analysis may give to a file as a whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/code_rules.h"

namespace frx::knowledge {

struct CodeLabel : model::FindingType {
  std::string_view evidence;  // words, with {facts} filled in
  Expression when;
  Expression score;  // 0 to 1
  model::Proof proof = model::Proof::estimated;
  Value cases;
};

class CodeLabels {
 public:
  // `kind` is "ptx": the labels over the facts of a PTX file. Fails, naming file and line, on an invalid label.
  static Result<CodeLabels> load(const Library& library, std::string_view kind);
  static Result<CodeLabels> load(const Library& library, std::string_view kind, const CodeFactCatalogue& facts);

  const std::vector<CodeLabel>& all() const { return labels_; }  // in the order of docs/contract.md

 private:
  std::vector<CodeLabel> labels_;
};

}  // namespace frx::knowledge
