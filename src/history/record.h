// An answer as the history keeps it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace frx::history {

// A label that the answer gave, the leading one first.
struct RecordedLabel {
  std::string name;
  std::optional<double> score;  // 0 to 1
};

// A number of the answer by its name there: "gpu_busy_fraction", "step_time_ms".
struct RecordedFact {
  std::string name;
  double value = 0;
};

// A kernel or an operator.
struct RecordedTime {
  std::string name;
  std::optional<std::int64_t> count;  // launches, calls
  std::optional<double> us;           // of all of them together
  std::string label;                  // what limits it; "" where that is not known
};

// A scored prediction of the advice (`prediction_v1`).
struct RecordedPrediction {
  std::string id, card, kernel, reading, outcome;
  std::string entry;  // the JSON on one line
};

// Texts that are not known are "".
struct Record {
  std::string id;            // SHA-256 of series, commit and document, 64 hexadecimal digits
  std::string series;        // "profile/gemm/nvidia-a100-sxm4-80gb"
  std::int64_t at_ms = 0;    // since 1970, UTC
  std::string commit;        // of the working copy in which it was recorded
  std::string schema, mode;  // "ncu_analysis_v1", "ncu"
  std::string source;        // what was analysed: a path, a command
  std::string verdict;       // the leading label, or what the answer says in a word
  std::string gpu;           // as the answer names it
  std::string program;       // version of frx that recorded it
  std::string machine;       // where it was recorded: JSON on one line
  std::string software;      // versions that the answer names: JSON on one line
  std::string metric;        // the fact that trend shows unless another is asked for
  std::vector<RecordedLabel> labels;
  std::vector<RecordedFact> facts;
  std::vector<RecordedTime> kernels, operators;  // longest first
  std::vector<RecordedPrediction> predictions;
  std::string document;  // the result of the answer: JSON on one line

  std::optional<double> fact(const std::string& name) const {
    for (const RecordedFact& one : facts) {
      if (one.name == name) return one.value;
    }
    return std::nullopt;
  }
};

}  // namespace frx::history
