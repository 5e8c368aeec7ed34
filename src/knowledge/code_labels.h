// What static analysis may call a file as a whole: the labels of data/code_labels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/code_rules.h"

namespace frx::knowledge {

// How much the sign behind a label is worth.
enum class Proof : std::uint8_t {
  unproven,   // the documented sign is there, but does not tell what it is said to tell
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
  // `kind` is "ptx": asked of the facts of a PTX file. Fails, naming file and line, on what is no label.
  static Result<CodeLabels> load(const Library& library, std::string_view kind);
  static Result<CodeLabels> load(const Library& library, std::string_view kind, const CodeFactCatalogue& facts);

  const std::vector<CodeLabel>& all() const { return labels_; }  // in the documented order

 private:
  std::vector<CodeLabel> labels_;
};

}  // namespace frx::knowledge
