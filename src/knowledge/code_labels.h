// The labels of data/code_labels, which static analysis may give to a file as a whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/code_rules.h"

namespace frx::knowledge {

// The quality of the evidence of a label.
enum class Proof : std::uint8_t {
  unproven,   // the sign of the reference implementation is there, but does not prove the label
  estimated,  // from the code
  proven,     // from the compiler's own numbers
};
// "unproven", "estimated", "proven".
std::string_view name_of(Proof proof);

struct CodeLabel {
  std::string_view id, display, evidence;
  Expression when;
  Expression score;  // 0 to 1
  Proof proof = Proof::estimated;
  Value cases;
  std::string where;
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
