// What frx says of a made-up recording, beside what is true of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layout/faulty_trace.h"

namespace frx::testing::layout {

// The JSON of `frx layout analyze --trace FILE --json` for a trace, run in this process; none if there is no such command.
std::optional<std::string> layout_json(const std::string& trace_text);

// A finding of layout.v1, of what is needed to compare.
struct LayoutFinding {
  std::string detector, module, file, op_path;
  int line = 0;
  bool is_backward = false;
  bool is_line_of_call = false;  // `line`
  double per_step = 0, bytes_per_step = 0;
};

// None if this is not JSON that holds a list of findings.
std::optional<std::vector<LayoutFinding>> layout_findings(const std::string& json);

bool is_about(const LayoutFinding& finding, const Expectation& expectation, const Recording& recording);

// Of one detector in one way of recording.
struct DetectorScore {
  int truths = 0, found = 0;                       // that have to be found
  int right = 0, wrong = 0, neutral = 0;           // findings: of a truth, of none, of what may be reported
  int unassessed = 0;                              // findings where the recording shows too little
  int counts = 0, right_counts = 0;                // traces: calls in a step, of all findings together, beside those of all truths
  int sizes = 0, right_sizes = 0;                  // the same of bytes in a step
  std::vector<std::uint64_t> missed_in, wrong_in;  // the first numbers of traces

  double precision() const { return right + wrong == 0 ? 1 : static_cast<double>(right) / (right + wrong); }
  double recall() const { return truths == 0 ? 1 : static_cast<double>(found) / truths; }
  void add(const DetectorScore& other);
};

struct LayoutScore {
  int traces = 0, unread = 0;
  std::map<std::pair<std::string_view, std::string_view>, DetectorScore> scores;  // by recording and detector

  void add(std::uint64_t number, const FaultyTrace& trace, const std::optional<std::vector<LayoutFinding>>& findings);
  DetectorScore of_detector(std::string_view detector) const;
  DetectorScore of_recording(std::string_view recording) const;
  DetectorScore all() const;
};

// Traces first to first + count - 1; none where there is no command.
std::optional<LayoutScore> score_layout_faults(std::uint64_t first, std::uint64_t count);

// A part of docs/validation/layout.md.
std::string layout_faults_page(const LayoutScore& score);

}  // namespace frx::testing::layout
