// The JSON in a reply of a language model, which may stand between prose, in a fence, more than once, and with small mistakes.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/judge/judgement.h"

namespace frx::report {

struct ExtractedReply {
  nlohmann::ordered_json value;
  std::string_view path;             // "fenced", "bare", "repaired"
  std::vector<std::string> repairs;  // what was mended: "a comma before a closing bracket"
  std::size_t begin = 0, end = 0;    // bytes of the reply
};

// The best of all values in the text: one that has the members of the contract before one that has not, in a fence before bare, the later
// before the earlier, the larger before the smaller. Nothing is invented. Malformed: the text has no object and no list of objects.
// At most a megabyte of text is read.
Result<ExtractedReply> extract_reply(std::string_view text, JudgeContract contract);

// The contract that the value is of: an object with bottleneck_1 or bottleneck_2 is of the dual one, a list or an object with "category" of
// the list one; absent where it is of neither. The schema kdiag.v1 says it itself.
std::optional<JudgeContract> contract_of(const nlohmann::ordered_json& value);

}  // namespace frx::report
