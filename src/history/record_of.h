// A JSON document that frx wrote into the record that a history keeps of it; which documents that are, and what is taken out of them, is
// said in data/history/answers.yaml.
//
// A series is the sequence of records that may be compared with each other. Unless it is named, it is KIND/SUBJECT or KIND/SUBJECT/GPU: the
// kind of answer, what was measured (of a file its name without folder, endings, dates and times), and the GPU, in lower case, everything
// but letters, digits, '.', '_' and '-' replaced by '-'.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answer/json.h"
#include "base/result.h"
#include "history/record.h"

namespace frx::history {

inline constexpr std::uint64_t largest_document = std::uint64_t{64} << 20;  // bytes of one answer
inline constexpr std::size_t most_kernels = 200;                            // of one record, and as many operators, labels and facts

// Where and when an answer was recorded.
struct Recording {
  std::string series;      // "": derived
  std::int64_t at_ms = 0;  // since 1970, UTC
  std::string commit, program, machine;
};

// `document`: {"mode", "result"} or a result alone. Malformed: it is no answer that a history keeps; `name` for messages.
Result<Record> record_of(const answer::Json& document, const Recording& recording, const std::string& name);

// Absent unless it is an object of prediction_v1 with texts as id, card, kernel, reading and outcome.
std::optional<RecordedPrediction> prediction_in(const answer::Json& entry);

// The hash under which a record is kept.
std::string id_of(const Record& record);

}  // namespace frx::history
